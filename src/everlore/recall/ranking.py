"""Scores each hit: its relevance, reduced by its importance, freshness, confidence, reinforcement, and whether it is of
the time that was asked about (R2, R3). Pure.

Each part is a factor of at most 1, so that a score never exceeds its relevance (`eased`), and each is reported. Hits
about a named person start higher (`for_named`). Start at `rank`; `weights_of` has the factors.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.layer import Layer
from everlore.domain.memory import DUE, Memory, Status, is_due
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.recall.about import telling
from everlore.recall.analysis import QueryAnalysis
from everlore.recall.names import QueryNames, is_about
from everlore.recall.question import RecallQuery
from everlore.recall.reasons import time_of, weighed_of
from everlore.recall.recipes import Weights
from everlore.recall.times import time_weight
from everlore.store.answers import Hit

_MOST_IMPORTANT = 10
_DAY_S = 86_400
# More confirmations than this count no further.
_OFTEN = 5
_PAST = 0.6
_ON_SCREEN = 0.3
_FOR_NAMED = 0.35


@dataclass(frozen=True, slots=True)
class Weighed:
    """A hit with its score. `is_about_others`: about a named person who is not one of the two who talk; `opens`: it is
    relevant apart from the names in it, as gossip about others must be (R6)."""

    recalled: Recalled
    relevance: float
    is_about_others: bool
    opens: bool


def rank(hits: Sequence[tuple[Layer, Hit]], query: RecallQuery, analysis: QueryAnalysis) -> list[Weighed]:
    """Best first, each once in every layer that has it."""
    times = [at for _, hit in hits if (at := time_of(hit.record)) is not None]
    spans = (min(times), max(times)) if times else (analysis.now, analysis.now)
    weighed = [_weighed(layer, hit, spans, query, analysis) for layer, hit in hits]
    weighed.sort(key=lambda each: (-each.recalled.score, each.recalled.record.id))
    found: dict[tuple[object, ...], Weighed] = {}
    for each in weighed:
        found.setdefault((each.recalled.layer, each.recalled.kind, each.recalled.record.id), each)
    return list(found.values())


def _weighed(
    layer: Layer, hit: Hit, spans: tuple[datetime, datetime], query: RecallQuery, analysis: QueryAnalysis
) -> Weighed:
    record, recipe = hit.record, query.recipe
    relevance = analysis.floor.relevance(hit.parts, analysis.telling[hit.kind])
    weights = {"time": time_weight(analysis.time, time_of(record), *spans)}
    if isinstance(record, Memory):
        relevance = for_named(relevance, record, analysis.others)
        weights |= weights_of(record, recipe.weights, analysis.now, query.on_screen) if recipe.weights else {}
    less = {name: weight for name, weight in weights.items() if weight < 1}
    score = eased(relevance, recipe.memory if hit.kind is PassageKind.MEMORY else 1.0, *less.values())
    score *= recipe.summary if hit.kind is PassageKind.SUMMARY else 1.0
    return Weighed(
        weighed_of(hit, score=score, layer=layer, weights={"relevance": relevance, **less}),
        relevance,
        isinstance(record, Memory) and is_about(record, analysis.others) is not None,
        layer is not Layer.CROSS or _opens(hit, query, analysis),
    )


def _opens(hit: Hit, query: RecallQuery, analysis: QueryAnalysis) -> bool:
    relevance = analysis.floor.relevance(hit.parts, telling(analysis.gossip[0]))
    return query.gossip_threshold is not None and relevance >= query.gossip_threshold


def weights_of(memory: Memory, weights: Weights, now: datetime, on_screen: Collection[str] = ()) -> dict[str, float]:
    """The factors that are not 1. `on_screen`: ids of the messages that are in the prompt anyway."""
    factors = {
        "importance": 1 - weights.importance * (1 - memory.importance / _MOST_IMPORTANT),
        "freshness": 1 - weights.freshness * (1 - _freshness(memory, weights, now)),
        "reinforcement": 1 - weights.reinforcement * (1 - min(_times(memory) / _OFTEN, 1)),
        "confidence": 0.5 + 0.5 * memory.confidence,
        "validity": 1.0 if _holds(memory, now) else _PAST,
        "on_screen": _ON_SCREEN if _is_on_screen(memory, on_screen) else 1.0,
    }
    return {name: factor for name, factor in factors.items() if factor < 1}


def eased(relevance: float, *factors: float) -> float:
    """A relevance reduced by factors. They are exponents of the doubt, so that of two that are both almost certain the
    better one stays ahead."""
    return 1.0 - (1.0 - relevance) ** math.prod(factors)


def for_named(relevance: float, memory: Memory, named: QueryNames) -> float:
    """A bonus for being about a named person or thing, smaller with every relationship in between (R4)."""
    steps = is_about(memory, named)
    return relevance if steps is None else 1 - (1 - relevance) * (1 - _FOR_NAMED * 0.5**steps)


def _freshness(memory: Memory, weights: Weights, now: datetime) -> float:
    """1 for what was said just now, one half after its half-life."""
    half_life = weights.half_lives.get(memory.durability)
    if half_life is None or memory.importance >= DUE:
        return 1.0
    said = max(memory.valid_from or memory.created_at, memory.last_recalled_at or memory.created_at)
    days = max((now - said).total_seconds(), 0) / _DAY_S
    return float(2 ** -(days / half_life))


def _times(memory: Memory) -> int:
    return memory.reinforcement_count + min(memory.recall_count, 1)


def _holds(memory: Memory, now: datetime) -> bool:
    is_over = memory.valid_to is not None and memory.valid_to <= now
    return memory.status is not Status.SUPERSEDED and not is_over


def _is_on_screen(memory: Memory, on_screen: Collection[str]) -> bool:
    sources = memory.source_message_ids
    return bool(sources) and not is_due(memory) and all(id in on_screen for id in sources)
