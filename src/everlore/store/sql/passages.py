"""Keeps the search index up to date: passages follow their records, vectors follow their passages.

The passage of a memory never changes: a change closes it and adds a new one, so that a search as of an earlier time
finds the words of that time (M6).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory
from everlore.domain.passage import Passage, PassageKind, Ties, passage_of
from everlore.domain.person import Person
from everlore.domain.words import terms_of
from everlore.errors import BadAsk
from everlore.store.port import Embed
from everlore.store.sql.flow import Dialect, Flow, add, ask, columns_of, tell_many
from everlore.store.sql.tallies import tally
from everlore.store.tables import seconds

Gone = Mapping[type[Any], Collection[str]]


class _Fresh(NamedTuple):
    """A passage to add, and the passage with the same words whose vectors it takes over."""

    record: Any
    passage: Passage
    vectors_of: int | None = None


def index(sql: Dialect, workspace: str, changed: Sequence[tuple[Any, Any]]) -> Flow[list[int]]:
    """Update the passages of (before, after) records; returns the rows that still need a vector."""
    fresh: list[_Fresh] = []
    # All are of one kind: dispatching once instead of for each record saves a fourth of the time.
    to_passage = passage_of.dispatch(type(changed[0][1]))
    for before, after in changed:
        new = to_passage(after)
        if before is not None:
            fresh += yield from _replace(sql, workspace, to_passage(before), after, new)
        elif new is not None:
            fresh.append(_Fresh(after, new))
    return (yield from _insert(sql, workspace, fresh))


def _replace(sql: Dialect, workspace: str, old: Passage | None, after: Any, new: Passage | None) -> Flow[list[_Fresh]]:
    """Remove the passage of a changed record from the present; returns the one that replaces it."""
    if old == new:
        return []
    old_row = (yield from _present_row(workspace, old)) if old else None
    same_words = old is not None and new is not None and old.text == new.text
    if old_row is not None and isinstance(after, Memory):
        yield from _close(sql, workspace, old_row, seconds(after.updated_at))
    elif old_row is not None and not same_words:
        yield from remove(sql, workspace, "row = ?", old_row)
    return [] if new is None else [_Fresh(after, new, old_row if same_words else None)]


def _insert(sql: Dialect, workspace: str, fresh: list[_Fresh]) -> Flow[list[int]]:
    if not fresh:
        return []
    rows = yield from sql.next_numbers("passages", len(fresh))
    columns = _columns(sql, rows, workspace, fresh)
    yield from add("passages", columns)
    yield from sql.index_words(rows, columns["terms"])
    bare: list[int] = []
    for row, each in zip(rows, fresh, strict=True):
        if each.vectors_of is None or not (yield from _carry(sql, workspace, each, row)):
            bare.append(row)
    return bare


def _columns(sql: Dialect, rows: list[int], workspace: str, fresh: list[_Fresh]) -> dict[str, Sequence[Any]]:
    passages = [each.passage for each in fresh]
    words = [terms_of(each.text) for each in passages]
    return {
        "row": rows,
        "workspace": [workspace] * len(fresh),
        "kind": [str(each.kind) for each in passages],
        "ref": [each.ref for each in passages],
        "terms": [sql.terms(these, workspace, each) for these, each in zip(words, passages, strict=True)],
        "length": [len(these) for these in words],
        "pair": [each.pair for each in passages],
        "persons": [sql.listed(each.persons) for each in passages],
        "conversation_id": [each.conversation_id for each in passages],
        "campaign_id": [each.campaign_id for each in passages],
        "type": [each.type for each in passages],
        "status": [each.status for each in passages],
        "visibility": [each.visibility for each in passages],
        "is_spoiler": [int(each.is_spoiler) for each in passages],
        "at": [seconds(each.at) for each in passages],
        "valid_from": [each.valid_from and seconds(each.valid_from) for each in passages],
        "valid_to": [each.valid_to and seconds(each.valid_to) for each in passages],
        "since": [seconds(_since(each)) for each in fresh],
    }


def _since(fresh: _Fresh) -> datetime:
    """Since when the record has these words."""
    updated_at: datetime = fresh.record.updated_at if isinstance(fresh.record, Memory) else fresh.passage.at
    return updated_at


def _present_row(workspace: str, passage: Passage) -> Flow[int | None]:
    rows = yield from ask(
        "SELECT row FROM passages WHERE workspace = ? AND kind = ? AND ref = ? AND until IS NULL",
        workspace,
        passage.kind.value,
        passage.ref,
    )
    return rows[0][0] if rows else None


def _close(sql: Dialect, workspace: str, row: int, at: float) -> Flow[None]:
    yield from ask("UPDATE passages SET until = ? WHERE workspace = ? AND row = ?", at, workspace, row)
    yield from tally("passage", "", -1)
    models = yield from ask("SELECT model FROM vectors WHERE workspace = ? AND row = ?", workspace, row)
    if sql.copied:
        yield from ask("UPDATE vectors SET until = ? WHERE workspace = ? AND row = ?", at, workspace, row)
    for (model,) in models:
        yield from tally("vector", model, -1)


def remove(sql: Dialect, workspace: str, condition: str, *values: Any) -> Flow[None]:
    """Delete passages with their vectors. They are locked first, so that no vector comes uncounted meanwhile."""
    found = yield from ask(
        f"SELECT row, until FROM passages WHERE workspace = ? AND {condition}{sql.lock}", workspace, *values
    )
    if not found:
        return
    present = [row for row, until in found if until is None]
    models = yield from ask(
        f"SELECT model, COUNT(*) FROM vectors WHERE workspace = ? AND {sql.among('row')} GROUP BY model",
        workspace,
        sql.listed(present),
    )
    rows = sql.listed(row[0] for row in found)
    yield from ask(f"DELETE FROM passages WHERE workspace = ? AND {sql.among('row')}", workspace, rows)
    yield from tally("passage", "", -len(present))
    for model, number in models:
        yield from tally("vector", model, -number)


def forget_past(workspace: str, memory_id: str, since: float, until: float) -> Flow[None]:
    """Delete the earlier passages of a memory that overlap this period."""
    yield from ask(
        "DELETE FROM passages WHERE workspace = ? AND kind = ? AND ref = ? AND until IS NOT NULL "
        "AND since < ? AND until > ?",
        workspace,
        PassageKind.MEMORY.value,
        memory_id,
        until,
        since,
    )


def _carry(sql: Dialect, workspace: str, fresh: _Fresh, row: int) -> Flow[bool]:
    """Same words, other scope: copies the vectors. False if there are none yet."""
    names = ", ".join(("workspace", "row", *sql.copied))
    copied = yield from ask(
        f"INSERT INTO vectors (model, vec, {names}) SELECT earlier.model, earlier.vec, new.* FROM vectors AS earlier "
        f"JOIN (SELECT {names} FROM passages) AS new ON new.workspace = earlier.workspace "
        "WHERE earlier.workspace = ? AND earlier.row = ? AND new.row = ? RETURNING model",
        workspace,
        fresh.vectors_of,
        row,
    )
    for (model,) in copied:
        yield from tally("vector", model, 1)
    if fresh.vectors_of is not None and not isinstance(fresh.record, Memory):
        yield from remove(sql, workspace, "row = ?", fresh.vectors_of)
    return bool(copied)


def rescope(sql: Dialect, workspace: str, kind: PassageKind, refs: Collection[str], gone: Gone) -> Flow[None]:
    """Remove deleted ids from the passages of these records, including earlier ones. Each keeps its own words and
    persons: the persons of a memory today may not have known it then."""
    rows = yield from ask(
        "SELECT row, terms, persons, conversation_id, campaign_id FROM passages "
        f"WHERE workspace = ? AND kind = ? AND {sql.among('ref')}",
        workspace,
        kind.value,
        sql.listed(refs),
    )
    scoped = [
        (row, sql.words(terms), _left(sql.unlisted(persons), conversation_id, campaign_id, gone))
        for row, terms, persons, conversation_id, campaign_id in rows
    ]
    yield from tell_many(
        "UPDATE passages SET terms = ?, pair = ?, persons = ?, conversation_id = ?, campaign_id = ? "
        "WHERE workspace = ? AND row = ?",
        [
            (
                sql.terms(words, workspace, ties),
                ties.pair,
                sql.listed(ties.persons),
                ties.conversation_id,
                ties.campaign_id,
                workspace,
                row,
            )
            for row, words, ties in scoped
        ],
    )


def _left(persons: Sequence[str], conversation_id: str | None, campaign_id: str | None, gone: Gone) -> Ties:
    return Ties(
        persons=tuple(id for id in persons if id not in gone.get(Person, ())),
        conversation_id=None if conversation_id in gone.get(Conversation, ()) else conversation_id,
        campaign_id=None if campaign_id in gone.get(Campaign, ()) else campaign_id,
    )


def embed(sql: Dialect, workspace: str, change: Embed) -> Flow[None]:
    if not change.rows:
        return
    dims = change.vectors.shape[1]
    rows = yield from ask(
        f"SELECT {sql.dims} FROM vectors WHERE workspace = ? AND model = ? LIMIT 1", workspace, change.model
    )
    if rows and rows[0][0] != dims:
        raise BadAsk(different_length(change.model, dims, rows[0][0]))
    vectors = {row: sql.vector(vector) for row, vector in zip(change.rows, change.vectors, strict=True)}
    # Deleted passages are skipped. The others are locked: one that is closed at the same time would leave its vector
    # marked as present.
    passages = yield from ask(
        f"SELECT {', '.join(('row', 'until', *sql.copied))} FROM passages "
        f"WHERE workspace = ? AND {sql.among('row')} ORDER BY row{sql.lock}",
        workspace,
        sql.listed(vectors),
    )
    known = yield from ask(
        f"SELECT row FROM vectors WHERE workspace = ? AND model = ? AND {sql.among('row')}",
        workspace,
        change.model,
        sql.listed(vectors),
    )
    had = {row[0] for row in known}
    new = [passage for passage in passages if passage[0] not in had]
    rows = [(workspace, row, change.model, vectors[row], *copies) for row, _, *copies in new]
    yield from add("vectors", columns_of(("workspace", "row", "model", "vec", *sql.copied), rows))
    yield from tell_many(
        "UPDATE vectors SET vec = ? WHERE workspace = ? AND row = ? AND model = ?",
        [(vectors[row], workspace, row, change.model) for row in sorted(had)],
    )
    yield from tally("vector", change.model, sum(until is None for _, until, *_ in new))


def drop_vectors(sql: Dialect, workspace: str, kept: str) -> Flow[None]:
    """Delete the vectors of all other models."""
    others = "DELETE FROM vectors WHERE workspace = ? AND model <> ? RETURNING row, model"
    gone = yield from ask(others, workspace, kept)
    present = yield from ask(
        f"SELECT row FROM passages WHERE workspace = ? AND until IS NULL AND {sql.among('row')}",
        workspace,
        sql.listed({row for row, _ in gone}),
    )
    rows = {row[0] for row in present}
    for model, number in Counter(model for row, model in gone if row in rows).items():
        yield from tally("vector", model, -number)


def different_length(model: str, given: int, kept: int) -> str:
    return (
        f"Model {model!r} gave a vector of {given} numbers, and those kept under that name have {kept}. "
        "Give the other model another name, or reindex."
    )
