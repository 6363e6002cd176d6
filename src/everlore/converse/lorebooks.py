"""Lorebooks that fire in conversations: the one inside a card, and those attached to a person or the workspace (V18).

Attached ones are kept as they came, so that an export gives them back: with a person in `extensions.lorebooks`, with
the workspace in the setting `lorebooks`. Start at `books_for`, which a turn asks, and `Lorebooks`, which people use.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.compose.lore import Book
from everlore.converse.desk import Desk
from everlore.domain.bounds import Json
from everlore.domain.conversation import Message
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.domain.policy import is_guest
from everlore.domain.scope import Scope
from everlore.domain.setting import LOREBOOKS, Setting
from everlore.domain.tokens import without_told
from everlore.errors import BadAsk, NotFound
from everlore.interchange import jsontext
from everlore.interchange.cards import KEPT
from everlore.interchange.lorebooks import is_lorebook, lorebook_in, read_lorebook
from everlore.interchange.lorefields import book_of
from everlore.interchange.report import Notes, Report
from everlore.store.port import Amend, Put, Store

_MOST_BOOKS = 50
# What the lorebook inside a card is called among those of its character.
CARD = "card"


# ── for a turn ───────────────────────────────────────────────────────────────────────────────────


async def books_for(
    store: Store, scope: Scope, speaker: Person, user: Person | None, *, for_game_master: bool
) -> tuple[Book, ...]:
    """The books that may fire when this character answers this user. Guests meet a character's public side, and see
    nothing of the workspace's books."""
    persons = [speaker, *([user] if user else [])]
    found = {f"{person.id}/{id}": kept for person in persons for id, kept in _books_of(person).items()}
    if not is_guest(scope.role):
        found |= await _of_workspace(store, scope)
    books = [
        book_of(kept.document, id=id, name=kept.name, speaker=speaker, for_game_master=for_game_master)
        for id, kept in found.items()
        if kept.enabled
    ]
    return tuple(book for book in books if book is not None and book.entries)


def scanned_lines(messages: Sequence[Message], names: Mapping[str, str]) -> list[str]:
    """The messages as keys are looked for in them: who spoke, and what can be read of it."""
    return [f"{names.get(each.person_id or '', '')}: {display(without_told(each.content)).text}" for each in messages]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A book as it is kept: its document is as it came."""

    name: str
    document: Json
    enabled: bool = True

    def as_json(self) -> Json:
        return {"name": self.name, "document": self.document, "enabled": self.enabled}


_Books = dict[str, _Kept]


def _books_of(person: Person) -> _Books:
    """The one in their card, and those attached to them."""
    card = person.extensions.get(KEPT)
    data = card.get("data") if isinstance(card, dict) else None
    inside = data.get("character_book") if isinstance(data, dict) else None
    if not isinstance(inside, dict) or not isinstance(inside.get("entries"), list | dict):
        return _attached_to(person)
    name = inside.get("name")
    return {CARD: _Kept(name if isinstance(name, str) and name else person.name, inside)} | _attached_to(person)


def _attached_to(person: Person) -> _Books:
    return _books_in(person.extensions.get(LOREBOOKS))


async def _of_workspace(store: Store, scope: Scope) -> _Books:
    found = await store.get_many(scope, Setting, [LOREBOOKS])
    return _books_in(found[0].value) if found else {}


def _books_in(value: object) -> _Books:
    """Whatever is no book is passed over."""
    books: _Books = {}
    for id, each in value.items() if isinstance(value, dict) else ():
        document = each.get("document") if isinstance(each, dict) else None
        if isinstance(document, dict) and is_lorebook(document):
            books[id] = _Kept(str(each.get("name") or "Lorebook"), document, each.get("enabled", True) is True)
    return books


# ── for people ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedBook:
    """A lorebook that fires. `person_id`: with whom; None: in every conversation. `in_card`: it belongs to the card."""

    id: str
    name: str
    entries: int
    person_id: str | None = None
    in_card: bool = False
    enabled: bool = True


class Lorebooks:
    def __init__(self, scope: Scope, desk: Desk) -> None:
        self._scope = scope
        self._desk = desk

    async def list(self, *, person_id: str | None = None) -> tuple[AttachedBook, ...]:
        """Those of the workspace, or of one person."""
        return tuple(_told(id, kept, person_id) for id, kept in (await self._books(person_id)).items())

    async def attach(
        self, data: bytes, filename: str = "", *, person_id: str | None = None
    ) -> tuple[AttachedBook, Report]:
        """A lorebook file: World Info, a character book, or one of NovelAI."""
        read = await asyncio.to_thread(read_lorebook, data, filename)
        kept = _Kept(read.name or "Lorebook", _document(data))
        books = await self._attached(person_id)
        if len(books) >= _MOST_BOOKS:
            raise BadAsk(f"There are {len(books)} lorebooks already, the most there can be. Remove one first.")
        id = self._desk.new_id()
        await self._put(books | {id: kept}, person_id)
        return _told(id, kept, person_id), read.report

    async def switch(self, id: str, *, enabled: bool, person_id: str | None = None) -> AttachedBook:
        """On or off; one that is off stays, and does not fire."""
        books = await self._attached(person_id)
        changed = replace(_get(books, id), enabled=enabled)
        await self._put(books | {id: changed}, person_id)
        return _told(id, changed, person_id)

    async def document(self, id: str, *, person_id: str | None = None) -> Json:
        """The lorebook as it came."""
        return _get(await self._books(person_id), id).document

    async def remove(self, id: str, *, person_id: str | None = None) -> None:
        books = await self._attached(person_id)
        _get(books, id)
        await self._put({each: kept for each, kept in books.items() if each != id}, person_id)

    async def _books(self, person_id: str | None) -> _Books:
        if person_id is None:
            return await self._attached(None)
        return _books_of(await self._desk.store.get(self._scope, Person, person_id))

    async def _attached(self, person_id: str | None) -> _Books:
        if person_id is None:
            return await _of_workspace(self._desk.store, self._scope)
        return _attached_to(await self._desk.store.get(self._scope, Person, person_id))

    async def _put(self, books: _Books, person_id: str | None) -> None:
        now, kept = self._desk.clock(), {id: each.as_json() for id, each in books.items()}
        if person_id is None:
            setting = Setting(workspace=self._scope.workspace, id=LOREBOOKS, value=dict(kept), updated_at=now)
            await self._desk.store.apply(self._scope, [Put(setting)])
            return
        person = await self._desk.store.get(self._scope, Person, person_id)
        changed: dict[str, Any] = {"extensions": {**person.extensions, LOREBOOKS: kept}, "updated_at": now}
        await self._desk.store.apply(self._scope, [Amend(Person, person_id, changed)])


def _document(data: bytes) -> Json:
    parsed = jsontext.parse(data, Notes(), what="the lorebook")
    assert isinstance(parsed, dict), "it was read as a lorebook"
    return parsed


def _get(books: _Books, id: str) -> _Kept:
    if id not in books:
        raise NotFound(f"There is no lorebook {id!r} there. GET /api/lorebooks lists them.")
    return books[id]


def _told(id: str, kept: _Kept, person_id: str | None) -> AttachedBook:
    return AttachedBook(
        id=id,
        name=kept.name,
        entries=len(lorebook_in(kept.document, Notes()).entries),
        person_id=person_id,
        in_card=person_id is not None and id == CARD,
        enabled=kept.enabled,
    )
