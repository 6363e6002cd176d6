"""Collects the changes of a batch: new memories, changed ones, and links between them.

Each memory is written once at the end, however often the batch changed it, so that it gets one revision (M6). Start at
`SaveDraft.take`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import get_args

from everlore.domain.bounds import Json, Line, Statement
from everlore.domain.claim import with_claim
from everlore.domain.memory import (
    PERSONS,
    LinkKind,
    Memory,
    MemoryLink,
    Origin,
    Status,
    branches_of,
    is_persons,
    said_of,
    source_uri_of,
)
from everlore.domain.reading import Filter, Refusal
from everlore.domain.revision import Why, revise, reworded
from everlore.domain.scope import pair_among
from everlore.learning.candidate import Candidate, Written
from everlore.learning.saving.durability import durability_of
from everlore.learning.saving.importance import importance, rescored
from everlore.learning.saving.merging import MOST_SOURCES, link_between, surer, taken_over, united
from everlore.learning.saving.verdict import SaveVerdict, VerdictKind
from everlore.learning.saving.withdrawal import split_from_branches
from everlore.store.port import Change, Put, Vector

_MOST_CONTENT: int = get_args(Statement)[1].most
_MOST_LINE: int = get_args(Line)[1].most
# Of a statement repeated often, only the latest sources are recorded.
_MOST_RECORDED = 12
# Confidence of explicit statements (F2); below it they were implied.
_STATED = 0.95 - 0.01
# Keys in `extra`: why a waiting memory is doubted, and which model proposed it.
DOUBT = "doubt"
READ_BY = "read_by"
_READERS = frozenset({Origin.KEYFRAME, Origin.ANALYSIS})


class SaveResult(StrEnum):
    """The result of saving a statement: new; known, so the memory is reinforced; new, and contradicted memories are
    closed; contradicts a person's memory, so it waits for review; or rejected by a person before."""

    FORMED = "formed"
    REINFORCED = "reinforced"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class SaveOutcome:
    """The memory that a candidate became or matched. `against`: the memories that it closed or contradicts."""

    memory_id: str
    outcome: SaveResult
    against: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        return self.outcome is not SaveResult.REJECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Candidates from the same messages. `review`: all wait for a person. `confirm`: implied ones wait for the user's
    confirmation. `branched_from_id`: in a branch, nothing outside this conversation changes, and what the parent
    learned after the fork is unknown. `by`: who saves, if not the origin. `is_private`: compare only with memories that
    are as private.
    """

    candidates: Sequence[Candidate]
    persons: tuple[str, ...]
    conversation_id: str | None
    source_message_ids: tuple[str, ...]
    said_at: datetime
    origin: Origin = Origin.EXTRACTOR
    review: bool = False
    confirm: bool = False
    # The model that proposed them, if any.
    reader: str = ""
    branched_from_id: str | None = None
    interaction_id: str | None = None
    campaign_id: str | None = None
    session_id: str | None = None
    by: str = ""
    is_private: bool | None = None

    @property
    def by_hand(self) -> bool:
        """Whether a person wrote it, which no extractor overrules (M11)."""
        return self.origin in PERSONS


def fitted(candidate: Candidate) -> Candidate:
    """The candidate within the limits of a memory. What a person wrote is saved unchanged, or refused."""
    if isinstance(candidate, Written):
        return candidate
    # Databases accept neither NUL nor lone surrogates.
    content = candidate.content.replace("\x00", "").encode(errors="ignore").decode().strip()
    return replace(candidate, content=content, summary=candidate.summary[:_MOST_LINE])


class SaveDraft:
    """`fresh`: vectors of new memories; `current`: every memory in its current state."""

    def __init__(self, workspace: str, batch: Batch, now: datetime, new_id: Callable[[], str]) -> None:
        self._workspace = workspace
        self._batch = batch
        self._now = now
        self._new_id = new_id
        self._stored: dict[str, Memory] = {}
        self._why: dict[str, tuple[Why, str]] = {}
        self._links: list[MemoryLink] = []
        self.fresh: dict[str, Vector | None] = {}
        self.current: dict[str, Memory] = {}
        self.refused: list[Refusal] = []
        self.outcomes: list[SaveOutcome] = []
        self._touched: dict[str, None] = {}

    def touched(self) -> list[Memory]:
        """The memories that the latest candidate changed or formed, in their current state."""
        latest, self._touched = self._touched, {}
        return [self.current[id] for id in latest]

    def accepts(self, candidate: Candidate) -> bool:
        fits = isinstance(candidate, Written) or 0 < len(candidate.content) <= _MOST_CONTENT
        if not fits:
            note = f"{len(candidate.content):,} characters; from 1 to {_MOST_CONTENT:,} are kept"
            self.refused.append(Refusal(candidate.content, Filter.BAD_SHAPE, note))
        return fits

    def take(self, candidate: Candidate, vector: Vector | None, verdict: SaveVerdict) -> None:
        match verdict.kind:
            case VerdictKind.BLOCKED:
                note = f"memory {verdict.memories[0].id} was rejected, corrected or edited by a person"
                self.refused.append(Refusal(candidate.content, Filter.CORRECTED, note))
                self.outcomes.append(SaveOutcome(verdict.memories[0].id, SaveResult.REJECTED))
            case VerdictKind.EXACT | VerdictKind.REINFORCES:
                self._recognise(candidate, vector, verdict)
            case _:
                self._form(candidate, vector, verdict)

    def changes(self) -> list[Change]:
        by = self._batch.by or self._batch.origin.value
        formed = [Put(self.current[id], by=by) for id in self.fresh]
        changed: list[Change] = []
        for id, (why, note) in self._why.items():
            if id in self.fresh or self.current[id] == self._stored[id]:
                continue
            memory = self._revised(id)
            if self._is_news_to_branches(self._stored[id], memory):
                memory, theirs = split_from_branches(self._stored[id], memory, self._now, self._new_id())
                changed.append(Put(theirs, by=by))
            changed.append(Put(memory, by=by, why=why, note=note))
        return [*formed, *changed, *(Put(link, by=by) for link in self._links)]

    def _is_news_to_branches(self, before: Memory, after: Memory) -> bool:
        """Whether branches must not see this change: what a conversation learns after a fork is unknown in the branch;
        what a person writes, or says elsewhere, is known."""
        is_learnt_here = before.conversation_id == self._batch.conversation_id and not self._batch.by_hand
        is_changed = (before.content, before.status) != (after.content, after.status)
        return is_learnt_here and is_changed and bool(branches_of(before))

    def _revised(self, id: str) -> Memory:
        return revise(replace(self.current[id], revision=self._stored[id].revision), self._now)

    def _change(self, memory: Memory, why: Why, note: str = "", **fields: object) -> Memory:
        self._stored.setdefault(memory.id, memory)
        now = self.current.get(memory.id, memory)
        self.current[memory.id] = reworded(now, **fields)
        self._touched[memory.id] = None
        # Reinforcement is the weakest reason: a memory closed and repeated is recorded as closed.
        if memory.id not in self._why or why is not Why.REINFORCEMENT:
            self._why[memory.id] = (why, note)
        return self.current[memory.id]

    # ── known statements ──

    def _recognise(self, candidate: Candidate, vector: Vector | None, verdict: SaveVerdict) -> None:
        memory, batch = verdict.memories[0], self._batch
        is_finer = verdict.wording != memory.content
        is_known = isinstance(candidate, Written) and not self._is_outside(memory)
        if not (self._is_outside(memory) and is_finer):
            against = tuple(each.id for each in verdict.outdated)
            self.outcomes.append(SaveOutcome(memory.id, SaveResult.REINFORCED, against))
        if is_known:
            self._reinforce(candidate, verdict, memory)
        elif memory.id in self.fresh:
            # Repeated within one message: kept once, in the better wording.
            extra = self._record_of(memory, replace(candidate, content=verdict.wording), verdict.wording)
            self._change(memory, Why.REINFORCEMENT, content=verdict.wording, extra=extra)
        elif batch.origin in _READERS or set(batch.source_message_ids) <= set(memory.source_message_ids):
            return
        elif self._is_outside(memory):
            if is_finer:
                self._form(candidate, vector, replace(verdict, kind=VerdictKind.RELATED, related=(memory,)))
        else:
            self._reinforce(candidate, verdict, memory)

    def _reinforce(self, candidate: Candidate, verdict: SaveVerdict, memory: Memory) -> None:
        # A person's wording and an approved one stay, unless a person changes them.
        is_settled = is_persons(memory) or (self._batch.review and memory.status is Status.ACTIVE)
        wording = memory.content if is_settled and not self._batch.by_hand else verdict.wording
        told = self._change(
            memory,
            Why.REINFORCEMENT,
            content=wording,
            source_message_ids=united(memory.source_message_ids, self._batch.source_message_ids),
            reinforcement_count=memory.reinforcement_count + 1,
            confidence=surer(memory.confidence, candidate.confidence),
            valid_from=self._began(verdict, memory),
            extra=self._record_of(memory, candidate, wording),
        )
        if isinstance(candidate, Written):
            told = self._change(memory, Why.REINFORCEMENT, "", **taken_over(told, candidate.record))
        score = max(memory.importance, candidate.importance or 0, importance(told, self._now))
        self._change(memory, Why.REINFORCEMENT, importance=score)
        if self._is_settled_by(candidate, verdict, memory):
            self._confirm(memory)
        if self.current[memory.id].status is Status.ACTIVE and not self._batch.review:
            self._close(self.current[memory.id], verdict.outdated, verdict.holds_from)

    def _began(self, verdict: SaveVerdict, memory: Memory) -> datetime | None:
        """The earlier start, if the statement tells one and nothing else held in between. A person's memory without a
        date gets none by being repeated."""
        if memory.valid_from is None and is_persons(memory) and verdict.holds_from >= self._batch.said_at:
            return None
        since = memory.valid_from or verdict.holds_from
        return since if verdict.opposed else min(since, verdict.holds_from)

    def _is_settled_by(self, candidate: Candidate, verdict: SaveVerdict, memory: Memory) -> bool:
        """Whether a waiting memory becomes active: it was implied and is now stated, or a person states it and nothing
        contradicts it."""
        if memory.extra.get("unconfirmed") is True:
            return self._is_stated(candidate)
        if DOUBT in memory.extra and memory.status is Status.PENDING and not self._batch.review:
            # Said again, so it was meant.
            return True
        stays = [each for each in verdict.opposed if each.status is Status.ACTIVE and each not in verdict.outdated]
        return self._batch.by_hand and memory.status is Status.PENDING and not stays

    def _confirm(self, memory: Memory) -> None:
        """The user has confirmed a memory that was implied or doubted."""
        marks = ("unconfirmed", DOUBT)
        extra = {name: value for name, value in self.current[memory.id].extra.items() if name not in marks}
        self._change(memory, Why.APPROVAL, status=Status.ACTIVE, extra=extra)

    def _record_of(self, memory: Memory, candidate: Candidate, wording: str) -> Json:
        """Records per message its wording, time and quote, so that they remain if another message is deleted (M15).
        Includes the claim of the memory's new `wording`."""
        ids, said = self._batch.source_message_ids, self._batch.said_at.isoformat()
        quote = candidate.quote or (candidate.claim.quote if candidate.claim else "")
        told = {"wordings": candidate.content, "said": said, "quotes": quote[:_MOST_LINE]}
        record = {
            name: _latest({**_table(memory.extra.get(name)), **dict.fromkeys(ids, value)})
            for name, value in told.items()
            if value
        }
        extra = {**memory.extra, **record}
        return extra if wording == memory.content else with_claim(extra, candidate.claim)

    # ── new statements ──

    def _form(self, candidate: Candidate, vector: Vector | None, verdict: SaveVerdict) -> None:
        memory = self._memory(candidate, verdict)
        self.fresh[memory.id] = vector
        self.current[memory.id] = memory
        self._touched[memory.id] = None
        linked: list[Memory] = []
        match verdict.kind:
            case VerdictKind.CONTRADICTS | VerdictKind.ENDS:
                linked = self._close(memory, verdict.memories, verdict.holds_from)
            case VerdictKind.WAITS:
                linked = list(verdict.memories)
                self._link(memory, verdict.memories, LinkKind.CONTRADICTS)
            case VerdictKind.PAST:
                linked = list(verdict.memories)
                self._link_past(verdict.memories[0], memory)
        ids = {each.id for each in linked}
        self.outcomes.append(SaveOutcome(memory.id, _outcome(memory, verdict), tuple(each.id for each in linked)))
        self._link(memory, [each for each in verdict.related if each.id not in ids], LinkKind.RELATED)

    def _memory(self, candidate: Candidate, verdict: SaveVerdict) -> Memory:
        batch, status = self._batch, self._status(candidate, verdict)
        is_past = status is Status.SUPERSEDED
        if isinstance(candidate, Written):
            return self._as_written(candidate, verdict, status)
        memory = Memory(
            workspace=self._workspace,
            id=self._new_id(),
            content=candidate.content,
            summary=candidate.summary,
            type=candidate.type,
            category=candidate.category,
            confidence=candidate.confidence,
            emotional_weight=candidate.emotional_weight,
            status=status,
            durability=durability_of(
                candidate.content, candidate.category, candidate.type, batch.said_at, candidate.claim
            ),
            origin=batch.origin,
            persons=_canonical(batch.persons),
            conversation_id=batch.conversation_id,
            campaign_id=batch.campaign_id,
            session_id=batch.session_id,
            interaction_id=batch.interaction_id,
            source_uri=source_uri_of(batch.conversation_id, batch.source_message_ids),
            source_message_ids=batch.source_message_ids[:MOST_SOURCES],
            participants=candidate.participants,
            key_moments=candidate.key_moments,
            valid_from=verdict.holds_from,
            valid_to=_end_before(verdict.memories[0], verdict.holds_from) if is_past else None,
            superseded_by=verdict.memories[0].id if is_past else None,
            created_at=self._now,
            updated_at=self._now,
            extra=self._extra(candidate, status, verdict),
        )
        memory = replace(memory, extra=self._record_of(memory, candidate, memory.content))
        return replace(memory, importance=importance(memory, self._now))

    def _as_written(self, candidate: Written, verdict: SaveVerdict, status: Status) -> Memory:
        """The memory as given. Its dates are set if they are known, or if something else held until then."""
        record = candidate.record
        is_told = verdict.holds_from < self._batch.said_at or verdict.kind in (
            VerdictKind.CONTRADICTS,
            VerdictKind.ENDS,
        )
        memory = replace(
            record,
            status=status,
            valid_from=record.valid_from or (verdict.holds_from if is_told else None),
            extra=with_claim(record.extra, candidate.claim),
        )
        if status is not Status.SUPERSEDED:
            return memory
        successor = verdict.memories[0]
        ended = record.valid_to or _end_before(successor, verdict.holds_from)
        return replace(memory, valid_to=ended, superseded_by=successor.id)

    def _extra(self, candidate: Candidate, status: Status, verdict: SaveVerdict) -> Json:
        marks: dict[str, object] = {}
        if candidate.importance is not None:
            marks["given_importance"] = candidate.importance
        if self._batch.branched_from_id is not None:
            marks["in_branch"] = True
        if self._batch.reader:
            marks[READ_BY] = self._batch.reader
        if candidate.doubt:
            marks[DOUBT] = candidate.doubt[:_MOST_LINE]
        elif status is Status.PENDING and not self._batch.review and verdict.kind is not VerdictKind.WAITS:
            marks["unconfirmed"] = True
        return with_claim(marks, candidate.claim)

    def _status(self, candidate: Candidate, verdict: SaveVerdict) -> Status:
        is_only_implied = self._batch.confirm and not self._is_stated(candidate)
        if self._batch.review or is_only_implied or candidate.doubt or verdict.kind is VerdictKind.WAITS:
            return Status.PENDING
        return Status.SUPERSEDED if verdict.kind is VerdictKind.PAST else Status.ACTIVE

    def _is_stated(self, candidate: Candidate) -> bool:
        return candidate.confidence >= _STATED

    # ── closing ──

    def _close(self, memory: Memory, others: Iterable[Memory], since: datetime) -> list[Memory]:
        """Closes other memories. A waiting memory closes none, a branch none outside it: a link says so instead."""
        closed: list[Memory] = []
        for other in others:
            if memory.status is not Status.ACTIVE or other.status is not Status.ACTIVE or self._is_outside(other):
                self._link(memory, [other], LinkKind.CONTRADICTS)
            else:
                self._supersede(other, memory, max(since, other.valid_from or since))
                self._link(memory, [other], LinkKind.SUPERSEDES)
            closed.append(other)
        return closed

    def _supersede(self, other: Memory, memory: Memory, ended: datetime) -> None:
        status = Status.SUPERSEDED
        self._change(
            other,
            Why.SUPERSESSION,
            f"by {memory.id}",
            status=status,
            valid_to=ended,
            superseded_by=memory.id,
            importance=rescored(replace(self.current.get(other.id, other), status=status), self._now),
        )

    def _link_past(self, successor: Memory, memory: Memory) -> None:
        if memory.status is Status.SUPERSEDED and not self._is_outside(successor):
            self._link(successor, [memory], LinkKind.SUPERSEDES)
        else:
            self._link(memory, [successor], LinkKind.CONTRADICTS)

    def _is_outside(self, memory: Memory) -> bool:
        is_fork = self._batch.branched_from_id is not None
        return is_fork and memory.conversation_id != self._batch.conversation_id

    def _link(self, memory: Memory, others: Iterable[Memory], kind: LinkKind) -> None:
        self._links += [link_between(memory, other.id, kind, self._now, self._new_id()) for other in others]


def _outcome(memory: Memory, verdict: SaveVerdict) -> SaveResult:
    if memory.status is Status.PENDING:
        return SaveResult.PENDING
    return SaveResult.SUPERSEDED if verdict.kind in (VerdictKind.CONTRADICTS, VerdictKind.ENDS) else SaveResult.FORMED


def _canonical(persons: tuple[str, ...]) -> tuple[str, ...]:
    """A pair is stored with the lower id first (M4)."""
    return pair_among(persons) or tuple(dict.fromkeys(persons))


def _end_before(successor: Memory, since: datetime) -> datetime:
    return max(since, successor.valid_from or said_of(successor))


def _latest(table: Json) -> Json:
    return dict(list(table.items())[-_MOST_RECORDED:])


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
