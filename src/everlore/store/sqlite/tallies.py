"""Counts new rows (C9): one number per kind, type and hour.

PostgreSQL does this in triggers that see a whole statement. SQLite has only row triggers, and counting a batch row by
row took as long as storing its memories.
"""

from collections import Counter
from collections.abc import Iterator
from math import floor
from typing import NamedTuple

from everlore.store.sql.flow import NewRows
from everlore.store.tallies import HOUR_S, TOTAL

ADD = (
    "INSERT INTO tallies (workspace, hour, kind, type, n) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (workspace, hour, kind, type) DO UPDATE SET n = n + excluded.n"
)
Added = tuple[str, int, str, str, int]


class _Count(NamedTuple):
    """How the rows of a table are counted, and by which of its columns."""

    kind: str
    type: str | None = None
    at: str | None = None


_COUNTS: dict[str, tuple[_Count, ...]] = {
    "memories": (_Count("memory", "type", "created_at"), _Count("status", "status")),
    "events": (_Count("event", "type", "at"),),
    "messages": (_Count("message", "author", "created_at"),),
    "conversations": (_Count("conversation"),),
    "summaries": (_Count("summary", at="created_at"),),
    "misses": (_Count("miss", at="created_at"),),
    "passages": (_Count("passage"),),
}


def added_by(new: NewRows) -> Iterator[Added]:
    """All rows of a transaction are of one workspace."""
    for count in _COUNTS.get(new.table, ()):
        workspace = new.columns["workspace"][0]
        types = new.columns[count.type] if count.type else [""] * len(new)
        for type, number in Counter(types).items():
            yield workspace, TOTAL, count.kind, type, number
        if count.at:
            hours = [floor(at / HOUR_S) for at in new.columns[count.at]]
            for (type, hour), number in Counter(zip(types, hours, strict=True)).items():
                yield workspace, hour, count.kind, type, number
