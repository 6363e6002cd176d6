"""Imports lorebook entries as entities of a campaign's world, and exports entities as entries (G12).

Imported entries count as the game master's own text, which models never overwrite (G11). Entities that a person edited
here stay as they are unless `replace` is set. Start at `import_lore` and `export_lore`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from everlore.campaign.import_report import CampaignImportReport
from everlore.campaign.seats import Seat, refuse_player, seat_at
from everlore.campaign.showing import shown
from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign, Entity
from everlore.domain.scope import Scope
from everlore.domain.visibility import is_marked
from everlore.interchange import jsontext
from everlore.interchange.cards import read_card
from everlore.interchange.lorebooks import (
    Lorebook,
    LorebookFileEntry,
    LoreEntry,
    WrittenForm,
    lorebook_in,
    read_lorebook,
    said_by,
    write_lorebook,
)
from everlore.interchange.pngfile import SIGNATURE
from everlore.interchange.report import Notes
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Put
from everlore.turn.resources import Resources

# Keys: of an entity's lorebook entry in `attributes`, and of a campaign's books in `extra`.
LOREBOOK = "lorebook"
LOREBOOKS = "lorebooks"
_PACKED = (SIGNATURE, b"PK\x03\x04", b"\xff\xd8\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreFile:
    """Import options. `gm_only`: hidden from players. `replace`: overwrites entities that were edited here."""

    filename: str = ""
    gm_only: bool = False
    replace: bool = False
    dry_run: bool = False


async def import_lore(
    resources: Resources, scope: Scope, campaign_id: str, data: bytes, how: LoreFile
) -> CampaignImportReport:
    campaign = refuse_player(await seat_at(resources.store, scope, campaign_id)).campaign
    book = await asyncio.to_thread(_read, data, how.filename)
    return await _brought(resources, scope, campaign, book, how)


async def export_lore(
    resources: Resources, scope: Scope, campaign_id: str, *, form: WrittenForm = "world_info", player: str | None = None
) -> bytes:
    """Export the entities that the caller may see as a lorebook. For players the entries are written from scratch,
    because imported extra fields may contain spoilers."""
    seat = await seat_at(resources.store, scope, campaign_id, player=player)
    entities = await shown(resources.store, scope, seat, await entities_of(resources, scope, seat.campaign))
    told = [told_of(each, whole=seat.runs) for each in sorted(entities, key=lambda each: (each.created_at, each.id))]
    document = write_lorebook(told, form=form, name=seat.campaign.name, head=_head(seat, form))
    return await asyncio.to_thread(jsontext.dump, document)


async def entities_of(resources: Resources, scope: Scope, campaign: Campaign) -> Sequence[Entity]:
    return await all_of(resources.store, scope, Entity, {"campaign_id": campaign.id})


# ── decisions ────────────────────────────────────────────────────────────────────────────────────


def made_of(entry: LoreEntry, book: Lorebook, *, workspace: str, campaign_id: str, id: str, at: datetime) -> Entity:
    return Entity(
        workspace=workspace,
        id=id,
        kind=entry.kind,
        name=entry.name,
        aliases=entry.keys,
        description=entry.content,
        attributes={LOREBOOK: _kept(entry, book)},
        campaign_id=campaign_id,
        is_spoiler=entry.own.get("spoiler") is True,
        gm_edited=True,
        created_at=at,
        updated_at=at,
    )


def merged(entity: Entity, entry: LoreEntry, book: Lorebook, *, is_same: bool, at: datetime) -> Entity:
    """The entity updated from the entry. `is_same`: the entry was imported into this entity or exported from it;
    otherwise only the name matches, and the entity keeps its existing values."""
    attributes = {**entity.attributes, LOREBOOK: _kept(entry, book)}
    hidden = is_marked(entity) or entry.own.get("spoiler") is True
    if is_same:
        kind = entry.kind if "kind" in entry.own else entity.kind
        fields: dict[str, Any] = {"name": entry.name, "aliases": entry.keys, "description": entry.content, "kind": kind}
    else:
        names = [each for each in (*entity.aliases, entry.name, *entry.keys) if each != entity.name]
        fields = {"aliases": tuple(dict.fromkeys(names)), "description": entity.description or entry.content}
    made = replace(entity, **fields, attributes=attributes, is_spoiler=hidden)
    return entity if made == entity else replace(made, gm_edited=True, updated_at=at)


def matches(entities: Iterable[Entity], book: Lorebook) -> dict[int, tuple[Entity, bool]]:
    """Matches each entry, by its index in the book, with an entity, and says whether it is the entity's own entry: by
    our id, by the id in its book, or else only by name. No entity is matched twice."""
    known = list(entities)
    ids = {each.id: each for each in known}
    uids = {(kept.get("book"), kept.get("form"), kept.get("uid")): each for each in known if (kept := _lore(each))}
    names = {name.casefold(): each for each in reversed(known) for name in (*each.aliases, each.name)}
    found: dict[int, tuple[Entity, bool]] = {}
    taken: set[str] = set()
    for is_same in (True, False):
        for at, entry in enumerate(book.entries):
            by_id = ids.get(str(entry.own.get("id"))) or uids.get((book.name, book.form, entry.uid))
            match = by_id if is_same else names.get(entry.name.casefold())
            if at not in found and match is not None and match.id not in taken:
                found[at] = (match, is_same)
                taken.add(match.id)
    return found


def is_edited(entity: Entity, entry: LoreEntry) -> bool:
    """Whether someone edited the entity here after its import or export."""
    known = (_lore(entity).get("said"), entry.own.get("said"))
    return entity.gm_edited and said_by(entity.name, entity.aliases, entity.description) not in known


def told_of(entity: Entity, *, whole: bool) -> LorebookFileEntry:
    kept = _lore(entity) if whole else {}
    entry = kept.get("entry")
    return LorebookFileEntry(
        id=entity.id,
        name=entity.name,
        keys=entity.aliases,
        content=entity.description,
        kind=entity.kind,
        spoiler=entity.is_spoiler,
        form=str(kept.get("form", "")),
        uid=str(kept.get("uid", "")),
        entry=entry if isinstance(entry, dict) else {},
    )


def _kept(entry: LoreEntry, book: Lorebook) -> Json:
    said = said_by(entry.name, entry.keys, entry.content)
    return {"book": book.name, "form": book.form, "uid": entry.uid, "entry": entry.entry, "said": said}


def _lore(entity: Entity) -> Json:
    kept = entity.attributes.get(LOREBOOK)
    return kept if isinstance(kept, dict) else {}


def _head(seat: Seat, form: str) -> Json | None:
    books = seat.campaign.extra.get(LOREBOOKS) if seat.runs else None
    found = [each for each in books if isinstance(each, dict)] if isinstance(books, list) else []
    heads = [each["head"] for each in found if each.get("form") == form and isinstance(each.get("head"), dict)]
    return heads[-1] if heads else None


def _with_book(campaign: Campaign, book: Lorebook) -> Json:
    books = campaign.extra.get(LOREBOOKS)
    others = [each for each in books if _is_other(each, book)] if isinstance(books, list) else []
    return {**campaign.extra, LOREBOOKS: [*others, {"form": book.form, "name": book.name, "head": book.head}]}


def _is_other(kept: object, book: Lorebook) -> bool:
    return isinstance(kept, dict) and (kept.get("form"), kept.get("name")) != (book.form, book.name)


# ── applying ─────────────────────────────────────────────────────────────────────────────────────


def _read(data: bytes, filename: str) -> Lorebook:
    if data.startswith(_PACKED):
        card = read_card(data, filename)
        return lorebook_in(card.document, Notes(), filename)
    return read_lorebook(data, filename)


async def _brought(
    resources: Resources, scope: Scope, campaign: Campaign, book: Lorebook, how: LoreFile
) -> CampaignImportReport:
    now = resources.clock()
    found = matches(await entities_of(resources, scope, campaign), book)
    register = CampaignImportReport(book.report, how.dry_run)
    changes: list[Change] = []
    for at, entry in enumerate(book.entries):
        if at not in found:
            made = made_of(
                entry, book, workspace=scope.workspace, campaign_id=campaign.id, id=resources.new_id(), at=now
            )
            register.added.append(made.name)
            changes.append(Put(replace(made, is_spoiler=made.is_spoiler or how.gm_only)))
            continue
        entity, is_same = found[at]
        after = merged(entity, entry, book, is_same=is_same, at=now)
        if after == entity:
            register.same += 1
        elif is_same and not how.replace and is_edited(entity, entry) and _says_otherwise(entity, after):
            register.left.append(entity.name)
        else:
            register.changed.append(after.name)
            changes.append(Put(after))
    if not how.dry_run:
        await resources.store.apply(
            scope, [*changes, Amend(Campaign, campaign.id, {"extra": _with_book(campaign, book)})]
        )
    return register


def _says_otherwise(before: Entity, after: Entity) -> bool:
    said = ("name", "aliases", "description", "kind")
    return any(getattr(before, each) != getattr(after, each) for each in said)
