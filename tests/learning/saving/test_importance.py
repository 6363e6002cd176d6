"""How important a memory is (I1), as one function of documented inputs."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.memory import Category, Durability, Memory, MemoryType, Origin, Status
from everlore.learning.saving.importance import importance as importance_of
from everlore.learning.saving.importance import rescored

NOW = datetime(2026, 6, 5, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Signs:
    """What speaks for a memory, and against it."""

    type: MemoryType = MemoryType.FACT
    category: Category | None = None
    durability: Durability = Durability.LONG_TERM
    confidence: float = 0.95
    emotional_weight: float = 0.0
    reinforcements: int = 0
    recalls: int = 0
    references: int = 0
    age_days: float = 0.0
    is_contradicted: bool = False
    given: int | None = None


def importance(signs: Signs) -> int:
    said = NOW - timedelta(days=signs.age_days)
    told = memory(
        type=signs.type,
        category=signs.category,
        durability=signs.durability,
        confidence=signs.confidence,
        emotional_weight=signs.emotional_weight,
        reinforcement_count=signs.reinforcements,
        recall_count=signs.recalls,
        status=Status.SUPERSEDED if signs.is_contradicted else Status.ACTIVE,
        extra={} if signs.given is None else {"given_importance": signs.given},
        created_at=said,
    )
    return importance_of(told, NOW, references=signs.references)


SIGNS = st.builds(
    Signs,
    type=st.sampled_from(MemoryType),
    category=st.none() | st.sampled_from(Category),
    durability=st.sampled_from(Durability),
    confidence=st.floats(0, 1),
    emotional_weight=st.floats(0, 1),
    reinforcements=st.integers(0, 10**6),
    recalls=st.integers(0, 10**6),
    references=st.integers(0, 10**6),
    age_days=st.floats(0, 10**5),
    is_contradicted=st.booleans(),
    given=st.none() | st.integers(1, 10),
)


def memory(**fields: Any) -> Memory:
    base: dict[str, Any] = {
        "workspace": "home",
        "id": "one",
        "content": "User likes coffee",
        "origin": Origin.EXTRACTOR,
        "category": Category.PREFERENCE,
        "confidence": 0.95,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Memory(**{**base, **fields})


@given(SIGNS)
def test_importance_is_always_from_one_to_ten(signs: Signs) -> None:
    """I1."""
    assert 1 <= importance(signs) <= 10


def changed(signs: Signs, **fields: Any) -> Signs:
    return Signs(**{**{name: getattr(signs, name) for name in signs.__dataclass_fields__}, **fields})


@given(SIGNS, st.sampled_from(["reinforcements", "recalls", "references"]), st.integers(1, 1000))
def test_what_is_said_recalled_or_referred_to_again_never_matters_less(signs: Signs, name: str, more: int) -> None:
    """I1."""
    assert importance(changed(signs, **{name: getattr(signs, name) + more})) >= importance(signs)


@given(SIGNS, st.floats(0, 10**4))
def test_age_and_contradiction_never_raise_it(signs: Signs, days: float) -> None:
    """I1."""
    assert importance(changed(signs, age_days=signs.age_days + days)) <= importance(signs)
    assert importance(changed(signs, is_contradicted=True)) <= importance(changed(signs, is_contradicted=False))


@given(SIGNS, st.floats(0, 10**5))
def test_identity_never_fades(signs: Signs, days: float) -> None:
    """I1, M17."""
    who = changed(signs, durability=Durability.IDENTITY)

    assert importance(changed(who, age_days=days)) == importance(who)
    assert importance(changed(who, is_contradicted=False)) >= 8


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        (Signs(), 5),
        (Signs(category=Category.PERSONAL_INFO), 6),
        (Signs(category=Category.PERSONAL_INFO, durability=Durability.IDENTITY), 8),
        (Signs(type=MemoryType.DECISION), 6),
        (Signs(type=MemoryType.CANON_RULING), 8),
        (Signs(durability=Durability.EPHEMERAL), 2),
        (Signs(confidence=0.7), 4),
        (Signs(emotional_weight=1.0), 7),
        (Signs(reinforcements=1), 6),
        (Signs(reinforcements=100), 7),
        (Signs(recalls=1), 5),
        (Signs(recalls=100), 7),
        (Signs(references=2), 6),
        (Signs(durability=Durability.SITUATIONAL), 4),
        (Signs(durability=Durability.SITUATIONAL, age_days=60), 2),
        (Signs(age_days=365), 4),
        (Signs(age_days=36_500), 3),
        (Signs(is_contradicted=True), 2),
        (Signs(given=9), 9),
        (Signs(given=99), 10),
    ],
)
def test_each_input_counts_as_the_table_says(signs: Signs, expected: int) -> None:
    """I1."""
    assert importance(signs) == expected


def test_a_memory_that_nobody_asks_for_fades_and_one_that_is_recalled_does_not() -> None:
    """I1."""
    later = NOW + timedelta(days=400)

    assert rescored(memory(), NOW) == 5
    assert rescored(memory(), later) == 4
    assert rescored(memory(recall_count=1, last_recalled_at=later), later) == 5


def test_a_closed_memory_matters_less() -> None:
    assert rescored(memory(status=Status.SUPERSEDED), NOW) == 2


def test_what_a_person_made_is_never_lowered() -> None:
    """I1, M11."""
    later = NOW + timedelta(days=4_000)

    assert rescored(memory(origin=Origin.USER, importance=9), later) == 9
    assert rescored(memory(edited_by_person=True, importance=9), later) == 9


def test_what_the_extractor_said_of_it_is_remembered() -> None:
    assert rescored(memory(extra={"given_importance": 9}), NOW) == 9


def test_rubbish_in_the_extra_fields_does_no_harm() -> None:
    assert rescored(memory(extra={"given_importance": "many", "said": [1]}), NOW) == 5
