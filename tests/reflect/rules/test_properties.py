"""Whatever is typed, the rules answer quickly and say nothing that was not said (F5, O1)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.reflect.candidate import Turn
from everlore.reflect.rules import facts_stated
from tests.growth import outgrows_its_text

_WORDS = st.sampled_from(
    (
        "I i'm my we she have am is was live work love like hate want to in at a the Emma Rome 34 two kids sister dog "
        "named and but if when who not never used speak French play piano favorite color green name moved last year "
        "² ③ born from with , . ! ? \" ' * ( ) : \n"
    ).split(" ")
)
_SENTENCES = (
    "I'm Tom, 34, a nurse from Leeds with two kids",
    "My sister Emma, who's 7, lives in Oslo and works as a chef.",
    "I love hiking, old films and wearing red shoes, especially in May",
    "I used to live in New York but I moved to Portland last month",
    "I've been playing the guitar for ten years, no wait, twelve",
    "I want to learn how to sail and I'd love to visit Japan someday",
    "My favorite movie of all time has to be Alien. Mine is blue.",
    "As a single mom of two I don't have much time, I have a dog named Rex and a cat",
    "Please remember my name is Jonas, everyone calls me Jo",
    "I can't eat gluten any more because I'm allergic to it",
)
_CUT = st.tuples(st.sampled_from(_SENTENCES), st.integers(0, 80), st.integers(0, 80)).map(
    lambda each: each[0][min(each[1:]) : max(each[1:])]
)
_MESSAGES = st.one_of(
    st.text(max_size=400),
    st.lists(_WORDS, max_size=50).map(" ".join),
    st.lists(_CUT, min_size=1, max_size=3).map(" ".join),
)

_NAMES_AND_NUMBERS = re.compile(r"[A-Z][a-z]+|\d+")


@given(_MESSAGES)
def test_every_candidate_is_a_fact_about_the_user(message: str) -> None:
    for fact in facts_stated(message):
        assert fact.content.startswith(("User ", "User's "))
        assert fact.category is not None
        assert fact.confidence >= 0.7
        assert fact.reasoning


@given(_MESSAGES)
def test_every_name_and_number_was_said(message: str) -> None:
    # What stands apart may be written together: "do n't".
    said = message.lower().replace(" n't", "n't")

    for fact in facts_stated(message):
        for word in _NAMES_AND_NUMBERS.findall(fact.content.replace("User", "")):
            assert word.lower() in said


@given(_MESSAGES)
def test_the_same_message_gives_the_same_facts(message: str) -> None:
    assert facts_stated(message) == facts_stated(message)


@pytest.mark.parametrize("piece", ["i ", '"', "'a ", "i love cats and ", "x", "<a ", "a.a-"])
def test_rubbish_takes_no_more_than_its_length(piece: str) -> None:
    """S-8: no input makes the rules slow."""
    assert not outgrows_its_text(facts_stated, piece, 100_000)


_QUESTIONS = (
    "How old are you?",
    "How old is your son?",
    "How many kids do you have?",
    "What's your name?",
    "Where did you grow up, if I may ask?",
    "Any allergies?",
    "Do you still live with your parents?",
    "When is the wedding?",
)


@given(_MESSAGES, st.sampled_from(_QUESTIONS))
def test_an_answer_never_raises_whatever_it_is(message: str, question: str) -> None:
    """F8, O1: "²" is a digit, and no number."""
    facts_stated(message, before=[Turn(is_user=False, name="Nova", content=question)])


@pytest.mark.parametrize("message", ["I'm ²", "I turned ③", "my sister is ² years old"])
def test_a_sign_that_only_looks_like_a_number_is_no_age(message: str) -> None:
    """O1."""
    assert not [each for each in facts_stated(message) if "years" in each.content or "turned" in each.content]
