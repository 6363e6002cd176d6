"""Events by person and time, newest first: the timeline (K5).

First the events that start in the requested period, then those that start earlier and reach into it. Both are read from
an index in order. Start at `timeline`.
"""

from datetime import datetime
from typing import Any

from everlore.domain.event import Event
from everlore.store.answers import Page
from everlore.store.pages import page_of, read_cursor
from everlore.store.sql.flow import Dialect, Flow, ask
from everlore.store.sql.reads import get_many
from everlore.store.tables import TABLES, seconds

Condition = tuple[str, list[Any]]
# The first half must be exactly the condition of the index, or the index is not used.
_LASTED = "(ended_at IS NOT NULL OR state = 'in_progress') AND (ended_at IS NULL OR ended_at > ?)"


def timeline(
    sql: Dialect,
    workspace: str,
    *,
    person_id: str | None,
    since: datetime | None,
    until: datetime | None,
    types: frozenset[str],
    limit: int,
    cursor: str | None,
) -> Flow[Page]:
    table, id = ("events", "id") if person_id is None else ("appearances", "event_id")
    asked: list[Condition] = [("workspace = ?", [workspace])]
    if person_id is not None:
        asked.append(("person_id = ?", [person_id]))
    if types:
        asked.append((sql.among("type"), [sql.listed(types)]))
    if until is not None:
        asked.append(("at < ?", [seconds(until)]))
    if cursor is not None:
        asked.append((f"(at, {id}) < (?, ?)", read_cursor(TABLES[Event], cursor)))
    ids: list[str] = []
    for began in _parts(since, until):
        if len(ids) <= limit:
            ids += yield from _newest(table, id, [*asked, *began], limit + 1 - len(ids))
    events = yield from get_many(sql, TABLES[Event], workspace, ids)
    return page_of(TABLES[Event], events, limit)


def _parts(since: datetime | None, until: datetime | None) -> list[list[Condition]]:
    """The conditions of the two reads: all events of the first start later than any of the second."""
    if since is None:
        return [[]]
    if until is not None and until <= since:
        return []
    at = seconds(since)
    return [[("at >= ?", [at])], [("at < ?", [at]), (_LASTED, [at])]]


def _newest(table: str, id: str, conditions: list[Condition], limit: int) -> Flow[list[str]]:
    rows = yield from ask(
        f"SELECT {id} FROM {table} WHERE {' AND '.join(condition for condition, _ in conditions)} "
        f"ORDER BY at DESC, {id} DESC LIMIT ?",
        *(value for _, values in conditions for value in values),
        limit,
    )
    return [row[0] for row in rows]
