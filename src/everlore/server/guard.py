"""What stands before every route: who may be asked for, and what a browser may do with the answer.

Without login, the server may only be reached from this machine (S-1). A web page could still reach it
through a name that it points to 127.0.0.1; such a request carries that name in its Host header, and is
refused (S-4).
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.server.problems import problem

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# For every answer; a page that needs more says so itself.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        app = self._app if len(hosts) == 1 and is_loopback(hosts[0]) else _refused
        await app(scope, receive, _with_headers(send))


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine, with any port."""
    name, port = _split(host.lower())
    return name in LOOPBACK and (port == "" or (port.isascii() and port.isdigit()))


def _split(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        return (name, rest.removeprefix(":")) if bracket and (not rest or rest.startswith(":")) else ("", "")
    name, _, port = host.partition(":")
    return name, port


async def _refused(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    detail = "This server answers to localhost, 127.0.0.1 and [::1] only. Open it under one of these names."
    await problem(421, detail)(scope, receive, send)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
