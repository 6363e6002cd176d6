"""Who speaks with an API key: its bearer, or, if the key may speak for many, the person whom the request names.

A header from the settings overrides `user` in the body: a proxy sets it, and its users cannot. Each name is a separate
person, whose id is made from the name and the key's bearer, so that no name can lead to the owner, to a member, or to a
person of another key. They have at most the rights of the key, and never the owner's.

Start at `find_speaker`.
"""

import hashlib
from dataclasses import dataclass, replace
from urllib.parse import unquote

from fastapi import Request

from everlore.app import Everlore
from everlore.domain.person import USER_ID, Person, PersonKind
from everlore.domain.policy import Mode, role_of_people, speaks_for_many
from everlore.domain.token import People, Token
from everlore.settings import ServerSettings
from everlore.store.port import Put

_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Speaker:
    """`lore` is the Everlore of this person. `is_unsaved`: the person is new, or has another name now."""

    lore: Everlore
    person: Person
    is_unsaved: bool = False
    # The request's name for them, if it names anybody.
    named: str = ""

    async def save(self) -> None:
        """In any mode that saves the conversation: its speaker is saved too."""
        if self.is_unsaved:
            await self.lore.store.apply(replace(self.lore.scope, mode=Mode.DUAL), [Put(self.person)])


async def find_speaker(lore: Everlore, request: Request, user: str | None) -> Speaker:
    settings: ServerSettings = request.app.state.server_settings
    named = (request.headers.get(settings.user_header, "") or user or "").strip()
    if not named or not await _may_name_people(lore, settings):
        return Speaker(lore, await lore.user())
    called = unquote(request.headers.get(settings.user_name_header, ""))
    id = _person_id(lore.scope.person_id or USER_ID, named)
    scope = replace(lore.scope, role=role_of_people(lore.scope.role), person_id=id)
    found = await lore.store.get_many(scope, Person, [id])
    person = _person(lore, id, named, called, found[0] if found else None)
    return Speaker(lore.seen_by(scope), person, is_unsaved=not found or person != found[0], named=named)


async def _may_name_people(lore: Everlore, settings: ServerSettings) -> bool:
    found = await lore.store.get_many(lore.scope, Token, [lore.scope.actor])
    if found and found[0].people:
        return found[0].people == People.MANY
    return settings.people == "many" and speaks_for_many(lore.scope.role)


def _person_id(bearer_id: str, named: str) -> str:
    return "person-" + hashlib.sha256(f"{bearer_id}\n{named}".encode(errors="surrogatepass")).hexdigest()[:26]


def _person(lore: Everlore, id: str, named: str, called: str, known: Person | None) -> Person:
    """The client's display name, or else the id until there is one; names that a person has edited stay."""
    by_id, name = _one_line(named), _one_line(called)
    now = lore.resources.clock()
    if known is None:
        return Person(
            workspace=lore.scope.workspace,
            id=id,
            kind=PersonKind.USER,
            name=name or by_id,
            created_at=now,
            updated_at=now,
        )
    return replace(known, name=name, updated_at=now) if name and known.name == by_id else known


def _one_line(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:_LONGEST_NAME]
