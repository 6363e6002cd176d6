"""`/mcp` of a server: the official transport with our authentication (S-1, S-3).

Each request has its own token and mode; nothing is kept between two of them, so a client that disconnects leaves
nothing behind. The guard has already checked Host and Origin (S-4), so the SDK's own checks, which know only the names
of this machine, are off.

The SDK takes a second to import. It is imported on the first request to `/mcp`, not when the server starts.

Start at `OverHttp`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope, Send

from everlore.app import Everlore
from everlore.errors import Misconfigured
from everlore.server.login import MODE, Door, address_of, token_of
from everlore.server.mcp.loading import load_sdk
from everlore.server.mcp.rights import COME_IN
from everlore.server.routing import MOST_BODY_BYTES, limited

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"


class OverHttp:
    def __init__(self) -> None:
        self._starting = asyncio.Lock()
        self._stop = asyncio.Event()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """Lives as long as the application."""
        try:
            yield
        finally:
            self._stop.set()
            if self._running is not None:
                await self._running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        door: Door = request.app.state.door
        who = await door.scope_of(token_of(request), request.headers.get(MODE), address=address_of(request))
        door.check(who, COME_IN)
        if request.method != "POST":
            # There is no stream to listen on and no session to end.
            raise HTTPException(405, headers={"Allow": "POST"})
        request.state.lore = door.lore.seen_by(who)
        try:
            body = await limited(request, MOST_BODY_BYTES).body()
        except ClientDisconnect:
            # The client disconnected before its request was complete; the SDK would log that as an error.
            return
        manager = await self._started(door)
        await manager.handle_request(scope, _again(body, receive), send)

    async def _started(self, door: Door) -> "StreamableHTTPSessionManager":
        async with self._starting:
            if self._manager is None:
                manager = await _manager_of(door)
                ready = asyncio.Event()
                self._running = asyncio.create_task(self._run(manager, ready))
                await ready.wait()
                self._manager = manager
            return self._manager

    async def _run(self, manager: "StreamableHTTPSessionManager", ready: asyncio.Event) -> None:
        async with manager.run():
            ready.set()
            await self._stop.wait()


def _again(body: bytes, receive: Receive) -> Receive:
    """Replays the body for the next reader, followed by further messages."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return left.pop() if left else await receive()

    return receive_again


async def _manager_of(door: Door) -> "StreamableHTTPSessionManager":
    try:
        sdk = await asyncio.to_thread(load_sdk)
    except Misconfigured as error:
        raise HTTPException(501, str(error)) from None
    server: MCPServer[Any] = sdk.build_server(door, _caller)
    from mcp.server.transport_security import TransportSecuritySettings

    server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


async def _caller(context: Any) -> Everlore:
    """The Everlore of this request's caller."""
    lore: Everlore = context.request_context.request.state.lore
    return lore
