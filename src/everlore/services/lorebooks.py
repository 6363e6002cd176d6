"""Lorebooks that fire in conversations: the one inside a card, and those attached to a person, a campaign or the
workspace (V18).

Attached ones are stored unchanged, so that an export differs only by edits: for a person in `extensions.lorebooks`,
else in the setting `lorebooks`, where `campaign_id` limits a book to a campaign. Start at `Lorebooks`; the lookup of a
turn is in `turn/lorebook_scan.py`.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.setting import LOREBOOKS, Setting
from everlore.errors import BadAsk, NotFound
from everlore.interchange import jsontext
from everlore.interchange.cards import KEPT
from everlore.interchange.lorebooks import lorebook_in, read_lorebook
from everlore.interchange.loreedit import BookContent, ExportForm, content_of, exported, with_content
from everlore.interchange.report import Notes, Report
from everlore.services.base import Service
from everlore.store.port import Amend, Put, Store
from everlore.turn.lorebook_scan import CARD, Books, StoredBook, attached_to, books_of, books_of_workspace

_MOST_BOOKS = 50
_MOST_NAME = 200


async def without_campaign(store: Store, scope: Scope, campaign_id: str) -> list[Put]:
    """The change that removes the lorebooks of a campaign; empty if it has none."""
    found = await store.get_many(scope, Setting, [LOREBOOKS])
    kept = {id: each for id, each in (found[0].value if found else {}).items() if not _is_of(each, campaign_id)}
    return [Put(replace(found[0], value=kept))] if found and len(kept) < len(found[0].value) else []


def _is_of(book: object, campaign_id: str) -> bool:
    return isinstance(book, dict) and book.get("campaign_id") == campaign_id


# ── editing ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedBook:
    """A lorebook that fires: in chats of `person_id`, in those of `campaign_id`, or in all of them. `in_card`: it is
    part of the person's card."""

    id: str
    name: str
    entries: int
    person_id: str | None = None
    campaign_id: str | None = None
    in_card: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of lorebooks: a person, a campaign, or, with neither, the workspace."""

    person_id: str | None = None
    campaign_id: str | None = None

    def __post_init__(self) -> None:
        if self.person_id is not None and self.campaign_id is not None:
            raise BadAsk("A lorebook belongs to a person or to a campaign. Send person_id or campaign_id, not both.")


class Lorebooks(Service):
    async def list(self, *, person_id: str | None = None, campaign_id: str | None = None) -> tuple[AttachedBook, ...]:
        """The lorebooks of the workspace, of one person, or of one campaign."""
        owner = Owner(person_id, campaign_id)
        return tuple(_told(id, kept, owner) for id, kept in (await self._books(owner)).items())

    async def attach(
        self, data: bytes, filename: str = "", *, person_id: str | None = None, campaign_id: str | None = None
    ) -> tuple[AttachedBook, Report]:
        """A lorebook file: World Info, a character book, or one of NovelAI."""
        read = await asyncio.to_thread(read_lorebook, data, filename)
        owner = Owner(person_id, campaign_id)
        return await self._add(read.name or "Lorebook", _document(data), owner), read.report

    async def switch(
        self, id: str, *, enabled: bool, person_id: str | None = None, campaign_id: str | None = None
    ) -> AttachedBook:
        """Turn it on or off; one that is off is kept, but does not fire."""
        owner = Owner(person_id, campaign_id)
        books = await self._books(owner)
        if id == CARD and owner.person_id is not None:
            _get(books, id)
            raise BadAsk("The lorebook of a card is always on. Switch off its entries, or delete it.")
        changed = replace(_get(books, id), enabled=enabled)
        await self._put(id, changed, owner)
        return _told(id, changed, owner)

    async def content(self, id: str, *, person_id: str | None = None, campaign_id: str | None = None) -> BookContent:
        """The entries and settings, in the form that is edited."""
        kept = _get(await self._books(Owner(person_id, campaign_id)), id)
        return await asyncio.to_thread(content_of, kept.document)

    async def write(
        self,
        id: str,
        content: BookContent,
        *,
        name: str | None = None,
        person_id: str | None = None,
        campaign_id: str | None = None,
    ) -> AttachedBook:
        """Replace the entries and settings; other contents of the file stay."""
        owner = Owner(person_id, campaign_id)
        kept = _get(await self._books(owner), id)
        document = await asyncio.to_thread(with_content, kept.document, content)
        if name is not None:
            kept = replace(kept, name=_name(name))
            if id == CARD or "name" in document:
                document = {**document, "name": kept.name}
        changed = replace(kept, document=document)
        await self._put(id, changed, owner)
        return _told(id, changed, owner)

    async def document(
        self,
        id: str,
        *,
        form: ExportForm | None = None,
        person_id: str | None = None,
        campaign_id: str | None = None,
    ) -> Json:
        """The lorebook in its original form with later edits, or in the requested format."""
        kept = _get(await self._books(Owner(person_id, campaign_id)), id)
        return kept.document if form is None else await asyncio.to_thread(exported, kept.document, form, kept.name)

    async def remove(self, id: str, *, person_id: str | None = None, campaign_id: str | None = None) -> None:
        owner = Owner(person_id, campaign_id)
        _get(await self._books(owner), id)
        await self._put(id, None, owner)

    async def _add(self, name: str, document: Json, owner: Owner) -> AttachedBook:
        books = await self._books(owner)
        if len(books) >= _MOST_BOOKS:
            raise BadAsk(f"There are {len(books)} lorebooks already, the most there can be. Remove one first.")
        id, kept = self._resources.new_id(), StoredBook(name, document, campaign_id=owner.campaign_id)
        await self._put(id, kept, owner)
        return _told(id, kept, owner)

    async def _books(self, owner: Owner) -> Books:
        store, scope = self._store, self._scope
        if owner.person_id is not None:
            return books_of(await store.get(scope, Person, owner.person_id))
        if owner.campaign_id is not None:
            await store.get(scope, Campaign, owner.campaign_id)
        found = await books_of_workspace(store, scope)
        return {id: kept for id, kept in found.items() if kept.campaign_id == owner.campaign_id}

    async def _put(self, id: str, book: StoredBook | None, owner: Owner) -> None:
        """Saves the book, or deletes it."""
        store, scope, now = self._store, self._scope, self._resources.clock()
        if owner.person_id is None:
            books = _changed(await books_of_workspace(store, scope), id, book)
            await store.apply(
                scope, [Put(Setting(workspace=scope.workspace, id=LOREBOOKS, value=books, updated_at=now))]
            )
            return
        person = await store.get(scope, Person, owner.person_id)
        if id == CARD:
            extensions = _with_card_book(person.extensions, book.document if book else None)
        else:
            extensions = {**person.extensions, LOREBOOKS: _changed(attached_to(person), id, book)}
        changes: dict[str, Any] = {"extensions": extensions, "updated_at": now}
        await store.apply(scope, [Amend(Person, person.id, changes)])


def _changed(books: Books, id: str, book: StoredBook | None) -> Json:
    changed = {**books, id: book} if book else {each: kept for each, kept in books.items() if each != id}
    return {each: kept.as_json() for each, kept in changed.items()}


def _with_card_book(extensions: Json, book: Json | None) -> Json:
    card = extensions.get(KEPT)
    data = card.get("data") if isinstance(card, dict) else None
    assert isinstance(card, dict), "the lorebook was found in the card"
    assert isinstance(data, dict), "the lorebook was found in the card"
    kept = {key: value for key, value in data.items() if key != "character_book"}
    return {**extensions, KEPT: {**card, "data": kept | ({"character_book": book} if book is not None else {})}}


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _MOST_NAME:
        raise BadAsk(f"Give the lorebook a name of 1 to {_MOST_NAME} characters.")
    return name


def _document(data: bytes) -> Json:
    parsed = jsontext.parse(data, Notes(), what="the lorebook")
    assert isinstance(parsed, dict), "it was read as a lorebook"
    return parsed


def _get(books: Books, id: str) -> StoredBook:
    if id not in books:
        raise NotFound(f"There is no lorebook {id!r}. GET /api/lorebooks lists them.")
    return books[id]


def _told(id: str, kept: StoredBook, owner: Owner) -> AttachedBook:
    return AttachedBook(
        id=id,
        name=kept.name,
        entries=len(lorebook_in(kept.document, Notes()).entries),
        person_id=owner.person_id,
        campaign_id=owner.campaign_id,
        in_card=owner.person_id is not None and id == CARD,
        enabled=kept.enabled,
    )
