"""Exports one campaign with everything it refers to, and imports it into another workspace (G10, G12, M13). Owner only.

The export adds whatever the campaign's records refer to, and what those refer to, until nothing is missing. An import
saves the whole file or nothing, and skips existing records. Start at `export_campaign` and `import_campaign`.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.campaign.seats import seat_at
from everlore.domain.analysis import Analysis
from everlore.domain.attachment import Attachment
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.knowledge import Telling
from everlore.domain.media import Media
from everlore.domain.memory import Memory, MemoryLink
from everlore.domain.person import Person
from everlore.domain.policy import Act, may
from everlore.domain.proposal import Proposal
from everlore.domain.reading import Reading
from everlore.domain.roll import Roll
from everlore.domain.scope import Scope
from everlore.domain.sessions import parts_of
from everlore.errors import BadAsk, Conflict, Forbidden, NotFound
from everlore.interchange.campaignfile import CampaignFile, Format, read_campaign, write_campaign
from everlore.interchange.lines import name_of
from everlore.interchange.wholefile import ImportBatch
from everlore.services.workspace_files import Different, ImportCounter
from everlore.store.all_pages import each_of
from everlore.store.answers import ImportOutcome
from everlore.store.checks import check_changes
from everlore.store.export_order import names_of
from everlore.store.port import ImportRecord
from everlore.turn.resources import Resources

_PAGE = 1_000
_IN_CAMPAIGN: tuple[type[Any], ...] = (Chapter, Session, Conversation, Event, Entity, Relationship, Proposal, Memory)
_IN_CONVERSATION: tuple[type[Any], ...] = (Message, Summary, Event, Interaction, Reading, Analysis, Roll)
_ONE = ("gm_id", "user_id", "person_id", "actor_id", "interactor_id", "teller_id", "listener_id")
_MANY = ("player_ids", "system_ids", "present", "persons", "actors")
_Key = tuple[type[Any], str]


@dataclass(frozen=True, slots=True)
class CampaignArrival:
    """The result of an import. `counts`: per kind, how many were new, the same, different (and left unchanged), or
    replaced; `different`: the first of the different ones."""

    campaign: Campaign
    dry_run: bool
    counts: Mapping[str, Mapping[str, int]]
    different: tuple[Different, ...]

    def total(self, verdict: ImportOutcome) -> int:
        return sum(each[verdict.value] for each in self.counts.values())


# ── export ───────────────────────────────────────────────────────────────────────────────────────


async def export_campaign(resources: Resources, scope: Scope, campaign_id: str, *, format: Format = "jsonl") -> bytes:
    _refuse_others(scope, "export")
    campaign = (await seat_at(resources.store, scope, campaign_id)).campaign
    brings = await _gathered(resources, scope, campaign)
    return await asyncio.to_thread(write_campaign, campaign.id, brings, format=format)


async def _gathered(resources: Resources, scope: Scope, campaign: Campaign) -> list[ImportRecord]:
    found: dict[_Key, Any] = {(Campaign, campaign.id): campaign}

    async def take(kind: type[Any], where: Mapping[str, Any]) -> None:
        async for record in each_of(resources.store, scope, kind, where):
            found[(kind, record.id)] = record

    for kind in _IN_CAMPAIGN:
        await take(kind, {"campaign_id": campaign.id})
    await _named(resources, scope, found, _talks(found))
    for id in _ids(found, Conversation):
        for kind in _IN_CONVERSATION:
            await take(kind, {"conversation_id": id})
    for some in _some(_ids(found, Memory)):
        await take(MemoryLink, {"memory_id": some})
        await take(Telling, {"memory_id": some})
    for some in _some(_ids(found, Event)):
        await take(Attachment, {"event_id": some})
    await _close(resources, scope, found)
    for some in _some(_ids(found, Person)):
        await take(Media, {"person_id": some})
    return [ImportRecord(each, await _history(resources, scope, each)) for each in found.values()]


async def _close(resources: Resources, scope: Scope, found: dict[_Key, Any]) -> None:
    """Fetch the records that the found ones refer to, and so on, until nothing is missing."""
    fresh = list(found.values())
    while fresh:
        must = {key for each in fresh for key in names_of(each)} - found.keys()
        may_be = {(Person, id) for each in fresh for id in persons_named(each)} - found.keys()
        fresh = await _named(resources, scope, found, must | may_be)
        if lost := must - found.keys():
            kind, id = min(lost, key=str)
            raise Conflict(f"The {name_of(kind)} {id!r} was deleted while the campaign was read. Export it once more.")


async def _named(resources: Resources, scope: Scope, found: dict[_Key, Any], keys: Iterable[_Key]) -> list[Any]:
    """Fetch the records with these keys, and add them to those found."""
    by_kind: dict[type[Any], list[str]] = {}
    for kind, id in keys:
        by_kind.setdefault(kind, []).append(id)
    fresh: list[Any] = []
    for kind, ids in by_kind.items():
        for some in _some(sorted(ids)):
            fresh += await resources.store.get_many(scope, kind, some)
    found.update({(type(each), each.id): each for each in fresh})
    return fresh


def persons_named(record: Any) -> set[str]:
    """The ids of all people in a record, even where no foreign key protects them."""
    one = (getattr(record, name, None) for name in _ONE)
    many = (id for name in _MANY for id in getattr(record, name, ()))
    takes_part = record.participants if isinstance(record, Event) else ()
    return {id for id in (*one, *many, *takes_part) if id}


def _talks(found: Mapping[_Key, Any]) -> set[_Key]:
    sessions = [each for each in found.values() if isinstance(each, Session)]
    named = {(Conversation, part.conversation_id) for each in sessions for part in parts_of(each)}
    return {key for key in named if key[1] and key not in found}


def _ids(found: Mapping[_Key, Any], kind: type[Any]) -> list[str]:
    return [id for known, id in found if known is kind]


def _some(ids: Sequence[str]) -> Iterator[list[str]]:
    for first in range(0, len(ids), _PAGE):
        yield list(ids[first : first + _PAGE])


async def _history(resources: Resources, scope: Scope, record: Any) -> Any:
    if not isinstance(record, Memory) or record.revision == 1:
        return ()
    return tuple(await resources.store.history(scope, record.id))


# ── import ───────────────────────────────────────────────────────────────────────────────────────


async def import_campaign(
    resources: Resources, scope: Scope, data: bytes, *, dry_run: bool = False, replace: bool = False
) -> CampaignArrival:
    """Existing records that differ stay and are listed in the result; with `replace` the file overwrites them."""
    _refuse_others(scope, "import")
    file = await asyncio.to_thread(_checked, scope, data, replace)
    if dry_run:
        verdicts = await resources.store.weigh(scope, file.brings)
    else:
        verdicts = await _brought(resources, scope, file)
    register = ImportCounter()
    for first, last in _runs(file.brings):
        register.add(ImportBatch(list(file.brings[first:last]), list(file.lines[first:last])), verdicts[first:last])
    return CampaignArrival(file.campaign, dry_run, register.counts, tuple(register.different))


def _checked(scope: Scope, data: bytes, replace: bool) -> CampaignFile:
    file = read_campaign(data, scope.workspace, replace=replace)
    for bring, line in zip(file.brings, file.lines, strict=True):
        try:
            check_changes(scope, [bring])
        except BadAsk as error:
            raise BadAsk(f"Line {line:,} of the campaign's file: {error}") from None
    return file


async def _brought(resources: Resources, scope: Scope, file: CampaignFile) -> list[ImportOutcome]:
    try:
        return await resources.store.apply(scope, file.brings)
    except NotFound as error:
        raise BadAsk(f"The file is not whole: {error} Nothing of it was kept. Export it again.") from None


def _runs(brings: Sequence[ImportRecord]) -> Iterator[tuple[int, int]]:
    """The start and end index of each run of records of one kind."""
    first = 0
    for at in range(1, len(brings) + 1):
        if at == len(brings) or type(brings[at].record) is not type(brings[first].record):
            yield first, at
            first = at


def _refuse_others(scope: Scope, what: str) -> None:
    if not may(scope.role, Act.RUN):
        raise Forbidden(
            f"Only the owner may {what} a campaign with all that it rests on. Ask with a token of the owner, or take "
            "the vault."
        )
