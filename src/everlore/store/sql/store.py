"""The part of a store that consists of flows: the base class of both SQL stores, which differ in how they run one."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from secrets import token_bytes
from typing import Any, TypeVar

from everlore.domain.bounds import Chars
from everlore.domain.conversation import Message
from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.revision import Revision
from everlore.domain.scope import Pair, Scope
from everlore.store import checks, field_checks
from everlore.store.answers import (
    Cleanup,
    Coverage,
    ImportOutcome,
    KindCount,
    MessagePosition,
    Notice,
    Page,
    PairActivity,
    Partner,
    QueueState,
    Unembedded,
)
from everlore.store.audit import ChangeContext
from everlore.store.port import Change, ImportRecord, R, Snapshot, Vector
from everlore.store.sql import import_records, knowledge, queue, reads, tallies
from everlore.store.sql import notices as live
from everlore.store.sql.apply import apply
from everlore.store.sql.cascade import forget_workspace
from everlore.store.sql.flow import Dialect, Flow
from everlore.store.sql.snapshot import Reader, SqlSnapshot, schema
from everlore.store.sql.timeline import timeline
from everlore.store.tables import JOBS

T = TypeVar("T")


class SqlStore(ABC):
    def __init__(self, sql: Dialect, clock: Callable[[], datetime]) -> None:
        self._sql = sql
        self._clock = clock

    @abstractmethod
    async def _write(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        """Run a flow in one transaction, which is on disk when this returns."""

    @abstractmethod
    async def _read(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        """Run a flow on one consistent snapshot."""

    @abstractmethod
    def _standing_still(self) -> AbstractAsyncContextManager[Reader]:
        """A separate connection inside a read transaction that lasts until the caller ends it."""

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        checks.check_changes(scope, changes)
        return await self._write(apply, self._sql, self._occasion(scope), changes)

    async def weigh(self, scope: Scope, brings: Sequence[ImportRecord]) -> list[ImportOutcome]:
        checks.check_brings(scope, brings)
        return await self._read(import_records.weigh, self._sql, scope.workspace, brings)

    @asynccontextmanager
    async def snapshot(self, scope: Scope) -> AsyncIterator[Snapshot]:
        checks.check_scope(scope)
        async with self._standing_still() as reader:
            yield SqlSnapshot(self._sql, scope.workspace, reader, await reader.run(schema()))

    async def get(self, scope: Scope, kind: type[R], id: str) -> R:
        checks.check_scope(scope)
        checks.check_ids([id])
        record: R = await self._read(reads.get, self._sql, checks.table_of(kind), scope.workspace, id)
        return record

    async def get_many(self, scope: Scope, kind: type[R], ids: Iterable[str]) -> list[R]:
        checks.check_scope(scope)
        wanted = list(ids)
        checks.check_ids(wanted)
        return await self._read(reads.get_many, self._sql, checks.table_of(kind), scope.workspace, wanted)

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
        table = checks.table_of(kind)
        checks.check_find(scope, table, where or {}, limit)
        return await self._read(
            reads.find,
            self._sql,
            table,
            scope.workspace,
            where or {},
            limit=limit,
            cursor=cursor,
            newest_first=newest_first,
        )

    async def count(self, scope: Scope, kind: type[R], where: Mapping[str, Any] | None = None) -> int:
        table = checks.table_of(kind)
        checks.check_find(scope, table, where or {}, 1)
        return await self._read(reads.count, self._sql, table, scope.workspace, where or {})

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
        checks.check_timeline(scope, person_id, since, until, types, limit)
        return await self._read(
            timeline,
            self._sql,
            scope.workspace,
            person_id=person_id,
            since=since,
            until=until,
            types=types,
            limit=limit,
            cursor=cursor,
        )

    async def history(self, scope: Scope, memory_id: str) -> list[Revision]:
        checks.check_scope(scope)
        checks.check_ids([memory_id])
        return await self._read(reads.history, self._sql, scope.workspace, memory_id)

    async def as_of(self, scope: Scope, memory_ids: Iterable[str], at: datetime) -> list[Memory]:
        checks.check_scope(scope)
        wanted = list(memory_ids)
        checks.check_ids(wanted)
        field_checks.check_time("at", at)
        return await self._read(reads.as_of, self._sql, scope.workspace, wanted, at)

    async def vectors(self, scope: Scope, model: str, kind: PassageKind, refs: Iterable[str]) -> dict[str, Vector]:
        wanted = list(refs)
        checks.check_vectors_of(scope, model, kind, wanted)
        return await self._read(reads.vectors, self._sql, scope.workspace, model, kind, wanted)

    async def around(
        self, scope: Scope, places: Iterable[MessagePosition], reach: int, *, knower_id: str | None = None
    ) -> list[Message]:
        wanted = list(places)
        checks.check_around(scope, wanted, reach, knower_id)
        return await self._read(reads.around, self._sql, scope.workspace, wanted, reach, knower_id)

    async def known(
        self, scope: Scope, knower_id: str, *, as_of: datetime | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        checks.check_known(scope, knower_id, as_of, limit)
        return await self._read(
            knowledge.known, self._sql, scope.workspace, knower_id, at=as_of, limit=limit, cursor=cursor
        )

    async def due(self, scope: Scope, persons: Collection[str], *, limit: int = 50) -> list[Memory]:
        checks.check_due(scope, persons, limit)
        return await self._read(reads.due, self._sql, scope.workspace, persons, limit)

    async def shared(self, scope: Scope, pair: Pair, *, limit: int = 50) -> list[Memory]:
        checks.check_due(scope, pair, limit)
        return await self._read(reads.shared, self._sql, scope.workspace, pair, limit)

    async def partners(self, scope: Scope, person_id: str) -> list[Partner]:
        checks.check_scope(scope)
        checks.check_ids([person_id])
        return await self._read(knowledge.partners, self._sql, scope.workspace, person_id)

    async def bonds(self, scope: Scope, *, limit: int = 50) -> list[PairActivity]:
        checks.check_scope(scope)
        checks.check_limit(limit)
        return await self._read(knowledge.bonds, self._sql, scope.workspace, limit)

    async def coverage(self, scope: Scope, model: str) -> Coverage:
        checks.check_scope(scope)
        field_checks.check_text("model", model)
        return await self._read(tallies.coverage, scope.workspace, model)

    async def tallies(self, scope: Scope, *, since: datetime | None = None) -> list[KindCount]:
        checks.check_tallies(scope, since)
        return await self._read(tallies.tallies, scope.workspace, since)

    async def unembedded(self, scope: Scope, model: str, *, after: int = 0, limit: int = 256) -> list[Unembedded]:
        checks.check_scope(scope)
        field_checks.check_text("model", model)
        checks.check_limit(limit)
        return await self._read(reads.unembedded, self._sql, scope.workspace, model, after=after, limit=limit)

    async def cleanup(self, scope: Scope, *, dry_run: bool, keys_before: datetime) -> Cleanup:
        checks.check_scope(scope)
        field_checks.check_time("keys_before", keys_before)
        return await self._write(
            reads.cleanup, self._sql, self._occasion(scope), dry_run=dry_run, keys_before=keys_before
        )

    async def forget_workspace(self, scope: Scope) -> None:
        checks.check_scope(scope)
        await self._write(forget_workspace, self._sql, scope.workspace)

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
        checks.check_scope(scope)
        field_checks.check_text("lease", lease, Chars(1_000, least=1))
        field_checks.check_time("now", now)
        checks.check_limit(limit)
        return await self._write(
            queue.claim,
            self._sql,
            scope.workspace,
            lease=lease,
            now=now,
            lease_s=lease_s,
            limit=limit,
            rate_per_s=rate_per_s,
            kinds=kinds,
            together=together,
        )

    async def renew(self, scope: Scope, jobs: Sequence[Job], *, until: datetime) -> list[Job]:
        checks.check_scope(scope)
        field_checks.check_time("until", until)
        return await self._write(queue.renew, scope.workspace, list(jobs), until)

    async def jobs(
        self,
        scope: Scope,
        *,
        state: JobState | None = None,
        ids: Iterable[str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        where: dict[str, Any] = {} if state is None else {"state": state.value}
        if ids is not None:
            where["id"] = tuple(ids)
        checks.check_find(scope, JOBS, where, limit)
        return await self._read(
            reads.find, self._sql, JOBS, scope.workspace, where, limit=limit, cursor=cursor, newest_first=False
        )

    async def queue(self, scope: Scope) -> QueueState:
        checks.check_scope(scope)
        return await self._read(queue.state, scope.workspace)

    async def try_writing(self, scope: Scope) -> None:
        checks.check_scope(scope)
        await self._write(queue.touch, self._sql, scope.workspace)

    async def publish(self, scope: Scope, notices: Sequence[Notice], *, before: datetime) -> None:
        checks.check_notices(scope, notices, before)
        await self._write(live.publish, scope.workspace, notices, before)

    async def notices(self, scope: Scope, process: str, after: Mapping[str, int]) -> list[Notice]:
        checks.check_listener(scope, process)
        return await self._read(live.notices, scope.workspace, process, after)

    async def listen(self, scope: Scope, process: str, *, until: datetime | None) -> None:
        checks.check_listener(scope, process, until)
        await self._write(live.listen, scope.workspace, process, until)

    async def is_listened_to(self, scope: Scope, *, besides: str, at: datetime) -> bool:
        checks.check_listener(scope, besides, at)
        return await self._read(live.is_listened_to, scope.workspace, besides, at)

    async def workspaces(self, *, with_work_at: datetime | None = None) -> list[str]:
        if with_work_at is not None:
            field_checks.check_time("with_work_at", with_work_at)
            return await self._read(queue.with_work, with_work_at)
        return await self._read(reads.workspaces)

    def _occasion(self, scope: Scope) -> ChangeContext:
        return ChangeContext(scope, self._clock(), token_bytes(10))
