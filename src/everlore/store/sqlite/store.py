"""The SQLite store: runs flows on the writer thread or on a reader thread, so that asyncio never blocks."""

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from everlore.domain.scope import Scope
from everlore.errors import StoreUnavailable
from everlore.settings import StoreSettings
from everlore.store import checks
from everlore.store.answers import Found, StoreHealth
from everlore.store.port import Change, Delete, Search
from everlore.store.sql.flow import Flow, Rows, is_alone
from everlore.store.sql.store import SqlStore
from everlore.store.sqlite.connection import connect, health, prepare, run, translated
from everlore.store.sqlite.dialect import SqliteDialect
from everlore.store.sqlite.index import Indexes
from everlore.store.sqlite.search import search
from everlore.store.sqlite.writer import Writer

T = TypeVar("T")
_NO_SPACE = 16 * 2**20


class SqliteStore(SqlStore):
    """Make one with `open`."""

    def __init__(self, path: Path, settings: StoreSettings, clock: Callable[[], datetime]) -> None:
        super().__init__(SqliteDialect(), clock)
        self._path = path
        self._settings = settings
        self._writer = Writer(path, settings.busy_timeout_s)
        self._indexes = Indexes(settings.cache_mb * 2**20)
        self._threads = ThreadPoolExecutor(settings.readers, thread_name_prefix="everlore-reader")
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False

    @classmethod
    async def open(cls, path: Path, settings: StoreSettings, *, clock: Callable[[], datetime]) -> "SqliteStore":
        await asyncio.to_thread(prepare, path, settings.busy_timeout_s)
        return cls(path, settings, clock)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._writer.close)
            await asyncio.to_thread(self._threads.shutdown)
            for connection in self._connections:
                connection.close()

    async def search(self, scope: Scope, ask: Search) -> Found:
        (found,) = await self.search_all(scope, [ask])
        return found

    async def search_all(self, scope: Scope, asks: Sequence[Search]) -> list[Found]:
        """All searches in one thread: several threads would wait for each other at the GIL."""
        checks.check_scope(scope)
        for ask in asks:
            checks.check_search(ask)

        def work(connection: sqlite3.Connection) -> list[Found]:
            models = {ask.model or "" for ask in asks}
            views = {model: self._indexes.current(connection, scope.workspace, model) for model in models}
            return search(connection, scope.workspace, [(ask, views[ask.model or ""]) for ask in asks])

        return await self._on_reader(work)

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        results = await super().apply(scope, changes)
        if any(isinstance(change, Delete) for change in changes):
            await self._wipe()
        return results

    async def forget_workspace(self, scope: Scope) -> None:
        await super().forget_workspace(scope)
        await self._wipe()

    async def _wipe(self) -> None:
        """Deleted data is overwritten in the file; the write-ahead log still has the old pages."""
        await asyncio.wrap_future(self._writer.wipe())

    async def health(self) -> StoreHealth:
        return await self._on_reader(lambda connection: health(connection, self._path))

    async def try_writing(self, scope: Scope) -> None:
        await super().try_writing(scope)
        # SQLite reuses its log file, so a small write may succeed where the next turn would fail.
        free = shutil.disk_usage(self._path.parent).free
        if free < _NO_SPACE:
            raise StoreUnavailable(
                f"Only {free // 2**20} MB are free where {self._path} lies, too little for what comes next. Free some "
                "space, or move it."
            )

    async def _write(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        def work(connection: sqlite3.Connection) -> T:
            return run(connection, flow(*args, **options))

        return await asyncio.wrap_future(self._writer.submit(work))

    async def _read(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        def work(connection: sqlite3.Connection) -> T:
            return run(connection, flow(*args, **options))

        return await self._on_reader(work, alone=is_alone(flow))

    async def _on_reader(self, work: Callable[[sqlite3.Connection], T], *, alone: bool = False) -> T:
        if self._closed:
            raise StoreUnavailable("The store is closed. Open it again before reading.")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._in_snapshot, work, alone)

    @asynccontextmanager
    async def _standing_still(self) -> AsyncIterator["_Standing"]:
        if self._closed:
            raise StoreUnavailable("The store is closed. Open it again before reading.")
        connection = await asyncio.to_thread(connect, self._path, self._settings.busy_timeout_s)
        try:
            connection.execute("PRAGMA query_only = ON")
            # Otherwise reading everything once would leave the whole file in memory.
            connection.execute("PRAGMA mmap_size = 0")
            connection.execute("BEGIN")
            yield _Standing(connection, self._path)
        finally:
            await asyncio.to_thread(connection.close)

    def _in_snapshot(self, work: Callable[[sqlite3.Connection], T], alone: bool) -> T:
        """All statements of a read see the same state of the file."""
        connection = self._reader()
        with translated(self._path):
            if alone:
                return work(connection)
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.execute("COMMIT")

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = connect(self._path, self._settings.busy_timeout_s)
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            self._connections.append(connection)
        return connection


class _Standing:
    """A connection inside one read transaction, used by one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    async def run(self, flow: Flow[T]) -> T:
        def work() -> T:
            with translated(self._path):
                return run(self._connection, flow)

        return await asyncio.to_thread(work)

    async def stream(self, sql: str, values: Sequence[Any], size: int) -> AsyncIterator[Rows]:
        cursor = self._connection.cursor()

        def rows(*, first: bool = False) -> Rows:
            with translated(self._path):
                return (cursor.execute(sql, values) if first else cursor).fetchmany(size)

        found = await asyncio.to_thread(rows, first=True)
        while found:
            yield found
            found = await asyncio.to_thread(rows)
