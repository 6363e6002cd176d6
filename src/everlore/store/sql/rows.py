"""The basic statements of a table, made from its description and cached."""

from collections.abc import Collection
from functools import cache
from typing import Any

from everlore.store.sql.flow import Dialect, Flow, ask
from everlore.store.tables import Table


@cache
def columns(table: Table) -> str:
    return ", ".join(table.names)


@cache
def upsert(table: Table) -> str:
    kept = {"workspace", "id", *table.counted}
    changed = ", ".join(f"{name} = excluded.{name}" for name in table.names if name not in kept)
    marks = ", ".join("?" * len(table.names))
    return (
        f"INSERT INTO {table.name} ({columns(table)}) VALUES ({marks}) "
        f"ON CONFLICT (workspace, id) DO UPDATE SET {changed}"
    )


def fetch(
    sql: Dialect, table: Table, workspace: str, ids: Collection[str], *, lock: bool = False
) -> Flow[dict[str, Any]]:
    """The records with these ids, by id."""
    if not ids:
        return {}
    rows = yield from ask(
        f"SELECT {columns(table)} FROM {table.name} WHERE workspace = ? AND {sql.among('id')}"
        + (sql.lock if lock else ""),
        workspace,
        sql.listed(ids),
    )
    records = [table.record_of(row) for row in rows]
    return {record.id: record for record in records}
