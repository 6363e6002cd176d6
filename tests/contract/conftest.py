"""One contract, every store: a test that takes `store` runs on the double, on SQLite and on PostgreSQL.

Nothing is skipped when something is missing: a store that cannot be opened fails its tests.
"""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.double.store import DoubleStore
from everlore.store.port import Store
from tests.contract.builders import SCOPE, START
from tests.postgres import Server

Dump = Callable[[], Awaitable[list[str]]]


class FakeClock:
    """Stands still until it is told to move."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Home:
    """A store, and a way to see every text it holds."""

    store: Store
    dump: Dump


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def scope() -> Scope:
    return SCOPE


@pytest.fixture(params=["double", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def home(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Home]:
    if request.param == "double":
        opened = _open_double(clock)
    elif request.param == "sqlite":
        opened = _open_sqlite(tmp_path / "everlore.db", clock)
    else:
        opened = _open_postgres(request.getfixturevalue("postgres"), clock)
    async with opened as home:
        yield home


@pytest.fixture
def store(home: Home) -> Store:
    return home.store


@pytest.fixture
def dump(home: Home) -> Dump:
    """Every text in every table, to prove that something left no trace."""
    return home.dump


@asynccontextmanager
async def _open_double(clock: FakeClock) -> AsyncIterator[Home]:
    store = DoubleStore(clock=clock)

    async def dump() -> list[str]:
        return [repr(store._rooms)]

    yield Home(store, dump)
    await store.close()


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def _open_sqlite(path: Path, clock: FakeClock) -> AsyncIterator[Home]:
    from everlore.store.sqlite.store import SqliteStore

    store = await SqliteStore.open(path, StoreSettings(), clock=clock)

    async def dump() -> list[str]:
        return _sqlite_texts(path)

    yield Home(store, dump)
    await store.close()


def _sqlite_texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in names for row in database.execute(f'SELECT * FROM "{name}"')]
    return [_text(cell) for row in rows for cell in row]


def _text(cell: Any) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────────


async def _postgres_store(url: str, clock: FakeClock) -> Store:
    from everlore.store.postgres.store import PostgresStore

    return await PostgresStore.open(url, StoreSettings(), clock=clock, migrate=True)


@asynccontextmanager
async def _open_postgres(server: Server, clock: FakeClock) -> AsyncIterator[Home]:
    async with server.fresh_database() as url:
        store = await _postgres_store(url, clock)

        async def dump() -> list[str]:
            return await _postgres_texts(url)

        yield Home(store, dump)
        await store.close()


async def _postgres_texts(url: str) -> list[str]:
    database = await asyncpg.connect(url)
    try:
        tables = await database.fetch(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        rows = [row for table in tables for row in await database.fetch(f"SELECT t::text FROM {table[0]} t")]
    finally:
        await database.close()
    return [row[0] for row in rows]
