"""Characters and the user: create, find, change, delete (V9)."""

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from everlore.domain.media import Media
from everlore.domain.person import USER_ID, Person, PersonKind
from everlore.domain.setting import Setting
from everlore.errors import BadAsk, Conflict, Forbidden, NotFound
from everlore.interchange.cards import Format, Version
from everlore.interchange.media import is_image
from everlore.interchange.personas import read_personas
from everlore.interchange.pngfile import SIGNATURE, read_png
from everlore.interchange.report import Report
from everlore.services.base import Service
from everlore.services.departures import parted
from everlore.services.files import Imported, export_card, import_card, with_picture
from everlore.store.all_pages import items_of
from everlore.store.answers import Page
from everlore.store.port import Put
from everlore.turn.ownership import is_hidden, shown_to

_STARTER = "starter"
_FIXED = frozenset({"workspace", "id", "created_at", "updated_at"})
_ALL = 1_000
_MOST_STATISTIC = 20


class Characters(Service):
    async def create(self, *, name: str, **given: Any) -> Person:
        _refuse_unknown(given, {"workspace"})
        _refuse_odd_statistics(given.get("statistics", {}))
        if "id" in given and await self._store.get_many(self._scope, Person, [given["id"]]):
            raise Conflict(f"There is a person {given['id']!r} already. Change that one, or leave the id out.")
        return await self._put(self._made(name=name, **given))

    async def change(self, id: str, **changes: Any) -> Person:
        _refuse_unknown(changes, _FIXED)
        _refuse_odd_statistics(changes.get("statistics", {}))
        person = await self.get(id)
        if (changes.get("kind", person.kind) is PersonKind.USER) is not (person.kind is PersonKind.USER):
            raise BadAsk("A user can't become a character, nor a character a user. Create a new one instead.")
        return await self._put(replace(person, **changes, updated_at=self._resources.clock()))

    async def delete(self, id: str) -> None:
        """Delete for good, with pictures and the memories that no one else shares; for a user also those shared with
        characters alone. The name is removed from every other memory. Conversations stay."""
        if id == USER_ID:
            raise BadAsk("The user cannot be deleted: memories and conversations are theirs. Change the name instead.")
        changes = await parted(self._store, self._scope, id)
        await self._apply(changes)

    async def get(self, id: str) -> Person:
        return self._shown(await self._store.get(self._scope, Person, id))

    async def names(self, ids: Iterable[str | None]) -> dict[str, str]:
        """The names of these people by id, without deleted ones."""
        wanted = {id for id in ids if id is not None}
        return {each.id: each.name for each in await self._store.get_many(self._scope, Person, wanted)}

    async def named(self, name: str) -> Person:
        """The person of that id or name; a name that two persons share is refused."""
        store = self._store
        by_id = await store.get_many(self._scope, Person, [name])
        if by_id:
            return self._shown(by_id[0])
        namesakes = (await store.find(self._scope, Person, {"name": name}, limit=_ALL)).items
        found = [self._shown(each) for each in namesakes if not is_hidden(self._scope, each)]
        if not found:
            raise NotFound(f"There is no person called {name!r} in this workspace. Names are case-sensitive.")
        if len(found) > 1:
            raise BadAsk(
                f"Several persons are called {name!r}. Use an id: {', '.join(each.id for each in found[:2])} …"
            )
        return found[0]

    async def list(self, *, kind: PersonKind | None = None, limit: int = 50, cursor: str | None = None) -> Page:
        where = {"kind": kind.value} if kind else {}
        if self._scope.confined_to is not None:
            # Other users are not listed.
            where = {"kind": PersonKind.CHARACTER.value}
        page = await self._store.find(self._scope, Person, where, limit=limit, cursor=cursor)
        return replace(page, items=tuple(map(self._shown, page.items)))

    async def slugs(self) -> Mapping[str, Person]:
        """Every character by a name that fits into a URL; a second one of the same name has its id appended."""
        found: dict[str, Person] = {}
        async for person in items_of(partial(self.list, kind=PersonKind.CHARACTER, limit=_ALL)):
            slug = slug_of(person.name) or person.id
            found[slug if slug not in found else f"{slug}-{person.id}"] = person
        return found

    async def user(self) -> Person:
        """The human behind the call: the user of the token, or the owner of the workspace; created on first use."""
        if self._scope.person_id is not None:
            return await self.get(self._scope.person_id)
        if self._scope.confined_to is not None:
            raise Forbidden("This needs an access token: without one you have no data of your own.")
        found = await self._store.get_many(self._scope, Person, [USER_ID])
        # Two requests at the same moment create the same one.
        return found[0] if found else await self._put(self._made(name="User", id=USER_ID, kind=PersonKind.USER))

    async def welcome(self) -> Person | None:
        """Creates a first character if the workspace has never had one. A deleted one does not come back."""
        store = self._store
        if await store.get_many(self._scope, Setting, [_STARTER]):
            return None
        if await store.count(self._scope, Person, {"kind": PersonKind.CHARACTER.value}):
            return None
        person = self._made(**_NOVA)
        met = Setting(
            workspace=self._scope.workspace, id=_STARTER, value={"id": person.id}, updated_at=person.created_at
        )
        await store.apply(self._scope, [Put(person), Put(met)])
        return person

    async def read_file(self, data: bytes, filename: str = "") -> Imported:
        """Import a character card (JSON, PNG, CHARX) with everything in it."""
        return await import_card(self._resources, self._scope, data, filename)

    async def read_personas(self, data: bytes) -> tuple[tuple[Person, ...], Report]:
        """Import SillyTavern personas as persons of the user; those that exist already are skipped."""
        found, report = await asyncio.to_thread(read_personas, data)
        users = [each async for each in items_of(partial(self.list, kind=PersonKind.USER, limit=_ALL))]
        known = {(each.name, each.description) for each in users}
        new = [each for each in dict.fromkeys(found) if (each.name, each.description) not in known]
        # The public description is what a character knows about the person it talks to.
        made = [
            self._made(
                name=each.name,
                kind=PersonKind.USER,
                description=each.description,
                description_public=each.description,
            )
            for each in new
        ]
        if made:
            await self._store.apply(self._scope, [Put(each) for each in made])
        skipped = len(found) - len(made)
        left = (f"{skipped} of them already exist.",) if skipped else ()
        return tuple(made), replace(report, dropped=(*report.dropped, *left))

    async def write_file(self, id: str, *, format: Format = "png", version: Version = 3) -> bytes:
        return await export_card(self._resources, self._scope, await self.get(id), format, version)

    async def picture(self, id: str, content: bytes) -> Person:
        """Replace the picture of a character."""
        if not is_image(content):
            raise BadAsk("Browsers can't show this file as a picture. Use a PNG, JPEG, WebP or GIF.")
        if content.startswith(SIGNATURE):
            # The export would refuse pictures that browsers can show only partly.
            await asyncio.to_thread(read_png, content)
        person = await self.get(id)
        stored, _ = await self._store.apply(self._scope, with_picture(self._resources, person, content))
        assert isinstance(stored, Person)
        return stored

    async def media(self, id: str) -> Media:
        return await self._store.get(self._scope, Media, id)

    def _shown(self, person: Person) -> Person:
        """As the caller may see them: a guest sees the public side of a character (C8)."""
        if is_hidden(self._scope, person):
            raise NotFound(f"There is no Person {person.id!r} in this workspace.")
        return shown_to(self._scope, person)

    def _made(self, **given: Any) -> Person:
        now = self._resources.clock()
        made: dict[str, Any] = {"id": self._resources.new_id(), "created_at": now, "updated_at": now}
        return Person(workspace=self._scope.workspace, **made | given)

    async def _put(self, person: Person) -> Person:
        (stored,) = await self._store.apply(self._scope, [Put(person)])
        assert isinstance(stored, Person)
        return stored


def slug_of(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def _refuse_odd_statistics(statistics: Any) -> None:
    """Intelligence, charisma and the like, as on a character sheet: whole numbers from 1 to 20 (V9)."""
    for name, value in statistics.items() if isinstance(statistics, dict) else ():
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_STATISTIC:
            raise BadAsk(f"The statistic {name!r} is {value!r}; give a whole number from 1 to {_MOST_STATISTIC}.")


def _refuse_unknown(given: Mapping[str, Any], fixed: "frozenset[str] | set[str]") -> None:
    known = {each.name for each in fields(Person)} - fixed
    if unknown := set(given) - known:
        raise BadAsk(f"A person has no field {', '.join(sorted(unknown))}. Known: {', '.join(sorted(known))}.")


_NOVA: dict[str, Any] = {
    "name": "Nova",
    "description": (
        "{{char}} keeps a small lighthouse at the edge of a quiet sea, with a shelf of notebooks in which she "
        "writes down what friends tell her. She likes tea, old maps and unhurried talks."
    ),
    "personality": "Warm, curious and plain-spoken. Asks one good question at a time, and never pretends to know.",
    "speech_pattern": "Short, friendly sentences.",
    "scenario": "{{user}} has come by for a talk.",
    "greetings": (
        "Hello! I am {{char}}. Come in, the kettle is on. What should I know about you?",
        "Oh, a visitor! I am {{char}}. Sit down and tell me: how was your day?",
    ),
    "tags": ("starter",),
}
