"""A server on a real socket over an Everlore of its own, whose model is a real server that does as it is told."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from pydantic import SecretStr

from everlore.app import Everlore
from everlore.domain.person import Person
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.server.app import build_app
from everlore.server.connections import protocol_for
from everlore.server.run import limits_of
from everlore.settings import ChatSettings, GossipSettings, QueueSettings, ServerSettings, Settings
from everlore.store.port import Store
from everlore.wiring import assemble, now
from tests.models.chat_server import ChatServer
from tests.store_double.store import DoubleStore
from tests.waiting import PATIENCE_S, until

_LAST_ANSWERS_S = 5
KEY = "sk-this-is-secret-0123456789"


@dataclass
class Home:
    lore: Everlore
    client: httpx.AsyncClient
    url: str
    model: ChatServer

    async def character(self, name: str = "Nova", **fields: Any) -> str:
        person: Person = await self.lore.characters.create(name=name, **fields)
        return person.id

    async def talk(self, *, config: dict[str, Any] | None = None, **fields: Any) -> str:
        """The id of a new conversation with a new character; no title, so that the model is asked by turns alone."""
        body = {"character_id": await self.character(), "config": {"auto_title": False} | (config or {}), **fields}
        made = await self.client.post("/api/conversations", json=body)
        assert made.status_code == 201, made.text
        id: str = made.json()["id"]
        return id

    async def say(self, id: str, content: str = "When does the ferry leave?", **fields: Any) -> httpx.Response:
        return await self.client.post(f"/api/conversations/{id}/messages", json={"content": content, **fields})

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the model was asked for by turns; titles are asked for in the background."""
        bodies = [each.body for each in self.model.asked_to_chat]
        return [body for body in bodies if "You name conversations" not in body["messages"][0]["content"]]

    async def messages(self, id: str) -> list[dict[str, Any]]:
        answer = await self.client.get(f"/api/conversations/{id}/messages")
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    @asynccontextmanager
    async def streamed(self, path: str, **body: Any) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
        """The events of a streamed answer, as they come."""
        async with self.client.stream("POST", path, json={"stream": True, **body}) as answer:
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield events_of(answer)

    async def events(self, path: str, **body: Any) -> list[tuple[str, Any]]:
        async with self.streamed(path, **body) as events:
            return [event async for event in events]


async def events_of(answer: httpx.Response) -> AsyncIterator[tuple[str, Any]]:
    name = ""
    async for line in answer.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@asynccontextmanager
async def home(
    *,
    store: Store | None = None,
    provider: str = "openai",
    secret_key: SecretStr | None = None,
    dice: str | None = None,
    server: ServerSettings | None = None,
    workers: int = 1,
    **chat: Any,
) -> AsyncIterator[Home]:
    """`dice`: the seed of what is rolled. `workers`: 0 where what is learnt is not the point, or is waited for."""
    with ChatServer() as model:
        settings = Settings(
            chat=ChatSettings.model_validate(
                {
                    "provider": provider,
                    "base_url": model.url,
                    "model": "fine-model",
                    "api_key": SecretStr(KEY),
                    "retries": 0,
                    "backoff_s": 0.01,
                    **chat,
                }
            ),
            # What is still being learnt when a test is over is of interest to nobody.
            queue=QueueSettings(poll_s=0.01, drain_s=0, workers=workers),
            gossip=GossipSettings(seed=dice),
            secret_key=secret_key or SecretStr("a secret of the tests"),
        )
        lore = assemble(settings, store or DoubleStore(clock=now), HashingEmbedder(), BytesTokenizer())
        async with _served(lore, server) as url, httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
            yield Home(lore, client, url, model)


class _Server(uvicorn.Server):
    """Ends as soon as it is told to. Uvicorn looks ten times a second whether it has been, and again whether all are
    gone, which would take longer than most of what is tested; how the server itself ends is tested on processes."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.told_to_stop = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        # Which sets the date of the answers.
        await self.on_tick(0)
        await self.told_to_stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in self.servers:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_ANSWERS_S):
                await until(self._all_are_gone)
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()

    async def _all_are_gone(self) -> bool:
        return not (self.server_state.connections or self.server_state.tasks)


@asynccontextmanager
async def _served(lore: Everlore, settings: ServerSettings | None) -> AsyncIterator[str]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Everlore]:
        await lore.start()
        yield lore
        await lore.stop()

    # By its protocol: else no answer would go out before the one before it was acknowledged, 40 ms later.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    protocol = protocol_for(limits_of(settings or ServerSettings()))
    server = _Server(uvicorn.Config(build_app(opened, settings), log_config=None, http=protocol))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    await server.ready.wait()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.told_to_stop.set()
        await running
        listener.close()
