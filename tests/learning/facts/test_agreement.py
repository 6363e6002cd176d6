"""A model that contradicts itself is asked again, however far it is trusted (F5)."""

import json
from dataclasses import replace

import pytest

from everlore.learning.facts.claims import contradiction_in
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import Scripted, fact, source


@pytest.mark.parametrize(
    ("content", "about", "holds"),
    [
        ("User lived in Hull", "user", "before"),
        ("User no longer eats meat", "user", "before"),
        ("User's brother Bram keeps goats", "brother Bram", "now"),
        ("User's sister moved to Cork", "sister", "before"),
        ("User plans to walk to Rome", "user", "planned"),
        ("User is moving to Cork in May", "user", "planned"),
        ("User does not drive", "user", "not"),
        ("User keeps goats", "", ""),
        ("User keeps goats", "the user", "sometimes"),
    ],
)
def test_who_agrees_with_themselves(content: str, about: str, holds: str) -> None:
    assert contradiction_in(replace(fact(content), about=about, holds=holds)) == ""


@pytest.mark.parametrize(
    ("content", "about", "holds"),
    [
        ("User lives in Hull", "user", "before"),
        ("User keeps goats", "brother Bram", "now"),
        ("User walks to Rome", "user", "planned"),
        ("User drives", "user", "not"),
    ],
)
def test_who_does_not(content: str, about: str, holds: str) -> None:
    assert contradiction_in(replace(fact(content), about=about, holds=holds)) != ""


async def test_what_a_model_contradicts_itself_in_is_put_to_it_again() -> None:
    """F5: what it is trusted with otherwise."""
    entry = {"content": "User lives in Hull", "quote": "my years in Hull", "about": "user", "holds": "before"}
    answer = json.dumps({"facts": [{**entry, "category": "personal_info", "confidence": 0.95}]})
    no = json.dumps({"verdicts": [{"number": 1, "said": False}]})

    found = await facts_in(source("I think of my years in Hull a lot"), Scripted(answer, no), Trust.PLAIN)

    assert [each.content for each in found.candidates] == []
    assert [each.content for each in found.doubted] == ["User lives in Hull"]
    assert found.doubted[0].doubt == "it is said to be over"
