"""The store that tests hold: everything in dictionaries, gone when the process ends.

It passes the same contract as the databases and is written to be read: where two stores disagree, this
one shows what was meant. Nothing here awaits, so each method is one step to the event loop, and a change
works on a copy of its workspace that takes the place of the old one only when all went well.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from secrets import token_bytes
from typing import Any

from everlore.domain.bounds import Chars
from everlore.domain.conversation import Message
from everlore.domain.event import Event, EventState
from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory, Status, is_due
from everlore.domain.passage import PassageKind
from everlore.domain.revision import Revision
from everlore.domain.scope import Pair, Scope
from everlore.errors import NotFound
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
from everlore.store.audit import ChangeContext
from everlore.store.checks import (
    check_around,
    check_brings,
    check_changes,
    check_due,
    check_expected,
    check_ids,
    check_known,
    check_limit,
    check_listener,
    check_notices,
    check_scope,
    check_search,
    check_tallies,
    check_timeline,
    check_vectors_of,
    check_where,
    table_of,
    values_of,
)
from everlore.store.field_checks import check_text, check_time
from everlore.store.pages import page_of, read_cursor
from everlore.store.port import (
    Amend,
    Change,
    Contains,
    Count,
    Delete,
    DropVectors,
    Embed,
    Enqueue,
    Expect,
    Finish,
    ImportRecord,
    PauseQueue,
    Put,
    R,
    Release,
    Retry,
    Revive,
    Search,
    Snapshot,
    Touch,
    Vector,
)
from everlore.store.tables import EITHER, JOBS, TABLES, Table
from tests.store_double import carrying, knowledge, queue
from tests.store_double import room as rooms
from tests.store_double import search as index
from tests.store_double import tallies as counting
from tests.store_double.room import Counters, Room, own_copy


class DoubleStore:
    """See `port.Store` for what each method promises."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._counters = Counters()
        self._rooms: dict[str, Room] = {}

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        check_changes(scope, changes)
        with self._changing(scope) as room:
            last_row, now = self._counters.row, self._clock()
            results = [_apply(room, change, now) for change in changes]
            kept = list(zip(changes, results, strict=True))
            arrived = (ImportOutcome.NEW, ImportOutcome.REPLACED)
            rooms.check_brought(
                room, [each for each, result in kept if isinstance(each, ImportRecord) and result in arrived]
            )
            rooms.check_references(room, [result for change, result in kept if isinstance(change, Put | Amend)])
            new = rooms.unembedded_since(room, last_row)
            if new:
                queue.enqueue_embedding(room, scope.workspace, new, now)
        return [_given(result) for result in results]

    async def weigh(self, scope: Scope, brings: Sequence[ImportRecord]) -> list[ImportOutcome]:
        check_brings(scope, brings)
        room = self._room(scope)
        return [carrying.weigh(room, each) for each in brings]

    @asynccontextmanager
    async def snapshot(self, scope: Scope) -> AsyncIterator[Snapshot]:
        room = self._room(scope)
        yield carrying.DoubleSnapshot(scope.workspace, room)

    async def get(self, scope: Scope, kind: type[R], id: str) -> R:
        found = await self.get_many(scope, kind, [id])
        if not found:
            raise NotFound(f"There is no {kind.__name__} {id!r} in this workspace.")
        return found[0]

    async def get_many(self, scope: Scope, kind: type[R], ids: Iterable[str]) -> list[R]:
        table, wanted = table_of(kind), list(ids)
        check_ids(wanted)
        shelf = self._room(scope).records[table.kind]
        return [own_copy(shelf[id]) for id in wanted if id in shelf]

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
        table = table_of(kind)
        page = _page(table, self._matching(scope, table, where), limit, cursor, newest_first)
        return Page(tuple(own_copy(record) for record in page.items), page.cursor)

    async def count(self, scope: Scope, kind: type[R], where: Mapping[str, Any] | None = None) -> int:
        return len(self._matching(scope, table_of(kind), where))

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
        check_timeline(scope, person_id, since, until, types, limit)
        events = [
            event
            for event in self._room(scope).records[Event].values()
            if person_id in (None, *event.actors, *event.participants)
            and (not types or event.type in types)
            and _overlaps(event, since, until)
        ]
        page = _page(TABLES[Event], events, limit, cursor, newest_first=True)
        return Page(tuple(own_copy(event) for event in page.items), page.cursor)

    async def history(self, scope: Scope, memory_id: str) -> list[Revision]:
        await self.get(scope, Memory, memory_id)
        return list(self._room(scope).revisions.get(memory_id, ()))

    async def as_of(self, scope: Scope, memory_ids: Iterable[str], at: datetime) -> list[Memory]:
        check_time("at", at)
        room = self._room(scope)
        memories = await self.get_many(scope, Memory, memory_ids)
        states = (knowledge.state_at(room, memory, at) for memory in memories)
        return [own_copy(state) for state in states if state is not None]

    async def search(self, scope: Scope, ask: Search) -> Found:
        check_search(ask)
        return index.search(self._room(scope), ask)

    async def search_all(self, scope: Scope, asks: Sequence[Search]) -> list[Found]:
        return [await self.search(scope, ask) for ask in asks]

    async def vectors(self, scope: Scope, model: str, kind: PassageKind, refs: Iterable[str]) -> dict[str, Vector]:
        wanted = list(refs)
        check_vectors_of(scope, model, kind, wanted)
        return index.vectors(self._room(scope), model, kind, wanted)

    async def around(
        self, scope: Scope, places: Iterable[MessagePosition], reach: int, *, knower_id: str | None = None
    ) -> list[Message]:
        wanted = list(places)
        check_around(scope, wanted, reach, knower_id)
        return [own_copy(each) for each in knowledge.around(self._room(scope), wanted, reach, knower_id)]

    async def known(
        self, scope: Scope, knower_id: str, *, as_of: datetime | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        check_known(scope, knower_id, as_of, limit)
        room = self._room(scope)
        states = knowledge.known(room, knower_id, as_of)
        present = [room.records[Memory][id] for id in states]
        page = _page(TABLES[Memory], present, limit, cursor, newest_first=True)
        return Page(tuple(own_copy(states[memory.id]) for memory in page.items), page.cursor)

    async def due(self, scope: Scope, persons: Collection[str], *, limit: int = 50) -> list[Memory]:
        check_due(scope, persons, limit)
        offered = [each for each in self._room(scope).records[Memory].values() if is_due(each)]
        theirs = [each for each in offered if each.persons and set(each.persons) <= set(persons)]
        theirs.sort(key=lambda each: (each.importance, each.created_at, each.id), reverse=True)
        return [own_copy(each) for each in theirs[:limit]]

    async def shared(self, scope: Scope, pair: Pair, *, limit: int = 50) -> list[Memory]:
        check_due(scope, pair, limit)
        holding = [
            each
            for each in self._room(scope).records[Memory].values()
            if each.status is Status.ACTIVE and each.valid_to is None and set(each.persons) == set(pair)
        ]
        holding.sort(key=lambda each: (each.importance, each.created_at, each.id), reverse=True)
        return [own_copy(each) for each in holding[:limit]]

    async def partners(self, scope: Scope, person_id: str) -> list[Partner]:
        check_ids([person_id])
        return knowledge.partners(self._room(scope), person_id)

    async def bonds(self, scope: Scope, *, limit: int = 50) -> list[PairActivity]:
        check_limit(limit)
        return knowledge.bonds(self._room(scope))[:limit]

    async def coverage(self, scope: Scope, model: str) -> Coverage:
        check_text("model", model)
        return index.coverage(self._room(scope), model)

    async def tallies(self, scope: Scope, *, since: datetime | None = None) -> list[KindCount]:
        check_tallies(scope, since)
        return counting.tallies(self._room(scope), since)

    async def unembedded(self, scope: Scope, model: str, *, after: int = 0, limit: int = 256) -> list[Unembedded]:
        check_text("model", model)
        check_limit(limit)
        room = self._room(scope)
        embedded = room.vectors.get(model, {})
        waiting = (
            Unembedded(row, each.passage.text)
            for row, each in sorted(index.present(room).items())
            if row > after and row not in embedded
        )
        return list(waiting)[:limit]

    async def cleanup(self, scope: Scope, *, dry_run: bool, keys_before: datetime) -> Cleanup:
        check_time("keys_before", keys_before)
        with self._changing(scope, keep=not dry_run) as room:
            lonely = [each.id for each in room.records[Memory].values() if not each.persons and not each.campaign_id]
            keys = [job.id for job in room.jobs.values() if _is_forgettable(job, keys_before)]
            for id in lonely:
                rooms.delete(room, Delete(Memory, id), note="cleanup")
            for id in keys:
                room.jobs.pop(id, None)
        # Vectors and passages go with their record here, so no orphan can come about.
        return Cleanup(0, 0, len(lonely), len(keys))

    async def forget_workspace(self, scope: Scope) -> None:
        check_scope(scope)
        self._rooms.pop(scope.workspace, None)

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
        check_text("lease", lease, Chars(1_000, least=1))
        check_limit(limit)
        check_time("now", now)
        with self._changing(scope) as room:
            jobs = queue.claim(
                room,
                lease=lease,
                now=now,
                lease_s=lease_s,
                limit=limit,
                rate_per_s=rate_per_s,
                kinds=kinds,
                together=together,
            )
        return [queue.own_copy(job) for job in jobs]

    async def renew(self, scope: Scope, jobs: Sequence[Job], *, until: datetime) -> list[Job]:
        check_time("until", until)
        with self._changing(scope) as room:
            held = queue.renew(room, jobs, until)
        return [queue.own_copy(job) for job in held]

    async def jobs(
        self,
        scope: Scope,
        *,
        state: JobState | None = None,
        ids: Iterable[str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        wanted = None if ids is None else frozenset(ids)
        jobs = self._room(scope).jobs.values()
        kept = [job for job in jobs if state in (None, job.state) and (wanted is None or job.id in wanted)]
        page = _page(JOBS, kept, limit, cursor, newest_first=False)
        return Page(tuple(queue.own_copy(job) for job in page.items), page.cursor)

    async def queue(self, scope: Scope) -> QueueState:
        room = self._room(scope)
        states = [job.state for job in room.jobs.values()]
        return QueueState(room.paused, {state: states.count(state) for state in JobState})

    async def publish(self, scope: Scope, notices: Sequence[Notice], *, before: datetime) -> None:
        check_notices(scope, notices, before)
        with self._changing(scope) as room:
            room.notices = {key: each for key, each in room.notices.items() if each.at >= before}
            room.notices |= {(each.origin, each.number): each for each in notices}

    async def notices(self, scope: Scope, process: str, after: Mapping[str, int]) -> list[Notice]:
        check_listener(scope, process)
        kept = sorted(self._room(scope).notices.items())
        return [each for (origin, number), each in kept if origin != process and number > after.get(origin, -1)]

    async def listen(self, scope: Scope, process: str, *, until: datetime | None) -> None:
        check_listener(scope, process, until)
        with self._changing(scope) as room:
            room.listeners.pop(process, None)
            if until is not None:
                room.listeners[process] = until

    async def is_listened_to(self, scope: Scope, *, besides: str, at: datetime) -> bool:
        check_listener(scope, besides, at)
        listeners = self._room(scope).listeners
        return any(process != besides and until >= at for process, until in listeners.items())

    async def workspaces(self, *, with_work_at: datetime | None = None) -> list[str]:
        if with_work_at is None:
            return sorted(name for name, room in self._rooms.items() if room.holds_anything)
        check_time("with_work_at", with_work_at)
        return sorted(
            name for name, room in self._rooms.items() if not room.paused and queue.runnable(room, with_work_at)
        )

    async def health(self) -> StoreHealth:
        return StoreHealth("memory", version="", schema=0, size_bytes=0, free_bytes=None)

    async def try_writing(self, scope: Scope) -> None:
        self._room(scope)

    async def close(self) -> None:
        """Nothing is open."""

    def _room(self, scope: Scope) -> Room:
        check_scope(scope)
        return self._rooms.get(scope.workspace) or Room(self._counters)

    @contextmanager
    def _changing(self, scope: Scope, *, keep: bool = True) -> Iterator[Room]:
        room = self._room(scope).copy()
        yield room
        rooms.drop_orphans(room)
        occasion = ChangeContext(scope, self._clock(), token_bytes(10))
        queue.enqueue_deliveries(room, occasion)
        rooms.log(room, occasion)
        if keep:
            self._rooms[scope.workspace] = room

    def _matching(self, scope: Scope, table: Table, where: Mapping[str, Any] | None) -> list[Any]:
        check_where(table, where or {})
        texts = {name: value.parts for name, value in (where or {}).items() if isinstance(value, Contains)}
        wanted = {name: values_of(value) for name, value in (where or {}).items() if name not in texts}
        records = self._room(scope).records[table.kind].values()
        return [
            each
            for each in records
            if all(_holds(each, *one) for one in wanted.items())
            and all(part.lower() in getattr(each, name).lower() for name, parts in texts.items() for part in parts)
        ]


def _apply(room: Room, change: Change, now: datetime) -> Any:
    match change:
        case Put():
            return rooms.put(room, change)
        case ImportRecord():
            return carrying.bring(room, change)
        case Amend():
            return rooms.amend(room, change)
        case Expect():
            check_expected(change, room.records[change.kind].get(change.id))
        case Delete():
            return rooms.delete(room, change)
        case Touch():
            return rooms.touch(room, change)
        case Embed():
            return rooms.embed(room, change)
        case Enqueue():
            return queue.enqueue(room, change.job)
        case Finish():
            return queue.finish(room, change)
        case Retry():
            return queue.retry(room, change)
        case Release():
            return queue.release(room, change)
        case Revive():
            return queue.revive(room, change)
        case DropVectors():
            room.vectors = {model: kept for model, kept in room.vectors.items() if model == change.keep_model}
        case PauseQueue():
            room.paused = change.paused
        case Count():
            counting.count(room, change, now)
    return None


def _given(result: Any) -> Any:
    if result is None or isinstance(result, ImportOutcome):
        return result
    return queue.own_copy(result) if isinstance(result, Job) else own_copy(result)


def _holds(record: Any, name: str, wanted: Sequence[Any]) -> bool:
    either = EITHER.get(type(record), {}).get(name)
    if either is not None:
        return any(_holds(record, each, wanted) for each in either)
    value = getattr(record, name)
    return any(each in wanted for each in value) if isinstance(value, tuple) else value in wanted


def _overlaps(event: Event, since: datetime | None, until: datetime | None) -> bool:
    if until is not None and (event.at >= until or (since is not None and since >= until)):
        return False
    if since is None or event.at >= since:
        return True
    if event.ended_at is not None:
        return event.ended_at > since
    return event.state is EventState.IN_PROGRESS


def _is_forgettable(job: Job, keys_before: datetime) -> bool:
    return job.state is JobState.DONE and job.finished_at is not None and job.finished_at < keys_before


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def _page(table: Table, records: list[Any], limit: int, cursor: str | None, newest_first: bool) -> Page:
    check_limit(limit)

    def key(record: Any) -> tuple[Any, str]:
        return table.encode(table.order, getattr(record, table.order)), record.id

    records = sorted(records, key=key, reverse=newest_first)
    if cursor is not None:
        last = tuple(read_cursor(table, cursor))
        records = [each for each in records if (key(each) < last if newest_first else key(each) > last)]
    return page_of(table, records, limit)
