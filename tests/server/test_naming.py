"""Names of conversations belong to whoever calls (V11, S-3; 9-surfaces: each lookup within what the caller owns)."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from everlore.cli.chat_options import ChatOptions, open_conversation
from everlore.cli.keyboard import Keyboard
from everlore.domain.policy import Role
from everlore.errors import BadAsk
from everlore.server.access import SESSION
from everlore.server.login import SOCKET_PROTOCOL
from everlore.settings import ServerSettings
from tests.models.chat_server import TEXT
from tests.server.home import Home, home

GREETING = "Come in, the kettle is on."
PIN = "My bank pin is 4711."
WAYS = ["header", "metadata", "user"]


@dataclass(frozen=True)
class House:
    """A server with one character, an owner and a guest."""

    here: Home
    nova: str
    owner: str
    guest: str

    async def chat(self, token: str, *said: str, way: str = "", name: str = "main") -> httpx.Response:
        """A call of `/v1`; `said` is in turns, the last one the user's."""
        roles = ["user", "assistant"] if len(said) % 2 else ["assistant", "user"]
        body: dict[str, Any] = {
            "model": "nova",
            "messages": [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)],
        }
        headers = {"Authorization": f"Bearer {token}"}
        match way:
            case "header":
                headers[SESSION] = name
            case "metadata":
                body["metadata"] = {"conversation_id": name}
            case "user":
                body["user"] = name
        return await self.here.client.post("/v1/chat/completions", json=body, headers=headers)

    async def ask(self, token: str, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
        return await self.here.client.request(method, path, headers=headers, **more)

    async def start(self, token: str, session: str = "", **more: Any) -> httpx.Response:
        headers = {SESSION: session} if session else {}
        return await self.ask(
            token, "POST", "/api/conversations", json={"character_id": self.nova, **more}, headers=headers
        )

    async def read(self, token: str) -> dict[str, list[str]]:
        """All that this caller has said in their conversations, by id."""
        listed = (await self.ask(token, "GET", "/api/conversations")).json()["items"]
        return {each["id"]: await self.said(token, each["id"]) for each in listed}

    async def said(self, token: str, id: str) -> list[str]:
        answer = await self.ask(token, "GET", f"/api/conversations/{id}/messages")
        assert answer.status_code == 200, answer.text
        return [each["content"] for each in answer.json()["items"]]


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    async with home(server=ServerSettings(tokens=True)) as here:
        nova = await here.character(greetings=(GREETING,))
        owner = await here.lore.tokens.create("me")
        guest = await here.lore.tokens.create("Robin", role=Role.GUEST)
        yield House(here, nova, owner.text, guest.text)


@pytest.mark.parametrize("way", WAYS)
async def test_a_name_that_a_guest_took_first_is_still_the_owners(way: str) -> None:
    """V11, S-3: the owner's words land in the owner's own conversation, where no guest reads them."""
    async with house() as there:
        await there.chat(there.guest, "Hello!", way=way)
        answers = [await there.chat(there.owner, *said, way=way) for said in ([PIN], [PIN, TEXT, "And keep it."])]
        guests = await there.read(there.guest)
        (own,) = {each.headers[SESSION] for each in answers}
        owners = await there.said(there.owner, own)

    assert own not in guests
    assert list(guests.values()) == [["Hello!", TEXT]]
    assert owners == [PIN, TEXT, "And keep it.", TEXT]


@pytest.mark.parametrize("way", WAYS)
async def test_a_name_that_the_owner_took_first_gives_a_guest_one_of_their_own(way: str) -> None:
    async with house() as there:
        await there.chat(there.owner, PIN, way=way)
        talk = ["Hello!", TEXT, "Me again."]
        answers = [await there.chat(there.guest, *talk[:count], way=way) for count in (1, 3)]
        guests = await there.read(there.guest)

    assert [each.status_code for each in answers] == [200, 200]
    assert list(guests.values()) == [["Hello!", TEXT, "Me again.", TEXT]]


async def test_a_talk_without_a_name_goes_on_among_the_callers_own() -> None:
    """The owner sees what a guest began, and does not go on with it; nor does another guest."""
    async with house() as there:
        other = (await there.here.lore.tokens.create("Kim", role=Role.MEMBER)).text
        begun = (await there.start(there.guest)).json()["id"]
        for token in (there.owner, other):
            await there.chat(token, GREETING, PIN)
        guests = await there.read(there.guest)
        others = await there.read(other)
        again = await there.chat(there.guest, GREETING, "It is me.")

    assert guests == {begun: [GREETING]}
    assert list(others.values()) == [[GREETING, PIN, TEXT]]
    assert again.headers[SESSION] == begun


async def test_the_session_that_comes_back_leads_to_the_same_conversation() -> None:
    """V11: as it was named, as the answer names it, and as a path."""
    async with house() as there:
        first = await there.chat(there.guest, "One.", way="header")
        named = await there.chat(there.guest, "Two.", way="header", name=first.headers[SESSION])
        started = await there.start(there.guest, "main")
        by_name = await there.said(there.guest, "main")
        url = there.here.url.replace("http", "ws") + "/api/live"
        async with connect(url, subprotocols=[SOCKET_PROTOCOL, there.guest]) as socket:  # type: ignore[list-item]
            await socket.send(json.dumps({"type": "say", "conversation_id": "main", "content": "Three."}))
            while json.loads(await socket.recv())["type"] != "message.done":
                pass
        (all_of_it,) = (await there.read(there.guest)).values()

    assert named.headers[SESSION] == first.headers[SESSION] == started.json()["id"]
    assert by_name == ["One.", TEXT, "Two.", TEXT]
    assert all_of_it == ["One.", TEXT, "Two.", TEXT, "Three.", TEXT]


async def test_the_owners_own_names_are_the_ids_of_their_conversations() -> None:
    """V11: an unknown id starts a new conversation under that id."""
    async with house() as there:
        told = await there.chat(there.owner, "One.", way="header")
        started = await there.start(there.owner, "main")
        made = await there.start(there.owner, id="other")
        again = await there.start(there.owner, id="other")

    assert told.headers[SESSION] == started.json()["id"] == "main"
    assert (made.json()["id"], again.status_code) == ("other", 409)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.GUEST])
async def test_naming_what_another_has_is_as_though_it_were_not_there(role: Role) -> None:
    """S-3: no status and no word tells a conversation of another from none at all."""
    async with house() as there:
        token = (await there.here.lore.tokens.create("Kim", role=role)).text
        theirs = (await there.start(there.owner)).json()["id"]
        answers: dict[str, list[tuple[int, str]]] = {}
        for id in (theirs, "nowhere"):
            given = [
                await there.ask(token, "GET", f"/api/conversations/{id}"),
                await there.ask(token, "POST", f"/api/conversations/{id}/messages", json={"content": "Hi!"}),
                await there.start(token, id),
                await there.chat(token, "Hello!", way="header", name=id),
                await there.start(token, id=f"{id}"),
            ]
            own = given[2].json()["id"]
            assert own not in {theirs, "nowhere"}
            answers[id] = [(each.status_code, each.text.replace(id, "ID") * (each.status_code > 300)) for each in given]
        untouched = await there.said(there.owner, theirs)

    assert answers[theirs] == answers["nowhere"]
    assert [status for status, _ in answers[theirs]] == [404, 404, 201, 200, 409]
    assert untouched == [GREETING]


@pytest.mark.parametrize("id", [".", ".."])
async def test_an_id_that_no_address_can_have_is_refused_wherever_it_is_given(id: str) -> None:
    """V11: a browser takes these for a folder, and would never ask for them."""
    async with house() as there:
        answers = [
            await there.start(there.owner, id=id),
            await there.start(there.owner, id),
            await there.chat(there.owner, "Hello!", way="header", name=id),
            await there.start(there.guest, id),
        ]
        with pytest.raises(BadAsk, match="cannot be the id"):
            await there.here.lore.conversations.start(there.nova, id=id)
        with pytest.raises(BadAsk, match="cannot be the id"):
            await there.here.lore.conversations.known(id)
        kept = await there.read(there.owner)

    assert [each.status_code for each in answers] == [400] * 4
    assert all("cannot be the id of a conversation" in each.text for each in answers)
    assert kept == {}


async def test_a_chat_in_the_terminal_goes_on_with_ones_own() -> None:
    """Whoever runs the server sees what a guest began last, and does not speak in it by chance."""
    async with house() as there:
        own = await there.here.lore.conversations.start(there.nova)
        await there.start(there.guest)
        opened = await open_conversation(there.here.lore, Keyboard(), ChatOptions(go_on=True))

    assert opened is not None
    assert opened.conversation.id == own.id
