"""Counts of records by kind and hour, read from a table that is kept up to date (C9).

A write that runs inside `counting` updates the table at its end, in the same transaction. New rows are counted as they
pass. Whatever changes or deletes counted rows says so, with `changed`, `removed` or `tally`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import floor
from typing import Any, TypeVar

from everlore.store.answers import Coverage, KindCount
from everlore.store.sql.flow import Dialect, Flow, NewRows, Rows, add, alone, ask, columns_of
from everlore.store.tables import Table, seconds

T = TypeVar("T")
# The key of the rows with totals, in place of an hour. It is far earlier than any time that can be stored.
TOTAL = -1_000_000_000
_HOUR_S = 3600
_COLUMNS = ("hour", "kind", "type", "n")
Key = tuple[int, str, str]
# The kind under which the rows of a table are counted, and the columns of their type and their time. A new passage is
# always of the present.
_COUNTS: dict[str, tuple[tuple[str, str | None, str | None], ...]] = {
    "memories": (("memory", "type", "created_at"), ("status", "status", None)),
    "events": (("event", "type", "at"),),
    "messages": (("message", "author", "created_at"),),
    "conversations": (("conversation", None, None),),
    "summaries": (("summary", None, "created_at"),),
    "misses": (("miss", None, "created_at"),),
    "passages": (("passage", None, None),),
}


def hour_of(at: datetime) -> int:
    """Whole hours since 1970, rounded down."""
    return floor(seconds(at) / _HOUR_S)


def counting(sql: Dialect, workspace: str, flow: Flow[T]) -> Flow[T]:
    """Run a flow, then add what it counted to the table: last and in one order, so that writers hardly ever wait."""
    counts: Counter[Key] = Counter()
    try:
        statement = next(flow)
        while True:
            answer: Rows = ()
            if isinstance(statement, NewRows):
                for key, number in _counted(statement):
                    counts[key] += number
            if not isinstance(statement, NewRows) or statement.table != "tallies":
                answer = yield statement
            statement = flow.send(answer)
    except StopIteration as end:
        value: T = end.value
        yield from sql.count([(workspace, *key, number) for key, number in sorted(counts.items()) if number])
        return value


def tally(kind: str, type: str, number: int, hour: int = TOTAL) -> Flow[None]:
    """So many more, or fewer: in total, and in an hour if one is given."""
    yield from add("tallies", columns_of(_COLUMNS, [(each, kind, type, number) for each in {TOTAL, hour}]))


def changed(table: Table, pairs: Iterable[tuple[Any, Any]]) -> Flow[None]:
    """Count (before, after) records under what they are now; those without a before are counted as new rows."""
    names = counted_columns(table)
    known = [pair for pair in pairs if names and pair[0] is not None]
    for sign, records in zip((-1, 1), zip(*known, strict=True), strict=False):
        yield from _tally(sign, NewRows(table.name, {name: table.column(name).cells(records) for name in names}))


def removed(table: Table, rows: Rows) -> Flow[None]:
    """Count deleted rows, given their `counted_columns`."""
    yield from _tally(-1, NewRows(table.name, columns_of(counted_columns(table), rows)))


def counted_columns(table: Table) -> Sequence[str]:
    """The columns by which the rows of a table are counted; none if they are not."""
    counts = _COUNTS.get(table.name, ())
    return [*dict.fromkeys(name or "workspace" for _, *columns in counts for name in (*columns, None))]


def _tally(sign: int, rows: NewRows) -> Flow[None]:
    counted = _counted(rows) if rows.columns else ()
    yield from add("tallies", columns_of(_COLUMNS, [(*key, sign * number) for key, number in counted]))


def _counted(new: NewRows) -> Iterator[tuple[Key, int]]:
    if new.table == "tallies":
        yield from (((hour, kind, type), number) for hour, kind, type, number in new.rows())
    for kind, type_column, time_column in _COUNTS.get(new.table, ()):
        types = new.columns[type_column] if type_column else [""] * len(new)
        yield from (((TOTAL, kind, type), number) for type, number in Counter(types).items())
        if time_column:
            hours = [floor(at / _HOUR_S) for at in new.columns[time_column]]
            keys = Counter(zip(hours, types, strict=True))
            yield from (((hour, kind, type), number) for (hour, type), number in keys.items())


@alone
def tallies(workspace: str, since: datetime | None) -> Flow[list[KindCount]]:
    rows = yield from ask(
        "SELECT kind, type, CAST(SUM(n) AS BIGINT), hour FROM tallies "
        f"WHERE workspace = ? AND hour {'=' if since is None else '>='} ? "
        "GROUP BY kind, type, hour HAVING SUM(n) <> 0",
        workspace,
        TOTAL if since is None else hour_of(since),
    )
    found = [KindCount(kind, type, number, None if hour == TOTAL else hour) for kind, type, number, hour in rows]
    # Sorted here because each database sorts non-ASCII text in its own way.
    return sorted(found, key=lambda tally: (tally.kind, tally.type, tally.hour or 0))


@alone
def coverage(workspace: str, model: str) -> Flow[Coverage]:
    rows = yield from ask(
        "SELECT kind, CAST(SUM(n) AS BIGINT) FROM tallies WHERE workspace = ? AND hour = ? "
        "AND ((kind = 'passage' AND type = '') OR (kind = 'vector' AND type = ?)) GROUP BY kind",
        workspace,
        TOTAL,
        model,
    )
    found = {row[0]: row[1] for row in rows}
    return Coverage(found.get("passage", 0), found.get("vector", 0))
