"""What a fact must look like to be kept: one whole sentence that needs no message beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.reading import Filter
from everlore.reflect.facts.filters import refusal_of
from everlore.reflect.facts.shape import fault_of
from everlore.reflect.facts.wording import tidied
from tests.reflect.facts.extraction import fact, source

WHOLE = [
    "User is retired",
    "User smokes",
    "User does not drink",
    "User no longer smokes",
    "User graduated",
    "User's dad died",
    "User's kids are homeschooled",
    "User's parents live in Oslo",
    "User's aunt's parrot swears in Croatian",
    "User's boyfriend broke up with them",
    "User and their wife run a bakery",
    "User, a nurse, lives in Leeds",
    "User's brother works at McDonald's",
    "User fought in World War I",
    'User\'s favorite song is "You and I"',
    "User's favorite movie is Call Me by Your Name",
    "User hates it when people are late",
    "User's sister is getting married this year",
    "User bought a house and is renovating it",
    "User is interested in how bridges are built",
    "User has three kids, Tom, Ann and Bo",
    "User gets up at 5 am",
    "User splits time between Berlin and Lisbon",
]
BROKEN = [
    "User I've got bigger fish to fry",
    "User my birthday is on March 3rd",
    "User im from Ohio",
    "User heyyy",
    "User loves my garden",
    "User thinks you are right",
    "User loves camping; the tent is old",
    "User can't sleep, the neighbours are loud",
    "User lives in Leeds, which makes them happy",
    "User's wife Hannah",
    "User's twin boys",
    "User's head all day",
    "User's manager literally wrote",
    "User has read",
    "User does not speak",
    "User stopped overnight",
    "User's daughter was born",
    "User takes it back",
    "User hates everything",
    "User has seen it about ten times",
    "User loves this song",
    "User has lived together since college",
    "User moved here from Lagos",
    "User's friend Dana thinks is boring",
    "User wants is a garden",
    "User meants to write Kate",
    "User onces met a duke",
    "User thinks therefore they am",
    "User bought a house because",
    "User is interested in have juice in their bag",
    "User is interested in for nearly twelve years now",
    "User is interested in maths on Saturdays mostly",
]


@pytest.mark.parametrize("content", WHOLE)
def test_a_whole_sentence_has_no_fault(content: str) -> None:
    assert fault_of(content) == ""


@pytest.mark.parametrize("content", BROKEN)
def test_a_piece_of_the_message_is_no_fact(content: str) -> None:
    """F2, F4: it is refused before anybody asks whether it was said."""
    refusal = refusal_of(fact(content), source("Nothing of that."))

    assert refusal is not None
    assert (refusal.filter, bool(refusal.note)) == (Filter.BAD_SHAPE, True)


def test_the_tags_of_a_chat_are_no_part_of_a_fact() -> None:
    assert tidied(fact("User is doing a masters in hydrology rn lol")).content == "User is doing a masters in hydrology"
    assert tidied(fact("User name is John")).content == "User's name is John"


@given(st.text(max_size=400))
def test_no_text_does_any_harm(text: str) -> None:
    assert isinstance(fault_of(f"User {text}"), str)
    assert isinstance(fault_of(text), str)
