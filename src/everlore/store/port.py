"""The door of the store: what every store can do, in our words.

Reads are methods. Everything that writes is a `Change`, and `apply` keeps a whole list of changes or
none of it: a message, its events and its jobs go in together. Every method that touches data takes a
`Scope`, and nothing of another workspace can come back.

Start at `Store`.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from everlore.domain.bounds import Between, Id, Line, Name, Prose
from everlore.domain.conversation import Message
from everlore.domain.counters import Counted
from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.records import Record
from everlore.domain.revision import Revision, Why
from everlore.domain.scope import Pair, Scope
from everlore.store.answers import (
    Cleanup,
    Coverage,
    Found,
    ImportOutcome,
    KindCount,
    MessagePosition,
    Notice,
    Page,
    PairActivity,
    Partner,
    QueueState,
    StoreHealth,
    Unembedded,
)

R = TypeVar("R", bound=Record)
Vector = NDArray[np.float32]


# ── what can be written ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Put:
    """Keep this record, new or changed. A changed memory leaves a revision with `by`, `why` and `note`,
    and must be the next revision of the one that is stored, or the whole list is a `Conflict`."""

    record: Record
    by: Id = "system"
    why: Why = Why.EDIT
    note: Line = ""


@dataclass(frozen=True, slots=True)
class Amend:
    """Set these fields of a record, and leave the others as whoever else changed them.

    Where `only_if` does not hold of the stored record, nothing is changed. Not for memories, whose every
    change is a revision. Unknown ids are `NotFound`.
    """

    kind: type[Record]
    id: Id
    fields: Mapping[str, Any] = field(hash=False)
    only_if: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a record, all that belongs to it, and its id from every memory. Unknown ids are `NotFound`.

    What memories that stay were before goes too, where its words were those of messages that go; `keeps_past`: it
    stays, for somebody wants to keep what was learnt.
    """

    kind: type[Record]
    id: Id
    keeps_past: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """Count a recall of these memories, and that a reply used some of them (R5). Leaves no revision: being recalled
    does not change a memory."""

    memory_ids: tuple[Id, ...]
    at: datetime
    used_ids: tuple[Id, ...] = ()


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Add a job. Where a job of this workspace has the same kind and key, nothing is added."""

    job: Job


@dataclass(frozen=True, slots=True)
class Finish:
    """The job is done. With the lease gone to another worker, the whole list fails with `LeaseLost`."""

    job: Job
    at: datetime


@dataclass(frozen=True, slots=True)
class Retry:
    """The job failed and comes back at `run_at`, or becomes a dead letter when its attempts are used up."""

    job: Job
    error: Prose
    at: datetime
    run_at: datetime


@dataclass(frozen=True, slots=True)
class Release:
    """Give a claimed job back untried: a worker that is asked to stop does not use up an attempt."""

    job: Job


@dataclass(frozen=True, slots=True)
class Revive:
    """Try a dead letter again, from its first attempt."""

    job_id: Id
    at: datetime


@dataclass(frozen=True, slots=True)
class Embed:
    """Keep the vectors of these passages. Rows that are gone by now are passed over."""

    model: Name
    rows: tuple[int, ...]
    vectors: Vector = field(hash=False)


@dataclass(frozen=True, slots=True)
class DropVectors:
    """Remove every vector that another model than this one made."""

    keep_model: Name


@dataclass(frozen=True, slots=True)
class PauseQueue:
    paused: bool


@dataclass(frozen=True, slots=True)
class Count:
    """Add to a counter of the workspace (C9), for what is no record: prompts, tokens, what a filter stopped."""

    name: Name
    by: Annotated[int, Between(-(10**9), 10**9)] = 1


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """Keep a record as another database kept it: with its id, its times, its counts, its number and its `history`
    (M13). What is there already stays as it is, unless `replace` is set and it differs.

    Nothing of it goes into the audit log, which is brought as well; only what is replaced does. What a record names
    must be there, or come with the same list; of its own kind it may also come later. Gives back a `ImportOutcome`.
    """

    record: Record | Counted
    history: tuple[Revision, ...] = field(default=(), hash=False)
    replace: bool = False


Change = (
    Put
    | Amend
    | Delete
    | Touch
    | Enqueue
    | Finish
    | Retry
    | Release
    | Revive
    | Embed
    | DropVectors
    | PauseQueue
    | Count
    | ImportRecord
)


# ── what can be asked ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Contains:
    """A value for a text filter of `find` and `count`: the text contains each of these parts, whatever their case."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question to the index. Every filter that is set must hold; a set of values means any of them.

    `person_id` asks for what is also this person's, `persons` for what is theirs together and of nobody else;
    `besides` leaves out what is exactly those persons', `without` what any of them has a part in. `knower_id` asks for
    what this person knows: what is theirs, and what they were told (by `as_of`, where that is set); `unknown_to` for
    what this person does not know (R11). `private_in`: what is private passes in this conversation, and in no other;
    None lets all of it pass that `visibilities` has.

    Of `runs`, the campaigns whose game the one who asks runs, spoilers pass whatever `with_spoilers` says; of `plays`
    none do, nor those of no campaign where any is named. Beside what is known to `knower_id` there passes: all of
    `runs` that is no secret; of `canon_of` what holds for everybody in a campaign, where an empty name stands for the
    world outside of campaigns; what is of `open_of` alone and no secret; and messages of `private_in` that name nobody.
    `seeing.py` fills these in.

    `refs` are the only records that are looked at; what a word
    weighs, and the coverage, follow the scope without them. `as_of` asks what was believed, and held, at that time.
    `since` and `until` bound when it happened.
    """

    text: str = ""
    vector: Vector | None = field(default=None, hash=False)
    model: str | None = None
    kinds: frozenset[PassageKind] = frozenset(PassageKind)
    person_id: str | None = None
    pair: Pair | None = None
    persons: frozenset[str] | None = None
    besides: frozenset[str] | None = None
    without: frozenset[str] | None = None
    knower_id: str | None = None
    runs: frozenset[str] = frozenset()
    plays: frozenset[str] = frozenset()
    canon_of: frozenset[str] = frozenset()
    open_of: str | None = None
    unknown_to: str | None = None
    conversation_id: str | None = None
    campaign_id: str | None = None
    refs: frozenset[str] | None = None
    types: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset({Status.ACTIVE.value})
    visibilities: frozenset[str] = frozenset(each.value for each in Visible)
    private_in: str | None = None
    with_spoilers: bool = True
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    min_similarity: float | None = None
    limit: int = 20
    pool: int = 60
    vector_weight: float = 0.5


class Snapshot(Protocol):
    """All that a workspace holds, as it was at one moment, whatever is written meanwhile (M13)."""

    # Of the database that it is read from.
    schema: int

    async def counts(self) -> dict[type[Any], int]:
        """How many there are of each kind in `carried.CARRIED`."""

    def pages(self, kind: type[Any]) -> AsyncIterator[Sequence[ImportRecord]]:
        """All of a kind in the order of their ids, some at a time, as what would bring them elsewhere."""


class Store(Protocol):
    """Where everything lives between conversations."""

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        """Apply every change, or none. Gives back, for each change, the record or job as stored."""

    async def weigh(self, scope: Scope, brings: Sequence[ImportRecord]) -> list[ImportOutcome]:
        """What would become of these if they were brought now; nothing is written."""

    def snapshot(self, scope: Scope) -> AbstractAsyncContextManager[Snapshot]:
        """The whole workspace, read without holding up whoever writes."""

    async def get(self, scope: Scope, kind: type[R], id: str) -> R:
        """The record, or `NotFound`."""

    async def get_many(self, scope: Scope, kind: type[R], ids: Iterable[str]) -> list[R]:
        """Those of the records that exist, in the order of the ids."""

    async def find(
        self,
        scope: Scope,
        kind: type[R],
        where: Mapping[str, Any] | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        newest_first: bool = False,
    ) -> Page:
        """Records whose columns equal `where` (a collection means any of its values). The content of messages is
        filtered with `Contains`.

        For memories `where` may also name a field of `MENTIONS` ("persons", "source_message_ids" …), which
        asks for the memories that mention that id.
        """

    async def count(self, scope: Scope, kind: type[R], where: Mapping[str, Any] | None = None) -> int: ...

    async def timeline(
        self,
        scope: Scope,
        *,
        person_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        types: frozenset[str] = frozenset(),
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Events in which the person acts or takes part, those that began last first (K5).

        Of those that `since` ≤ time < `until` has a part of: an event lasts from `at` until `ended_at`, one that is in
        progress and has no end is still going on, and any other is a moment.
        """

    async def history(self, scope: Scope, memory_id: str) -> list[Revision]:
        """The earlier states of a memory, oldest first. The present one is not among them."""

    async def as_of(self, scope: Scope, memory_ids: Iterable[str], at: datetime) -> list[Memory]:
        """The memories as they were believed at that time; those not yet known are left out."""

    async def search(self, scope: Scope, ask: Search) -> Found:
        """Candidates of the vector arm and of the full-text arm, united, scored, best first."""

    async def search_all(self, scope: Scope, asks: Sequence[Search]) -> list[Found]:
        """What is found for each of them. What belongs to one question is asked for together: a store that answers from
        this process looks once, and reads no record twice."""

    async def vectors(self, scope: Scope, model: str, kind: PassageKind, refs: Iterable[str]) -> dict[str, Vector]:
        """The present vectors of these records; those that have none are left out."""

    async def around(
        self, scope: Scope, places: Iterable[MessagePosition], reach: int, *, knower_id: str | None = None
    ) -> list[Message]:
        """The messages that stand at most `reach` before or after one of the places, those themselves included, in
        the order of their conversations. Only what is searched for: not private, and whole; with `knower_id` only
        where that person was there."""

    async def known(
        self, scope: Scope, knower_id: str, *, as_of: datetime | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        """The active memories that a person knows, as they were believed at that time, newest first (R11)."""

    async def due(self, scope: Scope, persons: Collection[str], *, limit: int = 50) -> list[Memory]:
        """What is always offered of these persons, and of nobody beside them (M17): what matters most first, the newest
        first among equals."""

    async def shared(self, scope: Scope, pair: Pair, *, limit: int = 50) -> list[Memory]:
        """What these two share with nobody beside them, and holds (M3): in the order of `due`."""

    async def partners(self, scope: Scope, person_id: str) -> list[Partner]:
        """Everybody who shares an active memory with this person, most first (R8)."""

    async def bonds(self, scope: Scope, *, limit: int = 50) -> list[PairActivity]:
        """The pairs of persons who share an active memory, were in a talk, or had to do with each other: those with
        most of it first, of equals the latest (R8, K3, K5)."""

    async def coverage(self, scope: Scope, model: str) -> Coverage: ...

    async def tallies(self, scope: Scope, *, since: datetime | None = None) -> list[KindCount]:
        """What the workspace holds, counted as it was written and never by looking (C9). With `since`: what is there of
        what came then or later, by the hour; a memory or message by when it was made, an event by when it was."""

    async def unembedded(
        self, scope: Scope, model: str, *, after: int = 0, until: int | None = None, limit: int = 256
    ) -> list[Unembedded]:
        """Passages without a vector of that model with `after` < row ≤ `until`, in order of their rows."""

    async def cleanup(self, scope: Scope, *, dry_run: bool, keys_before: datetime) -> Cleanup:
        """Find orphans, and remove them unless it is a dry run. Never touches valid rows (M9).
        Keys of jobs that finished before `keys_before` are forgotten."""

    async def forget_workspace(self, scope: Scope) -> None:
        """Remove everything that the workspace holds, its audit log included. For operators; it cannot be undone."""

    async def claim(
        self,
        scope: Scope,
        *,
        lease: str,
        now: datetime,
        lease_s: float,
        limit: int,
        rate_per_s: float | None = None,
        kinds: frozenset[str] | None = None,
        together: frozenset[str] = frozenset(),
    ) -> list[Job]:
        """Take up to `limit` jobs that may run now, all of one kind, and hold them under `lease`.

        None of a lane whose earlier job is unfinished, unless that is taken with it: of a kind in `together`, up to
        `MOST_BEHIND` more of each lane are taken that stand right behind it. Highest priority first, then oldest. A job
        whose lease ran out counts as free; one that used up its attempts that way becomes a dead letter.
        """

    async def renew(self, scope: Scope, jobs: Sequence[Job], *, until: datetime) -> list[Job]:
        """Hold these jobs longer. Gives back those that are still held."""

    async def jobs(
        self,
        scope: Scope,
        *,
        state: JobState | None = None,
        ids: Iterable[str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """In the order in which they came. `ids`: those of them that are still there."""

    async def queue(self, scope: Scope) -> QueueState: ...

    async def publish(self, scope: Scope, notices: Sequence[Notice], *, before: datetime) -> None:
        """Keep these for the other processes, and drop all that were made before that time."""

    async def notices(self, scope: Scope, process: str, after: Mapping[str, int]) -> list[Notice]:
        """The notices of other processes, in the order of their numbers: of each origin in `after` those with a higher
        number, of any other origin all."""

    async def listen(self, scope: Scope, process: str, *, until: datetime | None) -> None:
        """Announce that this process passes live events on, until then; None: no longer."""

    async def is_listened_to(self, scope: Scope, *, besides: str, at: datetime) -> bool:
        """Whether another process passes live events on."""

    async def workspaces(self, *, with_work_at: datetime | None = None) -> list[str]:
        """Every workspace that holds anything, or only those with a job that may run at that time.
        For operators and workers, never for a caller's request."""

    async def health(self) -> StoreHealth:
        """Check the database as a whole. Reads much; for operators."""

    async def try_writing(self, scope: Scope) -> None:
        """Write something that changes nothing, and raise where that fails: a full disk still reads."""

    async def close(self) -> None: ...
