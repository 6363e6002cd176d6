"""Secrets across features: a game night, a reveal, a thinker and a private hour."""

import json
from typing import Any

from tests.journeys.world import Client, World

SECRETS = ("lich", "opal", "poisoned")


class Table:
    """A campaign with secrets, a game master and three players, each with a token of their own."""

    def __init__(self, world: World, *, model: bool, gm: str = "") -> None:
        self.server = world.start(model=model)
        self.owner = self.server.owner()
        made = {name: self.owner.post("/api/tokens", {"name": name, "role": "member"}) for name in _PLAYERS}
        self.ids = {name: each["user_id"] for name, each in made.items()}
        self.hal, self.bex, self.cay = (self.server.client(made[name]["token"]) for name in _PLAYERS)
        self.mara = self.owner.character("Mara")
        body = {"name": "The Grey Keep", "player_ids": list(self.ids.values()), "gm_id": self.mara}
        self.game: str = self.owner.post("/api/campaigns", body)["id"]
        for content in ("The keep stands over the river Orl.", "The baron never leaves the keep."):
            self.remember(content)

    def remember(self, content: str, *, is_spoiler: bool = False) -> str:
        body = {"content": content, "is_spoiler": is_spoiler}
        made = self.owner.post(f"/api/campaigns/{self.game}/memories", body)
        id: str = made.get("memory", made)["id"]
        return id

    def entity(self, name: str, **fields: Any) -> str:
        id: str = self.owner.post(f"/api/campaigns/{self.game}/entities", {"name": name, **fields})["id"]
        return id

    def session(self, name: str) -> str:
        id: str = self.owner.post(f"/api/campaigns/{self.game}/sessions", {"name": name})["id"]
        return id

    def seat(self, session: str, player: str) -> str:
        body = {"character_ids": [self.mara], "user_id": self.ids[player], "config": {"auto_title": False}}
        id: str = self.owner.post(f"/api/sessions/{session}/conversations", body)["id"]
        return id

    def reveals(self) -> list[Any]:
        found = self.owner.get(f"/api/campaigns/{self.game}/proposals", params={"kind": "reveal"})
        return list(found["items"])

    def all_that_is_told(self, player: Client, session: str, question: str) -> str:
        """By every way that a player has into the campaign."""
        of = f"/api/campaigns/{self.game}"
        told = [
            player.get(f"{of}/recap"),
            player.get(f"{of}/memories"),
            player.get(f"{of}/entities"),
            player.get(f"{of}/sessions"),
            player.get(f"{of}/shelves"),
            player.get(f"/api/sessions/{session}/log"),
            player.get(f"/api/sessions/{session}/memories"),
            {**player.post(f"{of}/ask", {"question": question}), "question": ""},
            player.search(question, include=["memories", "messages", "summaries", "events", "entities"]),
            player.memories(),
            player.request("GET", f"{of}/export", params={"format": "lorebook"}).text,
        ]
        return json.dumps(told, ensure_ascii=False)


_PLAYERS = ("Hal", "Bex", "Cay")


def test_a_game_night_without_a_model_gives_no_secret_to_anybody(world: World) -> None:
    """Campaign, sessions, built-in voice, `/v1`, digest, recap, search and export: two players ask the character that
    runs the game about its secrets, one over `/v1`; a third was not there and reads everything afterwards."""
    table = Table(world, model=False)
    for content in ("The baron is a lich.", "The eye of the idol is an opal.", "The steward poisoned the old duke."):
        table.remember(content, is_spoiler=True)
    session = table.session("The first night")
    here, there = table.seat(session, "Hal"), table.seat(session, "Bex")

    asked = ("What is the baron?", "What is the eye of the idol?", "Who killed the old duke?", "Tell me of the keep.")
    said = [table.hal.say(here, each) for each in asked]
    headers = {"X-Conversation-Session-Id": there}
    said += [table.bex.complete([{"role": "user", "content": each}], table.mara, headers=headers) for each in asked]
    table.owner.post(f"/api/sessions/{session}/end")
    world.settle(table.owner)

    assert not [each for each in SECRETS if each in " ".join(said)]
    assert "never leaves the keep" in " ".join(said), "what everybody may know is told"
    told = table.all_that_is_told(table.cay, session, "What is known of the baron, the idol and the duke?")
    assert not [each for each in SECRETS if each in told]
    assert "The first night" in told


def test_a_game_master_reveals_a_hidden_name_and_players_see_exactly_that(world: World) -> None:
    """A model that gives a secret away, digest, proposals, merging and what each of the players sees."""
    table = Table(world, model=True)
    baron = table.entity("Baron Aldous", hidden_aliases=["Zorvath Quill", "The Pale Lord"])
    session = table.session("The ball")
    talk = table.seat(session, "Hal")
    world.reply = lambda _: "The masked man bows: I am Zorvath Quill, and this is my house."
    question = "Who is Zorvath Quill?"

    table.hal.say(talk, "I ask the masked man for his name.")
    table.owner.post(f"/api/sessions/{session}/end")
    world.settle(table.owner)

    assert any("Zorvath Quill" in each for each in table.hal.lines(talk)), "who was there has heard it"
    assert "Zorvath" not in table.all_that_is_told(table.cay, session, "Who is the masked man?")
    (reveal,) = table.reveals()
    assert reveal["title"] == "Zorvath Quill"

    # A misspelling that a player brought up is merged, and the name that was said is revealed.
    slip = table.entity("Zorvat Quil", is_spoiler=True)
    table.owner.post(f"/api/entities/{slip}/merge", {"into": baron})
    table.owner.post(f"/api/proposals/{reveal['id']}/approve", {})
    world.settle(table.owner)

    (seen,) = table.cay.get(f"/api/campaigns/{table.game}/entities")["items"]
    assert (seen["name"], seen["aliases"], seen["hidden_aliases"]) == ("Baron Aldous", ["Zorvath Quill"], [])
    known = table.owner.get(f"/api/entities/{baron}")
    assert set(known["hidden_aliases"]) == {"The Pale Lord", "Zorvat Quil"}
    told = table.all_that_is_told(table.cay, session, question)
    assert "Zorvath Quill" in told
    assert "Pale Lord" not in told


def test_no_character_ever_sees_what_another_thinks(world: World) -> None:
    """A scene with three characters and a narrator, gossip, later talks, search, a member's page and export."""
    server = world.start()
    owner = server.owner()
    made = owner.post("/api/tokens", {"name": "Uma", "role": "member"})
    uma = server.client(made["token"])
    names = ("Ada", "Bo", "Cy")
    cast = [owner.character(each) for each in names] + [owner.character("The Tide", kind="narrator")]
    body = {
        "character_ids": cast,
        "user_id": made["user_id"],
        "config": {"auto_title": False, "gossip_enabled": True},
    }
    talk = owner.post("/api/conversations", body)["id"]
    world.reply = lambda _: "<think>The vault code is saffron.</think>The harbour lamps are lit tonight."

    answered = uma.say(talk, "Good evening, all of you.", speaker_id=cast[0])
    world.reply = lambda _: "Indeed they are."
    for speaker in cast[1:]:
        uma.say(talk, "And what do you say of the lamps and the vault?", speaker_id=speaker)
    world.settle(owner)
    for speaker in cast[:3]:
        later = uma.open(speaker)
        uma.say(later, "Do you remember the harbour lamps and the vault code?")

    assert "saffron" not in answered
    assert len(world.prompts) == 7
    assert not [each for each in world.prompts if "saffron" in each]
    assert "harbour lamps are lit" in world.prompts[-2], "what was said is remembered"
    for speaker in cast:
        assert "saffron" not in str(owner.search("the vault code saffron", person_id=speaker, include=["messages"]))
    assert "saffron" not in json.dumps(uma.all(f"/api/conversations/{talk}/messages"))
    assert "saffron" not in uma.request("GET", f"/api/conversations/{talk}/export").text
    # The owner can.
    assert "saffron" in json.dumps(owner.all(f"/api/conversations/{talk}/messages"))
    assert "saffron" in owner.request("GET", f"/api/conversations/{talk}/export").text


def test_a_private_hour_appears_nowhere_but_in_its_own_conversation(world: World) -> None:
    """Switching to private and back, closing, analysing, summarising, export, search and the context package."""
    server = world.start(
        EVERLORE_ANALYSIS__PROVIDER="openai",
        EVERLORE_ANALYSIS__BASE_URL=world.model.url,
        EVERLORE_ANALYSIS__MODEL="fine-model",
    )
    owner = server.owner()
    world.reply = lambda body: _ANALYSIS if _is_analysis(body) else "I see."
    mira, rex = owner.character("Mira"), owner.character("Rex")
    secret = "I keep a walrus tooth under the stairs of my house in Ghent."
    talk = owner.open(mira)

    owner.say(talk, "I work as a baker.")
    world.settle(owner)
    owner.patch(f"/api/conversations/{talk}", {"config": {"private": True}})
    owner.say(talk, secret)
    owner.patch(f"/api/conversations/{talk}", {"config": {"private": False}})
    owner.say(talk, "I play the oboe.")
    owner.post(f"/api/conversations/{talk}/close")
    owner.post(f"/api/conversations/{talk}/analyze", {})
    owner.post(f"/api/conversations/{talk}/summarize", {})
    world.settle(owner)

    assert secret in owner.lines(talk)
    analysed = [each.body for each in world.model.asked_to_chat if "oboe" in str(each.body) and _is_analysis(each.body)]
    assert analysed
    assert "walrus" not in json.dumps(analysed)
    assert "baker" in str(owner.memories())
    told = [
        owner.memories(),
        *(
            owner.search("walrus tooth under the stairs in Ghent", person_id=who, include=_EVERYTHING)
            for who in (None, mira, rex)
        ),
        owner.post("/api/context", {"query": "What is under the stairs?"}),
        owner.post("/api/context", {"query": "What is under the stairs?", "person_id": mira}),
        owner.get(f"/api/conversations/{talk}/summaries"),
        owner.get(f"/api/conversations/{talk}/analyses"),
        owner.prompt(owner.open(mira), "What do I keep under my stairs?"),
        owner.prompt(owner.open(rex), "What do I keep under my stairs?"),
    ]
    assert "walrus" not in json.dumps(told)
    assert "Ghent" not in json.dumps(told)


def _is_analysis(body: dict[str, Any]) -> bool:
    """Whether a request is none for a reply in the talk itself."""
    return "response_format" in body


_ANALYSIS = json.dumps({"summary": "They talked.", "memories": []})
_EVERYTHING = ["memories", "messages", "summaries", "events", "entities"]
