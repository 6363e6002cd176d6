"""Imports records as another database stored them (M13): existing records are compared, new ones are added unchanged.

A memory is imported with its history, and indexed state by state, so that a search as of an earlier time finds the same
in both databases. Start at `bring`; `weigh` is the dry run.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Any

from everlore.domain.conversation import Message
from everlore.domain.counters import Counted
from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.domain.revision import Revision
from everlore.domain.setting import Setting, with_keys_of
from everlore.store import audit
from everlore.store.answers import ImportOutcome
from everlore.store.export_order import is_same, names_of, travelling
from everlore.store.port import ImportRecord, Put
from everlore.store.sql import appearances, mentions, passages, tallies
from everlore.store.sql.cascade import snapshot_of
from everlore.store.sql.flow import Dialect, Flow, add, ask, columns_of, tell_many
from everlore.store.sql.reads import histories
from everlore.store.sql.rows import fetch, upsert
from everlore.store.sql.work import Work
from everlore.store.tables import TABLES, seconds

_REVISION = ("workspace", "memory_id", "number", "since", "until", "changed_by", "why", "note", "memory")
# Two consecutive states of a memory; None is before the first.
_Step = tuple[Memory | None, Memory]


def weigh(sql: Dialect, workspace: str, brings: Sequence[ImportRecord]) -> Flow[list[ImportOutcome]]:
    found: list[ImportOutcome] = []
    for kind, run in groupby(brings, key=lambda each: type(each.record)):
        if kind is Counted:
            found += [each for each, _ in (yield from _weigh_counts(sql, workspace, list(run)))]
        else:
            found += (yield from _weigh(sql, workspace, list(run), lock=False))[0]
    return found


def bring(work: Work, brings: list[ImportRecord]) -> Flow[list[ImportOutcome]]:
    """Import records of one kind, without duplicates."""
    if type(brings[0].record) is Counted:
        return (yield from _bring_counts(work, brings))
    verdicts, before = yield from _weigh(work.sql, work.workspace, brings, lock=True)
    new = [each for each, verdict in zip(brings, verdicts, strict=True) if verdict is ImportOutcome.NEW]
    replaced = [each for each, verdict in zip(brings, verdicts, strict=True) if verdict is ImportOutcome.REPLACED]
    yield from _add(work, new)
    yield from _replace(work, replaced, before)
    _note_names(work, [*new, *replaced])
    if type(brings[0].record) is Message:
        yield from _count_messages(work, [each.record for each in (*new, *replaced)])
    return verdicts


def _weigh(
    sql: Dialect, workspace: str, brings: list[ImportRecord], *, lock: bool
) -> Flow[tuple[list[ImportOutcome], dict[str, Any]]]:
    """How each record compares to the existing one; and the existing records."""
    kind = type(brings[0].record)
    before = yield from fetch(sql, TABLES[kind], workspace, [each.record.id for each in brings], lock=lock)
    earlier = (yield from histories(sql, workspace, list(before))) if kind is Memory and before else {}
    taken = (yield from _taken(sql, workspace, brings)) if kind is Message else {}
    return [_verdict(each, before, earlier, taken) for each in brings], before


def _verdict(
    each: ImportRecord,
    before: dict[str, Any],
    earlier: dict[str, tuple[Revision, ...]],
    taken: dict[tuple[str, int], str],
) -> ImportOutcome:
    record = each.record
    if isinstance(record, Message) and taken.get((record.conversation_id, record.seq), record.id) != record.id:
        # Another message has this number in the conversation: the import cannot keep both.
        return ImportOutcome.DIFFERENT
    stored = before.get(record.id)
    if stored is None:
        return ImportOutcome.NEW
    if is_same(record, stored) and each.history == earlier.get(record.id, ()):
        return ImportOutcome.SAME
    return ImportOutcome.REPLACED if each.replace else ImportOutcome.DIFFERENT


def _taken(sql: Dialect, workspace: str, brings: list[ImportRecord]) -> Flow[dict[tuple[str, int], str]]:
    """Which message has which number in the conversations of these messages."""
    messages = [each.record for each in brings if isinstance(each.record, Message)]
    rows = yield from ask(
        f"SELECT conversation_id, seq, id FROM messages WHERE workspace = ? AND {sql.among('conversation_id')} "
        "AND seq BETWEEN ? AND ?",
        workspace,
        sql.listed({each.conversation_id for each in messages}),
        min(each.seq for each in messages),
        max(each.seq for each in messages),
    )
    return {(conversation_id, seq): id for conversation_id, seq, id in rows}


def _add(work: Work, brings: list[ImportRecord]) -> Flow[None]:
    if not brings:
        return
    records: list[Any] = [travelling(each.record) for each in brings]
    kind = type(records[0])
    table = TABLES[kind]
    yield from add(table.name, table.columns_of(records))
    if kind is Memory:
        yield from _add_history(work, brings)
    else:
        yield from _index(work, [(None, record) for record in records])


def _replace(work: Work, brings: list[ImportRecord], before: dict[str, Any]) -> Flow[None]:
    if not brings:
        return
    records: list[Any] = [_with_keys(each.record, before[each.record.id]) for each in brings]
    kind = type(records[0])
    yield from tell_many(upsert(TABLES[kind]), [TABLES[kind].row_of(record) for record in records])
    yield from tallies.changed(TABLES[kind], [(before[record.id], record) for record in records])
    if kind is Memory:
        yield from _drop_history(work, [record.id for record in records])
        yield from _add_history(work, brings)
    else:
        yield from _index(work, [(before[record.id], record) for record in records])
    entries = (audit.of_put(Put(record), before[record.id], record) for record in records)
    work.entries += [entry for entry in entries if entry is not None]


def _with_keys(record: Any, stored: Any) -> Any:
    return with_keys_of(record, stored) if isinstance(record, Setting) else record


def _index(work: Work, changed: list[tuple[Any, Any]]) -> Flow[None]:
    if type(changed[0][1]) is Event:
        yield from appearances.keep(changed)
    work.rows_to_embed += yield from passages.index(work.sql, work.workspace, changed)


# ── memories ─────────────────────────────────────────────────────────────────────────────────────


def _drop_history(work: Work, ids: Sequence[str]) -> Flow[None]:
    listed = work.sql.listed(ids)
    for table in ("revisions", "mentions"):
        among = work.sql.among("memory_id")
        yield from ask(f"DELETE FROM {table} WHERE workspace = ? AND {among}", work.workspace, listed)
    yield from passages.remove(work.sql, work.workspace, f"kind = 'memory' AND {work.sql.among('ref')}", listed)


def _add_history(work: Work, brings: list[ImportRecord]) -> Flow[None]:
    rows = [_revision_row(revision) for each in brings for revision in each.history]
    yield from add("revisions", columns_of(_REVISION, rows))
    for steps in _generations(brings):
        known = {after.id: before for before, after in steps if before is not None}
        yield from mentions.keep(work.workspace, [after for _, after in steps], known)
        work.rows_to_embed += yield from passages.index(work.sql, work.workspace, steps)


def _generations(brings: list[ImportRecord]) -> Iterable[list[_Step]]:
    """Groups that are written together: the first states of all memories, then their second, and so on."""
    lives = [_steps([*(revision.before for revision in each.history), each.record]) for each in brings]
    for generation in zip_longest(*lives):
        yield [step for step in generation if step is not None]


def _steps(states: list[Any]) -> list[_Step]:
    return list(zip([None, *states[:-1]], states, strict=True))


def _revision_row(revision: Revision) -> tuple[Any, ...]:
    return (
        revision.workspace,
        revision.memory_id,
        revision.number,
        seconds(revision.since),
        seconds(revision.until),
        revision.by,
        revision.why.value,
        revision.note,
        snapshot_of(revision.before),
    )


# ── references and counters ──────────────────────────────────────────────────────────────────────


def _note_names(work: Work, brings: list[ImportRecord]) -> None:
    for each in brings:
        states: list[Any] = [each.record, *(revision.before for revision in each.history)]
        for state in states:
            for kind, id in names_of(state):
                if kind is not type(each.record):
                    work.named.setdefault(kind, set()).add(id)


def _count_messages(work: Work, messages: Sequence[Any]) -> Flow[None]:
    """Makes the next message of a conversation come after all imported ones."""
    highest: dict[str, int] = {}
    for message in messages:
        highest[message.conversation_id] = max(highest.get(message.conversation_id, 0), message.seq)
    yield from tell_many(
        "UPDATE conversations SET message_count = ? WHERE workspace = ? AND id = ? AND message_count < ?",
        [(seq, work.workspace, id, seq) for id, seq in sorted(highest.items())],
    )


def _weigh_counts(sql: Dialect, workspace: str, brings: list[ImportRecord]) -> Flow[list[tuple[ImportOutcome, int]]]:
    """How each counter compares to the existing one, and how much would have to be added."""
    counted = [each.record for each in brings if isinstance(each.record, Counted)]
    hours = [each.hour for each in counted]
    rows = yield from ask(
        "SELECT type, hour, CAST(SUM(n) AS BIGINT) FROM tallies WHERE workspace = ? AND kind = 'count' "
        f"AND hour BETWEEN ? AND ? AND {sql.among('type')} GROUP BY type, hour HAVING SUM(n) <> 0",
        workspace,
        min(hours),
        max(hours),
        sql.listed({each.name for each in counted}),
    )
    known = {(name, hour): number for name, hour, number in rows}
    return [
        _counts_verdict(each, known.get((one.name, one.hour)), one) for each, one in zip(brings, counted, strict=True)
    ]


def _counts_verdict(each: ImportRecord, known: int | None, counted: Counted) -> tuple[ImportOutcome, int]:
    if known is None:
        return ImportOutcome.NEW, counted.number
    if known == counted.number:
        return ImportOutcome.SAME, 0
    return (ImportOutcome.REPLACED, counted.number - known) if each.replace else (ImportOutcome.DIFFERENT, 0)


def _bring_counts(work: Work, brings: list[ImportRecord]) -> Flow[list[ImportOutcome]]:
    verdicts = yield from _weigh_counts(work.sql, work.workspace, brings)
    for each, (_, more) in zip(brings, verdicts, strict=True):
        if isinstance(each.record, Counted):
            yield from tallies.tally("count", each.record.name, more, each.record.hour)
    return [verdict for verdict, _ in verdicts]
