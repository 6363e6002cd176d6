"""How much a character takes to heart (W2)."""

from itertools import pairwise

import pytest

from everlore.learning.analysis.answers import Profile, described, profile_of, types_of


@pytest.mark.parametrize(
    ("profile", "kinds"),
    [
        (Profile.MINIMAL, "FACT PROJECT"),
        (Profile.BALANCED, "FACT PROJECT EXPERIENCE"),
        (Profile.FULL, "FACT PROJECT EXPERIENCE STORY"),
        (Profile.UNBOUNDED, "FACT PROJECT EXPERIENCE STORY RELATIONSHIP"),
    ],
)
def test_each_level_asks_for_one_kind_more(profile: Profile, kinds: str) -> None:
    """W2."""
    assert [each.value for each in types_of(profile)] == kinds.split()


def test_the_question_describes_those_kinds_and_no_others() -> None:
    """W2."""
    for less, more in pairwise(Profile):
        assert described(more).startswith(described(less))
    assert "story" not in described(Profile.BALANCED)


@pytest.mark.parametrize(
    ("wanted", "profile"),
    [
        (("full", "minimal"), Profile.FULL),
        (("", "minimal"), Profile.MINIMAL),
        ((" Unbounded ", ""), Profile.UNBOUNDED),
        (("no such level", "full"), Profile.FULL),
        (("", ""), Profile.BALANCED),
        ((), Profile.BALANCED),
    ],
)
def test_the_conversation_says_it_or_else_the_character(wanted: tuple[str, ...], profile: Profile) -> None:
    """W2."""
    assert profile_of(*wanted) is profile
