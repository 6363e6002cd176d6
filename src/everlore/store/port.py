"""The interface of the store: what every implementation can do.

Reads are methods. Every write is a `Change`, and `apply` writes a whole list of changes or none of it: a message, its
events and its jobs are written together. Every method that touches data takes a `Scope`, and never returns anything of
another workspace.

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


# ── writes ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Put:
    """Save this record, new or changed. A changed memory leaves a revision with `by`, `why` and `note`, and must be the
    next revision of the stored one, or the whole list is a `Conflict`."""

    record: Record
    by: Id = "system"
    why: Why = Why.EDIT
    note: Line = ""


@dataclass(frozen=True, slots=True)
class Amend:
    """Set these fields of a record; the others keep their stored values, even if they were changed in the meantime.

    If `only_if` does not match the stored record, nothing changes. Not for memories, whose every change is a revision.
    Unknown ids are `NotFound`.
    """

    kind: type[Record]
    id: Id
    fields: Mapping[str, Any] = field(hash=False)
    only_if: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Expect:
    """Apply the list only if the stored record is still this one; None: only if it does not exist. Otherwise the whole
    list fails with `PreconditionFailed`. What the store counts, and the time of the last change, may differ."""

    kind: type[Record]
    id: Id
    record: Record | None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a record, all that belongs to it, and its id from every memory. Unknown ids are `NotFound`.

    Earlier revisions of the remaining memories are deleted too if they quoted deleted messages. `keeps_past` keeps
    them, for users who want to keep what was learned.
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
    """Add a job. If this workspace already has a job of the same kind and key, nothing is added."""

    job: Job


@dataclass(frozen=True, slots=True)
class Finish:
    """The job is done. If another worker has taken over the lease, the whole list fails with `LeaseLost`."""

    job: Job
    at: datetime


@dataclass(frozen=True, slots=True)
class Retry:
    """The job failed. It runs again at `run_at`, or becomes a dead letter when its attempts are used up."""

    job: Job
    error: Prose
    at: datetime
    run_at: datetime


@dataclass(frozen=True, slots=True)
class Release:
    """Give a claimed job back without using up an attempt: the worker was asked to stop."""

    job: Job


@dataclass(frozen=True, slots=True)
class Revive:
    """Try a dead letter again, from its first attempt."""

    job_id: Id
    at: datetime


@dataclass(frozen=True, slots=True)
class Embed:
    """Store the vectors of these passages. Passages that were deleted in the meantime are skipped."""

    model: Name
    rows: tuple[int, ...]
    vectors: Vector = field(hash=False)


@dataclass(frozen=True, slots=True)
class DropVectors:
    """Delete every vector that was made by a model other than this one."""

    keep_model: Name


@dataclass(frozen=True, slots=True)
class PauseQueue:
    paused: bool


@dataclass(frozen=True, slots=True)
class Count:
    """Add to a counter of the workspace (C9), for what has no record: prompts, tokens, filtered candidates."""

    name: Name
    by: Annotated[int, Between(-(10**9), 10**9)] = 1


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """Import a record as another database stored it: with its id, times, counters, number and `history` (M13). An
    existing record stays as it is, unless `replace` is set and it differs.

    Only replaced records are added to the audit log, because the log is imported as well. Referenced records must
    exist, or be in the same list; those of the same kind may also come later. Returns an `ImportOutcome`.
    """

    record: Record | Counted
    history: tuple[Revision, ...] = field(default=(), hash=False)
    replace: bool = False


Change = (
    Put
    | Amend
    | Expect
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


# ── reads ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Contains:
    """A text filter of `find` and `count`: the text contains each of these parts, ignoring case."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search in the index. All filters must match; a set of values means any of them.

    `person_id` matches what is also this person's, `persons` what belongs to exactly these together; `besides` excludes
    what belongs to exactly those persons, `without` whatever any of them has a part in. `knower_id` matches what this
    person knows: their own, and what they were told (by `as_of`, if set); `unknown_to` what this person does not know
    (R11). `private_in`: private passages match in this conversation only; None allows all that `visibilities` has.

    `runs` are the campaigns whose game the viewer runs: their spoilers match whatever `with_spoilers` says. Spoilers of
    `plays` never match, nor do those without a campaign if `plays` is not empty. In addition to what `knower_id` knows,
    these match: everything of `runs` that is no secret; of `canon_of` what is known to everybody in a campaign, where
    an empty name means the world outside of campaigns; what belongs to `open_of` alone and is no secret; and messages
    of `private_in` without persons. `visibility_filters.py` sets these fields.

    Only the records in `refs` are candidates; word weights and the coverage are still computed from the whole scope.
    `as_of` searches what was believed, and valid, at that time. `since` and `until` limit when it happened.
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
    """All data of a workspace as of one moment; later writes do not show (M13)."""

    # The schema version of the database.
    schema: int

    async def counts(self) -> dict[type[Any], int]:
        """The number of records of each kind in `export_order.CARRIED`."""

    def pages(self, kind: type[Any]) -> AsyncIterator[Sequence[ImportRecord]]:
        """All records of a kind in the order of their ids, in batches, ready to be imported elsewhere."""


class Store(Protocol):
    """Stores everything that Everlore remembers."""

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        """Apply every change, or none. Returns the stored record or job for each change."""

    async def weigh(self, scope: Scope, brings: Sequence[ImportRecord]) -> list[ImportOutcome]:
        """What importing these records would do now; nothing is written."""

    def snapshot(self, scope: Scope) -> AbstractAsyncContextManager[Snapshot]:
        """The whole workspace, read without blocking writers."""

    async def get(self, scope: Scope, kind: type[R], id: str) -> R:
        """The record, or `NotFound`."""

    async def get_many(self, scope: Scope, kind: type[R], ids: Iterable[str]) -> list[R]:
        """The records that exist, in the order of the ids."""

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
        """Records whose columns equal `where` (a collection means any of its values). `Contains` filters the content of
        messages.

        For memories `where` may also name a field of `MENTIONS` ("persons", "source_message_ids" …), which finds the
        memories that mention that id.
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
        """Events in which the person acts or takes part, latest start first (K5).

        Includes events that overlap `since` ≤ time < `until`: an event lasts from `at` until `ended_at`; one in
        progress without an end is still going on; any other is a moment.
        """

    async def history(self, scope: Scope, memory_id: str) -> list[Revision]:
        """The earlier states of a memory, oldest first, without the present one."""

    async def as_of(self, scope: Scope, memory_ids: Iterable[str], at: datetime) -> list[Memory]:
        """The memories as they were believed at that time, without those that were not yet known."""

    async def search(self, scope: Scope, ask: Search) -> Found:
        """Candidates by vector and by full text, merged and scored, best first."""

    async def search_all(self, scope: Scope, asks: Sequence[Search]) -> list[Found]:
        """The results of several searches. One call for all searches of a question lets a store in this process take a
        single snapshot and read each record once."""

    async def vectors(self, scope: Scope, model: str, kind: PassageKind, refs: Iterable[str]) -> dict[str, Vector]:
        """The present vectors of these records; records without one are left out."""

    async def around(
        self, scope: Scope, places: Iterable[MessagePosition], reach: int, *, knower_id: str | None = None
    ) -> list[Message]:
        """The messages at most `reach` before or after one of the places, including those, in the order of their
        conversations. Only searchable messages: complete, and not private; with `knower_id` only messages at which that
        person was present."""

    async def known(
        self, scope: Scope, knower_id: str, *, as_of: datetime | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        """The active memories that a person knows, as believed at that time, newest first (R11)."""

    async def due(self, scope: Scope, persons: Collection[str], *, limit: int = 50) -> list[Memory]:
        """Memories that are always offered and belong to exactly these persons (M17): most important first, then newest
        first."""

    async def shared(self, scope: Scope, pair: Pair, *, limit: int = 50) -> list[Memory]:
        """Valid memories that exactly these two share (M3), in the order of `due`."""

    async def partners(self, scope: Scope, person_id: str) -> list[Partner]:
        """All persons who share an active memory with this person, most memories first (R8)."""

    async def bonds(self, scope: Scope, *, limit: int = 50) -> list[PairActivity]:
        """Pairs of persons who share an active memory, a conversation or an interaction: most first, then latest first
        (R8, K3, K5)."""

    async def coverage(self, scope: Scope, model: str) -> Coverage: ...

    async def tallies(self, scope: Scope, *, since: datetime | None = None) -> list[KindCount]:
        """Counts of what the workspace holds, kept up to date by each write (C9). With `since`: counts by hour of what
        was added since then; memories and messages by creation time, events by the time they happened."""

    async def unembedded(self, scope: Scope, model: str, *, after: int = 0, limit: int = 256) -> list[Unembedded]:
        """Passages behind the row `after` that have no vector of that model, in order of their rows."""

    async def cleanup(self, scope: Scope, *, dry_run: bool, keys_before: datetime) -> Cleanup:
        """Find orphans, and remove them unless it is a dry run. Never touches valid rows (M9). Also forgets the keys of
        jobs that finished before `keys_before`."""

    async def forget_workspace(self, scope: Scope) -> None:
        """Delete everything in the workspace, including its audit log. For operators; it cannot be undone."""

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

        A job waits until the earlier jobs of its lane are finished, unless they are claimed together: for kinds in
        `together`, up to `MOST_BEHIND` directly following jobs of each lane are taken too. Highest priority first, then
        oldest. A job with an expired lease is free; if that used up its attempts, it becomes a dead letter.
        """

    async def renew(self, scope: Scope, jobs: Sequence[Job], *, until: datetime) -> list[Job]:
        """Extend the leases of these jobs. Returns the jobs that are still held."""

    async def jobs(
        self,
        scope: Scope,
        *,
        state: JobState | None = None,
        ids: Iterable[str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Jobs in the order in which they were added. `ids` limits the result to these."""

    async def queue(self, scope: Scope) -> QueueState: ...

    async def publish(self, scope: Scope, notices: Sequence[Notice], *, before: datetime) -> None:
        """Store notices for the other processes, and delete all that were made before that time."""

    async def notices(self, scope: Scope, process: str, after: Mapping[str, int]) -> list[Notice]:
        """The notices of other processes, in the order of their numbers: for each origin in `after` those with a higher
        number, for any other origin all."""

    async def listen(self, scope: Scope, process: str, *, until: datetime | None) -> None:
        """Announce that this process forwards live events until then; None: no longer."""

    async def is_listened_to(self, scope: Scope, *, besides: str, at: datetime) -> bool:
        """Whether another process forwards live events."""

    async def workspaces(self, *, with_work_at: datetime | None = None) -> list[str]:
        """All workspaces that hold data, or only those with a job that may run at that time. For operators and workers,
        never for a caller's request."""

    async def health(self) -> StoreHealth:
        """Check the whole database. Slow; for operators."""

    async def try_writing(self, scope: Scope) -> None:
        """Write without changing anything, and raise if that fails: reads still work on a full disk."""

    async def close(self) -> None: ...
