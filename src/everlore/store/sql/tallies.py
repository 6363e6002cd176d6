"""Counts of records by kind and hour, read from a table that is kept up to date (C9).

Triggers update the table, so that no deletion or change is missed; new rows are counted in the statement that adds
them. Counters without records are updated here.
"""

from collections.abc import Mapping
from datetime import datetime

from everlore.store.answers import Coverage, KindCount
from everlore.store.sql.flow import Dialect, Flow, alone, ask, tell_many
from everlore.store.tallies import TOTAL, hour_of


def count(sql: Dialect, workspace: str, counted: Mapping[str, int], at: datetime) -> Flow[None]:
    hours = (TOTAL, hour_of(at))
    rows = [(workspace, hour, name, more) for name, more in counted.items() for hour in hours]
    yield from tell_many(sql.count, rows)


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
