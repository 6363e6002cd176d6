"""What a question is about, without how it is asked (R2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.recall.topic import topic_of


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        (
            "Can you list the order in which I brought up different aspects of my garden in our chats, in order?",
            "my garden?",
        ),
        ("Could you give me a short summary of the trip to Rome we've discussed so far?", "the trip to Rome?"),
        ("What did I say the boat was called?", "What the boat was called?"),
        ("Do you remember the name of my dentist?", "the name of my dentist?"),
        ("Tell me about the lighthouse.", "the lighthouse."),
        ("Which plants did I buy? Name at most three items.", "Which plants did I buy?"),
        ("I was wondering if the kiln is fixed", "the kiln is fixed"),
        ("Throughout my previous sessions, which pains went away?", "which pains went away?"),
    ],
)
def test_the_frame_around_a_topic_falls_away(question: str, topic: str) -> None:
    """R2."""
    assert topic_of(question) == topic


@pytest.mark.parametrize(
    "question",
    [
        "What did Emma give me for my birthday?",
        "What did Anna say about the boat?",
        "What is on the shopping list of Tom?",
        "Why did I move in order to study?",
        "Did she cover the sessions of the therapist?",
        "When is the boat  sold , and by whom ?",
    ],
)
def test_words_that_belong_to_the_topic_stay(question: str) -> None:
    """R2: to give, to say and a list are topics too."""
    assert topic_of(question) == question


@pytest.mark.parametrize("question", ["Can you remind me?", "What did you say?", "", "Tell me about it."])
def test_a_question_that_is_all_frame_stays_as_it_is(question: str) -> None:
    """R2: there must be something left to look for."""
    assert topic_of(question) == question


def test_a_page_is_not_searched_for_a_frame() -> None:
    page = "Can you tell me more? " + "The boat lies in the harbour. " * 50

    assert topic_of(page) == page


@given(st.text(max_size=200))
def test_nothing_is_added_and_something_is_left(question: str) -> None:
    topic = topic_of(question)

    assert len(topic) <= len(question)
    assert bool(topic) == bool(question)
