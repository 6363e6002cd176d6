"""What is plain, what is doubtful, and what bears on nothing (R2, R2b)."""

import pytest

from everlore.domain.config_choices import RecipeName
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.recall.about import asks_for_all
from everlore.recall.names import QueryNames
from everlore.recall.noise import NoiseModel
from everlore.recall.question_match import (
    Bearing,
    QuestionMatch,
    bearing_of,
    few_of,
    least_of,
    least_of_lines,
    opening_of,
)
from everlore.recall.recipes import TURN_RECIPES
from everlore.recall.wording import Wording
from everlore.store.answers import Hit, Parts
from tests.contract.builders import memory, person

FEW = TURN_RECIPES[RecipeName.COMPANION].cutoff.few
PLAIN = QuestionMatch(Bearing.PLAIN, of_known=False)
OF_KNOWN = QuestionMatch(Bearing.DOUBTFUL, of_known=True)
IN_DOUBT = QuestionMatch(Bearing.DOUBTFUL, of_known=False)
OF_NOTHING = QuestionMatch(Bearing.NONE, of_known=False)


def _found(relevance: float) -> Recalled:
    return Recalled(memory("m", "The boat is red."), parts={"relevance": relevance})


@pytest.mark.parametrize(
    ("relevance", "opening", "bearing"),
    [
        (0.8, PLAIN, Bearing.PLAIN),
        (0.2, PLAIN, Bearing.DOUBTFUL),
        (0.8, OF_KNOWN, Bearing.DOUBTFUL),
        (0.8, OF_NOTHING, Bearing.DOUBTFUL),
        (0.0, PLAIN, Bearing.NONE),
        (0.0, OF_KNOWN, Bearing.NONE),
    ],
)
def test_one_is_plainly_meant_only_where_something_is_and_it_has_enough(
    relevance: float, opening: QuestionMatch, bearing: Bearing
) -> None:
    """R2b: whoever asks is given all but the last kind."""
    assert bearing_of(_found(relevance), opening, least=0.5) is bearing


@pytest.mark.parametrize(
    ("opening", "memories", "lines"), [(PLAIN, 0, 0), (OF_KNOWN, 5, 3), (IN_DOUBT, 5, 0), (OF_NOTHING, 0, 0)]
)
def test_a_prompt_has_few_that_are_doubtful(opening: QuestionMatch, memories: int, lines: int) -> None:
    """R2b: and lines only where somebody known is spoken of."""
    assert few_of(FEW, PassageKind.MEMORY, opening) == memories
    assert few_of(FEW, PassageKind.MESSAGE, opening) == lines
    assert few_of(FEW, PassageKind.SUMMARY, opening) == 0


def test_a_question_about_somebody_known_is_never_about_nothing() -> None:
    """R2b: however far everything is that was found; of a stranger nothing can be known."""
    far = [Hit(PassageKind.MEMORY, memory("m", "Kettles boil."), 0.0, Parts(0.01, None))]

    def opening(question: str, named: QueryNames) -> QuestionMatch:
        wording = Wording.of(question, named)
        return opening_of(far, wording, named, floor=NoiseModel(), passages=1_000, vector=None)

    known = QueryNames((person("tess", name="Tess"),))
    assert opening("Where was Tess on New Year's Eve?", known) == OF_KNOWN
    assert opening("Where was Wilma on New Year's Eve?", QueryNames()) == OF_NOTHING


def test_part_of_a_name_that_is_a_word_of_every_day_is_nobody() -> None:
    """R2b: a memory tells of a New Year, and every question with a year in it would bring memories into a prompt."""
    told = "User met Nell at the New Year dance."
    far = [Hit(PassageKind.MEMORY, memory("m", told), 0.0, Parts(0.01, None))]

    def of_known(question: str) -> bool:
        wording = Wording.of(question, QueryNames())
        return opening_of(far, wording, QueryNames(), floor=NoiseModel(), passages=1_000, vector=None).of_known

    assert of_known("Where was Nell last week?")
    assert not of_known("How many seconds are there in a leap year?")


def test_the_best_sets_what_others_must_have() -> None:
    assert least_of([]) == 0
    assert 0.2 < least_of([0.1, 0.9]) < 0.9
    assert least_of_lines([]) == pytest.approx(0.1)
    assert least_of_lines([0.2, 0.9]) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("question", "is_meant"),
    [
        ("What do you know about me?", True),
        ("Tell me everything you remember about me", True),
        ("what can you tell me about myself", True),
        ("What have you learned about me?", True),
        ("So what did you learn about me?", True),
        ("Summarize what you know about me", True),
        ("What have I told you so far?", True),
        ("What do you know about my sister?", False),
        ("What do you know about Porto?", False),
        ("What do you think?", False),
        ("How are you?", False),
        ("I know everything.", False),
        ("I know you", False),
        ("Tell me everything about dragons", False),
        ("", False),
    ],
)
def test_a_question_for_all_that_is_known_names_nothing(question: str, is_meant: bool) -> None:
    assert asks_for_all(question) is is_meant
