"""The importance of a memory, from 1 to 10: one formula for new memories and for rescoring (I1).

docs/learning.md lists the factors and their weights. Start at `importance`.
"""

import math
from datetime import datetime

from everlore.domain.memory import Category, Durability, Memory, MemoryType, Status, is_persons, said_of

LEAST, MOST = 1, 10
# Minimum for identity memories.
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
# Days after which a memory loses one point, and the maximum loss by age.
_DAYS_A_POINT = {Durability.EPHEMERAL: 1.0, Durability.SITUATIONAL: 30.0, Durability.LONG_TERM: 365.0}
_MOST_BY_AGE = {Durability.EPHEMERAL: 4.0, Durability.SITUATIONAL: 3.0, Durability.LONG_TERM: 2.0}
_CONTRADICTED = 3.0


def importance(memory: Memory, now: datetime, *, references: int = 0) -> int:
    """The importance at this time. `references`: how many memories point to it."""
    points = _base(memory) + _merits(memory, references) - _faded(memory, now)
    if memory.status in (Status.SUPERSEDED, Status.REJECTED):
        points -= _CONTRADICTED
    elif memory.durability is Durability.IDENTITY:
        points = max(points, _IDENTITY_LEAST)
    # Round half up: Python's `round` rounds half to even.
    return max(LEAST, min(MOST, math.floor(points + 0.5)))


def rescored(memory: Memory, now: datetime, *, references: int = 0) -> int:
    """The same, but never lower than before for memories that a person wrote or edited."""
    score = importance(memory, now, references=references)
    return max(score, memory.importance) if is_persons(memory) else score


def _base(memory: Memory) -> float:
    """The extractor's own rating comes first."""
    given = memory.extra.get("given_importance")
    if isinstance(given, int):
        return max(LEAST, min(MOST, given))
    kind = _BY_TYPE.get(memory.type, _OTHERWISE)
    return (_BY_CATEGORY[memory.category] if memory.category else kind) + _BY_DURABILITY[memory.durability]


def _merits(memory: Memory, references: int) -> float:
    return (
        -4.0 * max(0.0, min(_STATED, _STATED - memory.confidence))
        + 2.0 * memory.emotional_weight
        + min(2.0, 0.75 * math.log2(1 + memory.reinforcement_count))
        + min(1.5, 0.5 * math.log2(1 + memory.recall_count / 2))
        + min(2.0, 0.75 * math.log2(1 + references))
    )


def _faded(memory: Memory, now: datetime) -> float:
    """The loss by days since it was last said or recalled."""
    latest = max(said_of(memory), memory.last_recalled_at or memory.created_at)
    days = _DAYS_A_POINT.get(memory.durability)
    age = max(0.0, (now - latest).total_seconds() / 86_400)
    return 0.0 if days is None else min(_MOST_BY_AGE[memory.durability], age / days)
