"""Vector and full-text search inside the scope, merged (M14): exact vectors through pgvector, words through GIN.

Each search is a flow of its own, so that they can run on different connections; `united` merges them. The database
returns rows; `scoring.py` computes the scores, as for every store.
"""

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from everlore.domain.memory import Visible
from everlore.domain.passage import PassageKind, pair_key
from everlore.domain.words import query_terms
from everlore.errors import BadAsk
from everlore.store.answers import Coverage, Found, Hit, Parts
from everlore.store.port import Search
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.scoring import fuse, length_weight, weights
from everlore.store.sql import reads, tallies
from everlore.store.sql.flow import Flow, ask
from everlore.store.sql.knowledge import Condition, stood, told
from everlore.store.sql.passages import different_length
from everlore.store.sql.tokens import word_tokens
from everlore.store.tables import seconds

_SQL = PostgresDialect()
_THEIRS = "scoped.persons @> ARRAY[CAST(? AS TEXT)]"
_EXACTLY = "scoped.persons @> CAST(? AS TEXT[]) AND scoped.persons <@ CAST(? AS TEXT[])"
_ALL_VISIBLE = frozenset(each.value for each in Visible)


@dataclass(frozen=True, slots=True)
class Held:
    """The passages in scope that contain a word of the question: how many there are, and for the candidates their rows
    and how many words each has."""

    count: int
    rows: NDArray[np.int64]
    lengths: NDArray[np.float32]


def by_vector(workspace: str, question: Search) -> Flow[list[int]]:
    """The nearest rows in scope."""
    if question.vector is None:
        return []
    yield from _check_length(question, workspace)
    where, values = yield from _conditions(workspace, question)
    looked_at, refs = _looked_at(question)
    rows = yield from ask(
        f"SELECT scoped.row FROM {_embedded(question)} WHERE {where} AND {looked_at} AND model = ? "
        "ORDER BY vec <#> CAST(? AS halfvec), scoped.row DESC LIMIT ?",
        *values,
        *refs,
        question.model,
        _SQL.vector(question.vector),
        question.pool,
    )
    return [row[0] for row in rows]


def by_words(workspace: str, question: Search) -> Flow[list[Held]]:
    """For each word of the question, the passages that contain it."""
    words = word_tokens(workspace, query_terms(question.text))
    if not words:
        return []
    where, values = yield from _conditions(workspace, question)
    looked_at, refs = _looked_at(question)
    kept = f"FILTER (WHERE {looked_at})" if refs else ""
    found = yield from ask(
        f"SELECT word, COUNT(*), array_agg(row) {kept}, array_agg(length) {kept} "
        "FROM unnest(CAST(? AS TEXT[])) AS word "
        f"JOIN passages AS scoped ON terms @> ARRAY[word] WHERE {where} GROUP BY word",
        *refs,
        *refs,
        words,
        *values,
    )
    held = {
        word: Held(count, np.array(rows or (), np.int64), np.array(lengths or (), np.float32))
        for word, count, rows, lengths in found
    }
    return [held.get(word, _NOTHING) for word in words]


def coverage(workspace: str, question: Search) -> Flow[Coverage]:
    question = replace(question, refs=None)
    where, values = yield from _conditions(workspace, question)
    ((passages,),) = yield from ask(f"SELECT COUNT(*) FROM passages AS scoped WHERE {where}", *values)
    if question.model is None:
        return Coverage(passages, 0)
    if question.as_of is None and (yield from _is_all_embedded(workspace, question.model)):
        return Coverage(passages, passages)
    ((embedded,),) = yield from ask(
        f"SELECT COUNT(*) FROM {_embedded(question)} WHERE {where} AND model = ?", *values, question.model
    )
    return Coverage(passages, embedded)


def _is_all_embedded(workspace: str, model: str) -> Flow[bool]:
    """If all passages have a vector, those in scope need no counting, which takes 12 ms with 100,000 passages."""
    whole = yield from tallies.coverage(workspace, model)
    return whole.passages == whole.embedded


def united(workspace: str, question: Search, nearest: list[int], held: list[Held], covered: Coverage) -> Flow[Found]:
    weighed = weights(query_terms(question.text), covered.passages, [each.count for each in held])
    rows, scores = text_scores(held, list(weighed.values()))
    best = np.lexsort((-rows, -scores))[: question.pool]
    wanted = sorted({*nearest, *rows[best].tolist()})
    # A passage near by vector may share a word without being among the best by words.
    places = np.flatnonzero(np.isin(rows, wanted))
    texts = dict(zip(rows[places].tolist(), scores[places].tolist(), strict=True))
    ranked = yield from _ranked(workspace, wanted, texts, question)
    hits = yield from _hits(workspace, ranked, question)
    return Found(tuple(hits), covered, weighed)


def text_scores(held: list[Held], shares: list[float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows that contain a word of the question, and the share of the words that each of them covers."""
    counts = [len(each.rows) for each in held]
    if not sum(counts):
        return np.empty(0, np.int64), np.empty(0, np.float64)
    rows, first, place = np.unique(np.concatenate([each.rows for each in held]), return_index=True, return_inverse=True)
    covered = np.bincount(place, weights=np.repeat(shares, counts), minlength=len(rows))
    lengths = np.concatenate([each.lengths for each in held])[first]
    return rows, np.asarray(covered * length_weight(lengths), dtype=np.float64)


def _conditions(workspace: str, question: Search) -> Flow[Condition]:
    """Every filter except `refs`, for a table or a join with the alias `scoped`."""
    found: list[Condition] = [
        ("scoped.workspace = ?", [workspace]),
        _one_of("scoped.status", question.statuses),
    ]
    # A filter for all kinds filters nothing, and comparing costs time for each row.
    if question.kinds != frozenset(PassageKind):
        found.append(_one_of("scoped.kind", frozenset(kind.value for kind in question.kinds)))
    if question.types:
        found.append(_one_of("scoped.type", question.types))
    found += yield from _whose(workspace, question)
    if question.conversation_id is not None:
        found.append(("scoped.conversation_id = ?", [question.conversation_id]))
    if question.campaign_id is not None:
        found.append(("scoped.campaign_id = ?", [question.campaign_id]))
    if question.since is not None:
        found.append(("scoped.at >= ?", [seconds(question.since)]))
    if question.until is not None:
        found.append(("scoped.at < ?", [seconds(question.until)]))
    found += _visible(question)
    found.append(stood("scoped", question.as_of))
    return " AND ".join(condition for condition, _ in found), [value for _, values in found for value in values]


def _whose(workspace: str, question: Search) -> Flow[list[Condition]]:
    found: list[Condition] = []
    if question.pair is not None:
        found.append(("scoped.pair = ?", [pair_key(*question.pair)]))
    if question.person_id is not None:
        found.append((_THEIRS, [question.person_id]))
    if question.persons is not None:
        found.append((_EXACTLY, [list(question.persons)] * 2))
    if question.besides is not None:
        found.append((f"NOT ({_EXACTLY})", [list(question.besides)] * 2))
    if question.without:
        found.append(("NOT scoped.persons && CAST(? AS TEXT[])", [list(question.without)]))
    if question.knower_id is not None:
        own, values = yield from _known(workspace, question.knower_id, question.as_of)
        ways = [(own, values), *_open(question)]
        found.append((f"({' OR '.join(way for way, _ in ways)})", [each for _, values in ways for each in values]))
    if question.unknown_to is not None:
        found.append(_unknown(workspace, question.unknown_to, question.as_of))
    return found


def _known(workspace: str, person_id: str, by: datetime | None) -> Flow[Condition]:
    condition, values = told(workspace, person_id, by)
    # A query of its own: PostgreSQL uses the indexes below only with the ids as a list, and most persons were told
    # nothing.
    rows = yield from ask(f"SELECT DISTINCT memory_id FROM tellings WHERE {condition}", *values)
    if not rows:
        return _THEIRS, [person_id]
    return f"({_THEIRS} OR (scoped.kind = 'memory' AND scoped.ref = ANY(?)))", [person_id, [row[0] for row in rows]]


def _open(question: Search) -> list[Condition]:
    """What a viewer may see without knowing it themselves."""
    found: list[Condition] = []
    if question.runs:
        openly = "(scoped.visibility <> 'secret' OR scoped.is_spoiler = 1)"
        found.append((f"(scoped.campaign_id = ANY(?) AND {openly})", [list(question.runs)]))
    if campaigns := question.canon_of - {""}:
        canon = "scoped.kind = 'entity' OR scoped.type = 'CANON_RULING' OR scoped.persons = '{}'"
        found.append(
            (f"(scoped.campaign_id = ANY(?) AND scoped.visibility <> 'secret' AND ({canon}))", [list(campaigns)])
        )
    if "" in question.canon_of and PassageKind.ENTITY in question.kinds:
        found.append(("(scoped.kind = 'entity' AND scoped.campaign_id IS NULL AND scoped.persons = '{}')", []))
    if question.open_of is not None and PassageKind.MEMORY in question.kinds:
        theirs = f"(scoped.kind = 'memory' AND scoped.visibility = 'normal' AND {_EXACTLY})"
        found.append((theirs, [[question.open_of]] * 2))
    if question.private_in and PassageKind.MESSAGE in question.kinds:
        heard = "(scoped.kind = 'message' AND scoped.conversation_id = ? AND scoped.persons = '{}')"
        found.append((heard, [question.private_in]))
    return found


def _unknown(workspace: str, person_id: str, by: datetime | None) -> Condition:
    condition, values = told(workspace, person_id, by)
    return (
        f"NOT {_THEIRS} AND NOT (scoped.kind = 'memory' "
        f"AND scoped.ref IN (SELECT memory_id FROM tellings WHERE {condition}))",
        [person_id, *values],
    )


def _visible(question: Search) -> list[Condition]:
    found: list[Condition] = []
    if not question.visibilities >= _ALL_VISIBLE:
        found.append(_one_of("scoped.visibility", question.visibilities))
    found += _without_spoilers(question)
    if question.private_in == "":
        # Private passages match in no conversation.
        found.append(("scoped.visibility <> 'private'", []))
    elif question.private_in is not None:
        found.append(("(scoped.visibility <> 'private' OR scoped.conversation_id = ?)", [question.private_in]))
    return found


def _without_spoilers(question: Search) -> list[Condition]:
    ways: list[Condition] = [("scoped.is_spoiler = 0", [])]
    if question.runs:
        ways.append(("scoped.campaign_id = ANY(?)", [list(question.runs)]))
    if question.with_spoilers:
        if not question.plays:
            return []
        ways.append(("(scoped.campaign_id IS NOT NULL AND scoped.campaign_id <> ALL(?))", [list(question.plays)]))
    return [(f"({' OR '.join(way for way, _ in ways)})", [each for _, values in ways for each in values])]


def _looked_at(question: Search) -> Condition:
    return ("TRUE", []) if question.refs is None else ("scoped.ref = ANY(?)", [list(question.refs)])


def _one_of(column: str, values: frozenset[str]) -> Condition:
    if len(values) == 1:
        return f"{column} = ?", list(values)
    return f"{column} = ANY(?)", [list(values)]


_NOTHING = Held(0, np.empty(0, np.int64), np.empty(0, np.float32))


def _is_narrow(question: Search) -> bool:
    named = (
        question.pair,
        question.persons,
        question.besides,
        question.without,
        question.person_id,
        question.knower_id,
        question.unknown_to,
        question.conversation_id,
        question.campaign_id,
        question.refs,
    )
    return any(each is not None for each in named) or bool(question.private_in or question.runs or question.plays)


def _embedded(question: Search) -> str:
    """The vectors in scope. `vectors` has all columns that a broad scope filters by; a narrow scope finds its passages
    through an index first, and then their vectors."""
    if not _is_narrow(question):
        return "vectors AS scoped"
    return "passages AS scoped JOIN vectors ON vectors.workspace = scoped.workspace AND vectors.row = scoped.row"


def _check_length(question: Search, workspace: str) -> Flow[None]:
    rows = yield from ask(
        "SELECT vector_dims(vec) FROM vectors WHERE workspace = ? AND model = ? LIMIT 1",
        workspace,
        question.model,
    )
    if rows and question.vector is not None and rows[0][0] != len(question.vector):
        raise BadAsk(different_length(question.model or "", len(question.vector), rows[0][0]))


def _ranked(
    workspace: str, rows: list[int], texts: dict[int, float], question: Search
) -> Flow[list[tuple[PassageKind, str, float, Parts]]]:
    cosine = "NULL" if question.vector is None else "-(vec <#> CAST(? AS halfvec))"
    found = yield from ask(
        f"SELECT passages.row, passages.kind, ref, {cosine} FROM passages LEFT JOIN vectors "
        "ON vectors.workspace = passages.workspace AND vectors.row = passages.row AND model = ? "
        "WHERE passages.workspace = ? AND passages.row = ANY(?)",
        *([] if question.vector is None else [_SQL.vector(question.vector)]),
        question.model or "",
        workspace,
        rows,
    )
    scored = []
    for row, kind, ref, vector in found:
        parts = Parts(None if vector is None else float(vector), texts.get(row))
        score = fuse(parts, question.vector_weight)
        if question.min_similarity is None or score >= question.min_similarity:
            scored.append((score, row, PassageKind(kind), ref, parts))
    scored.sort(key=lambda each: (-each[0], -each[1]))
    return [(kind, ref, score, parts) for score, _, kind, ref, parts in scored[: question.limit]]


def _hits(workspace: str, best: list[tuple[PassageKind, str, float, Parts]], question: Search) -> Flow[list[Hit]]:
    records = yield from reads.behind(_SQL, workspace, [(kind, ref) for kind, ref, _, _ in best], question.as_of)
    return [Hit(kind, records[kind, ref], score, parts) for kind, ref, score, parts in best if (kind, ref) in records]
