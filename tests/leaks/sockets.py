"""The live socket of a server, listened to in this process: the application is called as a server would call it, with
the guard, the login and the route before what is heard.

Start at `listening`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from tests.waiting import PATIENCE_S

_QUIET = 30


@dataclass
class Ear:
    """`person` is nobody for the owner."""

    person: str
    heard: list[dict[str, Any]] = field(default_factory=list)
    is_let_in: asyncio.Event = field(default_factory=asyncio.Event)

    def taken(self) -> list[dict[str, Any]]:
        taken, self.heard = self.heard, []
        return taken


@asynccontextmanager
async def listening(app: FastAPI, person: str, token: str) -> AsyncIterator[Ear]:
    ear, over = Ear(person), asyncio.Event()
    said = iter(["websocket.connect"])

    async def receive() -> dict[str, Any]:
        if (type := next(said, "")) != "":
            return {"type": type}
        await over.wait()
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Any) -> None:
        if message["type"] == "websocket.accept":
            ear.is_let_in.set()
        elif message["type"] == "websocket.send":
            ear.heard.append(json.loads(message["text"]))

    call = asyncio.create_task(app(_scope(token), receive, send))
    await asyncio.wait_for(ear.is_let_in.wait(), PATIENCE_S)
    try:
        yield ear
    finally:
        over.set()
        await call


def _scope(token: str) -> dict[str, Any]:
    headers = [(b"host", b"localhost")]
    headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
    return {
        "type": "websocket",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": "/api/live",
        "raw_path": b"/api/live",
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "subprotocols": [],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }


async def all_is_told(*ears: Ear) -> None:
    """Until nobody has heard anything for a while."""
    quiet, before = 0, -1
    while quiet < _QUIET:
        await asyncio.sleep(0)
        count = sum(len(each.heard) for each in ears)
        quiet, before = (quiet + 1, before) if count == before else (0, count)
