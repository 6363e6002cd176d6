"""Checks every request before its route: the Host and Origin headers, and what a browser may do with the answer.

Without tokens, only this machine may reach the server (S-1). A web page could still do so through a name that it points
to 127.0.0.1; such a request has that name in its Host header, and is refused (S-4). Requests of pages from other sites
have their Origin, and are refused too, unless the operator has allowed the site: then it may use `/v1` only.
"""

import ipaddress
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.server.access import CUT, SESSION
from everlore.server.openai.wire import openai_error
from everlore.server.problems import problem
from everlore.settings import LOOPBACK, ServerSettings

# For every answer; a page that needs others sets them itself.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "600",
}


def names_of(settings: ServerSettings) -> frozenset[str]:
    """The valid names of the Host header: this machine, the listening address, and what the operator has added."""
    bound = settings.host.strip("[]").lower()
    return LOOPBACK | {bound} | {name.strip("[]").lower() for name in settings.names}


class Guard:
    def __init__(
        self,
        app: ASGIApp,
        names: frozenset[str] = LOOPBACK,
        *,
        any_address: bool = False,
        origins: frozenset[str] = frozenset(),
    ) -> None:
        """With `any_address` plain IP addresses are valid too: no page can pretend to be one. `origins`: the sites
        whose pages may use `/v1`."""
        self._app = app
        self._names = names
        self._any_address = any_address
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        hosts, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        app, sent = self._app, _with_headers(send)
        may_use = is_openai(scope) and len(origins) == 1 and origins[0].lower() in self._origins
        if may_use:
            sent = _with_headers(send, _shared_with(origins[0]))
        if len(hosts) != 1 or not is_named(hosts[0], self._names, any_address=self._any_address):
            app = _misdirected
        elif not may_use and any(not is_same_site(origin, hosts[0]) for origin in origins):
            app = _foreign
        elif may_use and scope.get("method") == "OPTIONS":
            app = _preflight
        await app(scope, receive, sent)


def _headers(scope: Scope, wanted: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == wanted]


def is_same_site(origin: str, host: str) -> bool:
    """Whether a page of this origin is one of ours: pages of other sites may not act for the user."""
    return origin.lower() in {f"http://{host.lower()}", f"https://{host.lower()}"}


def is_named(host: str, names: frozenset[str], *, any_address: bool = False) -> bool:
    """Whether a Host header has one of these names, with any port."""
    name, port = _split(host.lower())
    return (name in names or (any_address and _is_address(name))) and (
        port == "" or (port.isascii() and port.isdigit())
    )


def _split(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        return (name, rest.removeprefix(":")) if bracket and (not rest or rest.startswith(":")) else ("", "")
    name, _, port = host.partition(":")
    return name, port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _misdirected(scope: Scope, receive: Receive, send: Send) -> None:
    detail = (
        "This server answers to localhost, 127.0.0.1 and [::1], and to the names in EVERLORE_SERVER__NAMES. Open it "
        "under one of these, or add this one."
    )
    await _refuse(421, detail, scope, receive, send)


async def _foreign(scope: Scope, receive: Receive, send: Send) -> None:
    detail = "This request comes from a page of another site, which may not speak for you. Use the page of this server."
    if is_openai(scope):
        detail += " To let that site use /v1, name it in EVERLORE_SERVER__ORIGINS."
    await _refuse(403, detail, scope, receive, send)


async def _refuse(status: int, detail: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    elif is_openai(scope):
        await openai_error(status, detail)(scope, receive, send)
    else:
        await problem(status, detail)(scope, receive, send)


async def _preflight(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers the browser's preflight request."""
    await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, send)


def is_openai(scope: Scope) -> bool:
    """Clients of `/v1` expect errors in OpenAI's format."""
    return str(scope.get("path", "")).startswith("/v1/")


def _shared_with(origin: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": f"{SESSION}, {CUT}",
        "Vary": "Origin",
    }


def _with_headers(send: Send, more: Mapping[str, str] | None = None) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (*_HEADERS.items(), *(more or {}).items()):
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
