"""One contract, every store: a test that takes `store` runs on the double, on SQLite and on PostgreSQL.

Nothing is skipped when something is missing: a store that cannot be opened fails its tests.
"""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import asyncpg
import pytest

from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.port import Store
from everlore.store.tables import TABLES
from tests.contract.builders import SCOPE, START
from tests.postgres import Server
from tests.sqlite import migrated
from tests.store_double.store import DoubleStore


class Dump(Protocol):
    """Every text that a store holds, or every text but those of one table."""

    async def __call__(self, without: str = "") -> list[str]: ...


class FakeClock:
    """Stands still until it is told to move."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Held:
    """What an index holds of a workspace: its present passages, and which of them each model gave a vector."""

    passages: set[int]
    vectors: dict[str, set[int]]


@dataclass(frozen=True)
class Home:
    """A store, a way to see every text it holds, and one to look into the index of a workspace."""

    store: Store
    dump: Dump
    held: Callable[[str], Awaitable[Held]]


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

    async def dump(without: str = "") -> list[str]:
        rooms = store._rooms.values()
        return [repr(replace(room, records=_shelves(room.records, without))) for room in rooms]

    async def held(workspace: str) -> Held:
        room = store._rooms[workspace]
        passages = {row for row, each in room.passages.items() if each.until is None}
        return Held(passages, {model: passages & vectors.keys() for model, vectors in room.vectors.items()})

    yield Home(store, dump, held)
    await store.close()


def _shelves(records: dict[type[Any], Any], without: str) -> dict[type[Any], Any]:
    return {kind: shelf for kind, shelf in records.items() if TABLES[kind].name != without}


_INDEX = (
    "SELECT row FROM passages WHERE workspace = $1 AND until IS NULL",
    "SELECT model, row FROM vectors WHERE workspace = $1",
)


def _held(passages: Iterable[Any], vectors: Iterable[Any]) -> Held:
    present = {row[0] for row in passages}
    by_model: dict[str, set[int]] = {}
    for model, row in vectors:
        by_model.setdefault(model, set()).update({row} & present)
    return Held(present, by_model)


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def _open_sqlite(path: Path, clock: FakeClock) -> AsyncIterator[Home]:
    from everlore.store.sqlite.store import SqliteStore

    store = await SqliteStore.open(migrated(path), StoreSettings(), clock=clock)

    async def dump(without: str = "") -> list[str]:
        return _sqlite_texts(path, without)

    async def held(workspace: str) -> Held:
        with closing(sqlite3.connect(path)) as database:
            return _held(*(database.execute(each.replace("$1", "?"), (workspace,)).fetchall() for each in _INDEX))

    yield Home(store, dump, held)
    await store.close()


def _sqlite_texts(path: Path, without: str) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in names if name != without for row in database.execute(f'SELECT * FROM "{name}"')]
    return [_text(cell) for row in rows for cell in row]


def _text(cell: Any) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


# ── PostgreSQL ───────────────────────────────────────────────────────────────────────────────────


async def _postgres_store(url: str, clock: FakeClock) -> Store:
    from everlore.store.postgres.store import PostgresStore

    return await PostgresStore.open(url, StoreSettings(), clock=clock)


@asynccontextmanager
async def _open_postgres(server: Server, clock: FakeClock) -> AsyncIterator[Home]:
    async with server.emptied_database() as url:
        store = await _postgres_store(url, clock)

        async def dump(without: str = "") -> list[str]:
            return await _postgres_texts(url, without)

        async def held(workspace: str) -> Held:
            database = await asyncpg.connect(url)
            rows = [await database.fetch(each, workspace) for each in _INDEX]
            await database.close()
            return _held(*rows)

        yield Home(store, dump, held)
        await store.close()


async def _postgres_texts(url: str, without: str) -> list[str]:
    database = await asyncpg.connect(url)
    try:
        tables = await database.fetch(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> $1",
            without,
        )
        rows = [row for table in tables for row in await database.fetch(f"SELECT t::text FROM {table[0]} t")]
    finally:
        await database.close()
    return [row[0] for row in rows]
