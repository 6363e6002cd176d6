"""Updates memories when their messages change (M15).

Memories from changed or deleted text are withdrawn, facts that they had closed become active again, and the new text is
read again. A branch shares the memories of its common past. All results are changes, to be saved together with those of
the messages.

Start at `followed` and `carried`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from everlore.domain.analysis import Analysis
from everlore.domain.config import config_of
from everlore.domain.conversation import Conversation, Message
from everlore.domain.interaction import Interaction
from everlore.domain.memory import (
    BRANCHES,
    Memory,
    Origin,
    Status,
    Visible,
    branches_of,
    is_persons,
    is_shared_with,
    source_uri_of,
)
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.reading import Extractor, Reading, reading_id
from everlore.domain.revision import Why, revise
from everlore.domain.scope import Scope
from everlore.learning.extractors import forms_keyframes, learns_facts
from everlore.learning.jobs import NewId, facts_job, rewritten_job
from everlore.learning.readings import BEFORE, keyframe_readings
from everlore.learning.saving.withdrawal import after_losing, by_message, reopened
from everlore.learning.segments.interactions import interaction_ids
from everlore.learning.summaries.kept import resummarised
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Enqueue, Put, Store

R = TypeVar("R", Memory, Message, Reading, Analysis)

_PAGE = 500
# Maximum number of messages per query.
_TOGETHER = 200
_ALL = frozenset(Origin)
_BY = "system"


async def followed(
    store: Store,
    scope: Scope,
    conversation: Conversation,
    messages: Sequence[Message],
    now: datetime,
    new_id: NewId,
    *,
    is_gone: bool,
) -> list[Change]:
    """For changed or deleted messages: withdraws what came from them, and queues their new text for reading."""
    lost = await withdrawn(store, scope, [each.id for each in messages], now, is_gone=is_gone)
    anew = [] if is_gone else await _read_again(store, scope, conversation, messages, now, new_id)
    told = await untold_of(store, scope, conversation, messages)
    segments = await _segments_again(store, scope, conversation, messages, now, new_id)
    summed_up = await resummarised(store, scope, conversation, messages, now, new_id)
    return [*lost, *anew, *told, *segments, *summed_up]


async def withdrawn(
    store: Store,
    scope: Scope,
    message_ids: Sequence[str],
    now: datetime,
    *,
    is_gone: bool,
    origins: Collection[Origin] = _ALL,
) -> list[Change]:
    """The changes to memories from these messages, and to the facts that those had closed."""
    memories = [each for each in await _sourced(store, scope, message_ids) if each.origin in origins]
    lost = [(each, after_losing(each, message_ids, now, text_changed=not is_gone)) for each in memories]
    changes = [change for _, change in lost if change is not None]
    ends = {each.id for each, change in lost if change is not None and _is_end(change)}
    gone = [each for each in memories if each.id in ends]
    return [*await _reopened(store, scope, gone, ends, now), *changes]


@dataclass(frozen=True, slots=True)
class Resting:
    """The memories based on one conversation only, including withdrawn ones."""

    memories: tuple[Memory, ...]

    @property
    def believed(self) -> tuple[Memory, ...]:
        return tuple(each for each in self.memories if each.status not in (Status.REJECTED, Status.DELETED))

    @property
    def by_hand(self) -> tuple[Memory, ...]:
        """Those that a person wrote, edited or corrected."""
        return tuple(each for each in self.believed if is_persons(each))


async def resting_on(store: Store, scope: Scope, conversation: Conversation) -> Resting:
    """The memories that would be deleted with a conversation: learned from it alone, or written in it."""
    ids = {each.id for each in await _all(store, scope, Message, conversation)}
    own = {each.id: each for each in await _all(store, scope, Memory, conversation)}
    found = own | {each.id: each for each in await _sourced(store, scope, sorted(ids))}
    return Resting(tuple(each for each in found.values() if _is_alone(each, ids)))


def _is_alone(memory: Memory, message_ids: Collection[str]) -> bool:
    """Whether no other source supports it. A game master's decisions belong to the campaign."""
    return memory.origin is not Origin.GM and all(id in message_ids for id in memory.source_message_ids)


async def unlearnt(store: Store, scope: Scope, conversation: Conversation, now: datetime) -> list[Change]:
    """For a deleted conversation: deletes the memories learned from it alone, even if a person corrected them."""
    ids = [each.id for each in await _all(store, scope, Message, conversation)]
    resting = await resting_on(store, scope, conversation)
    ends = {each.id for each in resting.memories}
    memories = [each for each in await _sourced(store, scope, ids) if each.id not in ends]
    reduced = [after_losing(each, ids, now, text_changed=False) for each in memories]
    again = await _reopened(store, scope, resting.memories, ends, now)
    lost = [Delete(Memory, each.id) for each in resting.memories]
    return [*again, *lost, *(each for each in reduced if each is not None)]


async def untold_of(
    store: Store, scope: Scope, conversation: Conversation, messages: Sequence[Message]
) -> list[Change]:
    """Deletes other data derived from these messages: interactions, analyses, refused statements, and searches without
    a result. They are derived again from the new text."""
    readings = [each for each in await _all(store, scope, Reading, conversation) if _is_of_any(each, messages)]
    ends = {each.last_seq for each in readings if each.extractor is Extractor.KEYFRAME}
    passed = [id for end in ends for id in interaction_ids(conversation, end)]
    analyses = await _all(store, scope, Analysis, conversation)
    misses = await all_of(store, scope, Miss, {"message_id": tuple(each.id for each in messages)})
    return [
        *(Amend(Reading, each.id, {"refused": {}, "has_refused": False}) for each in readings if each.has_refused),
        *(Delete(Interaction, each.id) for each in await store.get_many(scope, Interaction, passed)),
        *(Delete(Analysis, each.id) for each in analyses if each.last_seq >= min(message.seq for message in messages)),
        *(Delete(Miss, each.id) for each in misses),
    ]


def _is_of_any(reading: Reading, messages: Sequence[Message]) -> bool:
    """Whether its input included any of them; readings for facts include the messages before."""
    before = BEFORE if reading.extractor is Extractor.FACTS else 0
    return any(reading.first_seq - before <= each.seq <= reading.last_seq for each in messages)


# ── reading again ────────────────────────────────────────────────────────────────────────────────


async def _read_again(
    store: Store, scope: Scope, conversation: Conversation, messages: Sequence[Message], now: datetime, new_id: NewId
) -> list[Change]:
    ids = [id for id in (conversation.user_id, *conversation.system_ids) if id is not None]
    persons = {each.id: each for each in await store.get_many(scope, Person, ids)}
    config = config_of(conversation.config)
    readable = [each for each in messages if learns_facts(conversation, config, each, persons)]
    # Even for the same text: facts of a hidden message were withdrawn, and return when it is shown again.
    return [Enqueue(facts_job(conversation, each, now, new_id, again=True)) for each in readable]


async def _segments_again(
    store: Store, scope: Scope, conversation: Conversation, messages: Sequence[Message], now: datetime, new_id: NewId
) -> list[Change]:
    """Jobs for the segments that contain the messages, one per segment."""
    if not forms_keyframes(conversation, config_of(conversation.config)):
        return []
    touched = [each for each in await keyframe_readings(store, scope, conversation) if _is_of_any(each, messages)]
    return [Enqueue(rewritten_job(conversation, each.first_seq, each.last_seq, now, new_id)) for each in touched]


# ── branches ─────────────────────────────────────────────────────────────────────────────────────


async def carried(
    store: Store,
    scope: Scope,
    parent: Conversation,
    branch: Conversation,
    shared: Sequence[Message],
    copies: Sequence[Message],
    now: datetime,
    new_id: NewId,
) -> list[Change]:
    """What a branch takes over: it shares the memories of its copied messages, and their readings. It gets copies of
    memories that later messages changed or closed, in their state at the fork."""
    copied = {before.id: after.id for before, after in zip(shared, copies, strict=True)}
    own = {each.id: each for each in await _all(store, scope, Memory, parent)}
    own |= {each.id: each for each in await _sourced(store, scope, [*copied])}
    memories = [each for each in own.values() if each.status is not Status.DELETED]
    past = [(each, _as_of_fork(each, parent, copied, now)) for each in memories if _is_known_to(each, parent)]
    kept = {before.id: after for before, after in past if after is not None}
    is_whole = {before.id: before is after and _is_shareable(before, kept) for before, after in past}
    ids = {id: id if is_whole[id] else new_id() for id in kept}
    learnt = [
        _share(each, branch, copied, now) if is_whole[id] else Put(_copy(each, branch, copied, ids, now))
        for id, each in kept.items()
    ]
    readings = await _all(store, scope, Reading, parent)
    read = [_copied_reading(each, branch, shared, copied) for each in readings if each.message_id in copied]
    return [*learnt, *(Put(each) for each in read)]


async def shared_with(store: Store, scope: Scope, branch: Conversation) -> list[Memory]:
    """The memories that a branch shares with its parent, latest first."""
    messages = await _all(store, scope, Message, branch)
    copies = [each.id for each in messages if "copied_from" in each.metadata]
    found = [each for each in await _sourced(store, scope, copies) if is_shared_with(each, branch.id)]
    return sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)


def _is_known_to(memory: Memory, conversation: Conversation) -> bool:
    return memory.conversation_id == conversation.id or is_shared_with(memory, conversation.id)


def _is_shareable(memory: Memory, kept: Mapping[str, Memory]) -> bool:
    """Private memories stay in their conversation; one closed by something after the fork is copied as active."""
    is_closed_later = memory.status is Status.SUPERSEDED and memory.superseded_by not in kept
    return memory.visibility is not Visible.PRIVATE and not is_closed_later


def _share(memory: Memory, branch: Conversation, copied: Mapping[str, str], now: datetime) -> Put:
    """The same memory, with the copied messages as further sources for the branch."""
    copies = tuple(copied[id] for id in memory.source_message_ids if id in copied)
    branches = {id: [*ids] for id, ids in branches_of(memory).items()} | {branch.id: [*copies]}
    sources = (*memory.source_message_ids, *copies)
    own = by_message(memory.extra, {id: id for id in memory.source_message_ids})
    told = {name: own[name] | each for name, each in by_message(memory.extra, copied).items()}
    extra = memory.extra | {BRANCHES: branches} | told
    shared = revise(memory, now, source_message_ids=sources, extra=extra)
    return Put(shared, by=_BY, why=Why.EDIT, note=f"shared with branch {branch.id}")


def _as_of_fork(memory: Memory, parent: Conversation, copied: Mapping[str, str], now: datetime) -> Memory | None:
    """The memory before any message after the fork; None if it did not exist yet."""
    branches = branches_of(memory)
    elsewhere = {id for place, ids in branches.items() if place != parent.id for id in ids}
    own = branches.get(parent.id) or [id for id in memory.source_message_ids if id not in elsewhere]
    later = [id for id in own if id not in copied]
    if len(later) == len(own):
        return None
    change = after_losing(memory, later, now, text_changed=True) if later else None
    if change is None:
        return memory
    assert isinstance(change, Put)
    assert isinstance(change.record, Memory)
    return None if _is_end(change) else change.record


def _copied_reading(
    reading: Reading, branch: Conversation, shared: Sequence[Message], copied: Mapping[str, str]
) -> Reading:
    """Messages of a branch are renumbered without gaps."""
    message_id = copied[reading.message_id]
    places = [place for place, each in enumerate(shared, 1) if reading.first_seq <= each.seq <= reading.last_seq]
    is_facts = reading.extractor is Extractor.FACTS
    return replace(
        reading,
        id=reading_id(reading.extractor, branch.id, message_id if is_facts else str(places[-1])),
        conversation_id=branch.id,
        message_id=message_id,
        first_seq=places[0],
        last_seq=places[-1],
    )


def _copy(
    memory: Memory, branch: Conversation, copied: Mapping[str, str], ids: Mapping[str, str], now: datetime
) -> Memory:
    """A memory closed by something after the fork is active in the branch."""
    heir = ids.get(memory.superseded_by or "")
    closed = memory.status is Status.SUPERSEDED and heir is None
    extra = {name: each for name, each in memory.extra.items() if name != BRANCHES} | {"carried_from": memory.id}
    extra |= by_message(memory.extra, copied)
    sources = tuple(copied[id] for id in memory.source_message_ids if id in copied)
    return replace(
        memory,
        id=ids[memory.id],
        conversation_id=branch.id,
        source_uri=source_uri_of(branch.id, sources),
        source_message_ids=sources,
        status=Status.ACTIVE if closed else memory.status,
        valid_to=None if closed else memory.valid_to,
        superseded_by=heir,
        interaction_id=None,
        extra=extra,
        revision=1,
        created_at=now,
        updated_at=now,
    )


# ── loading ──────────────────────────────────────────────────────────────────────────────────────


async def _reopened(
    store: Store, scope: Scope, gone: Sequence[Memory], ends: Collection[str], now: datetime
) -> list[Change]:
    """Reactivates what these memories had closed, or closes it by the memory that had closed them in turn."""
    changes: list[Change] = []
    for memory in gone:
        heirs = await store.get_many(scope, Memory, [memory.superseded_by] if memory.superseded_by else [])
        heir = heirs[0] if heirs and heirs[0].id not in ends else None
        page = await store.find(scope, Memory, {"superseded_by": memory.id}, limit=_PAGE)
        closed = [each for each in page.items if each.id not in ends and each.status is Status.SUPERSEDED]
        changes += [reopened(each, now, heir=heir) for each in closed]
    return changes


def _is_end(change: Put | Delete) -> bool:
    return isinstance(change, Delete) or getattr(change.record, "status", None) is Status.DELETED


def id_of(change: Change) -> str | None:
    """The id of the record that the change puts or deletes."""
    if isinstance(change, Put):
        return change.record.id
    return change.id if isinstance(change, Delete) else None


async def _sourced(store: Store, scope: Scope, message_ids: Sequence[str]) -> list[Memory]:
    found: dict[str, Memory] = {}
    for first in range(0, len(message_ids), _TOGETHER):
        where = {"source_message_ids": tuple(message_ids[first : first + _TOGETHER])}
        found |= {each.id: each for each in await all_of(store, scope, Memory, where)}
    return list(found.values())


async def _all(store: Store, scope: Scope, kind: type[R], conversation: Conversation) -> list[R]:
    return await all_of(store, scope, kind, {"conversation_id": conversation.id})
