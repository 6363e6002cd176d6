"""Reads a whole workspace row by row as of one moment: the part that both databases share (M13)."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol, TypeVar

from everlore.domain.counters import Counted
from everlore.domain.memory import Memory
from everlore.domain.setting import Setting
from everlore.store.export_order import CARRIED, LOCAL_SETTING, travelling
from everlore.store.port import ImportRecord
from everlore.store.sql.flow import Dialect, Flow, Row, Rows, ask
from everlore.store.sql.reads import histories
from everlore.store.sql.rows import columns
from everlore.store.sql.tallies import TOTAL
from everlore.store.tables import TABLES

T = TypeVar("T")
_PAGE = 200
_COUNTS = "FROM tallies WHERE workspace = ? AND kind = 'count' AND hour <> ? GROUP BY type, hour HAVING SUM(n) <> 0"


class Reader(Protocol):
    """A connection inside one read transaction."""

    async def run(self, flow: Flow[T]) -> T: ...

    def stream(self, sql: str, values: Sequence[Any], size: int) -> AsyncIterator[Rows]:
        """The rows of one statement, `size` at a time, never all in memory at once."""


class SqlSnapshot:
    def __init__(self, sql: Dialect, workspace: str, reader: Reader, schema: int) -> None:
        self._sql = sql
        self._workspace = workspace
        self._reader = reader
        self.schema = schema

    async def counts(self) -> dict[type[Any], int]:
        return {kind: await self._reader.run(_count(self._workspace, kind)) for kind in CARRIED}

    async def pages(self, kind: type[Any]) -> AsyncIterator[Sequence[ImportRecord]]:
        if kind is Counted:
            sql = f"SELECT type, hour, CAST(SUM(n) AS BIGINT) {_COUNTS} ORDER BY type{self._sql.in_code_order}, hour"
            async for rows in self._reader.stream(sql, (self._workspace, TOTAL), _PAGE):
                yield [ImportRecord(self._counted(row)) for row in rows]
            return
        table = TABLES[kind]
        # One at a time if a row may hold a whole picture.
        size = 1 if any(column.affinity == "blob" for column in table.columns) else _PAGE
        sql = f"SELECT {columns(table)} {_of(kind)} ORDER BY id{self._sql.in_code_order}"
        async for rows in self._reader.stream(sql, _values(self._workspace, kind), size):
            records = [travelling(table.record_of(row)) for row in rows]
            yield await self._with_history(records) if kind is Memory else [ImportRecord(record) for record in records]

    async def _with_history(self, memories: list[Memory]) -> list[ImportRecord]:
        changed = [memory.id for memory in memories if memory.revision > 1]
        earlier = await self._reader.run(histories(self._sql, self._workspace, changed)) if changed else {}
        return [ImportRecord(memory, earlier.get(memory.id, ())) for memory in memories]

    def _counted(self, row: Row) -> Counted:
        name, hour, number = row
        return Counted(workspace=self._workspace, name=name, hour=hour, number=number)


def _count(workspace: str, kind: type[Any]) -> Flow[int]:
    if kind is Counted:
        sql, values = f"SELECT COUNT(*) FROM (SELECT type {_COUNTS}) AS counted", (workspace, TOTAL)
    else:
        sql, values = f"SELECT COUNT(*) {_of(kind)}", _values(workspace, kind)
    ((number,),) = yield from ask(sql, *values)
    return int(number)


def _of(kind: type[Any]) -> str:
    return f"FROM {TABLES[kind].name} WHERE workspace = ?" + (" AND id <> ?" if kind is Setting else "")


def _values(workspace: str, kind: type[Any]) -> tuple[Any, ...]:
    return (workspace, LOCAL_SETTING) if kind is Setting else (workspace,)


def schema() -> Flow[int]:
    ((version,),) = yield from ask("SELECT MAX(version) FROM schema_versions")
    return int(version)
