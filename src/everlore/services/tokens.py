"""Access from elsewhere: the users of a workspace, and their tokens (S-1, S-2).

A token is shown once, when it is created; afterwards it can be recognised and revoked, but not shown again. Start at
`Tokens.create`; a server calls `recognised` for each request.
"""

import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from everlore.domain.memory_use import Use
from everlore.domain.person import Person, PersonKind
from everlore.domain.policy import Mode, Role
from everlore.domain.scope import Scope
from everlore.domain.token import People, Token, digest_of, read, spelled
from everlore.errors import BadAsk, StoreUnavailable
from everlore.services.base import Service
from everlore.services.characters import Characters
from everlore.store.answers import Page
from everlore.store.port import Amend, Put, Store

_SECRET_BYTES = 32
# How often the last use of a token is saved: not with every request.
_USED_EVERY = timedelta(minutes=5)
_MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Made:
    """A new token with its secret text, which is shown only here."""

    token: Token
    text: str


class Tokens(Service):
    async def create(
        self,
        name: str,
        *,
        role: Role | str = Role.OWNER,
        user: Person | str | None = None,
        days: float | None = None,
        per_minute: int | None = None,
        memory: Use | str = "",
        people: People | str = "",
    ) -> Made:
        """A token for a user of this workspace; without one, a user of that name is created, or the owner is taken.
        `memory`: the memory mode of its requests to `/v1` that do not set one. `people`: whether they may name other
        speakers."""
        if days is not None and not 0 < days <= _MOST_DAYS:
            raise BadAsk(f"A token can be valid for up to {_MOST_DAYS} days, and {days:g} is not among them.")
        given = _role(role)
        person = await self._user(name, given, user)
        now = self._resources.clock()
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        token = Token(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            name=name,
            role=given,
            user_id=person.id,
            digest=digest_of(secret),
            per_minute=per_minute,
            memory=_use(memory),
            people=_people(people),
            created_at=now,
            expires_at=now + timedelta(days=days) if days is not None else None,
        )
        (stored,) = await self._store.apply(self._scope, [Put(token)])
        return Made(stored, spelled(token.workspace, token.id, secret))

    async def list(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        """Newest first, revoked ones too."""
        return await self._store.find(self._scope, Token, limit=limit, cursor=cursor, newest_first=True)

    async def revoke(self, id: str) -> Token:
        """The token is refused from now on. It stays in the list, so that the audit log can be read."""
        changes = [Amend(Token, id, {"revoked_at": self._resources.clock()}, only_if={"revoked_at": None})]
        results = await self._apply(changes)
        token: Token = results[0]
        return token

    async def any_owner(self) -> bool:
        """Whether anybody could manage this workspace from another machine."""
        now = self._resources.clock()
        page = await self._store.find(self._scope, Token, {"role": Role.OWNER.value}, limit=1_000)
        return any(token.is_valid(now) for token in page.items)

    async def users(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        where = {"kind": PersonKind.USER.value}
        return await self._store.find(self._scope, Person, where, limit=limit, cursor=cursor)

    async def _user(self, name: str, role: Role, user: Person | str | None) -> Person:
        characters = Characters(self._scope, self._resources)
        if user is None and Scope(self._scope.workspace, role).confined_to is None:
            return await characters.user()
        if user is None:
            return await characters.create(name=name, kind=PersonKind.USER)
        person = user if isinstance(user, Person) else await characters.named(user)
        if person.kind is not PersonKind.USER:
            raise BadAsk(f"{person.name} is a character, and a token is for a user. Name a user, or nobody.")
        return person


async def recognised(store: Store, text: str, mode: Mode, now: datetime) -> tuple[Scope, Token] | None:
    """The user of this token, or None if it is not (or no longer) valid."""
    written = read(text)
    if written is None:
        return None
    found = await store.get_many(Scope(written.workspace), Token, [written.id])
    digest = digest_of(written.secret)
    if not found or not hmac.compare_digest(found[0].digest, digest) or not found[0].is_valid(now):
        return None
    token = found[0]
    await _keep_used(store, token, now)
    scope = Scope(token.workspace, token.role, mode, token.user_id, actor=token.id)
    return scope, token


async def _keep_used(store: Store, token: Token, now: datetime) -> None:
    if token.last_used_at is None or now - token.last_used_at >= _USED_EVERY:
        # With a full disk, valid tokens can still read.
        with suppress(StoreUnavailable):
            await store.apply(Scope(token.workspace), [Amend(Token, token.id, {"last_used_at": now})])


def _use(memory: Use | str) -> str:
    try:
        return Use(memory).value if memory else ""
    except ValueError:
        raise BadAsk(f"{memory!r} is not a valid memory mode. Use one of {', '.join(Use)}.") from None


def _people(people: People | str) -> str:
    try:
        return People(people).value if people else ""
    except ValueError:
        raise BadAsk(f"people is {people!r}. Use one of {', '.join(People)}.") from None


def _role(role: Role | str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise BadAsk(f"{role!r} is not a role. Use one of {', '.join(Role)}.") from None
