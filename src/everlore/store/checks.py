"""Validates changes before any transaction: refuses wrong types, texts that no database can store, numbers out of
range, and records of another workspace.

The rules are declared with the fields in `domain/`; this module applies them. Start at `check_changes`.
"""

import typing
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import repeat
from operator import is_
from typing import Any, get_args

import numpy as np

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.bounds import Between, Chars
from everlore.domain.conversation import Message
from everlore.domain.counters import Counted
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.records import MENTIONS
from everlore.domain.revision import Revision
from everlore.domain.scope import Scope
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.errors import BadAsk, PreconditionFailed
from everlore.store.answers import MessagePosition, Notice
from everlore.store.field_checks import (
    MOST_ITEMS,
    Last,
    check_bounded,
    check_fields,
    check_plain,
    check_text,
    check_time,
    rules_for,
)
from everlore.store.permits import check_permits
from everlore.store.port import (
    Amend,
    Change,
    Contains,
    Delete,
    Embed,
    Enqueue,
    Expect,
    Finish,
    ImportRecord,
    Put,
    Release,
    Retry,
    Search,
)
from everlore.store.tables import EITHER, TABLES, Table

# From this many changes on, checking column by column pays off.
_BATCH = 20
_MOST_NOTICE_CHARS = 10_000_000
_MOST_QUERY_CHARS = 100_000
MOST_LIMIT = 10_000
_SEQ = Between(0, 10**12)
_REACH = Between(0, 1_000)
_CHANGES = get_args(Change)
_RECORDS: tuple[set[type[Any]], ...] = ({Put}, {ImportRecord})
_NOT_PUT: frozenset[type[Any]] = frozenset({AuditEntry})
# These kinds, and imported records, have rules beyond those of their fields.
_LOOKED_AT_CLOSELY: frozenset[type[Any]] = frozenset({Token, Webhook, Message})


def check_scope(scope: Scope) -> None:
    if not isinstance(scope, Scope):
        raise BadAsk(f"A Scope is needed, and this is {type(scope).__name__}. Build one with Scope(workspace).")
    check_text("Scope.workspace", scope.workspace, Chars(128, least=1))
    check_text("Scope.actor", scope.actor, Chars(128, least=1))


def check_changes(scope: Scope, changes: Sequence[Change]) -> None:
    check_scope(scope)
    check_permits(scope, changes)
    if _is_plain_batch(scope, changes):
        return
    last: Last = {}
    for change in changes:
        if not isinstance(change, _CHANGES):
            raise BadAsk(f"{change!r} is not a change. Pass Put, Delete, Enqueue or another change of the port.")
        check_fields(change, last)
        if isinstance(change, Put):
            _writable(type(change.record))
            check_fields(change.record, last)
            _check_workspace(scope, change.record)
        elif isinstance(change, ImportRecord):
            _check_brought(scope, change, last)
        elif isinstance(change, Enqueue | Finish | Retry | Release):
            check_fields(change.job, last)
            _check_workspace(scope, change.job)
        elif isinstance(change, Delete | Expect):
            _writable(change.kind)
        elif isinstance(change, Amend):
            _check_amendment(change)
        elif isinstance(change, Embed):
            _check_vectors(change)


def _is_plain_batch(scope: Scope, changes: Sequence[Change]) -> bool:
    """Whether these are many records of one kind that all pass the fast checks.

    Batches have millions of fields, and nearly all are right. If anything fails here, each record is checked by itself.
    """
    sorts = set(map(type, changes))
    if len(changes) < _BATCH or sorts not in _RECORDS:
        return False
    records = [typing.cast(Put, change).record for change in changes]
    kinds = set(map(type, records))
    if len(kinds) > 1 or not kinds <= TABLES.keys() - (_NOT_PUT if sorts == {Put} else _LOOKED_AT_CLOSELY):
        return False
    if sorts == {ImportRecord} and any(typing.cast(ImportRecord, change).history for change in changes):
        return False
    return (
        _are_plainly_right(changes)
        and _are_plainly_right(records)
        and all(record.workspace == scope.workspace for record in records)
    )


def _are_plainly_right(records: Sequence[Any]) -> bool:
    rules = rules_for(typing.cast(Hashable, type(records[0])))
    columns = zip(*map(rules.read, records), strict=True)
    return all(
        are_right(column[:1] if all(map(is_, column, repeat(column[0]))) else column)
        for are_right, column in zip(rules.all_plainly_right, columns, strict=True)
    )


def _writable(kind: type[Any]) -> Table:
    if kind is AuditEntry:
        raise BadAsk("The audit log is only ever written by the store itself. Change what it is about, and it follows.")
    return table_of(kind)


def check_brings(scope: Scope, brings: Sequence[ImportRecord]) -> None:
    if any(not isinstance(each, ImportRecord) for each in brings):
        raise BadAsk("Only what is to be brought can be weighed. Pass a list of Bring.")
    check_changes(scope, brings)


def _check_brought(scope: Scope, change: ImportRecord, last: Last) -> None:
    record = change.record
    if isinstance(record, Token):
        raise BadAsk("A token opens the database that made it, and no other. Make a new one there.")
    if isinstance(record, Webhook):
        raise BadAsk("A webhook belongs to the database that made it, and no other. Register it there.")
    if not isinstance(record, Counted):
        table_of(type(record))
    check_fields(record, last)
    _check_workspace(scope, record)
    if isinstance(record, Message) and not record.seq:
        raise BadAsk(f"Message {record.id!r} comes without its number in the conversation. Give it its seq.")
    _check_history(scope, change, last)


def _check_history(scope: Scope, change: ImportRecord, last: Last) -> None:
    memory = change.record
    if not change.history:
        return
    if not isinstance(memory, Memory):
        raise BadAsk(f"A {type(memory).__name__} has no history. Only memories have.")
    for revision in change.history:
        check_plain("one of Bring.history", revision, Revision)
        check_fields(revision, last)
        check_fields(revision.before, last)
        before = revision.before
        if {(revision.workspace, revision.memory_id), (before.workspace, before.id)} != {(scope.workspace, memory.id)}:
            raise BadAsk(f"The history of memory {memory.id!r} holds a state of another. Take it out.")
    numbers = [revision.number for revision in change.history]
    if numbers != sorted(set(numbers)) or numbers[-1] >= memory.revision or numbers[0] < 1:
        raise BadAsk(
            f"The history of memory {memory.id!r} has the numbers {numbers[:5]}…; they must rise, and be lower than "
            f"its revision, which is {memory.revision}."
        )


def _check_amendment(change: Amend) -> None:
    table = _writable(change.kind)
    if change.kind is Memory:
        raise BadAsk("A memory is not amended in place; put its next revision, so that the one before stays.")
    fixed = {"workspace", "id", "seq", *table.counted}
    for name in (*change.fields, *change.only_if):
        if name not in table.names or name in fixed:
            known = ", ".join(each for each in table.names if each not in fixed)
            raise BadAsk(f"{change.kind.__name__} has no {name!r} to amend. Possible: {known}.")


def check_expected(change: Expect, stored: Any) -> None:
    table = table_of(change.kind)
    counted = {*table.counted, "updated_at"}
    names = [each for each in table.names if each not in counted]
    is_there = change.record is not None and stored is not None
    is_same = all(getattr(change.record, each) == getattr(stored, each) for each in names) if is_there else False
    if not is_same and (change.record is not None or stored is not None):
        raise PreconditionFailed(
            f"{change.kind.__name__} {change.id!r} has changed since it was read. Read it again and repeat the change."
        )


def amended(change: Amend, stored: Any) -> Any:
    """The record after the change, checked, or None if the condition does not hold."""
    if any(getattr(stored, name) != value for name, value in change.only_if.items()):
        return None
    record = replace(stored, **change.fields)
    check_record(record)
    return record


def check_record(record: object) -> None:
    table_of(type(record))
    check_fields(record, {})


def check_search(ask: Search) -> None:
    check_text("Search.text", ask.text, Chars(_MOST_QUERY_CHARS))
    for name in ("limit", "pool"):
        value = getattr(ask, name)
        if not isinstance(value, int) or not 1 <= value <= MOST_LIMIT:
            raise BadAsk(f"Search.{name} is {value!r}; give a whole number from 1 to {MOST_LIMIT}.")
    if ask.vector is not None:
        if ask.model is None:
            raise BadAsk("Search.vector needs Search.model: the name of the model that made it.")
        if ask.vector.ndim != 1 or not np.isfinite(ask.vector).all():
            raise BadAsk("Search.vector must be one row of finite numbers.")
    for name in (
        "person_id",
        "knower_id",
        "unknown_to",
        "open_of",
        "conversation_id",
        "private_in",
        "campaign_id",
        "model",
    ):
        value = getattr(ask, name)
        if value is not None:
            check_text(f"Search.{name}", value)
    for name in ("persons", "besides", "without", "refs", "visibilities", "runs", "plays", "canon_of"):
        value = getattr(ask, name)
        if value is not None:
            _check_set(f"Search.{name}", value)
    check_plain("Search.with_spoilers", ask.with_spoilers, bool)
    for at in (ask.since, ask.until, ask.as_of):
        if at is not None:
            check_time("a time of Search", at)


def check_timeline(
    scope: Scope,
    person_id: str | None,
    since: datetime | None,
    until: datetime | None,
    types: frozenset[str],
    limit: int,
) -> None:
    check_scope(scope)
    if person_id is not None:
        check_text("person_id", person_id)
    for name, at in (("since", since), ("until", until)):
        if at is not None:
            check_time(name, at)
    _check_set("types", types)
    check_limit(limit)


def check_tallies(scope: Scope, since: datetime | None) -> None:
    check_scope(scope)
    if since is not None:
        check_time("since", since)


def check_vectors_of(scope: Scope, model: str, kind: PassageKind, refs: Sequence[str]) -> None:
    check_scope(scope)
    check_text("model", model)
    check_plain("kind", kind, PassageKind)
    check_ids(refs)


def check_around(scope: Scope, places: Sequence[MessagePosition], reach: int, knower_id: str | None) -> None:
    check_scope(scope)
    if len(places) > MOST_ITEMS:
        raise BadAsk(f"There are {len(places):,} places; the most is {MOST_ITEMS:,}. Ask for some at a time.")
    for place in places:
        if not isinstance(place, MessagePosition):
            raise BadAsk(f"{place!r:.100} is no position; give MessagePosition(conversation_id, seq).")
        check_text("Place.conversation_id", place.conversation_id)
        check_bounded("Place.seq", place.seq, int, _SEQ)
    check_bounded("reach", reach, int, _REACH)
    if knower_id is not None:
        check_text("knower_id", knower_id)


def check_known(scope: Scope, knower_id: str, as_of: datetime | None, limit: int) -> None:
    check_scope(scope)
    check_text("knower_id", knower_id)
    if as_of is not None:
        check_time("as_of", as_of)
    check_limit(limit)


def _check_set(name: str, values: object) -> None:
    # A string would pass as a set of its letters.
    if not isinstance(values, set | frozenset):
        raise BadAsk(f"{name} is a {type(values).__name__}; it must be a set of texts.")
    if len(values) > MOST_ITEMS:
        raise BadAsk(f"{name} has {len(values):,} items; the most is {MOST_ITEMS:,}.")
    for each in values:
        check_text(f"one of {name}", each)


def check_due(scope: Scope, persons: Collection[str], limit: int) -> None:
    check_scope(scope)
    check_ids(list(persons))
    check_limit(limit)


def check_find(scope: Scope, table: Table, where: Mapping[str, Any], limit: int) -> None:
    check_scope(scope)
    check_where(table, where)
    check_limit(limit)


def check_limit(limit: object) -> None:
    if not isinstance(limit, int) or not 1 <= limit <= MOST_LIMIT:
        raise BadAsk(f"limit is {limit!r}; give a whole number from 1 to {MOST_LIMIT}.")


def check_notices(scope: Scope, notices: Sequence[Notice], before: datetime) -> None:
    check_scope(scope)
    check_time("before", before)
    for each in notices:
        check_text("Notice.origin", each.origin)
        check_text("Notice.body", each.body, Chars(_MOST_NOTICE_CHARS))
        check_time("Notice.at", each.at)


def check_listener(scope: Scope, process: str, at: datetime | None = None) -> None:
    check_scope(scope)
    check_text("process", process)
    if at is not None:
        check_time("until", at)


def check_ids(ids: Sequence[str]) -> None:
    for id in ids:
        check_text("id", id)


def check_where(table: Table, where: Mapping[str, Any]) -> None:
    known = {*table.filters, *EITHER.get(table.kind, ()), *(MENTIONS if table.kind is Memory else ())}
    for name, value in where.items():
        if isinstance(value, Contains):
            _check_contains(table, name, value)
            continue
        if name not in known:
            raise BadAsk(
                f"{table.name} cannot be filtered by {name!r}. Possible: {', '.join(sorted(known)) or 'none'}."
            )
        for each in values_of(value):
            if isinstance(each, str):
                check_text(name, each)
            elif not (each is None or isinstance(each, int)):
                raise BadAsk(f"The filter {name!r} is {each!r}; give a text, a whole number or None.")


def _check_contains(table: Table, name: str, value: Contains) -> None:
    if (table.kind, name) != (Message, "content"):
        raise BadAsk(f"{table.name} cannot be searched by a part of {name!r}; only the content of messages can.")
    if not value.parts:
        raise BadAsk("There is no text to search for. Give at least one part.")
    for part in value.parts:
        check_text(name, part, Chars(4_000, least=1))


def values_of(value: Any) -> list[Any]:
    """The values of a filter, which is one value or a collection."""
    return list(value) if isinstance(value, set | frozenset | list | tuple) else [value]


def table_of(kind: type[Any]) -> Table:
    table = TABLES.get(kind)
    if table is None:
        names = ", ".join(sorted(each.__name__ for each in TABLES))
        raise BadAsk(f"{getattr(kind, '__name__', kind)!r} is not a kind of record. Known: {names}.")
    return table


def _check_workspace(scope: Scope, record: Any) -> None:
    if record.workspace != scope.workspace:
        raise BadAsk(
            f"{type(record).__name__} {record.id!r} belongs to workspace {record.workspace!r}, and the scope is "
            f"{scope.workspace!r}. Write it with a scope of its own workspace."
        )


def _check_vectors(change: Embed) -> None:
    vectors: Any = change.vectors
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or len(vectors) != len(change.rows):
        raise BadAsk(
            f"Embed has {len(change.rows)} rows and vectors of shape {np.shape(vectors)}; give one each, as an array."
        )
    if not np.isfinite(vectors).all():
        raise BadAsk(f"Model {change.model!r} gave a vector with a number that is not finite; nothing was kept.")
