"""What becomes of a memory when messages it came from are edited or deleted (M15). Pure.

In: the memory, the messages it loses, and whether they were edited (`text_changed`) or are gone. Out: the change, or
None where nothing changes. `reopened` is for the fact that a withdrawn memory had closed.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

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
        # Withdrawn before: it was kept for its history, and that goes with the words it was made of.
        return None if text_changed else Delete(Memory, memory.id)
    if is_persons(memory):
        return _flagged(memory, now)
    if branches_of(memory):
        left = _left_somewhere(memory, lost, now)
        if left is not None:
            return Put(left, by=_BY, why=Why.WITHDRAWAL, note="a source changed")
    kept = tuple(id for id in memory.source_message_ids if id not in lost)
    if kept and _is_user_fact(memory):
        return Put(_reduced(memory, kept, now), by=_BY, why=Why.WITHDRAWAL, note="a source changed")
    # That somebody rejected it still stops the same words from being learnt of the edited message.
    if text_changed and memory.status is Status.REJECTED:
        return None
    return _withdrawn(memory, now) if text_changed else Delete(Memory, memory.id)


def _left_somewhere(memory: Memory, lost: Collection[str], now: datetime) -> Memory | None:
    """A memory that branches share, after one of the conversations lost messages of it: it is known where its words
    still stand, and only there. None where they stand nowhere."""
    branches = branches_of(memory)
    copies = {id for ids in branches.values() for id in ids}
    own = tuple(id for id in memory.source_message_ids if id not in copies)
    places: dict[str | None, tuple[str, ...]] = {memory.conversation_id: own}
    places.update(branches)
    kept = {place: tuple(id for id in ids if id not in lost) for place, ids in places.items()}
    stands = {place: ids for place, ids in kept.items() if ids and (ids == places[place] or _is_user_fact(memory))}
    if not stands:
        return None
    home = memory.conversation_id if memory.conversation_id in stands else next(iter(stands))
    sources = tuple(id for id in memory.source_message_ids if any(id in ids for ids in stands.values()))
    extra: Json = {name: each for name, each in memory.extra.items() if name != BRANCHES}
    extra |= {name: _of(extra[name], sources) for name in BY_MESSAGE if name in extra}
    others = {str(place): [*ids] for place, ids in stands.items() if place != home}
    extra |= {BRANCHES: others} if others else {}
    extra |= {"in_branch": True} if home != memory.conversation_id else {}
    wording = memory.content
    if _is_user_fact(memory):
        wording = _best_wording(memory, _of(memory.extra.get("wordings"), sources))
    fewer = len(places[memory.conversation_id]) - len(stands[home])
    left = revise(
        memory,
        now,
        content=wording,
        conversation_id=home,
        source_message_ids=(*stands[home], *(id for id in sources if id not in stands[home])),
        reinforcement_count=max(0, memory.reinforcement_count - fewer),
        extra=extra if wording == memory.content else with_claim(extra, claimed(wording, None, now)),
    )
    left = replace(left, source_uri=_source_of(left, left.source_message_ids))
    return replace(left, importance=rescored(left, now)) if _is_user_fact(memory) else left


def split_from_branches(before: Memory, after: Memory, now: datetime, id: str) -> tuple[Memory, Memory]:
    """A memory that branches share, when its conversation learns something else: how it goes on there, and how it stays
    in the branches, which do not know of it."""
    branches = branches_of(before)
    copies = {each for ids in branches.values() for each in ids}
    home, *others = branches
    mine = tuple(each for each in after.source_message_ids if each not in copies)
    theirs = tuple(each for each in before.source_message_ids if each in copies)
    here = _resting_on(after, mine, {name: each for name, each in after.extra.items() if name != BRANCHES})
    marks: Json = {name: each for name, each in before.extra.items() if name != BRANCHES} | {"in_branch": True}
    marks["carried_from"] = before.id
    marks |= {BRANCHES: {each: [*branches[each]] for each in others}} if others else {}
    there = _resting_on(before, theirs, marks)
    there = replace(there, id=id, conversation_id=home, revision=1, created_at=before.created_at, updated_at=now)
    return here, replace(there, source_uri=source_uri_of(home, theirs))


def _resting_on(memory: Memory, sources: tuple[str, ...], extra: Json) -> Memory:
    told: Json = {name: _of(extra[name], sources) for name in BY_MESSAGE if name in extra}
    return replace(memory, source_message_ids=sources, extra=extra | told)


def reopened(memory: Memory, now: datetime, *, heir: Memory | None = None) -> Put:
    """The fact holds again, for what closed it was withdrawn. `heir`: what had closed that one in turn; the fact
    then ended when the heir began."""
    if heir is not None:
        ended = max(heir.valid_from or now, memory.valid_from or heir.valid_from or now)
        passed_on = revise(memory, now, valid_to=ended, superseded_by=heir.id)
        return Put(passed_on, by=_BY, why=Why.SUPERSESSION, note=f"by {heir.id}")
    again = revise(memory, now, status=Status.ACTIVE, valid_to=None, superseded_by=None)
    again = replace(again, importance=rescored(again, now))
    return Put(again, by=_BY, why=Why.WITHDRAWAL, note="what closed it was withdrawn")


def _is_user_fact(memory: Memory) -> bool:
    """A segment's memory is of the segment as a whole: without one of its messages it is of another one."""
    return memory.origin in (Origin.EXTRACTOR, Origin.IMPORT)


def _flagged(memory: Memory, now: datetime) -> Put | None:
    if memory.extra.get("source_changed") is True:
        return None
    flagged = revise(memory, now, extra={**memory.extra, "source_changed": True})
    return Put(flagged, by=_BY, why=Why.EDIT, note="a source changed")


def _withdrawn(memory: Memory, now: datetime) -> Put:
    gone = revise(memory, now, status=Status.DELETED)
    return Put(gone, by=_BY, why=Why.WITHDRAWAL, note="its source changed")


def _reduced(memory: Memory, kept: tuple[str, ...], now: datetime) -> Memory:
    """As if the lost messages had never said it."""
    lost = len(memory.source_message_ids) - len(kept)
    extra: Json = dict(memory.extra)
    extra |= {name: _of(extra[name], kept) for name in BY_MESSAGE if name in extra}
    wording = _best_wording(memory, _of(memory.extra.get("wordings"), kept))
    reduced = revise(
        memory,
        now,
        content=wording,
        source_uri=_source_of(memory, kept),
        source_message_ids=kept,
        reinforcement_count=max(0, memory.reinforcement_count - lost),
        # What it claims may be in words of a message that is gone.
        extra=with_claim(extra, claimed(wording, None, now)),
    )
    return replace(reduced, importance=rescored(reduced, now))


def _source_of(memory: Memory, kept: tuple[str, ...]) -> str:
    """No longer a message that does not say it; what was named by hand stays."""
    is_ours = memory.source_uri.startswith(CONVERSATION_URI)
    return source_uri_of(memory.conversation_id, kept) if is_ours else memory.source_uri


def _of(table: object, kept: Collection[str]) -> dict[str, object]:
    return {id: value for id, value in table.items() if id in kept} if isinstance(table, dict) else {}


def _best_wording(memory: Memory, wordings: dict[str, object]) -> str:
    texts = [text for text in wordings.values() if isinstance(text, str) and text.strip()]
    if not texts:
        return memory.content
    best = read(texts[0])
    for text in texts[1:]:
        best = more_specific(best, read(text))
    return best.text
