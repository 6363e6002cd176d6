"""What a memory weighs beside its likeness: how much it matters, how fresh it is, how sure, how often it came up (R2).

Each part is a factor of at most 1, so that a score never grows past the relevance it began with (`eased`), and each is
told. Start at `weights_of`; what is about somebody who is named begins with more (`for_named`).
"""

import math
from collections.abc import Collection
from datetime import datetime

from everlore.domain.memory import DUE, Memory, Status, is_due
from everlore.recall.names import QueryNames, is_about
from everlore.recall.recipes import Recipe

_MOST_IMPORTANT = 10
_DAY_S = 86_400
# What was confirmed so often needs no more proof.
_OFTEN = 5
_PAST = 0.6
_ON_SCREEN = 0.3
_FOR_NAMED = 0.35


def weights_of(memory: Memory, recipe: Recipe, now: datetime, on_screen: Collection[str] = ()) -> dict[str, float]:
    """The factors that are not 1. `on_screen`: ids of the messages that stand in the prompt anyhow."""
    factors = {
        "importance": 1 - recipe.importance * (1 - memory.importance / _MOST_IMPORTANT),
        "freshness": 1 - recipe.freshness * (1 - _freshness(memory, recipe, now)),
        "reinforcement": 1 - recipe.reinforcement * (1 - min(_times(memory) / _OFTEN, 1)),
        "confidence": 0.5 + 0.5 * memory.confidence,
        "validity": 1.0 if _holds(memory, now) else _PAST,
        "on_screen": _ON_SCREEN if _is_on_screen(memory, on_screen) else 1.0,
    }
    return {name: factor for name, factor in factors.items() if factor < 1}


def eased(relevance: float, *factors: float) -> float:
    """What is left of a relevance of which only so much counts. The factors scale what speaks for it: of two that are
    both as good as certain, the better one stays so."""
    return 1.0 - (1.0 - relevance) ** math.prod(factors)


def for_named(relevance: float, memory: Memory, named: QueryNames) -> float:
    """Being about whoever is named is worth something by itself, and less with every tie between (R4)."""
    steps = is_about(memory, named)
    return relevance if steps is None else 1 - (1 - relevance) * (1 - _FOR_NAMED * 0.5**steps)


def _freshness(memory: Memory, recipe: Recipe, now: datetime) -> float:
    """1 for what was said just now, a half after its half-life."""
    half_life = recipe.half_lives.get(memory.durability)
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
