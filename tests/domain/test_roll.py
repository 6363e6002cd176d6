"""Whether somebody can keep quiet: the difficulty, and the die (R9)."""

from math import sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.person import Person
from everlore.domain.roll import SIDES, chance_of, difficulty_of, rolled_with, slips
from tests.turn.records import person

ROLLS = 20_000


def somebody(mind: Any = None, will: Any = None, age: int | None = None) -> Person:
    """With these statistics; those that are None are not known."""
    known = {"intelligence": mind, "mental_strength": will}
    return person("Don", age=age, statistics={name: value for name, value in known.items() if value is not None})


def difficulty_by_the_book(mind: int, will: int, age: int) -> int | None:
    """R9: whoever has less of both has more to reach."""
    if not (mind < 8 or will < 8 or age < 13):
        return None
    control = min((mind + will) // 2, 15)
    return 21 - (min(control, max(control - 3, 2)) if age < 13 else control)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 120))
def test_the_difficulty_is_that_of_the_rule(mind: int, will: int, age: int) -> None:
    """R9: DC = 21 − min(floor((int + mental) / 2), 15), for children 3 more; nobody else ever rolls."""
    assert difficulty_of(somebody(mind, will, age)) == difficulty_by_the_book(mind, will, age)


@pytest.mark.parametrize(
    ("mind", "will", "age", "difficulty"),
    [
        (8, 8, 13, None),
        (20, 20, 99, None),
        (7, 8, 13, 14),
        (8, 7, 13, 14),
        (8, 8, 12, 16),
        (3, 4, 30, 18),
        (1, 1, 30, 20),
        (7, 30, 30, 6),
        (30, 30, 12, 9),
        (4, 4, 5, 19),
        (1, 1, 0, 20),
    ],
)
def test_the_edges_of_the_rule(mind: int, will: int, age: int, difficulty: int | None) -> None:
    """R9."""
    assert difficulty_of(somebody(mind, will, age)) == difficulty


@pytest.mark.parametrize(
    ("known", "difficulty"),
    [
        ({}, None),
        ({"age": 12}, 14),
        ({"mind": 5}, 14),
        ({"will": 2}, 15),
        ({"mind": 8, "will": 8}, None),
        ({"mind": 0, "will": 0}, None),
    ],
)
def test_what_is_not_known_of_somebody_is_as_usual(known: dict[str, Any], difficulty: int | None) -> None:
    """R9: 10, 10, and twenty years old; a nought on a sheet is a field that nobody filled in."""
    assert difficulty_of(somebody(**known)) == difficulty


@pytest.mark.parametrize("odd", ["strong", True, None, [3], {"value": 3}])
def test_a_statistic_that_is_no_number_is_as_usual(odd: Any) -> None:
    """R9: a sheet may say anything."""
    strange = person("Don", age=30, statistics={"intelligence": odd, "mental_strength": 6})

    assert difficulty_of(strange) == 13


def test_halves_are_rounded_down() -> None:
    """R9."""
    assert difficulty_of(somebody(7.5, 6, 30)) == 15


@given(st.text(max_size=50))
def test_the_same_seed_gives_the_same_roll_on_the_die(seed: str) -> None:
    """R9: it is seedable."""
    assert rolled_with(seed) == rolled_with(seed)
    assert 1 <= rolled_with(seed) <= SIDES


def test_every_side_comes_up_as_often_as_the_others() -> None:
    """R9: chi-squared of 19 degrees, which exceeds 50 once in ten thousand fair dice; these seeds are always the
    same ones."""
    rolls = [rolled_with(f"fair/{number}") for number in range(ROLLS)]
    expected = ROLLS / SIDES

    assert sum((rolls.count(side) - expected) ** 2 / expected for side in range(1, SIDES + 1)) < 50


@pytest.mark.parametrize("difficulty", [6, 9, 12, 14, 16, 18, 20])
def test_things_slip_out_as_often_as_the_difficulty_says(difficulty: int) -> None:
    """R9: a roll below DC, so (DC − 1) times in twenty, within four sigma over twenty thousand rolls."""
    chance = (difficulty - 1) / SIDES
    sigma = sqrt(chance * (1 - chance) / ROLLS)

    slipped = sum(slips(rolled_with(f"{difficulty}/{number}"), difficulty) for number in range(ROLLS))

    assert abs(slipped / ROLLS - chance) <= 4 * sigma


@pytest.mark.parametrize("difficulty", range(6, 21))
def test_only_what_is_below_the_difficulty_slips(difficulty: int) -> None:
    """R9."""
    assert [rolled for rolled in range(1, SIDES + 1) if slips(rolled, difficulty)] == list(range(1, difficulty))


AGES = st.one_of(st.none(), st.integers(0, 120))


@given(st.integers(1, 20), st.integers(1, 20), AGES, st.integers(0, 19), st.integers(0, 19))
def test_the_chance_rises_as_intelligence_and_will_fall(
    mind: int, will: int, age: int | None, duller: int, weaker: int
) -> None:
    """R9: never the other way round."""
    strong = chance_of(somebody(mind, will, age))
    weak = chance_of(somebody(max(mind - duller, 1), max(will - weaker, 1), age))

    assert 0 <= strong <= weak < 1


@given(st.integers(1, 20), st.integers(1, 20))
def test_a_child_keeps_quiet_less_often(mind: int, will: int) -> None:
    """R9."""
    assert chance_of(somebody(mind, will, 9)) >= chance_of(somebody(mind, will, 30))


def test_the_chance_is_said_as_a_share() -> None:
    """R9."""
    assert chance_of(somebody(20, 20, 40)) == 0
    assert chance_of(somebody(4, 6, 30)) == 0.75
    assert chance_of(somebody(1, 1, 30)) == 0.95
