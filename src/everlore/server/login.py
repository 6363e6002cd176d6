"""Who asks: the token of a request, its role and its mode, made into an Everlore for this caller (S-1, S-3).

Without a token, whoever reaches a server that listens on this machine alone is its owner. As soon as a server asks for
tokens, whoever has none is anonymous: they see that it is there, and where the operator lets them, its public side.

Start at `admit`, which stands before every route; `Door.scope_of` is for surfaces that are no routes.
"""

import asyncio
import math
import time
from dataclasses import dataclass, field, replace

from fastapi.requests import HTTPConnection
from starlette.exceptions import HTTPException

from everlore.app import Everlore
from everlore.domain.policy import Act, Mode, Role, may
from everlore.domain.scope import Scope
from everlore.domain.token import PREFIX, Token
from everlore.errors import Forbidden
from everlore.server.rates import Rates
from everlore.server.rights import act_of
from everlore.services.tokens import recognised

MODE = "X-Cognitive-Mode"
# Where a browser keeps the token that its user has given: see `session.py`.
COOKIE = "everlore_token"
# Programs in a browser cannot send a header with a WebSocket: there the token follows this word among the protocols.
SOCKET_PROTOCOL = "everlore.bearer"
UNKNOWN = "This token is unknown, revoked or expired. Ask the owner for a new one."
NEEDED = (
    "This server asks for a token. Send it as `Authorization: Bearer everlore_…`; the owner makes one with "
    "`everlore token create`."
)
TOO_MANY_WRONG = (
    "Too many wrong tokens came from this address. Look at the token: it is unknown, revoked or expired. Wait before "
    "you try another."
)
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="everlore"'}
# From one address; those beyond are answered late.
_WRONG_PER_MINUTE = 10
_WRONG_DELAY_S = 1.0
_OF_CONVERSATION = "/api/conversations/{id}"


class WrongToken(HTTPException):
    """A token that opens nothing."""


@dataclass(frozen=True, slots=True)
class Door:
    """How a server lets people in."""

    lore: Everlore
    needs_token: bool = False
    lets_anonymous_in: bool = False
    per_minute: int = 600
    rates: Rates = field(default_factory=Rates)
    wrong_tokens: Rates = field(default_factory=Rates)

    async def scope_of(self, token: str | None, mode: str | None, *, address: str = "") -> Scope:
        """Whom this token belongs to. One of ours that opens nothing is refused, also where none is needed; what was
        never one of ours is passed over there, since many a client sends a key whether it has one or not. `address`:
        where the caller is, for whom wrong tokens are counted."""
        if token is None or not self._is_ours(token):
            role = Role.ANONYMOUS if self.needs_token else self.lore.scope.role
            actor = "anonymous" if self.needs_token else self.lore.scope.actor
            return replace(self.lore.scope, role=role, mode=_mode(mode), actor=actor)
        scope, kept = await self._recognised(token, address)
        wait_s = self.rates.wait_s(kept.id, kept.per_minute or self.per_minute, time.monotonic())
        if wait_s:
            detail = "This token asks more often than it may. Wait a moment, then go on slower."
            raise HTTPException(429, detail, headers={"Retry-After": str(math.ceil(wait_s))})
        return replace(scope, mode=_mode(mode))

    async def is_still_let_in(self, token: str | None) -> bool:
        """Of whoever came in with this token, and stays: whether it has not been revoked or expired meanwhile."""
        if token is None or not self._is_ours(token):
            return True
        found = await recognised(self.lore.store, token, Mode.DUAL, self.lore.resources.clock())
        return found is not None

    def _is_ours(self, token: str) -> bool:
        return self.needs_token or token.startswith(PREFIX)

    async def _recognised(self, token: str, address: str) -> tuple[Scope, Token]:
        found = await recognised(self.lore.store, token, Mode.DUAL, self.lore.resources.clock())
        if found is None:
            await self._slow_down(address)
            raise WrongToken(401, UNKNOWN, headers=_CHALLENGE)
        return found

    async def _slow_down(self, address: str) -> None:
        """Whoever tries many tokens waits. Right ones are not held up, whoever else is at the same address."""
        wait_s = self.wrong_tokens.wait_s(address, _WRONG_PER_MINUTE, time.monotonic())
        if wait_s:
            await asyncio.sleep(_WRONG_DELAY_S)
            raise WrongToken(429, TOO_MANY_WRONG, headers={"Retry-After": str(math.ceil(wait_s))})

    def check(self, scope: Scope, act: Act) -> None:
        """Refuse what the role may not do: with 401 where a token could mend it."""
        is_open = not self.needs_token or scope.person_id is not None or self.lets_anonymous_in or act is Act.LOOK
        if may(scope.role, act) and is_open:
            return
        if scope.person_id is None and self.needs_token:
            raise unauthorised(NEEDED)
        raise Forbidden(f"The role {scope.role.value} may not do this. docs/policy.md says what each role may do.")


async def admit(connection: HTTPConnection) -> None:
    """Let the caller in, or refuse; the routes then find the caller's Everlore beside the request."""
    door: Door = connection.app.state.door
    scope = await _scope_of(connection, door)
    route = connection.scope["route"]
    door.check(scope, act_of(connection.scope.get("method", "GET"), route.path))
    lore = door.lore if scope == door.lore.scope else door.lore.seen_by(scope)
    if route.path.startswith(_OF_CONVERSATION) and scope.confined_to is not None:
        connection.path_params["id"] = (await lore.conversations.called(connection.path_params["id"])).id
    connection.state.lore = lore


async def _scope_of(connection: HTTPConnection, door: Door) -> Scope:
    mode, address = connection.headers.get(MODE), address_of(connection)
    # For who stays: see `live.py`.
    connection.state.token = token_of(connection)
    if connection.state.token is not None or COOKIE not in connection.cookies:
        return await door.scope_of(connection.state.token, mode, address=address)
    connection.state.token = connection.cookies[COOKIE]
    try:
        return await door.scope_of(connection.state.token, mode, address=address)
    except WrongToken:
        # One that was revoked since must not keep its browser from logging in again.
        connection.state.token = None
        return await door.scope_of(None, mode)


def address_of(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def token_of(connection: HTTPConnection) -> str | None:
    """What was sent as one, whatever it is: what is none opens nothing."""
    sent = connection.headers.get("authorization", "").strip()
    kind, _, text = sent.partition(" ")
    if sent:
        return text.strip() if kind.lower() == "bearer" else sent
    protocols = [each.strip() for each in connection.headers.get("sec-websocket-protocol", "").split(",")]
    return protocols[1] if len(protocols) > 1 and protocols[0] == SOCKET_PROTOCOL else None


def _mode(text: str | None) -> Mode:
    try:
        return Mode(text.strip().lower()) if text else Mode.DUAL
    except ValueError:
        raise HTTPException(400, f"{text!r} is no mode. {MODE} is one of {', '.join(Mode)}.") from None


def unauthorised(detail: str) -> HTTPException:
    return HTTPException(401, detail, headers=_CHALLENGE)
