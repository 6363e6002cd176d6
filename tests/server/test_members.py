"""What a member may name in a request: themselves and the characters, and nothing of anybody else (C4, S-3)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from everlore.domain.policy import Role
from everlore.settings import ServerSettings
from tests.server.home import Home, home


@dataclass(frozen=True)
class Workspace:
    """An owner's workspace with a member in it; `owned` are ids of what is the owner's."""

    here: Home
    member: dict[str, str]
    owned: dict[str, str]
    nova_id: str

    async def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return await self.here.client.request(method, path, json=body, headers=self.member)


@asynccontextmanager
async def workspace(**chat: Any) -> AsyncIterator[Workspace]:
    async with home(server=ServerSettings(tokens=True, per_minute=1_000_000), workers=0, **chat) as here:
        lore = here.lore
        nova = await lore.characters.create(name="Nova")
        open_talk = await lore.conversations.start(nova, greet=False)
        private = await lore.conversations.start(nova, config={"private": True}, greet=False)
        said = await lore.turns.note(open_talk.id, "I keep bees.")
        other = await lore.tokens.create("Robin", role=Role.MEMBER)
        token = await lore.tokens.create("Mila", role=Role.MEMBER)
        campaign = await lore.campaigns.make("The Silent Bell")
        owned = {
            "owner": "user",
            "another member": str(other.token.user_id),
            "conversation": open_talk.id,
            "private conversation": private.id,
            "message": said.id,
            "campaign": campaign.id,
        }
        yield Workspace(here, {"Authorization": f"Bearer {token.text}"}, owned, nova.id)


@pytest.mark.parametrize("field", ["person_id", "partner_id"])
@pytest.mark.parametrize("who", ["owner", "another member"])
async def test_a_member_writes_no_memory_about_another_user(field: str, who: str) -> None:
    async with workspace() as at:
        body = {"content": "Nova hates the owner", "person_id": at.nova_id, field: at.owned[who]}
        refused = await at.ask("POST", "/api/memories", body)
        unknown = await at.ask("POST", "/api/memories", body | {field: "nobody-at-all"})
        kept = await at.here.lore.memories.list()

    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert refused.text.replace(at.owned[who], "ID") == unknown.text.replace("nobody-at-all", "ID")
    assert kept.items == ()


async def test_a_member_writes_memories_about_themselves_and_about_a_character() -> None:
    """The other end of the guard."""
    async with workspace() as at:
        me = (await at.ask("GET", "/api/me")).json()["user"]["id"]
        talk = (await at.ask("POST", "/api/conversations", {"character_id": at.nova_id})).json()["id"]
        bodies: list[dict[str, Any]] = [
            {"content": "Mila keeps goats"},
            {"content": "Mila keeps hens", "person_id": me},
            {"content": "Nova owes Mila a boat", "person_id": at.nova_id},
            {"content": "Mila and Nova met in Ghent", "person_id": at.nova_id, "partner_id": me},
            {"content": "Mila said hello", "conversation_id": talk},
        ]
        answers = [await at.ask("POST", "/api/memories", body) for body in bodies]

    assert [each.status_code for each in answers] == [201] * len(bodies)
    assert all(me in each.json()["persons"] for each in answers)


async def test_a_member_forgets_what_is_about_themselves_and_nothing_else() -> None:
    async with workspace() as at:
        await at.here.lore.remember("The user keeps bees", person="user")
        await at.here.lore.remember("Nova likes rain", person=at.nova_id)
        for content in ("Mila paints boats", "Mila lives in Porto"):
            await at.ask("POST", "/api/memories", {"content": content})

        counted = (await at.ask("DELETE", "/api/memories/about-me?dry_run=true")).json()
        deleted = await at.ask("DELETE", f"/api/memories/about-me?expected={counted['total']}")
        left = {each.content for each in (await at.here.lore.memories.list()).items}

    assert (counted["total"], deleted.status_code) == (2, 200)
    assert left == {"The user keeps bees", "Nova likes rain"}


@pytest.mark.parametrize("which", ["conversation", "private conversation"])
async def test_a_member_attaches_nothing_to_a_conversation_of_another(which: str) -> None:
    async with workspace() as at:
        body = {"content": "Mila keeps goats", "conversation_id": at.owned[which]}
        refused = await at.ask("POST", "/api/memories", body)
        unknown = await at.ask("POST", "/api/memories", body | {"conversation_id": "nothing-at-all"})
        kept = await at.here.lore.memories.list()

    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert refused.text.replace(at.owned[which], "ID") == unknown.text.replace("nothing-at-all", "ID")
    assert kept.items == ()


NAMED: list[tuple[str, str, str, dict[str, Any] | None]] = [
    ("conversation", "GET", "/api/memories?conversation_id=ID", None),
    ("owner", "GET", "/api/memories?person_id=ID", None),
    ("owner", "GET", "/api/memories?person_id=ID&partner_id=ID", None),
    ("message", "GET", "/api/memories?message_id=ID", None),
    ("campaign", "GET", "/api/memories?campaign_id=ID", None),
    ("conversation", "POST", "/api/memories/search", {"query": "bees", "conversation_id": "ID"}),
    ("owner", "POST", "/api/memories/search", {"query": "bees", "person_id": "ID"}),
    ("campaign", "POST", "/api/memories/search", {"query": "bees", "campaign_id": "ID"}),
    ("conversation", "POST", "/api/context", {"query": "bees", "conversation_id": "ID"}),
    ("owner", "POST", "/api/context", {"query": "bees", "person_id": "ID"}),
    ("owner", "GET", "/api/events?person_id=ID", None),
    ("conversation", "GET", "/api/events?conversation_id=ID", None),
    ("conversation", "POST", "/api/events", {"type": "observation", "content": "x", "conversation_id": "ID"}),
    ("owner", "POST", "/api/conversations", {"character_id": "ID"}),
    ("owner", "POST", "/api/conversations", {"character_id": "NOVA", "user_id": "ID"}),
    ("conversation", "POST", "/api/conversations/ID/stop", None),
    ("message", "POST", "/api/conversations/MINE/branch", {"message_id": "ID"}),
    ("message", "POST", "/api/conversations/MINE/messages/ID/regenerate", None),
    ("message", "PATCH", "/api/conversations/MINE/messages/ID", {"content": "x"}),
    ("message", "GET", "/api/conversations/MINE/messages/ID/memories", None),
    ("owner", "PATCH", "/api/conversations/MINE", {"character_ids": ["ID"]}),
    ("message", "POST", "/api/conversations/MINE/pins", {"message_ids": ["ID"], "what": "x"}),
    ("owner", "POST", "/api/conversations/MINE/messages", {"content": "x", "person_id": "ID", "reply": False}),
    ("campaign", "GET", "/api/campaigns/ID", None),
]


@pytest.mark.parametrize(("what", "method", "path", "body"), NAMED)
async def test_a_refusal_does_not_tell_a_member_which_ids_exist(
    what: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    """S-3: an id of another's is answered in the same words as one that is nobody's."""
    async with workspace() as at:
        mine = (await at.ask("POST", "/api/conversations", {"character_id": at.nova_id})).json()["id"]

        async def answer(id: str) -> tuple[int, str]:
            def filled(text: str) -> str:
                return text.replace("NOVA", at.nova_id).replace("MINE", mine).replace("ID", id)

            sent = {key: _filled(value, filled) for key, value in body.items()} if body else None
            given = await at.ask(method, filled(path), sent)
            return given.status_code, given.text.replace(id, "ID")

        theirs, nobodys = await answer(at.owned[what]), await answer("nothing-at-all")

    assert theirs == nobodys
    assert theirs[0] in {403, 404} or '"items":[]' in theirs[1]


def _filled(value: Any, filled: Any) -> Any:
    if isinstance(value, list):
        return [filled(each) for each in value]
    return filled(value) if isinstance(value, str) else value


# A service that nobody set up.


@pytest.mark.parametrize("service", ["openai", "ollama"])
async def test_a_conversation_asks_no_service_that_nobody_set_up(service: str) -> None:
    """V5: the server has no model, and a member's word must not make it call one."""
    async with workspace(provider="voice", base_url="", api_key=None, model="") as at:
        body = {"character_id": at.nova_id, "config": {"service_type": service, "auto_title": False}}
        refused = await at.ask("POST", "/api/conversations", body)
        plain = (await at.ask("POST", "/api/conversations", {"character_id": at.nova_id})).json()["id"]
        changed = await at.ask("PATCH", f"/api/conversations/{plain}", {"config": {"service_type": service}})
        reply = await at.ask("POST", f"/api/conversations/{plain}/messages", {"content": "Hello!"})

    assert (refused.status_code, changed.status_code) == (400, 400)
    assert f"No {service} service is set up" in refused.text
    assert reply.status_code == 200


async def test_a_conversation_may_ask_a_service_that_the_operator_set_up() -> None:
    async with workspace() as at:
        body = {"character_id": at.nova_id, "config": {"service_type": "openai", "auto_title": False}}
        made = await at.ask("POST", "/api/conversations", body)
        reply = await at.ask("POST", f"/api/conversations/{made.json()['id']}/messages", {"content": "Hello!"})

    assert (made.status_code, reply.status_code) == (201, 200)
    assert reply.json()["reply"]["model"] == "fine-model"
