"""MCP with the one program that started this process, over standard input and output.

Only the protocol writes to standard output. The server ends when the other side closes its end, or when `stop` is set;
both look the same here, because input goes through a socket that the server can shut down.

Start at `serve`.
"""

import asyncio
import contextlib
import io
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from everlore.app import Everlore
from everlore.domain.policy import Act
from everlore.errors import BadAsk, Forbidden
from everlore.server.login import Door
from everlore.server.mcp.loading import load_sdk
from everlore.server.rates import TokenRates

_CHUNK_BYTES = 65_536
_BAD_REQUEST = 400


async def serve(lore: Everlore, *, token: str | None, mode: str | None, stop: asyncio.Event) -> None:
    """Answer until the input is closed. A token is checked with each request, so that a revoked one stops working at
    once."""
    door = Door(
        lore,
        TokenRates(lore.store, lore.resources.clock),
        needs_token=token is not None,
        per_minute=lore.settings.server.per_minute,
    )

    async def caller(_: Any) -> Everlore:
        return lore.seen_by(await door.scope_of(token, mode))

    await _refuse_at_once(door, token, mode)
    server = load_sdk().build_server(door, caller)
    with wire() as shut:
        stopping = asyncio.create_task(_shut_on(stop, shut))
        try:
            await server.run_stdio_async()
        except* BrokenPipeError:
            # The parent process is gone: the same as if it had closed its end.
            pass
        finally:
            stopping.cancel()


async def _refuse_at_once(door: Door, token: str | None, mode: str | None) -> None:
    try:
        door.check(await door.scope_of(token, mode), Act.LOOK)
    except HTTPException as error:
        kind = BadAsk if error.status_code == _BAD_REQUEST else Forbidden
        raise kind(error.detail) from None


async def _shut_on(stop: asyncio.Event, shut: socket.socket) -> None:
    await stop.wait()
    shut.shutdown(socket.SHUT_WR)


@contextmanager
def wire() -> Iterator[socket.socket]:
    """Standard input through a socket; shut down for writing, it ends for the reader.

    A thread that reads standard input directly cannot be interrupted before the next line, and child processes would
    share the input.
    """
    source = os.dup(0)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    near, far = socket.socketpair()
    before = sys.stdin
    threading.Thread(target=_pump, args=(source, far), daemon=True).start()
    with near, far, near.makefile("rb") as stream:
        sys.stdin = io.TextIOWrapper(stream, encoding="utf-8", errors="replace")
        try:
            yield far
        finally:
            sys.stdin = before


def _pump(source: int, far: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := os.read(source, _CHUNK_BYTES):
            far.sendall(data)
    with contextlib.suppress(OSError):
        far.shutdown(socket.SHUT_WR)
