"""A wire between a program and Everlore that keeps what was asked over it: the requests as they really were."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Wire:
    url: str = ""
    requests: list[Request] = field(default_factory=list)

    @property
    def chats(self) -> list[Request]:
        return [each for each in self.requests if each.path.endswith("/chat/completions")]


@asynccontextmanager
async def wire_to(address: str) -> AsyncIterator[Wire]:
    there = urlsplit(address)
    wire = Wire()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            request = _head(head)
            body = await reader.readexactly(int(request.headers.get("content-length", 0)))
            wire.requests.append(Request(request.path, request.headers, json.loads(body) if body else {}))
            far_reader, far_writer = await asyncio.open_connection(there.hostname, there.port)
            far_writer.write(_closing(head) + body)
            # Whoever hangs up first ends it for both.
            pumps = [asyncio.create_task(_pump(reader, far_writer)), asyncio.create_task(_pump(far_reader, writer))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
            far_writer.close()
        writer.close()

    server = await asyncio.start_server(carry, "127.0.0.1", 0, limit=2**24)
    wire.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield wire
    finally:
        server.close()


def _closing(head: bytes) -> bytes:
    """One request for each connection: of a second one on it nothing would be kept."""
    lines = [each for each in head[:-4].split(b"\r\n") if not each.lower().startswith(b"connection:")]
    return b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n"


def _head(head: bytes) -> Request:
    first, *lines = head.decode().strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Request(first.split()[1], headers, {})


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while part := await reader.read(65_536):
            writer.write(part)
            await writer.drain()
