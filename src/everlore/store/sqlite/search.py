"""Vector and full-text search in one workspace, merged (M14): vectors from memory, words from FTS5.

FTS5 is queried for one word of the workspace at a time, together with the narrowest scope token, so that the weight of
a word, and the cost, depend on the scope alone. Start at `search`.
"""

import json
import math
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from everlore.domain.passage import PassageKind, pair_key
from everlore.domain.records import Record
from everlore.domain.words import query_terms
from everlore.errors import BadAsk
from everlore.store.answers import Coverage, Found, Hit, Parts
from everlore.store.port import Search
from everlore.store.scoring import fuse, length_weight, weights
from everlore.store.sql import reads
from everlore.store.sql.knowledge import told as told_to
from everlore.store.sql.passages import different_length
from everlore.store.sql.tokens import word_tokens
from everlore.store.sqlite.connection import run
from everlore.store.sqlite.dialect import SqliteDialect, scope_token
from everlore.store.sqlite.index_view import IndexView, Positions, ToldRows

_SQL = SqliteDialect()
Scores = NDArray[np.float32]
Rows = NDArray[np.int64]
Source = tuple[PassageKind, str]
_NOWHERE: Positions = np.empty(0, dtype=np.int64)
_MOST_OF_ALL = 0.5


@dataclass(frozen=True, slots=True)
class Looked:
    """Results before any record is read. `best`: rows with their scores and parts, best first."""

    best: Sequence[tuple[int, float, Parts]]
    covered: Coverage
    weights: Mapping[str, float]


class File:
    """Queries to the file, cached for several searches of one call."""

    def __init__(self, connection: sqlite3.Connection, workspace: str) -> None:
        self.connection = connection
        self.workspace = workspace
        self.rows_with = cache(partial(_rows_with, connection))
        self.told_rows = cache(partial(_told_rows, connection, workspace))


def search(connection: sqlite3.Connection, workspace: str, asks: Sequence[tuple[Search, IndexView]]) -> list[Found]:
    file = File(connection, workspace)
    looked = [_look(file, view, ask) for ask, view in asks]
    sources = _sources(connection, workspace, {row for each in looked for row, _, _ in each.best})
    wanted: dict[datetime | None, dict[Source, None]] = {}
    for (ask, _), each in zip(asks, looked, strict=True):
        wanted.setdefault(ask.as_of, {}).update((sources[row], None) for row, _, _ in each.best if row in sources)
    # A record that several searches found is read once.
    records = {as_of: run(connection, reads.behind(_SQL, workspace, keys, as_of)) for as_of, keys in wanted.items()}
    return [
        Found(tuple(_hits(each.best, sources, records[ask.as_of])), each.covered, each.weights)
        for (ask, _), each in zip(asks, looked, strict=True)
    ]


def _look(file: File, view: IndexView, ask: Search) -> Looked:
    workspace = file.workspace
    told = ToldRows(file.told_rows(ask.knower_id, ask.as_of), file.told_rows(ask.unknown_to, ask.as_of))
    scope = view.select(ask, told)
    covered = Coverage(len(scope), int(view.embedded[scope].sum()) if ask.model is not None else 0)
    terms = query_terms(ask.text)
    holding = _holding(file, view, scope, word_tokens(workspace, terms), told, ask)
    weighed = weights(terms, len(scope), [len(each) for each in holding])
    texts = _texts(holding, weighed, view.columns["length"][scope])
    if ask.refs is not None:
        places = _places_of_refs(file.connection, workspace, view.columns["row"][scope], ask)
        scope, texts = scope[places], texts[places]
    best = _ranked(_cosines(view, scope, ask), texts, view.columns["row"][scope], ask)
    return Looked(best, covered, weighed)


def _cosines(view: IndexView, chosen: Positions, ask: Search) -> Scores:
    if ask.vector is None:
        return np.full(len(chosen), np.nan, dtype=np.float32)
    if view.matrix is not None and view.matrix.shape[1] != len(ask.vector):
        raise BadAsk(different_length(ask.model or "", len(ask.vector), view.matrix.shape[1]))
    return view.cosines(chosen, ask.vector.astype(np.float32, copy=False))


def _texts(holding: Sequence[Positions], weighed: Mapping[str, float], lengths: Scores) -> Scores:
    """The share of the question's words that each passage in scope covers; 0 for none."""
    scores = np.zeros(len(lengths), dtype=np.float32)
    for places, share in zip(holding, weighed.values(), strict=True):
        scores[places] += share
    return scores * length_weight(lengths)


def _holding(
    file: File, view: IndexView, scope: Positions, words: Sequence[str], told: ToldRows, ask: Search
) -> list[Positions]:
    """For each word, the positions in `scope` of the passages that contain it."""
    rows = view.columns["row"][scope]
    if not len(rows):
        return [_NOWHERE] * len(words)
    scopes = _scopes(file.workspace, view, ask)
    more: dict[str, list[int]] = {}
    if ask.knower_id is not None and None not in scopes:
        more = _among_told(file.connection, rows[_places(rows, told.knower)], words)
    found = {word: _united([file.rows_with(word, scope) for scope in scopes]) for word in words}
    # Some of what a person was told may be theirs by now, and is counted once.
    found |= {word: np.union1d(found[word], others) for word, others in more.items()}
    return [_places(rows, found[word]) for word in words]


def _among_told(connection: sqlite3.Connection, rows: Rows, words: Sequence[str]) -> dict[str, list[int]]:
    """Which of these rows contain which of the words. A person was told little compared to the whole workspace, so
    these rows are read directly instead of through the full-text index."""
    found: dict[str, list[int]] = {}
    if not len(rows):
        return found
    wanted = frozenset(words)
    for row, terms in connection.execute(
        "SELECT row, terms FROM passages WHERE row IN (SELECT value FROM json_each(?))", (json.dumps(rows.tolist()),)
    ):
        for word in wanted.intersection(terms.split(" ")):
            found.setdefault(word, []).append(row)
    return found


def _united(rows: Sequence[Rows]) -> Rows:
    """Without duplicates and in order; sorts, because `np.unique` hashes, which takes ten times as long."""
    if len(rows) == 1:
        return rows[0]
    both = np.sort(np.concatenate(rows))
    return both[np.append(True, both[1:] != both[:-1])] if len(both) else both


def _scopes(workspace: str, view: IndexView, ask: Search) -> list[str | None]:
    """The scopes to search for the words: the narrowest one, or each one that the viewer may see. None means the whole
    workspace, also if a scope covers most of it: searching for a word together with a very common token takes several
    times as long as the word alone, and results out of scope are filtered anyway."""
    named = _named_scopes(ask)
    if not named or any(view.share_of(*each) > _MOST_OF_ALL for each in named):
        return [None]
    return [scope_token(workspace, *each) for each in named]


def _named_scopes(ask: Search) -> list[tuple[str, str]]:
    narrowest = _narrowest(ask)
    if narrowest is not None:
        return [narrowest]
    if ask.knower_id is None or ("" in ask.canon_of and PassageKind.ENTITY in ask.kinds):
        return []
    user = ask.open_of if PassageKind.MEMORY in ask.kinds else None
    persons = dict.fromkeys(each for each in (ask.knower_id, user) if each is not None)
    talks = [ask.private_in] if ask.private_in and PassageKind.MESSAGE in ask.kinds else []
    return [
        *(("person", each) for each in persons),
        *(("campaign", each) for each in sorted(ask.runs | ask.canon_of - {""})),
        *(("conversation", each) for each in talks),
    ]


def _narrowest(ask: Search) -> tuple[str, str] | None:
    if ask.pair is not None:
        return "pair", pair_key(*ask.pair)
    if ask.persons:
        return "person", min(ask.persons)
    if ask.conversation_id is not None:
        return "conversation", ask.conversation_id
    if ask.person_id is not None:
        return "person", ask.person_id
    if ask.campaign_id is not None:
        return "campaign", ask.campaign_id
    return None


def _told_rows(connection: sqlite3.Connection, workspace: str, person_id: str | None, by: datetime | None) -> Rows:
    if person_id is None:
        return _NOWHERE
    condition, values = told_to(workspace, person_id, by)
    found = connection.execute(
        "SELECT DISTINCT passages.row FROM tellings CROSS JOIN passages ON passages.workspace = tellings.workspace "
        f"AND passages.kind = 'memory' AND passages.ref = tellings.memory_id WHERE {condition}",
        values,
    ).fetchall()
    return np.array([row for (row,) in found], dtype=np.int64)


def _places_of_refs(connection: sqlite3.Connection, workspace: str, rows: Rows, ask: Search) -> Positions:
    if not len(rows) or not ask.refs:
        return _NOWHERE
    found = connection.execute(
        f"SELECT row FROM passages WHERE workspace = ? AND {_SQL.among('kind')} AND {_SQL.among('ref')}",
        (workspace, _SQL.listed(kind.value for kind in ask.kinds), _SQL.listed(ask.refs)),
    ).fetchall()
    return np.unique(_places(rows, np.array([row for (row,) in found], dtype=np.int64)))


def _rows_with(connection: sqlite3.Connection, word: str, scope: str | None) -> Rows:
    question = f'"{word}"' if scope is None else f'"{scope}" AND "{word}"'
    # One text instead of thousands of rows: most of the time was spent on making tuples.
    (rows,) = connection.execute(
        "SELECT group_concat(rowid) FROM passages_text WHERE passages_text MATCH ?", (question,)
    ).fetchone()
    return np.fromstring(rows or "", dtype=np.int64, sep=",")


def _places(rows: Rows, wanted: Rows) -> Positions:
    """The positions of the wanted rows in `rows`, which are sorted and not empty."""
    places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    found: Positions = places[rows[places] == wanted]
    return found


def _ranked(cosines: Scores, texts: Scores, rows: Rows, ask: Search) -> list[tuple[int, float, Parts]]:
    """The merged candidates, best first."""
    by_vector, by_words = _top(cosines, rows, ask.pool), _top(np.where(texts > 0, texts, np.nan), rows, ask.pool)
    places = np.union1d(by_vector, by_words)
    scored = []
    for row, cosine, text in zip(*(each[places].tolist() for each in (rows, cosines, texts)), strict=True):
        parts = Parts(None if math.isnan(cosine) else cosine, text or None)
        score = fuse(parts, ask.vector_weight)
        if ask.min_similarity is None or score >= ask.min_similarity:
            scored.append((row, score, parts))
    scored.sort(key=lambda each: (-each[1], -each[0]))
    return scored[: ask.limit]


def _top(scores: Scores, rows: Rows, pool: int) -> Positions:
    """The positions of the best scores, newer rows first among equals; without NaN."""
    places = np.flatnonzero(~np.isnan(scores))
    if len(places) > pool:
        values = scores[places]
        least = np.partition(values, len(values) - pool)[len(values) - pool]
        places = places[values >= least]
    order = np.lexsort((-rows[places], -scores[places]))
    best: Positions = places[order][:pool]
    return best


def _sources(connection: sqlite3.Connection, workspace: str, rows: Collection[int]) -> dict[int, Source]:
    """The kind and id of the record of each row."""
    found = connection.execute(
        # The plus keeps SQLite from scanning an index of the whole workspace instead of looking up the rows.
        "SELECT row, kind, ref FROM passages WHERE +workspace = ? AND row IN (SELECT value FROM json_each(?))",
        (workspace, json.dumps(list(rows))),
    )
    return {row: (PassageKind(kind), ref) for row, kind, ref in found}


def _hits(
    best: Sequence[tuple[int, float, Parts]], sources: Mapping[int, Source], records: Mapping[Source, Record]
) -> Iterator[Hit]:
    for row, score, parts in best:
        source = sources.get(row)
        if source is not None and source in records:
            yield Hit(source[0], records[source], score, parts)
