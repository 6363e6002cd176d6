"""The search of the double: every passage is looked at, so what it finds is exact by construction."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind, pair_key
from everlore.domain.records import KINDS, Record
from everlore.domain.words import query_terms
from everlore.store.double.room import Indexed, Room, check_dims, own_copy
from everlore.store.port import Coverage, Found, Hit, Parts, Search
from everlore.store.scoring import fuse, length_weight, shares

_RECORDS = {kind: next(each for each in KINDS if each.__name__.lower() == kind) for kind in PassageKind}


def search(room: Room, ask: Search) -> Found:
    allowed = {row: each for row, each in room.passages.items() if _admits(ask, each)}
    cosines = _vector_parts(room, allowed, ask)
    texts = _text_parts(list(allowed.values()), query_terms(ask.text))
    found: list[tuple[float, int, Parts]] = []
    for row in {*_best(cosines, ask.pool), *_best(texts, ask.pool)}:
        parts = Parts(cosines.get(row), texts.get(row))
        score = fuse(parts, ask.vector_weight)
        if ask.min_similarity is None or score >= ask.min_similarity:
            found.append((score, row, parts))
    found.sort(key=lambda each: each[:2], reverse=True)
    hits = (_hit(room, allowed[row], score, parts, ask.as_of) for score, row, parts in found[: ask.limit])
    return Found(tuple(hits), _coverage(room, allowed, ask.model))


def coverage(room: Room, model: str) -> Coverage:
    return _coverage(room, present(room), model)


def present(room: Room) -> dict[int, Indexed]:
    """The passages of what is believed now. Only these are worth a new vector."""
    return {row: each for row, each in room.passages.items() if each.until is None}


def state_at(room: Room, memory: Memory, at: datetime) -> Memory | None:
    """The memory as it was believed then; None before it was known."""
    if memory.updated_at <= at:
        return memory
    past = (each for each in room.revisions.get(memory.id, ()) if each.since <= at < each.until)
    return next((each.before for each in past), None)


def _coverage(room: Room, passages: Mapping[int, Indexed], model: str | None) -> Coverage:
    vectors = room.vectors.get(model, {}) if model is not None else {}
    return Coverage(len(passages), sum(row in vectors for row in passages))


def _admits(ask: Search, indexed: Indexed) -> bool:
    passage = indexed.passage
    return (
        passage.kind in ask.kinds
        and passage.status in ask.statuses
        and (not ask.types or passage.type in ask.types)
        and ask.person_id in (None, *passage.persons)
        and (ask.pair is None or passage.pair == pair_key(*ask.pair))
        and (ask.persons is None or ask.persons == set(passage.persons))
        and ask.conversation_id in (None, passage.conversation_id)
        and ask.campaign_id in (None, passage.campaign_id)
        and _within(ask.since, passage.at, ask.until)
        and _stood(indexed, ask.as_of)
    )


def _within(start: datetime | None, at: datetime, end: datetime | None) -> bool:
    return (start is None or start <= at) and (end is None or at < end)


def _stood(indexed: Indexed, as_of: datetime | None) -> bool:
    """Believed and, by what it says itself, true at that time; or simply the present."""
    if as_of is None:
        return indexed.until is None
    believed = _within(indexed.since, as_of, indexed.until)
    return believed and _within(indexed.passage.valid_from, as_of, indexed.passage.valid_to)


def _vector_parts(room: Room, allowed: Mapping[int, Indexed], ask: Search) -> dict[int, float]:
    if ask.vector is None or ask.model is None:
        return {}
    check_dims(room, ask.model, len(ask.vector))
    vectors = room.vectors.get(ask.model, {})
    return {row: float(np.dot(vectors[row], ask.vector)) for row in allowed if row in vectors}


def _text_parts(allowed: Sequence[Indexed], terms: Sequence[str]) -> dict[int, float]:
    if not terms:
        return {}
    holding = [sum(term in each.terms for each in allowed) for term in terms]
    weights = dict(zip(terms, shares(len(allowed), holding), strict=False))
    parts = {each.row: sum(weights[term] for term in terms if term in each.terms) for each in allowed}
    lengths = length_weight(np.array([len(each.terms) for each in allowed], np.float32))
    return {
        each.row: parts[each.row] * float(length)
        for each, length in zip(allowed, lengths, strict=True)
        if not each.terms.isdisjoint(terms)
    }


def _best(parts: Mapping[int, float], pool: int) -> list[int]:
    """The rows of the highest parts; of equals the newer."""
    return sorted(parts, key=lambda row: (parts[row], row), reverse=True)[:pool]


def _hit(room: Room, indexed: Indexed, score: float, parts: Parts, as_of: datetime | None) -> Hit:
    kind = indexed.passage.kind
    record: Record | None = room.records[_RECORDS[kind]][indexed.passage.ref]
    if as_of is not None and isinstance(record, Memory):
        record = state_at(room, record, as_of)
    return Hit(kind, own_copy(record), score, parts)
