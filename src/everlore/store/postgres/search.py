"""Both arms inside the scope, united (M14): exact vectors through pgvector, words through GIN.

The formulas are those of `scoring.py`, written as SQL where the rows are many. Start at `search`.
"""

from typing import Any

from everlore.domain.passage import PassageKind, pair_key
from everlore.domain.words import query_terms
from everlore.errors import BadAsk
from everlore.store.port import Coverage, Found, Hit, Parts, Search
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.scoring import LENGTH_SLOPE, PIVOT_TERMS, fuse, shares
from everlore.store.sql import reads
from everlore.store.sql.flow import Flow, ask
from everlore.store.sql.passages import different_length
from everlore.store.tables import TABLES, seconds

_SQL = PostgresDialect()
_WEIGHT = f"(1 + {LENGTH_SLOPE} * GREATEST(length / {PIVOT_TERMS}.0::float8 - 1, 0))"


def search(workspace: str, question: Search) -> Flow[Found]:
    where, values = _conditions(workspace, question)
    coverage, nearest = yield from _vector_arm(question, where, values)
    terms = query_terms(question.text)
    worded, weights = yield from _text_arm(terms, coverage.passages, where, values, question.pool)
    rows = sorted(set(nearest) | set(worded))
    best = yield from _ranked(workspace, rows, dict(zip(terms, weights, strict=True)), question)
    hits = yield from _hits(workspace, best, question)
    return Found(tuple(hits), coverage)


def _conditions(workspace: str, question: Search) -> tuple[str, list[Any]]:
    found: list[tuple[str, list[Any]]] = [
        ("workspace = ?", [workspace]),
        ("kind = ANY(?)", [[kind.value for kind in question.kinds]]),
        ("status = ANY(?)", [list(question.statuses)]),
    ]
    if question.types:
        found.append(("type = ANY(?)", [list(question.types)]))
    if question.pair is not None:
        found.append(("pair = ?", [pair_key(*question.pair)]))
    if question.person_id is not None:
        found.append(("persons @> ARRAY[CAST(? AS TEXT)]", [question.person_id]))
    if question.conversation_id is not None:
        found.append(("conversation_id = ?", [question.conversation_id]))
    if question.campaign_id is not None:
        found.append(("campaign_id = ?", [question.campaign_id]))
    if question.since is not None:
        found.append(("at >= ?", [seconds(question.since)]))
    if question.until is not None:
        found.append(("at < ?", [seconds(question.until)]))
    found.append(_time(question))
    return " AND ".join(condition for condition, _ in found), [value for _, values in found for value in values]


def _time(question: Search) -> tuple[str, list[Any]]:
    if question.as_of is None:
        return "until IS NULL", []
    then = seconds(question.as_of)
    return (
        "since <= ? AND (until IS NULL OR ? < until) "
        "AND (valid_from IS NULL OR valid_from <= ?) AND (valid_to IS NULL OR ? < valid_to)",
        [then] * 4,
    )


def _vector_arm(question: Search, where: str, values: list[Any]) -> Flow[tuple[Coverage, list[int]]]:
    if question.vector is None:
        return (yield from _coverage(question, where, values)), []
    yield from _check_length(question, values[0])
    ((passages, embedded, rows),) = yield from ask(
        "WITH scoped AS MATERIALIZED (SELECT passages.row, vec <#> CAST(? AS halfvec) AS distance FROM passages "
        "LEFT JOIN vectors ON vectors.workspace = passages.workspace AND vectors.row = passages.row AND model = ? "
        f"WHERE {where.replace('workspace = ?', 'passages.workspace = ?', 1)}) "
        "SELECT (SELECT COUNT(*) FROM scoped), (SELECT COUNT(distance) FROM scoped), ARRAY(SELECT row FROM scoped "
        "WHERE distance IS NOT NULL ORDER BY distance, row DESC LIMIT ?)",
        _SQL.vector(question.vector),
        question.model,
        *values,
        question.pool,
    )
    return Coverage(passages, embedded), rows


def _coverage(question: Search, where: str, values: list[Any]) -> Flow[Coverage]:
    ((passages, embedded),) = yield from ask(
        "SELECT COUNT(*), COUNT(vectors.row) FROM passages LEFT JOIN vectors ON "
        "vectors.workspace = passages.workspace AND vectors.row = passages.row AND model = ? "
        f"WHERE {where.replace('workspace = ?', 'passages.workspace = ?', 1)}",
        question.model or "",
        *values,
    )
    return Coverage(passages, embedded)


def _check_length(question: Search, workspace: str) -> Flow[None]:
    rows = yield from ask(
        "SELECT vector_dims(vec) FROM vectors WHERE workspace = ? AND model = ? LIMIT 1",
        workspace,
        question.model,
    )
    if rows and question.vector is not None and rows[0][0] != len(question.vector):
        raise BadAsk(different_length(question.model or "", len(question.vector), rows[0][0]))


def _text_arm(
    terms: tuple[str, ...], passages: int, where: str, values: list[Any], pool: int
) -> Flow[tuple[list[int], list[float]]]:
    """The best rows by their words, and the share of each word in the question."""
    if not terms or not passages:
        return [], [0.0] * len(terms)
    ((rows, holding),) = yield from ask(
        "WITH term AS (SELECT place, word FROM unnest(CAST(? AS TEXT[])) WITH ORDINALITY AS given(word, place)), "
        "hit AS MATERIALIZED (SELECT place, row, length FROM term JOIN passages ON terms @> ARRAY[word] "
        f"WHERE {where}), "
        "held AS (SELECT place, COUNT(*) AS holding FROM hit GROUP BY place), "
        "weighed AS (SELECT place, COALESCE(holding, 0) AS holding, "
        "ln(1 + (CAST(? AS float8) - COALESCE(holding, 0) + 0.5) / (COALESCE(holding, 0) + 0.5)) AS weight "
        "FROM term LEFT JOIN held USING (place)), "
        f"best AS (SELECT row, SUM(weight) / {_WEIGHT} AS score FROM hit JOIN weighed USING (place) "
        "GROUP BY row, length ORDER BY score DESC, row DESC LIMIT ?) "
        "SELECT ARRAY(SELECT row FROM best), "
        "ARRAY(SELECT holding FROM weighed ORDER BY place)",
        list(terms),
        *values,
        float(passages),
        pool,
    )
    return rows, shares(passages, holding)


def _ranked(
    workspace: str, rows: list[int], weights: dict[str, float], question: Search
) -> Flow[list[tuple[PassageKind, str, float, Parts]]]:
    cosine = "NULL" if question.vector is None else "-(vec <#> CAST(? AS halfvec))"
    found = yield from ask(
        f"SELECT passages.row, kind, ref, length, {cosine}, "
        "ARRAY(SELECT word FROM unnest(terms) AS word WHERE word = ANY(?)) "
        "FROM passages LEFT JOIN vectors ON vectors.workspace = passages.workspace "
        "AND vectors.row = passages.row AND model = ? WHERE passages.workspace = ? AND passages.row = ANY(?)",
        *([] if question.vector is None else [_SQL.vector(question.vector)]),
        list(weights),
        question.model or "",
        workspace,
        rows,
    )
    scored = []
    for row, kind, ref, length, vector, words in found:
        covered = sum(weights[word] for word in words)
        text = covered / (1 + LENGTH_SLOPE * max(length / PIVOT_TERMS - 1, 0)) if words else None
        parts = Parts(None if vector is None else float(vector), text)
        score = fuse(parts, question.vector_weight)
        if question.min_similarity is None or score >= question.min_similarity:
            scored.append((score, row, PassageKind(kind), ref, parts))
    scored.sort(key=lambda each: (-each[0], -each[1]))
    return [(kind, ref, score, parts) for score, _, kind, ref, parts in scored[: question.limit]]


def _hits(workspace: str, best: list[tuple[PassageKind, str, float, Parts]], question: Search) -> Flow[list[Hit]]:
    records: dict[tuple[PassageKind, str], Any] = {}
    for kind in {each[0] for each in best}:
        ids = [ref for each, ref, _, _ in best if each is kind]
        if kind is PassageKind.MEMORY and question.as_of is not None:
            found = yield from reads.as_of(_SQL, workspace, ids, question.as_of)
        else:
            found = yield from reads.get_many(_SQL, TABLES[reads.kind_of(kind)], workspace, ids)
        records |= {(kind, record.id): record for record in found}
    return [Hit(kind, records[kind, ref], score, parts) for kind, ref, score, parts in best if (kind, ref) in records]
