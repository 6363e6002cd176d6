"""Anna and Bert share one Open WebUI, which has one key and says with a header who speaks."""

from dataclasses import dataclass, field
from typing import Any

from everlore.server.access import SESSION
from tests.journeys.world import Client, World

TITLE = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Output:\nJSON"


@dataclass
class Person:
    """One user of Open WebUI: a chat is kept there, and sent whole with each request."""

    client: Client
    id: str
    name: str
    chat: list[dict[str, str]] = field(default_factory=list)

    def says(self, text: str) -> str:
        self.chat.append({"role": "user", "content": text})
        return self.is_answered()

    def is_answered(self) -> str:
        answer = self.ask(self.chat)
        self.chat.append({"role": "assistant", "content": answer})
        return answer

    def regenerates(self) -> str:
        self.chat.pop()
        return self.is_answered()

    def starts_over(self) -> None:
        self.chat = []

    def ask(self, messages: list[dict[str, str]], **body: Any) -> str:
        return str(self.post(messages, **body).json()["choices"][0]["message"]["content"])

    def post(self, messages: list[dict[str, str]], **body: Any) -> Any:
        request = {"model": "everlore/mira", "messages": messages, "stream": False, **body}
        return self.client.request("POST", "/v1/chat/completions", json=request, headers=self.headers)

    @property
    def headers(self) -> dict[str, str]:
        return {
            "X-OpenWebUI-User-Name": self.name,
            "X-OpenWebUI-User-Id": self.id,
            "X-OpenWebUI-User-Email": f"{self.id}@example.org",
            "X-OpenWebUI-User-Role": "user",
        }


def test_two_people_behind_one_key_are_known_by_name_and_nothing_crosses(any_world: World) -> None:
    """Identity, learning, recall, regenerating, asides, lists and deleting, on two servers."""
    world = any_world
    first = world.start()
    owner = first.owner()
    mira = owner.character("Mira")
    key = owner.post("/api/tokens", {"name": "Open WebUI"})["token"]
    here = first.client(key)
    anna, bert = Person(here, "7c1-a", "Anna%20M%C3%BCller"), Person(here, "7c1-b", "Bert")

    anna.says("I live in Ghent, and my cat is called Pixel.")
    bert.says("I live in Oslo.")
    bert.regenerates()
    bert.regenerates()
    for each in (anna, bert):
        each.ask([{"role": "user", "content": TITLE}])
    world.settle(owner)

    # Each is asked about on another server, in a new chat, in the words of the other.
    there = world.start().client(key)
    anna, bert = Person(there, anna.id, anna.name), Person(there, bert.id, bert.name)
    for each in (anna, bert):
        each.says("Where do I live, and what is my cat called?")
    annas, berts = world.prompts[-2:]
    assert "Ghent" in annas
    assert "Pixel" in annas
    assert "Anna Müller" in annas
    assert "Oslo" not in annas
    assert "Oslo" in berts
    assert not {word for word in ("Ghent", "Pixel", "Anna") if word in berts}

    # The owner has none of it, and sees both by their names.
    owner.say(owner.open(mira), "Where do I live?")
    assert not {word for word in ("Ghent", "Oslo") if word in world.prompts[-1]}
    users = {each["name"]: each["id"] for each in owner.all("/api/users")}
    assert {"Anna Müller", "Bert"} <= users.keys()
    talks = owner.all("/api/conversations")
    assert sorted(each["message_count"] for each in talks if each["user_id"] == users["Bert"]) == [2, 2]

    # A member cannot become one of them by naming them, nor the owner.
    kim = owner.member("Kim")
    for name in (bert.id, users["Bert"], "user"):
        forged = Person(kim, name, "Bert").post([{"role": "user", "content": "Where do I live?"}], user=name)
        assert "Oslo" not in world.prompts[-1]
        assert kim.get(f"/api/conversations/{forged.headers[SESSION]}")["user_id"] not in users.values()

    # One of them leaves; the other is known as before.
    owner.delete(f"/api/users/{users['Bert']}")
    world.settle(owner)
    anna.starts_over()
    anna.says("Which town do I live in?")
    assert "Ghent" in world.prompts[-1]
    assert "Oslo" not in world.prompts[-1]
