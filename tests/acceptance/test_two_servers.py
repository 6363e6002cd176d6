"""Two servers on one database act as one: a reply is stopped, watched and followed from either (V2, V12)."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.cli.process import Command
from tests.models.chat_server import WORDS, ChatServer
from tests.waiting import PATIENCE_S, until

# What the model says before it stalls.
PART = "".join(WORDS[:2])
# A space at the end is shown with the word that follows it.
SHOWN = PART.rstrip()


@contextmanager
def _command(folder: Path, database: str) -> Iterator[Command]:
    with ChatServer() as model:
        yield Command(folder, EVERLORE_DATABASE_URL=database, EVERLORE_EMBEDDING__PROVIDER="hashing").having(
            EVERLORE_CHAT__PROVIDER="openai",
            EVERLORE_CHAT__BASE_URL=model.url,
            EVERLORE_CHAT__MODEL="stall",
            EVERLORE_SERVER__TOKENS="true",
        )


@asynccontextmanager
async def _served(command: Command, token: str) -> AsyncIterator[httpx.AsyncClient]:
    with command.started("serve", "--port", "0") as server:
        url = await asyncio.to_thread(server.line)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=PATIENCE_S) as client:
            yield client


def _token(command: Command) -> str:
    made: str = command.ok("token", "create", "owner", "--json").document["token"]
    return made


async def _begin(client: httpx.AsyncClient) -> str:
    mira = (await client.post("/api/characters", json={"name": "Mira"})).json()
    new = {"character_id": mira["id"], "config": {"auto_title": False}}
    started = await client.post("/api/conversations", json=new)
    assert started.status_code == 201, started.text
    return str(started.json()["id"])


async def _last(client: httpx.AsyncClient, talk: str) -> dict[str, Any]:
    answer = await client.get(f"/api/conversations/{talk}/messages", params={"limit": 1, "newest_first": True})
    found: dict[str, Any] = answer.json()["items"][0]
    return found


@asynccontextmanager
async def _socket(client: httpx.AsyncClient, token: str) -> AsyncIterator[ClientConnection]:
    url = f"ws{str(client.base_url).removeprefix('http').rstrip('/')}/api/live"
    async with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        yield socket


async def _hear(socket: ClientConnection, type: str) -> list[dict[str, Any]]:
    """All events up to the first of that type."""
    heard: list[dict[str, Any]] = []
    async with asyncio.timeout(PATIENCE_S):
        while not heard or heard[-1]["type"] != type:
            heard.append(json.loads(await socket.recv()))
    return heard


async def test_a_reply_that_one_server_writes_is_stopped_and_watched_at_the_other(
    database: str, tmp_path: Path
) -> None:
    """V2: the other server's 200 means that the reply has ended, with all that was written of it."""
    with _command(tmp_path, database) as command:
        token = await asyncio.to_thread(_token, command)
        async with _served(command, token) as one, _served(command, token) as other, _socket(other, token) as socket:
            talk = await _begin(one)
            said = asyncio.create_task(
                one.post(f"/api/conversations/{talk}/messages", json={"content": "When?", "stream": False})
            )
            deltas = [await _hear(socket, "message.delta")]
            while "".join(each["text"] for heard in deltas for each in heard if "text" in each) != SHOWN:
                deltas.append(await _hear(socket, "message.delta"))

            shown = (await other.get(f"/api/conversations/{talk}")).json()
            stopped = (await other.post(f"/api/conversations/{talk}/stop")).json()

            assert shown["writing"] is True
            assert stopped["stopped"] is True
            assert (stopped["reply"]["state"], stopped["reply"]["content"]) == ("stopped", PART)
            reply = (await said).json()["reply"]
            assert (reply["state"], reply["content"]) == ("stopped", PART)
            done = (await _hear(socket, "message.done"))[-1]["message"]
            assert (done["id"], done["state"], done["content"]) == (reply["id"], "stopped", PART)
            assert (await other.post(f"/api/conversations/{talk}/stop")).json()["stopped"] is False


async def test_a_reply_that_one_server_writes_can_be_followed_at_the_other(database: str, tmp_path: Path) -> None:
    """V2: from its first word."""
    with _command(tmp_path, database) as command:
        token = await asyncio.to_thread(_token, command)
        async with _served(command, token) as one, _served(command, token) as other:
            talk = await _begin(one)
            said = asyncio.create_task(
                one.post(f"/api/conversations/{talk}/messages", json={"content": "When?", "stream": False})
            )
            events: list[tuple[str, Any]] = []
            name = ""

            async def is_written() -> bool:
                return (await other.get(f"/api/conversations/{talk}")).json()["writing"] is True

            await until(is_written)
            async with other.stream("GET", f"/api/conversations/{talk}/stream") as answer:
                assert answer.status_code == 200
                async for line in answer.aiter_lines():
                    if line.startswith("event: "):
                        name = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        events.append((name, json.loads(line.removeprefix("data: "))))
                        text = "".join(each["text"] for kind, each in events if kind == "delta")
                        if text == SHOWN and name == "delta":
                            await one.post(f"/api/conversations/{talk}/stop")
            await said

            assert [kind for kind, _ in events if kind != "delta"] == ["turn", "done"]
            assert events[-1][1]["reply"]["content"] == PART


@pytest.mark.parametrize("by", ["the other server", "the command line"])
async def test_a_revoked_token_loses_its_socket_at_every_server(database: str, tmp_path: Path, by: str) -> None:
    """S-1: at once, though nothing else happens; whoever was not revoked keeps theirs."""
    with _command(tmp_path, database) as command:
        token = await asyncio.to_thread(_token, command)
        async with _served(command, token) as one, _served(command, token) as other:
            guest = (await one.post("/api/tokens", json={"name": "Ines", "role": "guest"})).json()
            async with _socket(other, guest["token"]) as revoked, _socket(other, token) as kept:
                if by == "the command line":
                    await asyncio.to_thread(command.ok, "token", "revoke", guest["id"])
                else:
                    assert (await one.delete(f"/api/tokens/{guest['id']}")).status_code == 200

                async with asyncio.timeout(PATIENCE_S):
                    with pytest.raises(ConnectionClosed):
                        await revoked.recv()
                assert revoked.close_code == 1008
                await one.post("/api/memories", json={"content": "The ferry leaves at six."})
                assert (await _hear(kept, "memory.created"))[-1]["memory"]["content"] == "The ferry leaves at six."
