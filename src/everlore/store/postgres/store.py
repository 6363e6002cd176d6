"""The PostgreSQL store: runs flows on a pool of connections."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import asyncpg

from everlore.domain.scope import Scope
from everlore.errors import StoreUnavailable
from everlore.settings import StoreSettings
from everlore.store import checks
from everlore.store.answers import Found, StoreHealth
from everlore.store.port import Search
from everlore.store.postgres import connection as server
from everlore.store.postgres.connection import AGAIN, LOST, connect, numbered, run, shown, translated
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.postgres.search import by_vector, by_words, coverage, united
from everlore.store.sql.flow import Flow, Rows, is_alone
from everlore.store.sql.store import SqlStore

T = TypeVar("T")
_TRIES = 8


async def _as_it_is(connection: Any) -> None:
    """Skips the reset of a connection that returns to the pool: the store leaves no state in a session, and a reset
    would be another round trip with every read."""


class PostgresStore(SqlStore):
    """Make one with `open`."""

    def __init__(self, url: str, pool: Any, settings: StoreSettings, clock: Callable[[], datetime]) -> None:
        super().__init__(PostgresDialect(), clock)
        self._url = url
        self._pool = pool
        self._settings = settings

    @classmethod
    async def open(
        cls, url: str, settings: StoreSettings, *, clock: Callable[[], datetime], migrate: bool = False
    ) -> "PostgresStore":
        """Schema changes need `migrate`; without it, an outdated database is refused."""
        if migrate:
            await server.migrate(url, settings)
        async with translated(url):
            connection = await connect(url, settings)
            try:
                await server.require_current(connection, url)
            finally:
                await connection.close()
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=max(settings.readers, 2),
                timeout=settings.connect_timeout_s,
                init=partial(server.prepare_pooled, settings=settings),
                reset=_as_it_is,
            )
        return cls(url, pool, settings, clock)

    async def close(self) -> None:
        await self._pool.close()

    async def search(self, scope: Scope, ask: Search) -> Found:
        checks.check_scope(scope)
        checks.check_search(ask)
        # On separate connections: while one waits for the disk or a core, the other continues.
        nearest, held, covered = await asyncio.gather(
            self._read(by_vector, scope.workspace, ask),
            self._read(by_words, scope.workspace, ask),
            self._read(coverage, scope.workspace, ask),
        )
        return await self._read(united, scope.workspace, ask, nearest, held, covered)

    async def search_all(self, scope: Scope, asks: Sequence[Search]) -> list[Found]:
        return list(await asyncio.gather(*(self.search(scope, ask) for ask in asks)))

    async def health(self) -> StoreHealth:
        return await self._read(server.health)

    async def _read(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        async with translated(self._url):
            try:
                return await self._in_snapshot(flow, args, options)
            except LOST:
                # A server restart leaves dead connections in the pool, and reads are safe to retry.
                return await self._in_snapshot(flow, args, options)

    async def _in_snapshot(self, flow: Callable[..., Flow[T]], args: Sequence[Any], options: Mapping[str, Any]) -> T:
        async with self._pool.acquire() as connection:
            if is_alone(flow):
                return await run(connection, flow(*args, **options))
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return await run(connection, flow(*args, **options))

    @asynccontextmanager
    async def _standing_still(self) -> AsyncIterator["_Standing"]:
        # Not from the pool: reading a whole workspace slowly must not block others.
        async with translated(self._url):
            connection = await connect(self._url, self._settings)
        try:
            transaction = connection.transaction(isolation="repeatable_read", readonly=True)
            async with translated(self._url):
                await transaction.start()
            yield _Standing(connection, self._url)
        finally:
            await connection.close()

    async def _write(self, flow: Callable[..., Flow[T]], *args: Any, **options: Any) -> T:
        for _ in range(_TRIES):
            try:
                async with translated(self._url), self._pool.acquire() as connection, connection.transaction():
                    return await run(connection, flow(*args, **options))
            except AGAIN:
                # Two writers conflicted, and the database rolled this one back.
                continue
        raise StoreUnavailable(
            f"PostgreSQL at {shown(self._url)} could not settle a write among others in {_TRIES} tries. Repeat it."
        )


class _Standing:
    """A connection inside one read transaction."""

    def __init__(self, connection: Any, url: str) -> None:
        self._connection = connection
        self._url = url

    async def run(self, flow: Flow[T]) -> T:
        async with translated(self._url):
            return await run(self._connection, flow)

    async def stream(self, sql: str, values: Sequence[Any], size: int) -> AsyncIterator[Rows]:
        async with translated(self._url):
            cursor = await self._connection.cursor(numbered(sql), *values)
            rows: Rows = await cursor.fetch(size)
        while rows:
            yield rows
            async with translated(self._url):
                rows = await cursor.fetch(size)
