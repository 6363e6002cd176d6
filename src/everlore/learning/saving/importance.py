"""How important a memory is, from 1 to 10: one formula for its birth and for every time it is weighed again (I1).

docs/memory-saving.md has the table of what counts and by how much. Start at `importance`.
"""

import math
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.memory import Category, Durability, Memory, MemoryType, Status, is_persons, said_of

LEAST, MOST = 1, 10
# Who somebody is never sinks below this.
_IDENTITY_LEAST = 8

_BY_CATEGORY = {
    Category.PERSONAL_INFO: 6,
    Category.RELATIONSHIP: 6,
    Category.GOAL: 6,
    Category.PREFERENCE: 5,
    Category.EXPERIENCE: 5,
    Category.SKILL: 5,
}
_BY_TYPE = {
    MemoryType.CANON_RULING: 8,
    MemoryType.PREMISE: 8,
    MemoryType.RULE: 7,
    MemoryType.PERSONALITY: 7,
    MemoryType.PLOT_THREAD: 7,
    MemoryType.RELATIONSHIP: 6,
    MemoryType.DECISION: 6,
    MemoryType.DISCOVERY: 6,
    MemoryType.GOAL: 6,
    MemoryType.NOTE: 4,
    MemoryType.OUTCOME: 4,
    MemoryType.SUMMARY: 4,
    MemoryType.SCENE: 4,
    MemoryType.EMOTION: 4,
}
_OTHERWISE = 5
_BY_DURABILITY = {
    Durability.EPHEMERAL: -3.0,
    Durability.SITUATIONAL: -1.0,
    Durability.LONG_TERM: 0.0,
    Durability.IDENTITY: 2.0,
}
_STATED = 0.95
# After so many days a memory has lost one point; and the most that it loses by age.
_DAYS_A_POINT = {Durability.EPHEMERAL: 1.0, Durability.SITUATIONAL: 30.0, Durability.LONG_TERM: 365.0}
_MOST_BY_AGE = {Durability.EPHEMERAL: 4.0, Durability.SITUATIONAL: 3.0, Durability.LONG_TERM: 2.0}
_CONTRADICTED = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for a memory and against it. `given`: what the extractor says of its importance."""

    type: MemoryType = MemoryType.FACT
    category: Category | None = None
    durability: Durability = Durability.LONG_TERM
    confidence: float = _STATED
    emotional_weight: float = 0.0
    reinforcements: int = 0
    recalls: int = 0
    references: int = 0
    age_days: float = 0.0
    is_contradicted: bool = False
    given: int | None = None


def importance(signs: Signs) -> int:
    points = _base(signs) + _merits(signs) - _faded(signs)
    if signs.is_contradicted:
        points -= _CONTRADICTED
    elif signs.durability is Durability.IDENTITY:
        points = max(points, _IDENTITY_LEAST)
    # Half a point rounds up, always: Python's own rounding goes to the even number.
    return max(LEAST, min(MOST, math.floor(points + 0.5)))


def rescored(memory: Memory, now: datetime, *, references: int = 0) -> int:
    """Its importance today. What a person made or edited is never lowered. `references`: how many memories point
    to it."""
    score = importance(signs_of(memory, now, references=references))
    return max(score, memory.importance) if is_persons(memory) else score


def signs_of(memory: Memory, now: datetime, *, references: int = 0) -> Signs:
    given = memory.extra.get("given_importance")
    latest = max(said_of(memory), memory.last_recalled_at or memory.created_at)
    return Signs(
        type=memory.type,
        category=memory.category,
        durability=memory.durability,
        confidence=memory.confidence,
        emotional_weight=memory.emotional_weight,
        reinforcements=memory.reinforcement_count,
        recalls=memory.recall_count,
        references=references,
        age_days=max(0.0, (now - latest).total_seconds() / 86_400),
        is_contradicted=memory.status in (Status.SUPERSEDED, Status.REJECTED),
        given=given if isinstance(given, int) else None,
    )


def _base(signs: Signs) -> float:
    if signs.given is not None:
        return max(LEAST, min(MOST, signs.given))
    kind = _BY_TYPE.get(signs.type, _OTHERWISE)
    base = _BY_CATEGORY[signs.category] if signs.category is not None else kind
    return base + _BY_DURABILITY[signs.durability]


def _merits(signs: Signs) -> float:
    return (
        -4.0 * max(0.0, min(_STATED, _STATED - signs.confidence))
        + 2.0 * max(0.0, min(1.0, signs.emotional_weight))
        + min(2.0, 0.75 * math.log2(1 + max(0, signs.reinforcements)))
        + min(1.5, 0.5 * math.log2(1 + max(0, signs.recalls) / 2))
        + min(2.0, 0.75 * math.log2(1 + max(0, signs.references)))
    )


def _faded(signs: Signs) -> float:
    days = _DAYS_A_POINT.get(signs.durability)
    return 0.0 if days is None else min(_MOST_BY_AGE[signs.durability], max(0.0, signs.age_days) / days)
