"""What players hear live of their campaign: sessions, words, entities, recaps, and nothing hidden (G9, V7)."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.settings import ServerSettings
from tests.server.home import Home, home
from tests.soak import seeds
from tests.waiting import PATIENCE_S

Event = dict[str, Any]


@dataclass
class Table:
    """Vesna runs the game, Pia and Jon play, and Eve is not there. Vesna speaks in `open_talk` at the table, and in
    `own_talk` behind the screen."""

    here: Home
    campaign: str
    tokens: dict[str, str]
    teller: str = ""
    session: str = ""
    open_talk: str = ""
    own_talk: str = ""
    hidden: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    async def ask(self, method: str, path: str, body: Any = None, *, who: str = "vesna") -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        answer = await self.here.client.request(method, path, json=body, headers=headers)
        assert answer.status_code < 300, (method, path, answer.text)
        return answer.json() if answer.content else None

    async def begin(self) -> None:
        self.session = (await self.ask("POST", f"/api/campaigns/{self.campaign}/sessions", {}))["id"]
        self.open_talk, self.own_talk = [await self._talk(is_open=each) for each in (True, False)]

    async def _talk(self, *, is_open: bool) -> str:
        body = {"character_ids": [self.teller], "open": is_open, "config": {"auto_title": False}}
        made = await self.ask("POST", f"/api/sessions/{self.session}/conversations", body)
        return str(made["id"])

    async def say(self, talk: str, content: str) -> None:
        await self.ask("POST", f"/api/conversations/{talk}/messages", {"content": content, "reply": False})

    async def add(self, name: str, **fields: Any) -> str:
        made = await self.ask("POST", f"/api/campaigns/{self.campaign}/entities", {"name": name, **fields})
        return str(made["id"])

    async def end(self) -> None:
        await self.ask("POST", f"/api/sessions/{self.session}/end")
        await self.here.lore.settle()


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    async with home(server=ServerSettings(tokens=True, per_minute=1_000_000), provider="voice") as here:
        tokens = {}
        for name in ("vesna", "pia", "jon", "eve"):
            person = await here.lore.characters.create(name=name.title(), id=name, kind=PersonKind.USER)
            tokens[name] = (await here.lore.tokens.create(name, role=Role.MEMBER, user=person)).text
        made = await here.lore.campaigns.make("Lamps", gm="vesna", players=["pia", "jon"])
        yield Table(here, made.id, tokens, teller=await here.character("Teller"))


@asynccontextmanager
async def listening(table: Table, who: str) -> AsyncIterator[ClientConnection]:
    headers = {"Authorization": f"Bearer {table.tokens[who]}"}
    async with connect(f"ws{table.here.url.removeprefix('http')}/api/live", additional_headers=headers) as socket:
        yield socket


async def until(socket: ClientConnection, is_last: Callable[[Event], bool]) -> list[Event]:
    heard: list[Event] = []
    async with asyncio.timeout(PATIENCE_S):
        while not heard or not is_last(heard[-1]):
            heard.append(json.loads(await socket.recv()))
    return heard


async def test_players_hear_of_sessions_words_entities_and_the_recap(table: Table) -> None:
    """G9, V7: under the names of their characters."""
    await table.ask("POST", f"/api/campaigns/{table.campaign}/players/pia/character", {"name": "Mira Sallow"})
    async with listening(table, "jon") as socket:
        await table.begin()
        await table.say(table.open_talk, "Captain Ysolde Marr waits at the quay of Gallowmere with a lantern.")
        marr = await table.add("Captain Ysolde Marr")
        await table.end()

        heard = await until(socket, lambda event: event.get("memory", {}).get("type") == "SUMMARY")

    types = [each["type"] for each in heard]
    assert [each for each in types if each.startswith("session.") and each != "session.updated"] == [
        "session.started",
        "session.ended",
    ]
    (said,) = [each for each in heard if each["type"] == "message.said"]
    assert "Gallowmere" in said["message"]["content"]
    assert [each["entity_id"] for each in heard if each["type"] == "entity.created"] == [marr]
    assert {each["campaign_id"] for each in heard if "campaign_id" in each} == {table.campaign}
    assert heard[-1]["memory"]["session_id"] == table.session


async def test_who_has_no_seat_hears_nothing_of_it(table: Table) -> None:
    """G9."""
    async with listening(table, "eve") as socket:
        await table.begin()
        await table.say(table.open_talk, "The lamps of Orne are dark.")
        await table.add("Orne")
        talk = await table.ask("POST", "/api/conversations", {"character_ids": [table.teller]}, who="eve")
        await table.ask("POST", f"/api/conversations/{talk['id']}/close", who="eve")

        heard = await until(socket, lambda event: event["type"] == "conversation.state")

    assert {each["conversation_id"] for each in heard} == {talk["id"]}


@pytest.mark.parametrize("seed", seeds(3, 40))
async def test_no_event_that_a_player_hears_contains_anything_hidden(table: Table, seed: int) -> None:
    """G9: whatever the game master does, in whatever order; what is shown is heard."""
    random = Random(seed)
    await table.begin()
    baron = await table.add("Baron Aldous")

    async def acts(at: int) -> None:
        secret = "Qz" + "".join(random.choices("aeioulmnrt", k=8))
        match random.randrange(6):
            case 0:
                hidden = await table.add(f"{secret} the Pale", aliases=[f"Lord {secret}"], is_spoiler=True)
                table.hidden.append(hidden)
                await table.ask("PATCH", f"/api/entities/{hidden}", {"description": f"{secret} drinks light."})
            case 1:
                await table.ask("PATCH", f"/api/entities/{baron}", {"hidden_aliases": [secret]})
            case 2:
                body = {"content": f"{secret} rules the guild of {secret}.", "is_spoiler": True}
                await table.ask("POST", f"/api/campaigns/{table.campaign}/memories", body)
            case 3:
                await table.say(table.own_talk, f"Behind the screen: {secret} holds the lantern.")
            case 4:
                hidden = await table.add(f"{secret} Vane", is_spoiler=True)
                table.hidden.append(hidden)
                await table.say(table.open_talk, f"The masked man bows: I am {secret} Vane.")
            case _:
                table.said.append(f"Open{at}")
                await table.say(table.open_talk, f"Open{at} is what everybody hears.")

    async with listening(table, "pia") as socket:
        for at in range(12):
            await acts(at)
        last = await table.add("The last one")
        await table.end()
        heard = await until(socket, lambda event: event.get("entity_id") == last)
        await table.ask("POST", f"/api/campaigns/{table.campaign}/sessions", {"name": "Next"})
        heard += await until(socket, lambda event: event["type"] == "session.started")

    told = json.dumps(heard)
    leaks = [(each["type"], each.get("message") or each.get("memory")) for each in heard if "Qz" in json.dumps(each)]
    assert leaks == []
    assert not [id for id in table.hidden if id in told]
    assert [each for each in table.said if each not in told] == []
