"""MCP with the one program that started this process, over standard input and output.

Standard output belongs to the protocol alone. The end comes when the other side closes its end, or when `stop` is set;
both look the same from here, since what is read goes through a socket of ours that can be shut.

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

_CHUNK_BYTES = 65_536
_BAD_REQUEST = 400


async def serve(lore: Everlore, *, token: str | None, mode: str | None, stop: asyncio.Event) -> None:
    """Answer until there is nobody left to answer. With a token, as whoever it belongs to, looked up with each request:
    one that is revoked opens nothing from then on."""
    door = Door(lore, needs_token=token is not None, per_minute=lore.settings.server.per_minute)

    async def caller(_: Any) -> Everlore:
        return lore.seen_by(await door.scope_of(token, mode))

    await _refuse_at_once(door, token, mode)
    server = load_sdk().build_server(door, caller)
    with wire() as shut:
        stopping = asyncio.create_task(_shut_on(stop, shut))
        try:
            await server.run_stdio_async()
        except* BrokenPipeError:
            # Whoever started us is gone: the same as if they had closed their end.
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
    """Standard input through a socket; shut for writing, it ends for the reader.

    A thread that reads standard input itself could not be called back before the next line comes, and what this process
    starts would read along.
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
