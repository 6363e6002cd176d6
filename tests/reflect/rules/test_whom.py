"""Who is meant: whom a pronoun stands for, and whose name was known before."""

import pytest

from everlore.reflect.rules import facts_stated


def said(message: str, people: dict[str, str] | None = None) -> list[str]:
    return [each.content for each in facts_stated(message, people=people)]


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("My wife is a tailor. I met her in 2015 in Rome.", "User met their wife in 2015 in Rome"),
        ("My aunt Lotte lives in Bergen. I visit her every summer.", "User visits their aunt Lotte every summer"),
    ],
)
def test_whom_the_sentence_before_told_is_named(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


def test_a_name_that_is_known_is_somebody_of_theirs() -> None:
    """O1, F8."""
    assert "User's brother Bram is a glassblower" in said("Bram is a glassblower.", {"Bram": "brother"})
    assert said("Bram is a glassblower.") == []
