"""Exports a campaign as a vault of Markdown files, and imports an edited one (G9, G10, G11, G12).

An edited vault counts as the game master's own text. Players export a vault of what they may see. Start at
`export_vault` and `import_vault`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.campaign.canon.weighing import weighed
from everlore.campaign.import_report import CampaignImportReport
from everlore.campaign.seats import Seat, refuse_player, seat_at
from everlore.campaign.showing import shown, shown_sessions
from everlore.campaign.vault.ground import Compared, Comparing, is_read
from everlore.campaign.vault.pages import VaultWorld, pages_of
from everlore.campaign.vault.reading import compared
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.memory import Memory, Status
from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.interchange.report import Notes
from everlore.interchange.report import shown as quoted
from everlore.interchange.vault import VaultPage, read_page, text_in, write_page
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Put
from everlore.turn.resources import Resources

_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultFiles:
    """Options of a vault import. `delete_missing`: delete what the vault lacks. `replace`: overwrite what was changed
    here since the export."""

    dry_run: bool = False
    delete_missing: bool = False
    replace: bool = False


async def export_vault(
    resources: Resources, scope: Scope, campaign_id: str, *, player: str | None = None
) -> dict[str, bytes]:
    """The files by path: everything for the game master, and for players what they may see."""
    seat = await seat_at(resources.store, scope, campaign_id, player=player)
    world = await _world(resources, scope, seat)
    return await asyncio.to_thread(_written, world, resources)


def _written(world: VaultWorld, resources: Resources) -> dict[str, bytes]:
    return {page.path: write_page(page) for page in pages_of(world, resources.clock())}


async def import_vault(
    resources: Resources, scope: Scope, campaign_id: str, files: Mapping[str, bytes], how: VaultFiles
) -> CampaignImportReport:
    """Imports the whole vault or nothing; reports changed, new, missing and unreadable items."""
    seat = refuse_player(await seat_at(resources.store, scope, campaign_id))
    notes = Notes()
    pages = await asyncio.to_thread(_read, files, notes)
    if not pages:
        told = " ".join(notes.dropped.told()[:1])
        raise BadAsk(f"There is no page of a campaign in this vault. {told} Choose the folder that was exported.")
    world = await _world(resources, scope, seat)
    taken = await _taken(resources, scope, pages, world)
    asked = Comparing(world, resources.clock(), resources.new_id, taken, how.replace)
    found = await asyncio.to_thread(compared, pages, asked, notes)
    changes = await _weighed(resources, scope, campaign_id, found.changes, notes) + _deletes(found, notes, how)
    if changes and not how.dry_run:
        results = await resources.store.apply(scope, changes)
        resources.live.applied(scope, changes, results)
    notes.kept.add(f"{len(pages):,} pages were read.")
    return replace(found.register, report=notes.report("Markdown vault"), dry_run=how.dry_run)


def _read(files: Mapping[str, bytes], notes: Notes) -> list[VaultPage]:
    pages: list[VaultPage] = []
    for path, data in sorted(files.items()):
        try:
            page = read_page(path, data)
        except BadAsk as error:
            notes.dropped.add(str(error))
            continue
        if is_read(page):
            pages.append(page)
        else:
            notes.warnings.add(f"{path} was passed over. Give it a property `kind` to make it part of the world.")
    return pages


async def _weighed(
    resources: Resources, scope: Scope, campaign_id: str, changes: Sequence[Change], notes: Notes
) -> list[Change]:
    """The allowed changes: all edits, and new lines unless they contradict canon and must wait for a ruling (G7)."""
    new = [each for each in changes if _new_memory(each) is not None]
    allowed = await weighed(resources.store, scope, campaign_id, new, now=resources.clock(), new_id=resources.new_id)
    kept = {memory.id: memory for each in allowed if (memory := _new_memory(each)) is not None}
    for each in new:
        written = _new_memory(each)
        assert written is not None
        if written.id not in kept:
            notes.warnings.add(f"{quoted(written.content)} was ruled out, or waits for a ruling already.")
        elif kept[written.id].status is Status.PENDING:
            notes.warnings.add(f"{quoted(written.content)} contradicts canon, and waits for your ruling.")
    return [*(each for each in changes if _new_memory(each) is None), *allowed]


def _new_memory(change: Change) -> Memory | None:
    record = change.record if isinstance(change, Put) else None
    return record if isinstance(record, Memory) and record.revision == 1 else None


def _deletes(found: Compared, notes: Notes, how: VaultFiles) -> list[Change]:
    if not how.delete_missing:
        return []
    if notes.dropped.lines:
        raise BadAsk(
            f"Nothing is deleted while something cannot be read: {notes.dropped.lines[0]} Correct it, or leave out "
            "--delete-missing."
        )
    found.register.deleted = [name for name, _ in found.deletes]
    return [delete for _, delete in found.deletes]


async def _taken(resources: Resources, scope: Scope, pages: Sequence[VaultPage], world: VaultWorld) -> frozenset[str]:
    """The ids on the pages that are in use outside of this campaign."""
    ids = sorted({id for each in pages if 0 < len(id := text_in(each.front, "id")) <= 128})
    known = {id for some in (world.entities, world.sessions, world.chapters) for id in _ids(some)} | {world.campaign.id}
    found: set[str] = set()
    for kind in (Entity, Session, Chapter, Campaign):
        for first in range(0, len(ids), _PAGE):
            found |= {each.id for each in await resources.store.get_many(scope, kind, ids[first : first + _PAGE])}
    return frozenset(found - known)


def _ids(records: Sequence[Any]) -> list[str]:
    return [each.id for each in records]


async def _world(resources: Resources, scope: Scope, seat: Seat) -> VaultWorld:
    own = {"campaign_id": seat.campaign.id}
    store = resources.store
    memories = await all_of(store, scope, Memory, {**own, "status": Status.ACTIVE.value})
    sessions = await all_of(store, scope, Session, own)
    return VaultWorld(
        campaign=seat.campaign,
        chapters=await all_of(store, scope, Chapter, own),
        sessions=shown_sessions(seat, sessions),
        entities=await shown(store, scope, seat, await all_of(store, scope, Entity, own)),
        ties=await shown(store, scope, seat, await all_of(store, scope, Relationship, own)),
        memories=await shown(store, scope, seat, memories),
        whole=seat.runs,
    )
