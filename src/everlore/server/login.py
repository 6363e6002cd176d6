"""Authentication: the token of a request, its role and its mode, made into an Everlore for this caller (S-1, S-3).

On a server that listens only on this machine, callers without a token are the owner. On a server that requires tokens,
they are anonymous: they learn that it runs, and see its public side if the operator allows that.

Start at `admit`, which runs before every route; `Door.scope_of` is for interfaces that are not routes.
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
from everlore.server.rates import Rates, TokenRates
from everlore.server.rights import act_of
from everlore.services.tokens import recognised

MODE = "X-Cognitive-Mode"
# The cookie with the token that a user has entered in the browser: see `session.py`.
COOKIE = "everlore_token"
# Browsers cannot set headers for a WebSocket: the token follows this name in the list of protocols.
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
# Per address; the answers to further ones are delayed.
_WRONG_PER_MINUTE = 10
_WRONG_DELAY_S = 1.0
_OF_CONVERSATION = "/api/conversations/{id}"


class WrongToken(HTTPException):
    """A token that is not valid."""


@dataclass(frozen=True, slots=True)
class Door:
    """How a server admits callers."""

    lore: Everlore
    rates: TokenRates
    needs_token: bool = False
    lets_anonymous_in: bool = False
    per_minute: int = 600
    wrong_tokens: Rates = field(default_factory=Rates)

    async def scope_of(self, token: str | None, mode: str | None, *, address: str = "") -> Scope:
        """The scope of the token. An invalid token of Everlore is refused even where none is required; other keys are
        ignored there, because many clients always send some key. `address` is the caller's, for which wrong tokens are
        counted."""
        if token is None or not self._is_ours(token):
            role = Role.ANONYMOUS if self.needs_token else self.lore.scope.role
            actor = "anonymous" if self.needs_token else self.lore.scope.actor
            return replace(self.lore.scope, role=role, mode=_mode(mode), actor=actor)
        scope, kept = await self._recognised(token, address)
        wait_s = await self.rates.wait_s(kept, kept.per_minute or self.per_minute)
        if wait_s:
            detail = "This token asks more often than it may. Wait a moment, then go on slower."
            raise HTTPException(429, detail, headers={"Retry-After": str(math.ceil(wait_s))})
        return replace(scope, mode=_mode(mode))

    async def is_still_let_in(self, token: str | None) -> bool:
        """Whether the token of an open connection is still valid: it may have been revoked or expired meanwhile."""
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
        """Delays callers who try many tokens. Valid tokens from the same address are not delayed."""
        wait_s = self.wrong_tokens.wait_s(address, _WRONG_PER_MINUTE, time.monotonic())
        if wait_s:
            await asyncio.sleep(_WRONG_DELAY_S)
            raise WrongToken(429, TOO_MANY_WRONG, headers={"Retry-After": str(math.ceil(wait_s))})

    def check(self, scope: Scope, act: Act) -> None:
        """Refuse what the role may not do: with 401 if a token could help."""
        is_open = not self.needs_token or scope.person_id is not None or self.lets_anonymous_in or act is Act.LOOK
        if may(scope.role, act) and is_open:
            return
        if scope.person_id is None and self.needs_token:
            raise unauthorised(NEEDED)
        raise Forbidden(f"The role {scope.role.value} may not do this. docs/policy.md says what each role may do.")


async def admit(connection: HTTPConnection) -> None:
    """Admit the caller, or refuse; routes then find the caller's Everlore in the request's state."""
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
    # For connections that stay open: see `live.py`.
    connection.state.token = token_of(connection)
    if connection.state.token is not None or COOKIE not in connection.cookies:
        return await door.scope_of(connection.state.token, mode, address=address)
    connection.state.token = connection.cookies[COOKIE]
    try:
        return await door.scope_of(connection.state.token, mode, address=address)
    except WrongToken:
        # A revoked cookie must not keep its browser from logging in again.
        connection.state.token = None
        return await door.scope_of(None, mode)


def address_of(connection: HTTPConnection) -> str:
    return connection.client.host if connection.client else ""


def token_of(connection: HTTPConnection) -> str | None:
    """What was sent as a token, even if it is none."""
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
        raise HTTPException(400, f"{text!r} is not a mode. {MODE} is one of {', '.join(Mode)}.") from None


def unauthorised(detail: str) -> HTTPException:
    return HTTPException(401, detail, headers=_CHALLENGE)
