"""Reads records by id, by filter, and as of a time; finds missing vectors and orphans."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from everlore.domain.conversation import Message
from everlore.domain.memory import DUE, Memory
from everlore.domain.passage import PassageKind, passage_of
from everlore.domain.records import KINDS, MENTIONS
from everlore.domain.revision import Revision, Why
from everlore.domain.scope import Pair
from everlore.domain.visibility import present_at
from everlore.errors import NotFound
from everlore.store.answers import Cleanup, MessagePosition, Page, Unembedded
from everlore.store.audit import ChangeContext, of_gone
from everlore.store.checks import values_of
from everlore.store.pages import page_of, read_cursor
from everlore.store.port import Contains, Vector
from everlore.store.spans import spans_of
from everlore.store.sql import audit_log, passages, tallies
from everlore.store.sql.cascade import memory_from, remove
from everlore.store.sql.flow import Dialect, Flow, alone, ask
from everlore.store.sql.rows import columns, fetch
from everlore.store.tables import EITHER, TABLES, Column, Table, moment, seconds

_KIND_OF = {PassageKind(kind.__name__.lower()): kind for kind in KINDS if kind.__name__.lower() in set(PassageKind)}


@alone
def get(sql: Dialect, table: Table, workspace: str, id: str) -> Flow[Any]:
    found = yield from fetch(sql, table, workspace, [id])
    if not found:
        raise NotFound(f"There is no {table.kind.__name__} {id!r} in this workspace.")
    return found[id]


@alone
def get_many(sql: Dialect, table: Table, workspace: str, ids: Iterable[str]) -> Flow[list[Any]]:
    wanted = list(ids)
    found = yield from fetch(sql, table, workspace, wanted)
    return [found[id] for id in wanted if id in found]


@alone
def find(
    sql: Dialect,
    table: Table,
    workspace: str,
    where: Mapping[str, Any],
    *,
    limit: int,
    cursor: str | None,
    newest_first: bool,
) -> Flow[Page]:
    conditions, values = _conditions(sql, table, workspace, where)
    if cursor is not None:
        past = "<" if newest_first else ">"
        conditions.append(f"({table.order}, id) {past} (?, ?)")
        values += read_cursor(table, cursor)
    direction = "DESC" if newest_first else "ASC"
    rows = yield from ask(
        f"SELECT {columns(table)} FROM {table.name} WHERE {' AND '.join(['workspace = ?', *conditions])} "
        f"ORDER BY {table.order} {direction}, id {direction} LIMIT ?",
        workspace,
        *values,
        limit + 1,
    )
    records = [table.record_of(row) for row in rows]
    return page_of(table, records, limit)


# Exactly the condition of the index, or the database does not use the index.
_DUE = f"status = 'active' AND valid_to IS NULL AND (durability = 'identity' OR importance >= {DUE})"


@alone
def due(sql: Dialect, workspace: str, persons: Collection[str], limit: int) -> Flow[list[Memory]]:
    table = TABLES[Memory]
    rows = yield from ask(
        f"SELECT {columns(table)} FROM memories WHERE workspace = ? AND {_DUE} "
        f"AND persons <> '[]' AND {sql.holds_only('persons')} "
        "ORDER BY importance DESC, created_at DESC, id DESC LIMIT ?",
        workspace,
        sql.listed(persons),
        limit,
    )
    return [table.record_of(row) for row in rows]


@alone
def shared(sql: Dialect, workspace: str, pair: Pair, limit: int) -> Flow[list[Memory]]:
    table = TABLES[Memory]
    # The index of mentions includes earlier revisions; the present one decides.
    rows = yield from ask(
        f"SELECT {columns(table)} FROM memories WHERE workspace = ? AND status = 'active' AND valid_to IS NULL "
        "AND id IN (SELECT memory_id FROM mentions WHERE workspace = ? AND field = 'persons' AND target = ?) "
        "AND id IN (SELECT memory_id FROM mentions WHERE workspace = ? AND field = 'persons' AND target = ?) "
        f"AND {sql.holds('persons', '?')} AND {sql.holds('persons', '?')} AND {sql.holds_only('persons')} "
        "ORDER BY importance DESC, created_at DESC, id DESC LIMIT ?",
        *(workspace, workspace, pair.low, workspace, pair.high),
        *(pair.low, pair.high, sql.listed(pair)),
        limit,
    )
    return [table.record_of(row) for row in rows]


@alone
def count(sql: Dialect, table: Table, workspace: str, where: Mapping[str, Any]) -> Flow[int]:
    conditions, values = _conditions(sql, table, workspace, where)
    ((number,),) = yield from ask(
        f"SELECT COUNT(*) FROM {table.name} WHERE {' AND '.join(['workspace = ?', *conditions])}", workspace, *values
    )
    return int(number)


def _conditions(sql: Dialect, table: Table, workspace: str, where: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []
    for name, value in where.items():
        if isinstance(value, Contains):
            for part in value.parts:
                condition, patterns = sql.contains(name, part)
                conditions.append(condition)
                values += patterns
            continue
        wanted = [each for each in values_of(value) if each is not None]
        either = EITHER.get(table.kind, {}).get(name)
        if either is not None:
            each_of = [_one_of(sql, table.column(column), wanted) for column in either]
            conditions.append(f"({' OR '.join(condition for condition, _ in each_of)})")
            values += [each for _, fitting in each_of for each in fitting]
            continue
        if table.kind is Memory and name in MENTIONS and name not in table.filters:
            conditions.append(_mentions(sql, name))
            values += [workspace, name, sql.listed(wanted), sql.listed(wanted)]
        else:
            one_of, fitting = _one_of(sql, table.column(name), wanted)
            or_null = len(wanted) < len(values_of(value))
            conditions.append(f"({one_of} OR {name} IS NULL)" if or_null else one_of)
            values += fitting
    return conditions, values


def _one_of(sql: Dialect, column: Column, wanted: list[Any]) -> tuple[str, list[Any]]:
    """A condition and its values: the column is one of those `wanted` that are of its type."""
    number = column.affinity == "integer"
    fitting = [each if number else str(each) for each in wanted if isinstance(each, int) is number]
    if len(fitting) == 1:
        # Not a list of one: only with an equality on the first columns does PostgreSQL read a page in index order;
        # otherwise it sorts a whole conversation for its last few messages.
        return f"{column.name} = ?", fitting
    if number:
        return f"{column.name} IN ({', '.join('?' * len(fitting)) or 'NULL'})", fitting
    return sql.among(column.name), [sql.listed(fitting)]


def _mentions(sql: Dialect, name: str) -> str:
    # The index of mentions includes earlier revisions; the present one decides. The workspace is a value and not taken
    # from the row: otherwise the mentions of the person are listed again for each row.
    return (
        "id IN (SELECT memory_id FROM mentions WHERE mentions.workspace = ? "
        f"AND field = ? AND {sql.among('target')}) AND {sql.holds_any(name)}"
    )


def history(sql: Dialect, workspace: str, memory_id: str) -> Flow[list[Revision]]:
    yield from get(sql, TABLES[Memory], workspace, memory_id)
    return list((yield from histories(sql, workspace, [memory_id])).get(memory_id, ()))


def histories(sql: Dialect, workspace: str, memory_ids: Collection[str]) -> Flow[dict[str, tuple[Revision, ...]]]:
    """The earlier states of these memories, oldest first; memories without any are left out."""
    rows = yield from ask(
        "SELECT memory_id, number, since, until, changed_by, why, note, memory FROM revisions "
        f"WHERE workspace = ? AND {sql.among('memory_id')} ORDER BY number",
        workspace,
        sql.listed(memory_ids),
    )
    found: dict[str, tuple[Revision, ...]] = {}
    for memory_id, number, since, until, by, why, note, snapshot in rows:
        revision = Revision(
            workspace=workspace,
            memory_id=memory_id,
            number=number,
            since=moment(since),
            until=moment(until),
            by=by,
            why=Why(why),
            note=note,
            before=memory_from(snapshot),
        )
        found[memory_id] = (*found.get(memory_id, ()), revision)
    return found


def as_of(sql: Dialect, workspace: str, ids: Iterable[str], at: datetime) -> Flow[list[Memory]]:
    wanted = list(ids)
    present = yield from fetch(sql, TABLES[Memory], workspace, wanted)
    rows = yield from ask(
        "SELECT memory_id, memory FROM revisions "
        f"WHERE workspace = ? AND {sql.among('memory_id')} AND since <= ? AND ? < until",
        workspace,
        sql.listed(wanted),
        seconds(at),
        seconds(at),
    )
    then = {id: memory for id, memory in present.items() if memory.updated_at <= at}
    then |= {id: memory_from(snapshot) for id, snapshot in rows}
    return [then[id] for id in wanted if id in then]


@alone
def workspaces() -> Flow[list[str]]:
    rows = yield from ask("SELECT id FROM workspaces ORDER BY id")
    return [row[0] for row in rows]


def unembedded(sql: Dialect, workspace: str, model: str, *, after: int, limit: int) -> Flow[list[Unembedded]]:
    rows = yield from ask(
        "SELECT row, kind, ref FROM passages WHERE workspace = ? AND until IS NULL AND row > ? "
        "AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.workspace = passages.workspace "
        "AND vectors.row = passages.row AND vectors.model = ?) ORDER BY row LIMIT ?",
        workspace,
        after,
        model,
        limit,
    )
    texts: dict[tuple[str, str], str] = {}
    for kind in {row[1] for row in rows}:
        records = yield from fetch(
            sql, TABLES[_KIND_OF[PassageKind(kind)]], workspace, [row[2] for row in rows if row[1] == kind]
        )
        for id, record in records.items():
            passage = passage_of(record)
            if passage is not None:
                texts[kind, id] = passage.text
    return [Unembedded(row, texts[kind, ref]) for row, kind, ref in rows if (kind, ref) in texts]


def behind(
    sql: Dialect, workspace: str, passages: Iterable[tuple[PassageKind, str]], as_of_time: datetime | None
) -> Flow[dict[tuple[PassageKind, str], Any]]:
    """The records of passages, by kind and id; memories as they were at a time, if one is given."""
    refs: dict[PassageKind, list[str]] = {}
    for kind, ref in passages:
        refs.setdefault(kind, []).append(ref)
    records: dict[tuple[PassageKind, str], Any] = {}
    for kind, ids in refs.items():
        if kind is PassageKind.MEMORY and as_of_time is not None:
            found = yield from as_of(sql, workspace, ids, as_of_time)
        else:
            found = yield from get_many(sql, TABLES[_KIND_OF[kind]], workspace, ids)
        records |= {(kind, record.id): record for record in found}
    return records


@alone
def vectors(
    sql: Dialect, workspace: str, model: str, kind: PassageKind, refs: Iterable[str]
) -> Flow[dict[str, Vector]]:
    rows = yield from ask(
        "SELECT passages.ref, vec FROM passages JOIN vectors ON vectors.workspace = passages.workspace "
        "AND vectors.row = passages.row AND vectors.model = ? "
        f"WHERE passages.workspace = ? AND passages.kind = ? AND {sql.among('passages.ref')} "
        "AND passages.until IS NULL",
        model,
        workspace,
        kind.value,
        sql.listed(refs),
    )
    return {ref: sql.vector_from(vector) for ref, vector in rows}


@alone
def around(
    sql: Dialect, workspace: str, places: Iterable[MessagePosition], reach: int, knower_id: str | None
) -> Flow[list[Message]]:
    table = TABLES[Message]
    statement, values = sql.within(spans_of(places, reach), columns(table), workspace)
    rows = yield from ask(statement, *values)
    near = [message for message in map(table.record_of, rows) if passage_of(message) is not None]
    found = [message for message in near if knower_id is None or knower_id in present_at(message)]
    return sorted(found, key=lambda message: (message.conversation_id, message.seq))


_ORPHANED_VECTORS = (
    "vectors WHERE workspace = ? AND NOT EXISTS (SELECT 1 FROM passages "
    "WHERE passages.workspace = vectors.workspace AND passages.row = vectors.row)"
)
_OLD_KEYS = "jobs WHERE workspace = ? AND state = 'done' AND finished_at < ?"


def cleanup(sql: Dialect, occasion: ChangeContext, *, dry_run: bool, keys_before: datetime) -> Flow[Cleanup]:
    cleaning = _cleanup(sql, occasion, dry_run=dry_run, keys_before=keys_before)
    return (yield from tallies.counting(sql, occasion.scope.workspace, cleaning))


def _cleanup(sql: Dialect, occasion: ChangeContext, *, dry_run: bool, keys_before: datetime) -> Flow[Cleanup]:
    workspace = occasion.scope.workspace
    lonely = yield from _without_person(sql, workspace)
    orphans = yield from _orphaned_passages(workspace)
    ((vectors,),) = yield from ask(f"SELECT COUNT(*) FROM {_ORPHANED_VECTORS}", workspace)
    ((keys,),) = yield from ask(f"SELECT COUNT(*) FROM {_OLD_KEYS}", workspace, seconds(keys_before))
    if not dry_run:
        gone = yield from remove(sql, workspace, Memory, lonely)
        yield from audit_log.log(sql, occasion, of_gone(gone, note="cleanup"))
        yield from passages.remove(sql, workspace, sql.among("row"), sql.listed(orphans))
        yield from ask(f"DELETE FROM {_ORPHANED_VECTORS}", workspace)
        yield from ask(f"DELETE FROM {_OLD_KEYS}", workspace, seconds(keys_before))
        yield from sql.purge()
    return Cleanup(vectors, len(orphans), len(lonely), keys)


def _without_person(sql: Dialect, workspace: str) -> Flow[set[str]]:
    rows = yield from ask(
        "SELECT id FROM memories WHERE workspace = ? AND campaign_id IS NULL AND NOT EXISTS ("
        "SELECT 1 FROM mentions JOIN persons ON persons.workspace = mentions.workspace "
        "AND persons.id = mentions.target WHERE mentions.workspace = memories.workspace "
        "AND mentions.memory_id = memories.id AND mentions.field = 'persons' "
        f"AND {sql.holds('persons', 'persons.id')})",
        workspace,
    )
    return {row[0] for row in rows}


def _orphaned_passages(workspace: str) -> Flow[list[int]]:
    found: list[int] = []
    for passage, kind in _KIND_OF.items():
        rows = yield from ask(
            "SELECT row FROM passages WHERE workspace = ? AND kind = ? AND NOT EXISTS (SELECT 1 FROM "
            f"{TABLES[kind].name} AS owner WHERE owner.workspace = passages.workspace AND owner.id = passages.ref)",
            workspace,
            passage.value,
        )
        found += [row[0] for row in rows]
    return found
