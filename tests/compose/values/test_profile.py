"""How two persons go together: sober, and silent where nothing is known (P5)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.compose.context import Context
from everlore.domain.interaction import Interaction, InteractionType
from tests.compose.values.example import ANN, KNOWN, MIRA, interaction, value

B = InteractionType


def _of(mira: dict[str, Any], ann: dict[str, Any], *passed: Interaction) -> Context:
    return replace(KNOWN, character=replace(MIRA, **mira), user=replace(ANN, **ann), interactions=passed)


@pytest.mark.parametrize(
    ("mira", "ann", "told"),
    [
        (28, 28, "Mira and Ann are of about the same age."),
        (28, 30, "Mira and Ann are of about the same age."),
        (900, 28, "Mira is 872 years older than Ann."),
        (15, 40, "Ann is 25 years older than Mira. Mira is a minor."),
        (15, 16, "Mira and Ann are of about the same age. Mira and Ann are minors."),
        (None, 28, ""),
        (28, None, ""),
    ],
)
def test_ages_are_compared_where_both_are_known(mira: int | None, ann: int | None, told: str) -> None:
    """P5."""
    assert value("profile.ageCompat", _of({"age": mira}, {"age": ann})) == told


LOVERS = (interaction(B.ROMANCE, days=1), interaction(B.INTIMATE, days=2))


@pytest.mark.parametrize(("mira", "ann"), [(17, 40), (40, 0), (17, None), (None, 12), (16, 16)])
def test_romance_with_a_minor_is_out_of_the_question_whatever_has_passed(mira: int | None, ann: int | None) -> None:
    """P5: even where the other age is unknown."""
    told = value("profile.romanceCompat", _of({"age": mira}, {"age": ann}, *LOVERS))

    assert told.startswith("Romance between Mira and Ann is out of the question.")
    assert "close" not in told


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        ((), ""),
        ((interaction(B.HELP),), ""),
        (LOVERS, "Mira and Ann are close to each other."),
        ((interaction(B.BREAK_UP, days=3), *LOVERS), "Mira and Ann were close, and have parted."),
        ((interaction(B.SEPARATE),), ""),
        ((interaction(B.ROMANCE, actor_id="rex"),), ""),
    ],
)
def test_romance_is_told_by_what_has_passed_where_an_age_is_unknown(passed: tuple[Interaction, ...], told: str) -> None:
    """P5: and only by what has passed between the two."""
    assert value("profile.romanceCompat", _of({"age": None}, {}, *passed)) == told


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        ((), "Both are adults. Nothing speaks for a romance, and nothing against it."),
        ((interaction(B.HELP),), "Both are adults. They have been on good terms."),
        ((interaction(B.COMBAT),), "Both are adults. They have been at odds."),
        (LOVERS, "Both are adults. Mira and Ann are close to each other."),
    ],
)
def test_romance_between_adults_is_told_by_their_terms(passed: tuple[Interaction, ...], told: str) -> None:
    """P5."""
    assert value("profile.romanceCompat", _of({}, {}, *passed)) == told


@pytest.mark.parametrize(
    ("mira", "ann", "told"),
    [
        ("Elf", "elf", "Mira and Ann are of the same race: Elf."),
        ("elf", "orc", "Mira's race is elf, Ann's is orc; that alone neither joins nor divides them."),
        ("", "orc", ""),
        ("elf", " ", ""),
    ],
)
def test_races_are_compared_where_both_are_known(mira: str, ann: str, told: str) -> None:
    """P5."""
    assert value("profile.raceCompat", _of({"race": mira}, {"race": ann})) == told


NEITHER = "Neither Mira nor Ann leads by nature."


@pytest.mark.parametrize(
    ("mira", "ann", "told"),
    [
        ({"charisma": 18}, {"charisma": 9}, "Mira tends to lead Ann, being ahead in charisma."),
        ({"charisma": 3, "intelligence": 9}, {"charisma": 9.5}, "Ann tends to lead Mira, being ahead in charisma."),
        ({"charisma": 10}, {"charisma": 11}, NEITHER),
        ({"charisma": 12, "intelligence": 8}, {"charisma": 8, "intelligence": 12}, NEITHER),
        ({"charisma": 18}, {"intelligence": 3}, ""),
        ({"charisma": 900}, {"charisma": 9}, ""),
        ({"charisma": True}, {"charisma": 9}, ""),
        ({"charisma": "18"}, {"charisma": [9]}, ""),
        ({"charisma": float("nan")}, {"charisma": 9}, ""),
        ({}, {}, ""),
    ],
)
def test_who_is_ahead_in_what_is_known_of_both_tends_to_lead(
    mira: dict[str, object], ann: dict[str, object], told: str
) -> None:
    """P5."""
    assert value("profile.leader", _of({"statistics": mira}, {"statistics": ann})) == told
