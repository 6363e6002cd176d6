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
    coverage = yield from _coverage(question, where, values)
    nearest = yield from _vector_arm(question, where, values)
    terms = query_terms(question.text)
    worded, weights = yield from _text_arm(terms, coverage.passages, where, values, question.pool)
    rows = sorted(set(nearest) | set(worded))
    best = yield from _ranked(workspace, rows, dict(zip(terms, weights, strict=True)), question)
    hits = yield from _hits(workspace, best, question)
    return Found(tuple(hits), coverage)


def _conditions(workspace: str, question: Search) -> tuple[str, list[Any]]:
    found: list[tuple[str, list[Any]]] = [
        ("scoped.workspace = ?", [workspace]),
        _one_of("scoped.status", question.statuses),
    ]
    # Asking for all of them is asking for nothing, and comparing takes time for each row.
    if question.kinds != frozenset(PassageKind):
        found.append(_one_of("scoped.kind", frozenset(kind.value for kind in question.kinds)))
    if question.types:
        found.append(_one_of("scoped.type", question.types))
    if question.pair is not None:
        found.append(("scoped.pair = ?", [pair_key(*question.pair)]))
    if question.person_id is not None:
        found.append(("scoped.persons @> ARRAY[CAST(? AS TEXT)]", [question.person_id]))
    if question.conversation_id is not None:
        found.append(("scoped.conversation_id = ?", [question.conversation_id]))
    if question.campaign_id is not None:
        found.append(("scoped.campaign_id = ?", [question.campaign_id]))
    if question.since is not None:
        found.append(("scoped.at >= ?", [seconds(question.since)]))
    if question.until is not None:
        found.append(("scoped.at < ?", [seconds(question.until)]))
    found.append(_time(question))
    return " AND ".join(condition for condition, _ in found), [value for _, values in found for value in values]


def _one_of(column: str, values: frozenset[str]) -> tuple[str, list[Any]]:
    if len(values) == 1:
        return f"{column} = ?", list(values)
    return f"{column} = ANY(?)", [list(values)]


def _time(question: Search) -> tuple[str, list[Any]]:
    if question.as_of is None:
        return "scoped.until IS NULL", []
    then = seconds(question.as_of)
    return (
        "scoped.since <= ? AND (scoped.until IS NULL OR ? < scoped.until) AND (scoped.valid_from IS NULL "
        "OR scoped.valid_from <= ?) AND (scoped.valid_to IS NULL OR ? < scoped.valid_to)",
        [then] * 4,
    )


def _is_narrow(question: Search) -> bool:
    named = (question.pair, question.person_id, question.conversation_id, question.campaign_id)
    return any(each is not None for each in named)


def _embedded(question: Search) -> str:
    """The vectors in scope. `vectors` knows all that a broad scope filters by; a narrow one starts at its
    passages, through an index, and looks up their vectors."""
    if not _is_narrow(question):
        return "vectors AS scoped"
    return "passages AS scoped JOIN vectors ON vectors.workspace = scoped.workspace AND vectors.row = scoped.row"


def _vector_arm(question: Search, where: str, values: list[Any]) -> Flow[list[int]]:
    if question.vector is None:
        return []
    yield from _check_length(question, values[0])
    rows = yield from ask(
        f"SELECT scoped.row FROM {_embedded(question)} WHERE {where} AND model = ? "
        "ORDER BY vec <#> CAST(? AS halfvec), scoped.row DESC LIMIT ?",
        *values,
        question.model,
        _SQL.vector(question.vector),
        question.pool,
    )
    return [row[0] for row in rows]


def _coverage(question: Search, where: str, values: list[Any]) -> Flow[Coverage]:
    ((passages,),) = yield from ask(f"SELECT COUNT(*) FROM passages AS scoped WHERE {where}", *values)
    if question.model is None:
        return Coverage(passages, 0)
    ((embedded,),) = yield from ask(
        f"SELECT COUNT(*) FROM {_embedded(question)} WHERE {where} AND model = ?", *values, question.model
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
        "hit AS MATERIALIZED (SELECT place, row, length FROM term JOIN passages AS scoped ON terms @> ARRAY[word] "
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
        f"SELECT passages.row, passages.kind, ref, length, {cosine}, "
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
