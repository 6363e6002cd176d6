"""Updates a memory when messages it came from are edited or deleted (M15). Pure.

In: the memory, the messages it loses, and whether they were edited (`text_changed`) or deleted. Out: the change, or
None if nothing changes. `reopened` is for a fact that a withdrawn memory had closed.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import reduce

from everlore.domain.bounds import Json
from everlore.domain.claim import with_claim
from everlore.domain.memory import (
    BRANCHES,
    BY_MESSAGE,
    CONVERSATION_URI,
    Memory,
    Origin,
    Status,
    branches_of,
    is_persons,
    source_uri_of,
)
from everlore.domain.revision import Why, revise
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.importance import rescored
from everlore.learning.saving.likeness import more_specific, read
from everlore.store.port import Delete, Put

_BY = "system"


def after_losing(
    memory: Memory, lost_message_ids: Collection[str], now: datetime, *, text_changed: bool
) -> Put | Delete | None:
    lost = set(lost_message_ids).intersection(memory.source_message_ids)
    if not lost:
        return None
    if memory.status is Status.DELETED:
        # Withdrawn before and kept for its history; with its source text it is deleted.
        return None if text_changed else Delete(Memory, memory.id)
    if is_persons(memory):
        return _flagged(memory, now)
    left = _left(memory, lost, now)
    if left is not None:
        return Put(left, by=_BY, why=Why.WITHDRAWAL, note="a source changed")
    # A rejection still blocks the same statement in the edited message.
    if text_changed and memory.status is Status.REJECTED:
        return None
    if not text_changed:
        return Delete(Memory, memory.id)
    gone = revise(memory, now, status=Status.DELETED)
    return Put(gone, by=_BY, why=Why.WITHDRAWAL, note="its source changed")


def _left(memory: Memory, lost: Collection[str], now: datetime) -> Memory | None:
    """The memory without the lost messages: known only where other sources remain, in its conversation or in branches
    that share it. None if no source remains."""
    branches, is_fact = branches_of(memory), memory.origin in (Origin.EXTRACTOR, Origin.IMPORT)
    copies = {id for ids in branches.values() for id in ids}
    own = tuple(id for id in memory.source_message_ids if id not in copies)
    places: dict[str | None, tuple[str, ...]] = {memory.conversation_id: own}
    places.update(branches)
    kept = {place: tuple(id for id in ids if id not in lost) for place, ids in places.items()}
    # A segment's memory covers the whole segment: without one of its messages it is invalid.
    stands = {place: ids for place, ids in kept.items() if ids and (is_fact or ids == places[place])}
    if not stands:
        return None
    home = memory.conversation_id if memory.conversation_id in stands else next(iter(stands))
    there = {id for ids in stands.values() for id in ids}
    sources = (*stands[home], *(id for id in memory.source_message_ids if id in there and id not in stands[home]))
    extra = _only(memory.extra, sources)
    others = {str(place): [*ids] for place, ids in stands.items() if place != home}
    extra |= {BRANCHES: others} if others else {}
    extra |= {"in_branch": True} if home != memory.conversation_id else {}
    wording = _best_wording(memory, extra.get("wordings")) if is_fact else memory.content
    if is_fact and not (branches and wording == memory.content):
        # Its claim may come from a deleted message.
        extra = with_claim(extra, claimed(wording, None, now))
    left = revise(
        memory,
        now,
        content=wording,
        conversation_id=home,
        source_message_ids=sources,
        reinforcement_count=max(0, memory.reinforcement_count - len(own) + len(stands[home])),
        extra=extra,
    )
    if memory.source_uri.startswith(CONVERSATION_URI):
        # Removes a link to a message that no longer supports it; a source given by hand stays.
        left = replace(left, source_uri=source_uri_of(home, sources))
    return replace(left, importance=rescored(left, now)) if is_fact else left


def split_from_branches(before: Memory, after: Memory, now: datetime, id: str) -> tuple[Memory, Memory]:
    """Splits a shared memory when its conversation learns something else: its new version there, and the unchanged one
    in the branches, which do not know of it."""
    branches = branches_of(before)
    copies = {each for ids in branches.values() for each in ids}
    home, *others = branches
    mine = tuple(each for each in after.source_message_ids if each not in copies)
    theirs = tuple(each for each in before.source_message_ids if each in copies)
    marks: Json = {"in_branch": True, "carried_from": before.id}
    marks |= {BRANCHES: {each: [*branches[each]] for each in others}} if others else {}
    here = replace(after, source_message_ids=mine, extra=_only(after.extra, mine))
    there = replace(
        before,
        id=id,
        conversation_id=home,
        source_uri=source_uri_of(home, theirs),
        source_message_ids=theirs,
        extra=_only(before.extra, theirs) | marks,
        revision=1,
        updated_at=now,
    )
    return here, there


def _only(extra: Json, sources: Collection[str]) -> Json:
    """The per-message data of these messages only, without the list of branches."""
    kept = {name: each for name, each in extra.items() if name != BRANCHES}
    return kept | by_message(extra, {id: id for id in sources})


def by_message(extra: Json, ids: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """The per-message data of these messages, under their new ids."""
    tables = {name: table for name in BY_MESSAGE if isinstance(table := extra.get(name), dict)}
    return {name: {ids[id]: told for id, told in table.items() if id in ids} for name, table in tables.items()}


def reopened(memory: Memory, now: datetime, *, heir: Memory | None = None) -> Put:
    """Reactivates a fact whose replacement was withdrawn. `heir`: what had replaced the replacement; then the fact ends
    where the heir began."""
    if heir is not None:
        ended = max(heir.valid_from or now, memory.valid_from or heir.valid_from or now)
        passed_on = revise(memory, now, valid_to=ended, superseded_by=heir.id)
        return Put(passed_on, by=_BY, why=Why.SUPERSESSION, note=f"by {heir.id}")
    again = revise(memory, now, status=Status.ACTIVE, valid_to=None, superseded_by=None)
    again = replace(again, importance=rescored(again, now))
    return Put(again, by=_BY, why=Why.WITHDRAWAL, note="what closed it was withdrawn")


def _flagged(memory: Memory, now: datetime) -> Put | None:
    if memory.extra.get("source_changed") is True:
        return None
    flagged = revise(memory, now, extra={**memory.extra, "source_changed": True})
    return Put(flagged, by=_BY, why=Why.EDIT, note="a source changed")


def _best_wording(memory: Memory, wordings: object) -> str:
    told = wordings.values() if isinstance(wordings, dict) else ()
    texts = [read(text) for text in told if isinstance(text, str) and text.strip()]
    return reduce(more_specific, texts).text if texts else memory.content
