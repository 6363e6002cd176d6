"""Who may not come in is turned away before a byte of what they send is read; every route says how much it takes
(S-1, S-3, S-7)."""

import socket
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import pytest
from fastapi import FastAPI, Request
from fastapi.routing import APIRoute, iter_route_contexts

from everlore.app import Everlore
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.server.access import received
from everlore.server.app import build_app
from everlore.server.openapi import document
from everlore.server.rights import operations_of
from everlore.server.routing import Admitting
from everlore.settings import ServerSettings, Settings
from everlore.wiring import assemble, now
from tests.cli.process import Command
from tests.server.home import home
from tests.store_double.store import DoubleStore

OPERATIONS = operations_of(document())
# All that a server tells whoever has no token: that it is there. The rest is for logging in and out.
OPEN = {("GET", "/api/health"), ("POST", "/api/session"), ("DELETE", "/api/session")}
# What is no part of the API: the pages, and the description of the API itself. They read no body.
PAGES = {"/", "/docs", "/assets/{name}", "/openapi.json", "/manifest.webmanifest"}
ICONS = {"/icon-192.png", "/icon-512.png", "/icon-maskable-512.png"}
# They admit in their own way, and are held to it below and in test_login.py.
DOORS = {"/mcp", "/api/live"}


@asynccontextmanager
async def guarded() -> AsyncIterator[FastAPI]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Everlore]:
        yield assemble(Settings(), DoubleStore(clock=now), HashingEmbedder(), BytesTokenizer())

    app = build_app(opened, ServerSettings(tokens=True))
    async with app.router.lifespan_context(app):
        yield app


async def asked(app: FastAPI, method: str, path: str, *headers: tuple[bytes, bytes]) -> tuple[int, int]:
    """The status of the answer, and how often something of the body was asked for."""
    reads = 0
    status = 0

    async def receive() -> dict[str, Any]:
        nonlocal reads
        reads += 1
        return {"type": "http.request", "body": b" " * 1_000, "more_body": True}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), *headers],
        # From everywhere: whoever tries many wrong tokens from one address is slowed.
        "client": (path, 1),
        "server": ("127.0.0.1", 8420),
    }
    await app(scope, receive, send)
    return status, reads


def test_there_is_no_route_that_this_page_does_not_know() -> None:
    """S-3: a new one is of the kind that admits first, or stands in a list above with its reason."""
    app = build_app(lambda: pytest.fail("nothing is opened here"))
    routes = list(iter_route_contexts(app.routes))
    of_api = {each.path for each in routes if isinstance(each.original_route, Admitting)}
    others = {each.path for each in routes if not isinstance(each.original_route, Admitting)}

    assert of_api == {path.replace("{name}", "{name:path}") for _, path in OPERATIONS}
    assert others == PAGES | ICONS | DOORS
    assert not any(isinstance(each.original_route, APIRoute) and each.path in DOORS for each in routes)


@pytest.mark.parametrize("token", ["", "Bearer everlore_ZGVmYXVsdA.nobody.secret"])
async def test_without_a_token_no_route_tells_anything_or_reads_a_byte(token: str) -> None:
    """S-1, S-3: every route without a token, and with one that opens nothing."""
    headers = [(b"authorization", token.encode())] if token else []
    closed = [each for each in OPERATIONS if each not in OPEN or token]
    async with guarded() as app:
        for method, path in [*closed, ("POST", "/mcp"), ("GET", "/mcp")]:
            assert await asked(app, method, path, *headers) == (401, 0), (method, path)
        health = await asked(app, "GET", "/api/health")

    assert health == (200, 0)


@pytest.mark.parametrize("anonymous", [True, False])
async def test_without_a_token_nobody_is_told_who_the_owner_is(anonymous: bool) -> None:
    """S-1: also where the operator lets anybody look around."""
    async with home(server=ServerSettings(tokens=True, anonymous=anonymous)) as here:
        await here.lore.characters.change((await here.lore.user()).id, name="Ada Lovelace")
        answer = await here.client.get("/api/me")

    assert answer.status_code == 401
    assert "Lovelace" not in answer.text


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/api/templates/avatar"), ("POST", "/api/memories/import"), ("POST", "/v1/import")]
)
async def test_how_a_path_ends_opens_nothing(method: str, path: str) -> None:
    """S-7."""
    async with guarded() as app:
        status, reads = await asked(app, method, path)

    assert status in {401, 404, 405}
    assert reads == 0


async def test_logging_in_takes_no_more_than_a_token() -> None:
    """S-7: the one route that reads what a stranger sends."""
    async with guarded() as app:
        status, reads = await asked(app, "POST", "/api/session")

    assert (status, reads) == (413, 11)


async def test_an_upload_goes_to_the_disk_as_it_comes() -> None:
    """S-7: forty megabytes pass through one or two."""
    parts = 640

    async def receive() -> dict[str, Any]:
        nonlocal parts
        parts -= 1
        return {"type": "http.request", "body": bytes(65_536), "more_body": parts > 0}

    tracemalloc.start()
    try:
        async with received(Request({"type": "http"}, receive)) as file:
            size = file.seek(0, 2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert size == 640 * 65_536
    assert peak < 5_000_000


def test_a_stranger_who_sends_without_end_fills_nothing(tmp_path: Path) -> None:
    """S-7: with a real process; the answer comes early, and its memory stays what it was."""
    cli = Command(tmp_path)
    cli.ok("token", "create", "me")
    with cli.having(EVERLORE_SERVER__TOKENS="true").started("serve", "--port", "0") as server:
        address = urlsplit(server.line())
        before = _resident_bytes(server.process.pid)
        answers = [
            _sent_without_end(address, method, path)
            for method, path in (
                ("PUT", "/api/templates/avatar"),
                ("POST", "/api/characters/import"),
                ("POST", "/v1/chat/completions"),
            )
        ]
        after = _resident_bytes(server.process.pid)

    assert answers == [b"HTTP/1.1 401"] * 3
    assert after - before < 50_000_000, f"the memory grew by {after - before:,} bytes"


def _sent_without_end(address: SplitResult, method: str, path: str) -> bytes:
    """What is answered to the head alone; 100 MB more are sent afterwards, if they are taken."""
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 0), timeout=30) as stranger:
        stranger.sendall(_head(method, path))
        status = stranger.recv(12)
        # Hung up on meanwhile: so much the better.
        with suppress(OSError):
            for part in _parts(100):
                stranger.sendall(part)
    return status


def _head(method: str, path: str) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _parts(megabytes: int) -> Iterator[bytes]:
    for _ in range(megabytes):
        yield b"100000\r\n" + b" " * 0x100000 + b"\r\n"


def _resident_bytes(pid: int) -> int:
    """0 where no system says so; then only the answer is looked at."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024
