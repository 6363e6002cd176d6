"""Which lines of past talks answer a question (R2–R4): what speaks for a line, and what does not."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.conversation import Author, Message
from everlore.domain.words import query_terms
from everlore.models.embedder import Matrix
from everlore.models.word_vectors import WordVectors
from everlore.recall.lines.features import Lines, features_of
from everlore.recall.lines.line_features import read
from everlore.recall.lines.query import AnswerKind, LineQuery, wanted_by
from everlore.recall.lines.ranking import WEIGHTS, ranked

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
WORDS = WordVectors()


def said(*contents: str, talk: str = "talk", by: Sequence[str] = (), at: datetime = NOW) -> list[Message]:
    speakers = by or ["anna"] * len(contents)
    return [
        Message(
            workspace="w",
            id=f"{talk}-{seq}",
            conversation_id=talk,
            seq=seq,
            author=Author.USER if speaker == "anna" else Author.ASSISTANT,
            person_id=speaker,
            content=content,
            created_at=at,
            updated_at=at,
        )
        for seq, (content, speaker) in enumerate(zip(contents, speakers, strict=True), start=1)
    ]


def asked(text: str, *, named: frozenset[str] = frozenset(), now: datetime = NOW) -> LineQuery:
    terms = query_terms(text)
    return wanted_by(text, weights={term: 1 / len(terms) for term in terms}, now=now, named_ids=named)


def order(wanted: LineQuery, messages: Sequence[Message], meaning: Sequence[float] | None = None) -> list[str]:
    values = np.array(meaning if meaning is not None else [np.nan] * len(messages), dtype=np.float64)
    return [each.message.content for each in ranked(wanted, Lines(tuple(messages), values), WORDS.of)]


def test_the_words_of_the_question_speak_for_a_line_and_so_do_words_like_them() -> None:
    """R2."""
    contents = ("We had soup.", "My dog ate the shoes.", "The puppy sleeps here.")
    lines = [line for number, content in enumerate(contents) for line in said(content, talk=f"talk {number}")]

    assert order(asked("what about the dog"), lines) == [contents[1], contents[2], contents[0]]


def test_how_a_question_is_asked_says_who_said_it_but_not_what() -> None:
    """R2, R3."""
    wanted = asked("Can you list the order in which you mentioned different aspects of my garden in our conversations?")

    assert wanted.words == ("garden",)
    assert wanted.author is Author.ASSISTANT
    assert asked("What did I say about the boat in May 2023?").period is not None


def test_an_example_of_what_is_asked_for_speaks_for_a_line() -> None:
    """R2: many things are said, and none has the word."""
    chatter = [f"Number {number} is on its way to town." for number in range(30)]
    lines = said(*chatter, "At last I have time for my clarinet.", *chatter, "Then the phone rang.")
    features = features_of(asked("which instruments are there"), Lines(tuple(lines), np.zeros(62)), WORDS.of)

    assert int(np.argmax(features["example"])) == 30
    assert features["example"][-1] == features["example"][0] == 0
    assert order(asked("which instruments are there"), lines, [0.0] * 62)[0] == "At last I have time for my clarinet."


def test_an_example_that_is_everywhere_says_little() -> None:
    """R2."""
    lines = said(*["The dog barks."] * 20, "There is a parrot.")
    features = features_of(asked("which pets"), Lines(tuple(lines), np.zeros(21)), WORDS.of)

    assert 0 < features["example"][0] < 0.1 < features["example"][-1]


def test_an_answer_is_found_by_the_question_before_it() -> None:
    """R2: it seldom repeats the words."""
    chatter = [f"Well, that is number {number}." for number in range(6)]
    lines = said(*chatter, "Which instrument do you play?", "The cello, for ten years.", *chatter)

    assert order(asked("which instrument is played"), lines)[:2] == [
        "The cello, for ten years.",
        "Which instrument do you play?",
    ]


def test_neighbours_of_another_talk_lend_nothing() -> None:
    """R2."""
    one = said("Which instrument do you play?", talk="a")
    other = said("Sure.", talk="b")
    features = features_of(asked("which instrument"), Lines((*one, *other), np.zeros(2)), WORDS.of)

    assert features["answers"][1] == features["words_around"][1] == 0


def test_meaning_decides_where_words_do_not() -> None:
    """R2."""
    lines = said("Alpha one.", "Beta two.")

    assert order(asked("gamma"), lines, [0.1, 0.9])[0] == "Beta two."


def test_who_is_named_counts_softly() -> None:
    """R4: it adds, and never rules out."""
    lines = said("I love the sea.", "I love the sea.", by=["anna", "ben"])

    best = ranked(asked("loves the sea", named=frozenset({"ben"})), Lines(tuple(lines), np.zeros(2)), WORDS.of)

    assert [each.message.person_id for each in best] == ["ben", "anna"]
    assert len(best) == 2


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("Where do I live?", Author.USER),
        ("What did you recommend?", Author.ASSISTANT),
        ("Where does Ben live?", None),
        ("What is the time?", None),
    ],
)
def test_i_is_the_user_and_you_said_is_the_other(question: str, author: Author | None) -> None:
    """R4."""
    named = frozenset({"ben"}) if "Ben" in question else frozenset[str]()
    assert asked(question, named=named).author is author


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did they meet?", AnswerKind.WHEN),
        ("How many cats are there?", AnswerKind.NUMBER),
        ("Where is it?", AnswerKind.PLACE),
        ("Who won?", AnswerKind.PERSON),
        ("What happened?", AnswerKind.OTHER),
    ],
)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: AnswerKind) -> None:
    """R3."""
    assert asked(question).kind is kind


def test_what_was_said_in_the_period_that_is_asked_about_comes_first() -> None:
    """R3: "in May 2024"."""
    may = said("We went hiking.", talk="may", at=datetime(2024, 5, 20, tzinfo=UTC))
    august = said("We went hiking.", talk="august", at=datetime(2024, 8, 20, tzinfo=UTC))

    best = ranked(asked("who went hiking in May 2024"), Lines((*august, *may), np.zeros(2)), WORDS.of)

    assert best[0].message.conversation_id == "may"


def test_a_relative_date_is_resolved_against_the_day_it_was_said() -> None:
    """R3: "two weeks ago", said in June, is May."""
    june = said("Two weeks ago we went hiking.", talk="june", at=datetime(2024, 6, 10, tzinfo=UTC))
    july = said("Two weeks ago we went hiking.", talk="july", at=datetime(2024, 7, 30, tzinfo=UTC))

    best = ranked(asked("hiking on 27 May 2024"), Lines((*july, *june), np.zeros(2)), WORDS.of)

    assert best[0].message.conversation_id == "june"


def test_a_line_that_only_asks_comes_behind_one_that_tells() -> None:
    """R2."""
    lines = said("Do you like jazz?", "I like jazz.")

    assert order(asked("likes jazz"), lines)[0] == "I like jazz."


def test_a_long_line_does_not_win_by_its_length() -> None:
    """R2: a page that has every word of the language bears on nothing in particular."""
    page = " ".join(f"word{number}" for number in range(400))
    lines = said(f"{page} lighthouse", "The lighthouse.")

    assert order(asked("lighthouse"), lines)[0] == "The lighthouse."


def test_what_stands_in_brackets_is_not_asked() -> None:
    """R2: a picture that is shown beside the words."""
    assert read("Look at this [a photo of what?]").asking == 0
    assert read("Is it far?").asking == 1


def test_the_parts_of_a_score_add_up_to_it() -> None:
    """R5."""
    lines = said("We had soup.", "My dog ate the shoes.")

    for each in ranked(asked("the dog"), Lines(tuple(lines), np.array([0.2, 0.5])), WORDS.of):
        assert each.parts.keys() == WEIGHTS.keys()
        assert sum(each.parts.values()) == pytest.approx(each.score, abs=1e-2)
        assert 0 <= each.relevance <= 1


_TEXT = st.text(max_size=60)


@given(question=_TEXT, contents=st.lists(_TEXT, max_size=6))
def test_no_text_makes_it_fail(question: str, contents: list[str]) -> None:
    """R2: empty, emoji, operators, other scripts."""
    lines = said(*contents)
    terms = query_terms(question)
    weights = {term: 1 / len(terms) for term in terms}
    wanted = wanted_by(question, weights=weights, now=NOW, named_ids=frozenset())

    best = ranked(wanted, Lines(tuple(lines), np.full(len(lines), np.nan)), _no_words)

    assert sorted(each.message.id for each in best) == sorted(each.id for each in lines)
    assert all(np.isfinite(each.score) for each in best)


def _no_words(words: Sequence[str]) -> Matrix:
    return np.zeros((len(words), 4), dtype=np.float32)
