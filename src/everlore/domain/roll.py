"""Whether a character can keep a secret: a d20 roll against their traits (R9).

In: a person's age and statistics. Out: the difficulty, and with a seed the roll. Start at `difficulty_of`.
"""

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from everlore.domain.bounds import Between, Id, Line
from everlore.domain.person import Person

_WEAK = 8
_CHILD = 13
_MOST = 15
_CHILDS_LACK = 3
_LEAST_OF_A_CHILD = 2
_USUAL = 10
_USUAL_AGE = 20
SIDES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """One roll of the die, and the memory that slipped out. There is one for each future message."""

    workspace: Id
    id: Id
    conversation_id: Id
    person_id: Id
    # The number of the message it is for.
    seq: Annotated[int, Between(1, 10**12)]
    seed: Line
    difficulty: Annotated[int, Between(0, 100)]
    rolled: Annotated[int, Between(1, SIDES)]
    # The memory that slipped out; None if it was kept.
    memory_id: Id | None = None
    created_at: datetime


def difficulty_of(person: Person) -> int | None:
    """The roll that is needed to keep quiet: the weaker mind and will, the higher. None for persons who never slip."""
    mind, will, age = _statistic(person, "intelligence"), _statistic(person, "mental_strength"), person.age
    is_child = (_USUAL_AGE if age is None else age) < _CHILD
    if mind >= _WEAK and will >= _WEAK and not is_child:
        return None
    control = min(int((mind + will) // 2), _MOST)
    if is_child:
        control = min(control, max(control - _CHILDS_LACK, _LEAST_OF_A_CHILD))
    return SIDES + 1 - control


def chance_of(person: Person) -> float:
    """The probability from 0 to 1 that something slips out if there is something to tell."""
    difficulty = difficulty_of(person)
    return 0.0 if difficulty is None else (difficulty - 1) / SIDES


def rolled_with(seed: str) -> int:
    """The roll for a seed, which is always the same."""
    return random.Random(seed).randint(1, SIDES)


def slips(rolled: int, difficulty: int) -> bool:
    return rolled < difficulty


def _statistic(person: Person, name: str) -> float:
    value = person.statistics.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return _USUAL
    return float(value)
