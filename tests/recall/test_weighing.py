"""What a memory weighs beside its likeness (R2, M17)."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.config_choices import RecipeName
from everlore.domain.memory import DUE, Durability, Memory, Status, is_due
from everlore.recall.ranking import eased, weights_of
from everlore.recall.recipes import TURN_RECIPES, Weights
from tests.contract.builders import START, memory

WEIGHTS = {name: each.weights or Weights() for name, each in TURN_RECIPES.items()}
PLAIN = WEIGHTS[RecipeName.COMPANION]


def weight(each: Memory, *, days: float = 0, recipe: RecipeName = RecipeName.COMPANION, **how: Any) -> float:
    """All factors together, so many days after the memory was made."""
    product = 1.0
    for factor in weights_of(each, WEIGHTS[recipe], START + timedelta(days=days), **how).values():
        product *= factor
    return product


MEMORIES = st.builds(
    lambda importance, confidence, durability, status, ended, count, recalled: memory(
        "m",
        importance=importance,
        confidence=confidence,
        durability=durability,
        status=status,
        valid_to=None if ended is None else START + timedelta(days=ended),
        reinforcement_count=count,
        recall_count=recalled,
        source_message_ids=("said",),
    ),
    st.integers(1, 10),
    st.floats(0, 1),
    st.sampled_from(Durability),
    st.sampled_from(Status),
    st.none() | st.floats(-1000, 1000),
    st.integers(0, 1000),
    st.integers(0, 1000),
)


@given(MEMORIES, st.sampled_from(RecipeName), st.floats(-3650, 36500), st.sampled_from([(), ("said",), ("other",)]))
def test_every_factor_is_between_nought_and_one(
    each: Memory, recipe: RecipeName, days: float, on_screen: tuple[str, ...]
) -> None:
    """R2: a score never grows past its likeness, and what is alike never weighs nothing."""
    factors = weights_of(each, WEIGHTS[recipe], START + timedelta(days=days), on_screen)

    assert all(0 < factor < 1 for factor in factors.values()), factors
    assert set(factors) <= {"importance", "freshness", "reinforcement", "confidence", "validity", "on_screen"}


@given(MEMORIES, st.integers(1, 9))
def test_what_matters_more_weighs_more(each: Memory, importance: int) -> None:
    """R2."""
    assert weight(_with(each, importance=importance)) < weight(_with(each, importance=importance + 1))


@given(MEMORIES, st.floats(0, 5000), st.floats(0, 5000))
def test_nothing_grows_fresher_by_waiting(each: Memory, one: float, other: float) -> None:
    """R2: a day or a decade."""
    assert weight(each, days=max(one, other)) <= weight(each, days=min(one, other)) + 1e-12


@pytest.mark.parametrize(
    ("durability", "half_life"),
    [(Durability.EPHEMERAL, 2), (Durability.SITUATIONAL, 21), (Durability.LONG_TERM, 365)],
)
def test_after_its_half_life_a_memory_is_half_as_fresh(durability: Durability, half_life: float) -> None:
    """R2."""
    factors = weights_of(memory("m", durability=durability), PLAIN, START + timedelta(days=half_life))

    assert factors["freshness"] == pytest.approx(1 - PLAIN.freshness / 2)


@pytest.mark.parametrize("ageless", [{"durability": Durability.IDENTITY}, {"importance": DUE}, {"importance": 10}])
def test_who_somebody_is_and_what_matters_most_do_not_age(ageless: dict[str, Any]) -> None:
    """R2, M17."""
    assert weight(memory("m", **ageless)) == weight(memory("m", **ageless), days=36_500)


def test_what_was_recalled_lately_is_fresh_again() -> None:
    """R2, R5."""
    old = memory("m", durability=Durability.EPHEMERAL)
    recalled = memory("m", durability=Durability.EPHEMERAL, last_recalled_at=START + timedelta(days=29))

    assert weight(recalled, days=30) > weight(old, days=30)


def test_what_was_confirmed_weighs_more_up_to_five_times() -> None:
    """R2."""
    weights = [weight(memory("m", reinforcement_count=count)) for count in range(8)]

    assert weights[:6] == sorted(set(weights))
    assert weights[5] == weights[6] == weights[7]


def test_what_is_sure_weighs_more() -> None:
    """R2."""
    assert weight(memory("m", confidence=0.2)) < weight(memory("m", confidence=0.9)) < weight(memory("m"))


@pytest.mark.parametrize(
    ("over", "is_past"),
    [
        ({}, False),
        ({"status": Status.SUPERSEDED}, True),
        ({"valid_to": START - timedelta(days=1)}, True),
        ({"valid_to": START}, True),
        ({"valid_to": START + timedelta(days=1)}, False),
    ],
)
def test_what_holds_comes_before_what_is_over(over: dict[str, Any], is_past: bool) -> None:
    """R2, M7."""
    assert ("validity" in weights_of(memory("m", **over), PLAIN, START)) is is_past


@pytest.mark.parametrize(
    ("fields", "seen", "counts"),
    [
        ({"source_message_ids": ("a", "b")}, {"a", "b", "c"}, True),
        ({"source_message_ids": ("a", "b")}, {"a"}, False),
        ({"source_message_ids": ()}, {"a"}, False),
        ({"source_message_ids": ("a",), "importance": DUE}, {"a"}, False),
        ({"source_message_ids": ("a",), "durability": Durability.IDENTITY}, {"a"}, False),
    ],
)
def test_what_stands_in_the_prompt_anyhow_weighs_less(fields: dict[str, Any], seen: set[str], counts: bool) -> None:
    """R2, M17: unless it is due, and only where all of its sources stand there."""
    assert ("on_screen" in weights_of(memory("m", **fields), PLAIN, START, seen)) is counts


@pytest.mark.parametrize(
    ("fields", "due"),
    [
        ({}, False),
        ({"importance": DUE - 1}, False),
        ({"importance": DUE}, True),
        ({"importance": 10}, True),
        ({"durability": Durability.IDENTITY, "importance": 1}, True),
        ({"importance": 10, "status": Status.SUPERSEDED}, False),
        ({"importance": 10, "status": Status.PENDING}, False),
        ({"importance": 10, "status": Status.REJECTED}, False),
        ({"importance": 10, "status": Status.DELETED}, False),
        ({"importance": 10, "valid_to": START}, False),
        ({"durability": Durability.IDENTITY, "valid_to": START + timedelta(days=9)}, False),
    ],
)
def test_what_is_due(fields: dict[str, Any], due: bool) -> None:
    """M17: who somebody is, and what matters most, as long as it holds."""
    assert is_due(memory("m", **fields)) is due


def _with(each: Memory, **fields: Any) -> Memory:
    kept = {name: getattr(each, name) for name in Memory.__dataclass_fields__}
    return Memory(**kept | fields)


@given(st.floats(0, 0.999), st.floats(0, 0.999), st.floats(0.05, 1), st.floats(0.05, 1))
def test_factors_take_away_and_never_turn_two_around(one: float, other: float, factor: float, further: float) -> None:
    """R2: a score is at most the relevance, and the same factors leave the order as it was."""
    less, more = sorted((one, other))

    assert 0 <= eased(more, factor, further) <= more + 1e-9
    assert eased(less, factor, further) <= eased(more, factor, further) + 1e-9
    assert eased(more) == pytest.approx(more)


def test_a_little_more_importance_does_not_outweigh_a_much_plainer_answer() -> None:
    """R2."""
    plain, half = 0.95, 0.75

    assert eased(plain, 0.85) > eased(half, 0.95)
    assert eased(half, 0.85) < eased(half, 0.95)
