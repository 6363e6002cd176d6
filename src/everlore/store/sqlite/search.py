"""Both arms over one workspace, united (M14): vectors from memory, words from FTS5.

FTS5 is asked for one word of the workspace at a time, together with the narrowest scope token, so that what a
word weighs depends on the scope alone and the cost follows the scope. Start at `search`.
"""

import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.domain.passage import PassageKind, pair_key
from everlore.domain.words import query_terms
from everlore.errors import BadAsk
from everlore.store.port import Coverage, Found, Hit, Parts, Search
from everlore.store.scoring import fuse, length_weight, shares
from everlore.store.sql import reads
from everlore.store.sql.passages import different_length
from everlore.store.sql.tokens import word_tokens
from everlore.store.sqlite.connection import run
from everlore.store.sqlite.dialect import SqliteDialect, scope_token
from everlore.store.sqlite.index import Positions, View

_SQL = SqliteDialect()
Scores = NDArray[np.float32]


def search(connection: sqlite3.Connection, workspace: str, view: View, ask: Search) -> Found:
    chosen = view.select(ask)
    embedded = int(view.embedded[chosen].sum()) if ask.model is not None else 0
    coverage = Coverage(len(chosen), embedded)
    cosines = _cosines(view, chosen, ask)
    texts = _texts(connection, workspace, view, chosen, ask)
    rows = view.columns["row"][chosen]
    best = _ranked(cosines, texts, rows, ask)
    return Found(tuple(_hits(connection, workspace, rows, best, ask)), coverage)


def _cosines(view: View, chosen: Positions, ask: Search) -> Scores:
    if ask.vector is None:
        return np.full(len(chosen), np.nan, dtype=np.float32)
    if view.matrix is not None and view.matrix.shape[1] != len(ask.vector):
        raise BadAsk(different_length(ask.model or "", len(ask.vector), view.matrix.shape[1]))
    return view.cosines(chosen, ask.vector.astype(np.float32, copy=False))


def _texts(connection: sqlite3.Connection, workspace: str, view: View, chosen: Positions, ask: Search) -> Scores:
    """The share of the question's words that each chosen passage covers; 0 for none."""
    scores = np.zeros(len(chosen), dtype=np.float32)
    terms = query_terms(ask.text)
    if not terms or not len(chosen):
        return scores
    scope = _narrowest(workspace, ask)
    rows = view.columns["row"][chosen]
    holding = [_places(rows, _rows_with(connection, word, scope)) for word in word_tokens(workspace, terms)]
    for places, share in zip(holding, shares(len(chosen), [len(each) for each in holding]), strict=True):
        scores[places] += share
    return scores * length_weight(view.columns["length"][chosen])


def _narrowest(workspace: str, ask: Search) -> str | None:
    if ask.pair is not None:
        return scope_token(workspace, "pair", pair_key(*ask.pair))
    if ask.persons:
        return scope_token(workspace, "person", min(ask.persons))
    if ask.conversation_id is not None:
        return scope_token(workspace, "conversation", ask.conversation_id)
    if ask.person_id is not None:
        return scope_token(workspace, "person", ask.person_id)
    if ask.campaign_id is not None:
        return scope_token(workspace, "campaign", ask.campaign_id)
    return None


def _rows_with(connection: sqlite3.Connection, word: str, scope: str | None) -> NDArray[np.int64]:
    question = f'"{word}"' if scope is None else f'"{scope}" AND "{word}"'
    # One text instead of thousands of rows: most of the time went into making tuples.
    (rows,) = connection.execute(
        "SELECT group_concat(rowid) FROM passages_text WHERE passages_text MATCH ?", (question,)
    ).fetchone()
    return np.fromstring(rows or "", dtype=np.int64, sep=",")


def _places(rows: NDArray[np.int64], wanted: NDArray[np.int64]) -> Positions:
    """Where the wanted rows stand among `rows`, which are sorted and not empty."""
    places = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    found: Positions = places[rows[places] == wanted]
    return found


def _ranked(cosines: Scores, texts: Scores, rows: NDArray[np.int64], ask: Search) -> list[tuple[int, float, Parts]]:
    """(place, score, parts) of the united candidates, best first."""
    candidates = set(_top(cosines, rows, ask.pool)) | set(_top(np.where(texts > 0, texts, np.nan), rows, ask.pool))
    scored = []
    for place in candidates:
        vector = None if np.isnan(cosines[place]) else float(cosines[place])
        parts = Parts(vector, float(texts[place]) or None)
        score = fuse(parts, ask.vector_weight)
        if ask.min_similarity is None or score >= ask.min_similarity:
            scored.append((place, score, parts))
    scored.sort(key=lambda each: (-each[1], -rows[each[0]]))
    return scored[: ask.limit]


def _top(scores: Scores, rows: NDArray[np.int64], pool: int) -> list[int]:
    """The places of the best scores, newer rows first among equals; what is not a number is left out."""
    places = np.flatnonzero(~np.isnan(scores))
    if len(places) > pool:
        values = scores[places]
        least = np.partition(values, len(values) - pool)[len(values) - pool]
        places = places[values >= least]
    order = np.lexsort((-rows[places], -scores[places]))
    return [int(place) for place in places[order][:pool]]


def _hits(
    connection: sqlite3.Connection,
    workspace: str,
    rows: NDArray[np.int64],
    best: Sequence[tuple[int, float, Parts]],
    ask: Search,
) -> list[Hit]:
    marks = ", ".join(str(int(rows[place])) for place, _, _ in best)
    named = connection.execute(
        # The plus keeps SQLite from walking an index of the whole workspace instead of looking up the rows.
        f"SELECT row, kind, ref FROM passages WHERE +workspace = ? AND row IN ({marks})",
        (workspace,),
    ).fetchall()
    source = {row: (PassageKind(kind), ref) for row, kind, ref in named}
    records = run(connection, reads.behind(_SQL, workspace, source.values(), ask.as_of))
    hits = []
    for place, score, parts in best:
        key = source.get(int(rows[place]))
        if key is not None and key in records:
            hits.append(Hit(key[0], records[key], score, parts))
    return hits
