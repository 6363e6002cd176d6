"""Which persons were in which events: finds the events of a person in order of time (K5, M9).

The table copies the columns that the timeline filters by. Foreign keys delete a row with its event and its person.
"""

from collections.abc import Collection, Iterable
from typing import Any

from everlore.domain.event import Event
from everlore.domain.records import persons_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, columns_of, tell_many
from everlore.store.tables import seconds

_COLUMNS = ("workspace", "event_id", "person_id", "type", "state", "at", "ended_at")
_KEY = 3


def keep(changed: Iterable[tuple[Event | None, Event]]) -> Flow[None]:
    """Update the rows of (before, after) events."""
    old: dict[tuple[Any, ...], None] = {}
    new: dict[tuple[Any, ...], None] = {}
    for before, after in changed:
        old |= dict.fromkeys(_rows(before) if before is not None else ())
        new |= dict.fromkeys(_rows(after))
    yield from tell_many(
        "DELETE FROM appearances WHERE workspace = ? AND event_id = ? AND person_id = ?",
        [row[:_KEY] for row in old if row not in new],
    )
    yield from add("appearances", columns_of(_COLUMNS, [row for row in new if row not in old]))


def forget(sql: Dialect, workspace: str, persons: Collection[str]) -> Flow[set[str]]:
    """Delete all appearances of these persons; returns the events they were in."""
    rows = yield from ask(
        f"DELETE FROM appearances WHERE workspace = ? AND {sql.among('person_id')} RETURNING event_id",
        workspace,
        sql.listed(persons),
    )
    return {row[0] for row in rows}


def _rows(event: Event) -> list[tuple[Any, ...]]:
    ended_at = None if event.ended_at is None else seconds(event.ended_at)
    rest = (event.type.value, event.state.value, seconds(event.at), ended_at)
    return [(event.workspace, event.id, person, *rest) for person in persons_of(event)]
