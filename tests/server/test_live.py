"""The live WebSocket: everybody hears what happens in their workspace; turns can be asked for on it (V2, V7)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from tests.models.chat_server import TEXT, Exchange
from tests.server.home import Home, home
from tests.waiting import PATIENCE_S


@asynccontextmanager
async def listening(here: Home) -> AsyncIterator[ClientConnection]:
    async with connect(f"ws{here.url.removeprefix('http')}/api/live") as socket:
        yield socket


async def until(socket: ClientConnection, type: str) -> list[dict[str, Any]]:
    """All that is heard, up to the first event of that type."""
    heard: list[dict[str, Any]] = []
    async with asyncio.timeout(PATIENCE_S):
        while not heard or heard[-1]["type"] != type:
            heard.append(json.loads(await socket.recv()))
    return heard


async def test_a_turn_on_the_socket_is_the_same_turn() -> None:
    """V2."""
    async with home() as here, listening(here) as socket:
        id = await here.talk()
        await socket.send(json.dumps({"type": "say", "conversation_id": id, "content": "When?"}))

        heard = await until(socket, "message.done")

        deltas = [event for event in heard if event["type"] == "message.delta"]
        assert "".join(event["text"] for event in deltas) == TEXT
        message = heard[-1]["message"]
        assert {event["message_id"] for event in deltas} == {message["id"]} == {heard[-1]["message_id"]}
        assert {event["conversation_id"] for event in heard if event["type"].startswith("message.")} == {id}
        assert (await here.messages(id))[-1] == message


async def test_a_turn_asked_for_elsewhere_is_heard_too() -> None:
    async with home() as here, listening(here) as socket, listening(here) as other:
        id = await here.talk()
        await here.say(id)

        for each in (socket, other):
            assert (await until(each, "message.done"))[-1]["message"]["display_content"] == TEXT


async def test_a_reply_is_stopped_continued_and_written_anew_on_the_socket() -> None:
    """V2."""
    async with home() as here, listening(here) as socket:
        here.model.script.append("stall")
        id = await here.talk()
        await socket.send(json.dumps({"type": "say", "conversation_id": id, "content": "When?"}))
        await until(socket, "message.delta")
        await socket.send(json.dumps({"type": "stop", "conversation_id": id}))
        stopped = (await until(socket, "message.done"))[-1]["message"]

        about = {"conversation_id": id, "message_id": stopped["id"]}
        await socket.send(json.dumps({"type": "continue", **about}))
        longer = (await until(socket, "message.done"))[-1]["message"]
        await socket.send(json.dumps({"type": "regenerate", **about}))
        another = (await until(socket, "message.done"))[-1]["message"]

        assert stopped["state"] == "stopped"
        assert longer["content"] == stopped["content"] + TEXT
        assert another["alternatives"] == [longer["content"], TEXT]


async def _a_title(exchange: Exchange) -> None:
    await exchange.begin()
    await exchange.text(['{"title": "The ferry at dawn", "icon": "sailing"}'])
    await exchange.finish()
    await exchange.end()


@pytest.mark.parametrize("stream", [False, True])
async def test_a_title_and_an_icon_are_pushed_live(stream: bool) -> None:
    """V7: in both modes, on by default, with the right id."""
    async with home() as here, listening(here) as socket:
        here.model.script += ["fine", _a_title]
        id = await here.talk(config={"auto_title": True})
        await here.say(id, stream=stream)

        heard = await until(socket, "conversation.icon")

        told = {event["type"]: event for event in heard if event["type"].startswith("conversation.")}
        assert told["conversation.title"] == {
            "type": "conversation.title",
            "conversation_id": id,
            "title": "The ferry at dawn",
        }
        assert told["conversation.icon"] == {"type": "conversation.icon", "conversation_id": id, "icon": "sailing"}
        kept = (await here.client.get(f"/api/conversations/{id}")).json()
        assert (kept["title"], kept["icon"]) == ("The ferry at dawn", "sailing")


async def test_memories_and_jobs_are_told_of() -> None:
    async with home() as here, listening(here) as socket:
        memory = await here.lore.remember("Rex barks")

        (created,) = [each for each in await until(socket, "job.finished") if each["type"] == "memory.created"]

        assert created["memory_id"] == memory.id
        assert created["memory"]["content"] == "Rex barks"


@pytest.mark.parametrize(
    "sent",
    ["", "{", "[]", '{"type": "dance"}', '{"type": "say"}', '{"type": "stop", "conversation_id": 5}'],
)
async def test_rubbish_is_answered_with_a_sentence(sent: str) -> None:
    async with home() as here, listening(here) as socket:
        await socket.send(sent)

        assert "Send say, stop, regenerate or continue" in (await until(socket, "error"))[-1]["detail"]


async def test_a_request_that_cannot_be_is_answered_with_its_reason() -> None:
    async with home() as here, listening(here) as socket:
        await socket.send(json.dumps({"type": "say", "conversation_id": "nowhere", "content": "Hi"}))

        assert "There is no Conversation 'nowhere'" in (await until(socket, "error"))[-1]["detail"]


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:1", "null"])
async def test_a_page_of_another_site_may_not_listen(origin: str) -> None:
    """S-4."""
    async with home() as here:
        with pytest.raises(InvalidStatus):
            async with connect(f"ws{here.url.removeprefix('http')}/api/live", additional_headers={"Origin": origin}):
                pass


async def test_a_page_of_another_site_may_not_ask_anything() -> None:
    """S-4."""
    async with home() as here:
        headers = {"Origin": "https://evil.example"}
        refused = await here.client.post("/api/characters", json={"name": "Eve"}, headers=headers)
        own = await here.client.post("/api/characters", json={"name": "Eve"}, headers={"Origin": here.url})

        assert (refused.status_code, own.status_code) == (403, 201)
        assert "another site" in refused.json()["detail"]


async def test_other_windows_hear_that_a_chat_is_pinned_closed_reopened_and_deleted() -> None:
    """U3, V2."""
    async with home() as here, listening(here) as socket:
        id = await here.talk()
        path = f"/api/conversations/{id}"

        await here.client.patch(path, json={"pinned": True})
        assert (await until(socket, "conversation.pinned"))[-1]["pinned"] is True
        await here.client.patch(path, json={"state": "archived"})
        assert (await until(socket, "conversation.state"))[-1]["state"] == "archived"
        await here.say(id, "Hello.", reply=False)
        assert (await until(socket, "conversation.state"))[-1]["state"] == "open"
        await here.client.delete(path)
        assert (await until(socket, "conversation.deleted"))[-1]["conversation_id"] == id
