"""The search of the double: every passage is looked at, so what it finds is exact by construction."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from everlore.domain.memory import Memory, MemoryType, Visible
from everlore.domain.passage import Passage, PassageKind, pair_key
from everlore.domain.records import KINDS, Record
from everlore.domain.words import query_terms
from everlore.store import scoring
from everlore.store.answers import Coverage, Found, Hit, Parts
from everlore.store.port import Search, Vector
from tests.store_double.knowledge import knowledge_of, state_at
from tests.store_double.room import Indexed, Room, check_dims, own_copy

_RECORDS = {kind: next(each for each in KINDS if each.__name__.lower() == kind) for kind in PassageKind}


def search(room: Room, ask: Search) -> Found:
    scoped = _scoped(room, ask)
    weights = _weights(list(scoped.values()), query_terms(ask.text))
    allowed = {row: each for row, each in scoped.items() if ask.refs is None or each.passage.ref in ask.refs}
    cosines = _vector_parts(room, allowed, ask)
    texts = _text_parts(list(allowed.values()), weights)
    found: list[tuple[float, int, Parts]] = []
    for row in {*_best(cosines, ask.pool), *_best(texts, ask.pool)}:
        parts = Parts(cosines.get(row), texts.get(row))
        score = scoring.fuse(parts, ask.vector_weight)
        if ask.min_similarity is None or score >= ask.min_similarity:
            found.append((score, row, parts))
    found.sort(key=lambda each: each[:2], reverse=True)
    hits = (_hit(room, allowed[row], score, parts, ask.as_of) for score, row, parts in found[: ask.limit])
    return Found(tuple(hits), _coverage(room, scoped, ask.model), weights)


def coverage(room: Room, model: str) -> Coverage:
    return _coverage(room, present(room), model)


def present(room: Room) -> dict[int, Indexed]:
    """The passages of what is believed now. Only these are worth a new vector."""
    return {row: each for row, each in room.passages.items() if each.until is None}


def vectors(room: Room, model: str, kind: PassageKind, refs: Iterable[str]) -> dict[str, Vector]:
    wanted, kept = set(refs), room.vectors.get(model, {})
    these = (each for row, each in present(room).items() if row in kept)
    return {
        each.passage.ref: kept[each.row].copy()
        for each in these
        if each.passage.kind is kind and each.passage.ref in wanted
    }


def _coverage(room: Room, passages: Mapping[int, Indexed], model: str | None) -> Coverage:
    vectors = room.vectors.get(model, {}) if model is not None else {}
    return Coverage(len(passages), sum(row in vectors for row in passages))


def _scoped(room: Room, ask: Search) -> dict[int, Indexed]:
    knower = knowledge_of(room, ask.knower_id, ask.as_of) if ask.knower_id is not None else None
    other = knowledge_of(room, ask.unknown_to, ask.as_of) if ask.unknown_to is not None else None
    return {
        row: each
        for row, each in room.passages.items()
        if _admits(ask, each)
        and (knower is None or knower.has(each.passage) or _is_open(ask, each.passage))
        and (other is None or not other.has(each.passage))
    }


def _admits(ask: Search, indexed: Indexed) -> bool:
    passage = indexed.passage
    return (
        passage.kind in ask.kinds
        and passage.status in ask.statuses
        and (not ask.types or passage.type in ask.types)
        and ask.person_id in (None, *passage.persons)
        and (ask.pair is None or passage.pair == pair_key(*ask.pair))
        and (ask.persons is None or ask.persons == set(passage.persons))
        and (ask.besides is None or ask.besides != set(passage.persons))
        and (ask.without is None or ask.without.isdisjoint(passage.persons))
        and _is_visible(ask, passage)
        and ask.conversation_id in (None, passage.conversation_id)
        and ask.campaign_id in (None, passage.campaign_id)
        and _within(ask.since, passage.at, ask.until)
        and _stood(indexed, ask.as_of)
    )


def _is_visible(ask: Search, passage: Passage) -> bool:
    if passage.visibility not in ask.visibilities or (passage.is_spoiler and not _shows_spoilers_of(ask, passage)):
        return False
    is_elsewhere = ask.private_in not in (None, passage.conversation_id)
    return passage.visibility != Visible.PRIVATE or not is_elsewhere


def _shows_spoilers_of(ask: Search, passage: Passage) -> bool:
    if passage.campaign_id in ask.runs:
        return True
    is_of_players = passage.campaign_id in (None, *ask.plays) if ask.plays else False
    return ask.with_spoilers and not is_of_players


def _is_open(ask: Search, passage: Passage) -> bool:
    """What somebody may see without knowing it themselves."""
    is_secret, is_nobodys = passage.visibility == Visible.SECRET, not passage.persons
    match passage.kind:
        case PassageKind.MEMORY if ask.open_of is not None and set(passage.persons) == {ask.open_of}:
            if passage.visibility == Visible.NORMAL:
                return True
        case PassageKind.MESSAGE:
            return is_nobodys and bool(ask.private_in) and passage.conversation_id == ask.private_in
        case PassageKind.ENTITY if passage.campaign_id is None:
            return is_nobodys and "" in ask.canon_of
    if passage.campaign_id in ask.runs:
        return passage.is_spoiler or not is_secret
    is_canon = is_nobodys or passage.kind is PassageKind.ENTITY or passage.type == MemoryType.CANON_RULING
    return passage.campaign_id in ask.canon_of and is_canon and not is_secret


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


def _weights(scoped: Sequence[Indexed], terms: Sequence[str]) -> dict[str, float]:
    return scoring.weights(terms, len(scoped), [sum(term in each.terms for each in scoped) for term in terms])


def _text_parts(allowed: Sequence[Indexed], weights: Mapping[str, float]) -> dict[int, float]:
    lengths = scoring.length_weight(np.array([len(each.terms) for each in allowed], np.float32))
    return {
        each.row: sum(weight for term, weight in weights.items() if term in each.terms) * float(length)
        for each, length in zip(allowed, lengths, strict=True)
        if not each.terms.isdisjoint(weights)
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
