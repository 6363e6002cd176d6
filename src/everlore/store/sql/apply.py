"""Writing: turns a list of changes into statements, all in the one transaction that the store opened.

Consecutive changes of one type to records of one kind are written together, which makes batches fast. Start at `apply`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.job import embed_job
from everlore.domain.memory import Memory
from everlore.domain.records import LOOSENED, MENTIONS, OWNED, Record, targets_of
from everlore.domain.revision import may_become
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store import audit
from everlore.store.audit import ChangeContext
from everlore.store.checks import amended, check_expected
from everlore.store.port import (
    Amend,
    Change,
    Count,
    Delete,
    DropVectors,
    Embed,
    Enqueue,
    Expect,
    Finish,
    ImportRecord,
    PauseQueue,
    Put,
    Release,
    Retry,
    Revive,
    Touch,
)
from everlore.store.sql import appearances, audit_log, import_records, mentions, passages, queue, tallies
from everlore.store.sql.cascade import delete, snapshot_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, tell_many
from everlore.store.sql.rows import fetch, upsert
from everlore.store.sql.work import Work
from everlore.store.tables import TABLES, seconds

# References of records other than memories that must exist when the transaction ends.
_TIES = OWNED + LOOSENED


def apply(sql: Dialect, occasion: ChangeContext, changes: Sequence[Change]) -> Flow[list[Any]]:
    if not changes:
        return []
    return (yield from tallies.counting(sql, occasion.scope.workspace, _apply(sql, occasion, changes)))


def _apply(sql: Dialect, occasion: ChangeContext, changes: Sequence[Change]) -> Flow[list[Any]]:
    workspace = occasion.scope.workspace
    work = Work(sql, occasion, workspace)
    yield from ask("INSERT INTO workspaces (id) VALUES (?) ON CONFLICT (id) DO NOTHING", workspace)
    results: list[Any] = []
    for run in _runs(changes):
        results += yield from _step(work, run)
    yield from _check_named(work)
    yield from _ask_for_vectors(work)
    yield from audit_log.log(sql, occasion, work.entries)
    if any(isinstance(change, Delete) for change in changes):
        yield from sql.purge()
    return results


def _runs(changes: Sequence[Change]) -> Iterator[list[Any]]:
    """Groups consecutive changes of the same kind; a second change to the same record starts a new group."""
    for (change, _), group in groupby(changes, key=_run_key):
        run: list[Any] = list(group)
        if change not in (Put, ImportRecord) or len({each.record.id for each in run}) == len(run):
            yield run
        else:
            yield from _parted(run)


def _parted(changes: list[Any]) -> Iterator[list[Any]]:
    run: dict[str, Any] = {}
    for change in changes:
        if change.record.id in run:
            yield list(run.values())
            run = {}
        run[change.record.id] = change
    yield list(run.values())


def _run_key(change: Change) -> tuple[type[Change], type[Any] | None]:
    return type(change), type(change.record) if isinstance(change, Put | ImportRecord) else None


def _step(work: Work, run: list[Any]) -> Flow[list[Any]]:
    if isinstance(run[0], Put):
        return (yield from _put(work, run))
    if isinstance(run[0], ImportRecord):
        return (yield from import_records.bring(work, run))
    results = []
    for change in run:
        results.append((yield from _one(work, change)))
    return results


def _one(work: Work, change: Change) -> Flow[Any]:
    sql, workspace = work.sql, work.workspace
    match change:
        case Delete(kind, id, keeps_past):
            gone = yield from delete(sql, workspace, kind, id, keeps_past=keeps_past)
            work.entries += audit.of_gone(gone, change)
            # Earlier changes of the list may have referred to these: the deletion has removed their references.
            for each, ids in gone.items():
                work.named.get(each, set()).difference_update(ids)
        case Amend():
            return (yield from _amend(work, change))
        case Expect(kind, id):
            found = yield from fetch(sql, TABLES[kind], workspace, [id], lock=True)
            check_expected(change, found.get(id))
        case Touch(memory_ids, at, used_ids):
            yield from ask(
                "UPDATE memories SET recall_count = recall_count + 1, last_recalled_at = ? "
                f"WHERE workspace = ? AND {sql.among('id')}",
                seconds(at),
                workspace,
                sql.listed(memory_ids),
            )
            if used_ids:
                yield from ask(
                    "UPDATE memories SET reinforcement_count = reinforcement_count + 1 "
                    f"WHERE workspace = ? AND {sql.among('id')}",
                    workspace,
                    sql.listed(used_ids),
                )
        case Enqueue(job):
            return (yield from queue.enqueue(sql, job))
        case Finish(job, at):
            return (yield from queue.finish(workspace, job, at))
        case Retry(job, error, at, run_at):
            return (yield from queue.retry(workspace, job, error, at, run_at))
        case Release(job):
            return (yield from queue.release(workspace, job))
        case Revive(job_id, at):
            return (yield from queue.revive(workspace, job_id, at))
        case Embed():
            yield from passages.embed(sql, workspace, change)
        case DropVectors(model):
            yield from passages.drop_vectors(sql, workspace, model)
        case PauseQueue(paused):
            yield from queue.pause(workspace, paused)
        case Count(name, by):
            yield from tallies.tally("count", name, by, tallies.hour_of(work.occasion.at))
    return None


def _put(work: Work, puts: list[Put]) -> Flow[list[Any]]:
    records: list[Any] = [put.record for put in puts]
    kind = type(records[0])
    table = TABLES[kind]
    before = yield from fetch(work.sql, table, work.workspace, [each.id for each in records], lock=True)
    if kind is Message:
        records = yield from _number(work, records, before)
    elif kind is Memory:
        yield from _keep_revisions(puts, before)
        yield from mentions.keep(work.workspace, records, before)
        _note_mentions(work, records)
    yield from add(table.name, table.columns_of([each for each in records if each.id not in before]))
    yield from tell_many(upsert(table), [table.row_of(each) for each in records if each.id in before])
    _note_names(work, records)
    _note_deeds(work, puts, before)
    changed = [(before.get(each.id), each) for each in records]
    yield from tallies.changed(table, changed)
    if kind is Event:
        yield from appearances.keep(changed)
    work.rows_to_embed += yield from passages.index(work.sql, work.workspace, changed)
    return [_as_stored(record, before.get(record.id)) for record in records] if before else records


def _amend(work: Work, change: Amend) -> Flow[Any]:
    # With a row lock, so that two amendments of different fields are both kept.
    stored = (yield from fetch(work.sql, TABLES[change.kind], work.workspace, [change.id], lock=True)).get(change.id)
    if stored is None:
        raise NotFound(f"There is no {change.kind.__name__} {change.id!r} in this workspace.")
    record = amended(change, stored)
    if record is None:
        return stored
    (kept,) = yield from _put(work, [Put(record)])
    return kept


def _as_stored(record: Any, before: Any) -> Any:
    counted = TABLES[type(record)].counted
    if before is None:
        return record
    return replace(record, **{name: getattr(before, name) for name in counted})


def _number(work: Work, messages: list[Message], before: dict[str, Message]) -> Flow[list[Message]]:
    """Give each new message the next number of its conversation, under that conversation's lock."""
    numbered: list[Message] = []
    for message in messages:
        stored = before.get(message.id)
        if message.seq == 0 and stored is not None:
            message = replace(message, seq=stored.seq)
        elif message.seq:
            yield from _check_number(work, message)
        rows = yield from ask(
            "UPDATE conversations SET message_count = "
            "CASE WHEN ? = 0 THEN message_count + 1 WHEN ? > message_count THEN ? ELSE message_count END "
            "WHERE workspace = ? AND id = ? RETURNING message_count",
            *(message.seq,) * 3,
            work.workspace,
            message.conversation_id,
        )
        if not rows:
            raise _unknown(Conversation, message.conversation_id)
        numbered.append(message if message.seq else replace(message, seq=rows[0][0]))
    return numbered


def _check_number(work: Work, message: Message) -> Flow[None]:
    rows = yield from ask(
        "SELECT id FROM messages WHERE workspace = ? AND conversation_id = ? AND seq = ? AND id <> ?",
        work.workspace,
        message.conversation_id,
        message.seq,
        message.id,
    )
    if rows:
        raise Conflict(
            f"Message {message.id!r} wants number {message.seq} of conversation {message.conversation_id!r}, and "
            f"{rows[0][0]!r} has it. Leave seq at 0 to get the next number."
        )


def _keep_revisions(puts: list[Put], before: dict[str, Memory]) -> Flow[None]:
    rows = []
    for put in puts:
        memory = put.record
        assert isinstance(memory, Memory)
        old = before.get(memory.id)
        check_revision(memory, old)
        if old is not None:
            rows.append(_revision_row(put, memory, old))
    yield from tell_many(
        "INSERT INTO revisions (workspace, memory_id, number, since, until, changed_by, why, note, memory) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def check_revision(memory: Memory, stored: Memory | None) -> None:
    expected = 1 if stored is None else stored.revision + 1
    if memory.revision != expected:
        raise Conflict(
            f"Memory {memory.id!r} comes as revision {memory.revision}, and {expected} is next. Somebody "
            "changed it meanwhile: read it again and repeat the change."
        )
    if stored is not None and not may_become(stored.status, memory.status):
        raise BadAsk(f"Memory {memory.id!r} is {stored.status.value} and cannot become {memory.status.value}.")


def _revision_row(put: Put, memory: Memory, old: Memory) -> tuple[Any, ...]:
    return (
        memory.workspace,
        memory.id,
        old.revision,
        seconds(old.updated_at),
        seconds(memory.updated_at),
        put.by,
        put.why.value,
        put.note,
        snapshot_of(old),
    )


def _note_names(work: Work, records: list[Any]) -> None:
    kind = type(records[0])
    for tie in _TIES:
        if tie.child is kind:
            ids = {getattr(record, tie.column) for record in records} - {None}
            work.named.setdefault(tie.parent, set()).update(ids)


def _note_deeds(work: Work, puts: list[Put], before: dict[str, Any]) -> None:
    entries = (audit.of_put(put, before.get(put.record.id), put.record) for put in puts)
    work.entries += [entry for entry in entries if entry is not None]


def _note_mentions(work: Work, memories: list[Memory]) -> None:
    for name, kind in MENTIONS.items():
        # Each value once: the memories of a batch mention the same few.
        for value in {getattr(memory, name) for memory in memories}:
            work.named.setdefault(kind, set()).update(targets_of(value))


def _check_named(work: Work) -> Flow[None]:
    """Check at the end of the transaction, so that a list may add records and their references in any order."""
    for kind, ids in work.named.items():
        if not ids:
            continue
        rows = yield from ask(
            f"SELECT id FROM {TABLES[kind].name} WHERE workspace = ? AND {work.sql.among('id')}",
            work.workspace,
            work.sql.listed(ids),
        )
        missing = ids - {row[0] for row in rows}
        if missing:
            raise _unknown(kind, min(missing))


def _unknown(kind: type[Record], id: str) -> NotFound:
    return NotFound(
        f"There is no {kind.__name__} {id!r} in this workspace, and a record names it. Save it first, or in "
        "the same list of changes."
    )


def _ask_for_vectors(work: Work) -> Flow[None]:
    if not work.rows_to_embed:
        return
    yield from queue.embed(work.sql, embed_job(work.workspace, min(work.rows_to_embed), work.occasion.at))
