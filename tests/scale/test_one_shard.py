"""Every statement about a workspace runs on one shard: nothing is asked of the other nodes."""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.postgres import connection
from everlore.store.postgres.store import PostgresStore
from everlore.store.sql.flow import NewRows, SqlStatement, insert
from tests.contract.drivers import CHANGES, METHODS, inhabit
from tests.postgres import Server

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

# What touches more than one shard, by its beginning, and why.
ELSEWHERE = {
    "SELECT id FROM workspaces ORDER BY id": "lists all workspaces, for an administrator",
    "SELECT id FROM workspaces WHERE EXISTS": "finds the workspaces with work, each shard by itself",
}
_TASKS = re.compile(r"Task Count: (\d+)")
Statements = dict[str, Sequence[Any]]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """Each statement that the store runs, with the values of its first time."""
    seen: Statements = {}
    execute = connection._execute

    async def noted(database: Any, statement: SqlStatement | NewRows) -> Any:
        if isinstance(statement, NewRows):
            statement = SqlStatement(insert(statement.table, statement.names), statement.rows(), many=True)
        if statement.values or not statement.many:
            seen.setdefault(statement.sql, statement.values[0] if statement.many else statement.values)
        return await execute(database, statement)

    monkeypatch.setattr(connection, "_execute", noted)
    return seen


@pytest.fixture
async def url(postgres: Server) -> AsyncIterator[str]:
    async with postgres.emptied_database() as url:
        yield url


async def test_each_statement_of_the_store_touches_one_shard(url: str, statements: Statements) -> None:
    """Every method and every change of the port, planned by the cluster itself."""
    store = await PostgresStore.open(url, StoreSettings(), clock=lambda: datetime.now(UTC))
    for kind, make in CHANGES.items():
        scope = Scope(f"change {kind.__name__}")
        there = await inhabit(store, scope)
        await store.apply(scope, [make(scope, there)])
    for name, drive in METHODS.items():
        scope = Scope(f"method {name}")
        await drive(store, scope, await inhabit(store, scope))
    await store.workspaces()
    await store.workspaces(with_work_at=datetime.now(UTC))
    await store.close()

    shards = await _shards(url, statements)
    several = {sql for sql, count in shards.items() if count > 1}
    one = sum(count == 1 for count in shards.values())
    print(f"{len(shards)} statements: {one} touch one shard, {len(several)} several, the rest none")
    assert one > 100
    assert {sql for sql in several if not sql.startswith(tuple(ELSEWHERE))} == set()
    assert len(several) == len(ELSEWHERE)


async def _shards(url: str, statements: Statements) -> dict[str, int]:
    database = await asyncpg.connect(url)
    await connection.prepare_connection(database)
    found: dict[str, int] = {}
    for sql, values in statements.items():
        plan = await database.fetch(f"EXPLAIN (COSTS OFF) {connection.numbered(sql)}", *values)
        found[sql] = sum(int(count) for row in plan for count in _TASKS.findall(row[0]))
    await database.close()
    return found
