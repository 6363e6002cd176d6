"""Deleting a record, all that it owns, and every mention of any of them (M9).

`domain/records.py` declares which records own which. Start at `delete`.
"""

import json
from collections.abc import Callable
from typing import Any

from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.records import (
    KINDS,
    LOOSENED,
    MENTIONS,
    OWNED,
    ForeignKey,
    Record,
    past_without,
    without,
    without_persons,
    wordless,
)
from everlore.errors import NotFound
from everlore.store.sql import appearances, mentions, notices, passages, tallies
from everlore.store.sql.flow import Dialect, Flow, ask, tell_many
from everlore.store.sql.rows import fetch, upsert
from everlore.store.tables import TABLES, to_json

Gone = dict[type[Record], set[str]]
_PASSAGE_KINDS = {kind.value for kind in PassageKind}


def delete(sql: Dialect, workspace: str, kind: type[Record], id: str, *, keeps_past: bool = False) -> Flow[Gone]:
    found = yield from fetch(sql, TABLES[kind], workspace, [id], lock=True)
    if not found:
        raise NotFound(f"There is no {kind.__name__} {id!r} in this workspace; nothing was deleted.")
    return (yield from remove(sql, workspace, kind, {id}, keeps_past=keeps_past))


def remove(sql: Dialect, workspace: str, kind: type[Record], ids: set[str], *, keeps_past: bool = False) -> Flow[Gone]:
    """Delete these and all that belongs to them; returns what was deleted."""
    gone: Gone = {}
    yield from _collect(sql, workspace, kind, ids, gone)
    yield from _scrub_memories(sql, workspace, gone, keeps_past=keeps_past)
    yield from _scrub_events(sql, workspace, gone.get(Person, set()))
    for tie in LOOSENED:
        if gone.get(tie.parent):
            yield from _loosen(sql, workspace, tie, gone[tie.parent])
    yield from notices.forget(sql, workspace, gone.get(Conversation, set()), gone.get(Message, set()))
    # Children first: foreign keys keep a parent as long as it has children.
    for each in reversed(KINDS):
        if gone.get(each):
            yield from _remove_rows(sql, workspace, each, gone[each])
    return gone


def _loosen(sql: Dialect, workspace: str, tie: ForeignKey, ids: set[str]) -> Flow[None]:
    table = TABLES[tie.child]
    rows = yield from ask(
        f"UPDATE {table.name} SET {tie.column} = NULL WHERE workspace = ? AND {sql.among(tie.column)} RETURNING id",
        workspace,
        sql.listed(ids),
    )
    if tie.child.__name__.lower() in _PASSAGE_KINDS:
        kind = PassageKind(tie.child.__name__.lower())
        yield from passages.rescope(sql, workspace, kind, [row[0] for row in rows], {tie.parent: ids})


def _collect(sql: Dialect, workspace: str, kind: type[Record], ids: set[str], gone: Gone) -> Flow[None]:
    new = ids - gone.get(kind, set())
    if not new:
        return
    gone.setdefault(kind, set()).update(new)
    for tie in OWNED:
        if tie.parent is kind:
            rows = yield from ask(
                f"SELECT id FROM {TABLES[tie.child].name} WHERE workspace = ? AND {sql.among(tie.column)}",
                workspace,
                sql.listed(new),
            )
            yield from _collect(sql, workspace, tie.child, {row[0] for row in rows}, gone)


def _remove_rows(sql: Dialect, workspace: str, kind: type[Record], ids: set[str]) -> Flow[None]:
    table = TABLES[kind]
    listed = sql.listed(ids)
    if kind is Memory:
        for name in ("revisions", "mentions"):
            yield from ask(f"DELETE FROM {name} WHERE workspace = ? AND {sql.among('memory_id')}", workspace, listed)
    if kind.__name__.lower() in _PASSAGE_KINDS:
        yield from passages.remove(sql, workspace, f"kind = ? AND {sql.among('ref')}", kind.__name__.lower(), listed)
    yield from _remove_jobs(sql, workspace, kind, ids)
    counted = ", ".join(tallies.counted_columns(table))
    rows = yield from ask(
        f"DELETE FROM {table.name} WHERE workspace = ? AND {sql.among('id')}" + (counted and f" RETURNING {counted}"),
        workspace,
        listed,
    )
    yield from tallies.removed(table, rows)


def _remove_jobs(sql: Dialect, workspace: str, kind: type[Record], ids: set[str]) -> Flow[None]:
    subjects = sql.listed(f"{TABLES[kind].name}/{id}" for id in ids)
    yield from ask(f"DELETE FROM jobs WHERE workspace = ? AND {sql.among('subject')}", workspace, subjects)
    if kind is Conversation:
        yield from ask(f"DELETE FROM jobs WHERE workspace = ? AND {sql.among('lane')}", workspace, sql.listed(ids))


def _scrub_memories(sql: Dialect, workspace: str, gone: Gone, *, keeps_past: bool) -> Flow[None]:
    """Remove the deleted ids from the remaining memories, in their present and their earlier states."""
    touched: set[str] = set()
    for name, kind in MENTIONS.items():
        if gone.get(kind):
            touched |= yield from mentions.forget(sql, workspace, name, gone[kind])
    touched -= gone.get(Memory, set())
    if not touched:
        return
    memories = yield from fetch(sql, TABLES[Memory], workspace, touched, lock=True)
    left_of = without if keeps_past else wordless
    kept = [left_of(memory, gone) for memory in memories.values()]
    # An unchanged memory may have named it in an earlier state: its passages need an update, but its row does not.
    yield from _write_over(Memory, [(memories[each.id], each) for each in kept if each is not memories[each.id]])
    yield from _scrub_revisions(sql, workspace, touched, gone, without if keeps_past else past_without)
    yield from passages.rescope(sql, workspace, PassageKind.MEMORY, touched, gone)


def _scrub_revisions(
    sql: Dialect, workspace: str, memory_ids: set[str], gone: Gone, left_of: Callable[[Memory, Gone], Memory | None]
) -> Flow[None]:
    rows = yield from ask(
        "SELECT memory_id, number, since, until, memory FROM revisions "
        f"WHERE workspace = ? AND {sql.among('memory_id')}",
        workspace,
        sql.listed(memory_ids),
    )
    for memory_id, number, since, until, snapshot in rows:
        before = memory_from(snapshot)
        kept = left_of(before, gone)
        if kept is None:
            yield from ask(
                "DELETE FROM revisions WHERE workspace = ? AND memory_id = ? AND number = ?",
                workspace,
                memory_id,
                number,
            )
            yield from passages.forget_past(workspace, memory_id, since, until)
        elif kept is not before:
            yield from ask(
                "UPDATE revisions SET memory = ? WHERE workspace = ? AND memory_id = ? AND number = ?",
                snapshot_of(kept),
                workspace,
                memory_id,
                number,
            )


def _scrub_events(sql: Dialect, workspace: str, persons: set[str]) -> Flow[None]:
    """Remove deleted persons from events."""
    if not persons:
        return
    appeared = yield from appearances.forget(sql, workspace, persons)
    events = yield from fetch(sql, TABLES[Event], workspace, appeared, lock=True)
    yield from _write_over(Event, [(event, without_persons(event, persons)) for event in events.values()])
    yield from passages.rescope(sql, workspace, PassageKind.EVENT, appeared, {Person: persons})


def forget_workspace(sql: Dialect, workspace: str) -> Flow[None]:
    """Delete every row of a workspace. Foreign keys are checked when the transaction ends, so the order is free."""
    yield from ask("DELETE FROM workspaces WHERE id = ?", workspace)
    # Vectors and appearances are deleted with what they belong to.
    beside = ("revisions", "mentions", "passages", "jobs", "queues", "live_notices", "live_listeners", "tallies")
    for name in (*beside, *(table.name for table in TABLES.values())):
        yield from ask(f"DELETE FROM {name} WHERE workspace = ?", workspace)
    yield from sql.purge()


def _write_over(kind: type[Record], pairs: list[tuple[Any, Any]]) -> Flow[None]:
    table = TABLES[kind]
    yield from tell_many(upsert(table), [table.row_of(after) for _, after in pairs])
    yield from tallies.changed(table, pairs)


def snapshot_of(memory: Memory) -> str:
    table = TABLES[Memory]
    return to_json(dict(zip(table.names, table.row_of(memory), strict=True)))


def memory_from(snapshot: str) -> Memory:
    """Fields that a later version added get their defaults."""
    cells: dict[str, Any] = json.loads(snapshot)
    columns = {column.name: column for column in TABLES[Memory].columns}
    return Memory(**{name: columns[name].decode(cell) for name, cell in cells.items() if name in columns})
