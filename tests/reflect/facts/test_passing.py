"""What is over by tomorrow is no memory; what lasts is, however it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.reading import Filter
from everlore.reflect.facts.evidence import evidence_of
from everlore.reflect.facts.filters import refusal_of
from everlore.reflect.facts.jest import is_jest
from everlore.reflect.facts.passing import is_passing
from tests.reflect.facts.extraction import fact, source

PASSING = [
    "User is dead tired",
    "User is so bored",
    "User is stuck at the station",
    "User is nervous about tomorrow",
    "User feels like a million bucks",
    "User is over the moon",
    "User is up to their neck in emails",
    "User is skint till payday",
    "User is on their third coffee",
    "User is wearing two jumpers",
    "User is making dinner",
    "User has been waiting for the bus",
    "User has five minutes before the meeting",
    "User has a headache",
    "User had a really nice day today",
    "User needs a nap",
    "User wants to be left alone tonight",
    "User would like to start over",
    "User will write later",
    "User is not going to say the name",
    "User has not had breakfast",
    "User's rabbit has not eaten since yesterday",
    "User burnt the rice again",
    "User cried at an advert",
    "User draws their sword",
    "User would rather eat the tent",
    "User can't find their keys",
    "User can hear the neighbours",
    "User's phone is at 3%",
    "User's function returns None",
    "User's hands smell of garlic",
    "User's train is late",
    "User's phone is about to die",
    "I'm so tired",
    "My battery is dead",
]
LASTING = [
    "User is tired of being single",
    "User is afraid of spiders",
    "User is good at chess",
    "User is patient",
    "User is retired",
    "User is unemployed at the moment",
    "User is obsessed with K-dramas at the moment",
    "User is going through a divorce",
    "User is about to retire",
    "User is wearing hearing aids",
    "User has been waiting for a kidney for three years",
    "User is writing a thesis on moss",
    "User is going back to university",
    "User has an exam next week",
    "User has experience with horses",
    "User had a stroke",
    "User wants to see Paris",
    "User would like to visit Japan",
    "User would rather read than dance",
    "User will have surgery in May",
    "User will call their mother on Sunday",
    "User cries at weddings every time",
    "User got married again",
    "User was sick as a child",
    "User collects swords",
    "User cannot find a job",
    "User does not believe in God",
    "User cannot hear high notes",
    "User's dad is dead",
    "User's phone is a Pixel 7",
    "User's flight is on the 5th of July",
    "User's comfort food is dal",
    "User's eyes are blue",
    "User is in bed by nine",
]


@pytest.mark.parametrize("content", PASSING)
def test_what_passes_with_the_hour_is_known(content: str) -> None:
    assert is_passing(content)


@pytest.mark.parametrize("content", LASTING)
def test_what_lasts_is_left_alone(content: str) -> None:
    assert not is_passing(content)


def test_a_passing_thing_is_refused_by_that_name() -> None:
    """F3, F4."""
    refusal = refusal_of(fact("User is making dinner"), source("I'm making dinner."))

    assert refusal is not None
    assert refusal.filter is Filter.PASSING


@pytest.mark.parametrize(
    "message",
    [
        "I'm clearly a millionaire",
        "I was born yesterday",
        "I'm basically a vampire",
        "I'm the queen of England",
        "I'm a professional procrastinator at this point",
        "I want to move to the moon",
        "We won the lottery, obviously",
    ],
)
def test_a_joke_by_its_own_marks_is_no_evidence(message: str) -> None:
    """F5."""
    assert not evidence_of(source(message)).grounds


@pytest.mark.parametrize(
    "message", ["I obviously love my kids", "I sleep in a queen bed", "I am a teacher at Mars Hill"]
)
def test_what_is_meant_is_evidence(message: str) -> None:
    assert evidence_of(source(message)).grounds


@given(st.text(max_size=400))
def test_no_text_does_any_harm(text: str) -> None:
    assert is_passing(f"User {text}") in {True, False}
    assert is_jest(text.lower().split()) in {True, False}
