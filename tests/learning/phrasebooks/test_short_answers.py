"""A short answer is learned as the sentence that it completes, and only where it is an answer (O1, F1, F8)."""

from datetime import UTC, datetime

import pytest

from everlore.learning.candidate import EarlierMessage, Source
from everlore.learning.facts.flow import facts_in
from everlore.learning.phrasebooks.english import facts_stated


def learned(question: str, answer: str) -> list[str]:
    return [each.content for each in facts_stated(answer, before=[EarlierMessage(False, "Nova", question)])]


@pytest.mark.parametrize(
    ("question", "answer", "fact"),
    [
        ("What is your name?", "Marta", "User's name is Marta"),
        ("Nice. Where do you live?", "in Ghent", "User lives in Ghent"),
        ("Where are you from?", "Porto, Portugal", "User is from Porto, Portugal"),
        ("How old are you?", "34", "User is 34 years old"),
        ("What do you do for a living?", "nurse", "User works as a nurse"),
        ("What is your dog called?", "Rex lol", "User has a dog named Rex"),
        ("Who is your favourite author?", "Patrick O'Brian", "User's favorite author is Patrick O'Brian"),
        ("When is your birthday?", "June 3", "User's birthday is June 3"),
        ("What are you allergic to?", "walnuts", "User is allergic to walnuts"),
    ],
)
def test_a_short_answer_completes_what_was_asked(question: str, answer: str, fact: str) -> None:
    assert learned(question, answer) == [fact]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is your name?", "a secret"),
        ("Where do you live?", "not telling you"),
        ("Where do you live?", "Why do you ask?"),
        ("How old are you?", "old"),
        ("What is your favourite film?", "no idea"),
        ("Where do you live? And how old are you?", "Ghent"),
        ("*grins* Where do you live?", "Ghent"),
        ("You live in Ghent.", "Ghent"),
    ],
)
def test_what_is_no_answer_is_left_alone(question: str, answer: str) -> None:
    assert learned(question, answer) == []


def test_the_users_own_question_is_not_completed() -> None:
    assert facts_stated("Ghent", before=[EarlierMessage(True, "Ana", "Where do you live?")]) == []


async def test_an_answer_rests_on_its_own_words() -> None:
    """F5: the quote stands in the message."""
    source = Source(
        content="Ghent",
        at=datetime(2026, 11, 18, tzinfo=UTC),
        before=(EarlierMessage(False, "Nova", "Where do you live?"),),
    )

    (fact,) = (await facts_in(source, None)).candidates

    assert (fact.content, fact.quote, fact.confidence) == ("User lives in Ghent", "Ghent", 0.85)
