"""Imports a game master's notes as hidden canon: one note for each heading, without a session (G9, G11, G12).

A heading is the subject of its note, and the names in it are proposed as hidden ones. Importing an edited file again
changes the notes that differ, except those that were edited here. Players see neither the notes nor the name of the
file. Start at `import_notes`.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.campaign.import_report import CampaignImportReport
from everlore.campaign.naming import known_of, mentioned_in
from everlore.campaign.proposing import ProposalSource, grouped, proposed_in_notes, unknown_among
from everlore.campaign.seats import refuse_player, seat_at
from everlore.domain.campaign import Campaign, Entity
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.interchange.report import Report
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Put
from everlore.turn.resources import Resources

_BY = "gm"
_MOST_CHARS = 2_000
_MOST_NOTES = 2_000
_MOST_SUBJECT = 300
_MOST_ENTITIES = 50
_DEEPEST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesFile:
    """Import options. `replace`: overwrites notes that were edited here."""

    filename: str = ""
    replace: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class NoteSection:
    """`subject`: the heading, empty before the first one."""

    subject: str
    text: str


async def import_notes(
    resources: Resources, scope: Scope, campaign_id: str, data: bytes, how: NotesFile
) -> CampaignImportReport:
    campaign = refuse_player(await seat_at(resources.store, scope, campaign_id)).campaign
    sections = await asyncio.to_thread(lambda: list(sections_of(data.decode("utf-8-sig", "replace"))))
    if not sections:
        raise BadAsk("The notes are empty. Choose a text or Markdown file with words in it.")
    if len(sections) > _MOST_NOTES:
        raise BadAsk(f"The notes have {len(sections):,} parts; at most {_MOST_NOTES:,} are imported. Split the file.")
    entities = await all_of(resources.store, scope, Entity, {"campaign_id": campaign.id})
    made = [_note(each, at, campaign, entities, how, resources) for at, each in _numbered(sections)]
    known = {each.id: each for each in await resources.store.get_many(scope, Memory, [each.id for each in made])}
    register = CampaignImportReport(Report("notes"), how.dry_run)
    changes = [change for each in made for change in _changes(each, known.get(each.id), how, register)]
    if not how.dry_run:
        texts = {each.id: f"{part.subject}\n{part.text}" for each, part in zip(made, sections, strict=True)}
        changes += await _names(resources, scope, campaign, texts, entities)
        results = await resources.store.apply(scope, changes)
        resources.live.applied(scope, changes, results)
    return register


async def _names(
    resources: Resources, scope: Scope, campaign: Campaign, texts: Mapping[str, str], entities: Sequence[Entity]
) -> list[Change]:
    """Proposals for names that are neither known nor proposed."""
    source = ProposalSource(campaign.workspace, campaign.id, None, resources.clock())
    made = await asyncio.to_thread(proposed_in_notes, texts, known_of(entities), source)
    where = {"campaign_id": campaign.id, "kind": ProposalKind.ENTITY.value}
    there = await all_of(resources.store, scope, Proposal, where)
    fresh, _ = grouped(made, [each for each in there if each.status is Decision.PENDING])
    return [Put(each) for each in unknown_among(fresh, {each.id for each in there})]


def sections_of(text: str) -> Iterator[NoteSection]:
    """The text below each heading, in parts that are short enough to be found."""
    subject, lines = "", list[str]()
    for line in text.splitlines():
        heading = _heading(line)
        if not heading:
            lines.append(line)
            continue
        yield from _parts(subject, lines)
        subject, lines = heading, []
    yield from _parts(subject, lines)


def _heading(line: str) -> str:
    marks, _, title = line.strip().partition(" ")
    is_heading = 0 < len(marks) <= _DEEPEST and not marks.strip("#")
    return title.strip(" #")[:_MOST_SUBJECT] if is_heading else ""


def _parts(subject: str, lines: Iterable[str]) -> Iterator[NoteSection]:
    part = ""
    for paragraph in "\n".join(lines).split("\n\n"):
        if part and len(part) + len(paragraph) > _MOST_CHARS:
            yield NoteSection(subject, part)
            part = ""
        part = f"{part}\n\n{paragraph.strip()}".strip()
        while len(part) > _MOST_CHARS:
            yield NoteSection(subject, part[:_MOST_CHARS])
            part = part[_MOST_CHARS:]
    if part:
        yield NoteSection(subject, part)


def _numbered(sections: Iterable[NoteSection]) -> Iterator[tuple[int, NoteSection]]:
    """Each with its number among those of the same subject."""
    counts: dict[str, int] = {}
    for each in sections:
        counts[each.subject] = counts.get(each.subject, 0) + 1
        yield counts[each.subject], each


def _note(
    section: NoteSection, at: int, campaign: Campaign, entities: list[Entity], how: NotesFile, resources: Resources
) -> Memory:
    now = resources.clock()
    content = f"{section.subject}: {section.text}" if section.subject else section.text
    told = f"{campaign.id}\n{how.filename}\n{section.subject}\n{at}"
    return Memory(
        workspace=campaign.workspace,
        id=f"note-{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:32]}",
        content=content,
        type=MemoryType.NOTE,
        is_spoiler=True,
        origin=Origin.GM,
        campaign_id=campaign.id,
        entity_ids=tuple(each.id for each in mentioned_in(content, entities, _MOST_ENTITIES)),
        created_at=now,
        updated_at=now,
    )


def _changes(note: Memory, known: Memory | None, how: NotesFile, register: CampaignImportReport) -> list[Change]:
    title = note.content.partition("\n")[0][:80]
    if known is None:
        register.added.append(title)
        return [Put(note, by=_BY)]
    if known.content == note.content:
        register.same += 1
        return []
    if known.edited_by_person and not how.replace:
        register.left.append(title)
        return []
    register.changed.append(title)
    changed = revise(known, note.updated_at, content=note.content, entity_ids=note.entity_ids)
    return [Put(replace(changed, is_spoiler=True), by=_BY)]
