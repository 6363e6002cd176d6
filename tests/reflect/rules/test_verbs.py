"""Forms of verbs, which decide whether "survived" is known as "survive" (O1)."""

import pytest

from everlore.language.verbs import base_of_gerund, base_of_participle, base_of_past, third


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("survived", "survive"),
        ("graduated", "graduate"),
        ("hiked", "hike"),
        ("jogged", "jog"),
        ("joined", "join"),
        ("visited", "visit"),
        ("juggled", "juggle"),
        ("managed", "manage"),
        ("raised", "raise"),
        ("focused", "focus"),
        ("treated", "treat"),
        ("rescued", "rescue"),
        ("married", "marry"),
        ("tore", "tear"),
        ("fled", "flee"),
        ("developed", "develop"),
        ("need", None),
    ],
)
def test_the_base_of_a_past_form(form: str, base: str | None) -> None:
    assert base_of_past(form) == base


def test_gerunds_and_participles_lead_back_to_the_same_base() -> None:
    assert [base_of_gerund(form) for form in ("surviving", "boxing", "swimming", "dying", "morning")] == [
        "survive",
        "box",
        "swim",
        "die",
        None,
    ]
    assert [base_of_participle(form) for form in ("torn", "bitten", "written", "lived")] == [
        "tear",
        "bite",
        "write",
        "live",
    ]


def test_a_third_person() -> None:
    assert [third(verb) for verb in ("live", "study", "teach", "go", "play")] == [
        "lives",
        "studies",
        "teaches",
        "goes",
        "plays",
    ]
