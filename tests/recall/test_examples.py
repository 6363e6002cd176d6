"""Things and examples of them (R2): what the list says, and that it says it in an order that can be read."""

from datetime import UTC, datetime
from importlib.resources import files

import pytest

from everlore.domain.memory import Memory, MemoryType
from everlore.domain.passage import PassageKind
from everlore.domain.words import stems_of
from everlore.recall.examples import asked_for, spaced, with_examples
from everlore.recall.noise import NoiseModel
from everlore.store.answers import Coverage, Found, Hit, Parts

LINES = (files("everlore.recall") / "examples.txt").read_text(encoding="utf-8").splitlines()
KINDS = [each for each in LINES if not each.startswith("#")]


def a_memory(content: str) -> Memory:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Memory(workspace="w", id=content, type=MemoryType.FACT, content=content, created_at=at, updated_at=at)


def named(question: str, line: str) -> set[str]:
    """The examples of anything the question names that stand in the line."""
    stems = stems_of(line)
    found = [each.named_in(frozenset(stems), spaced(stems)) for _, each in asked_for(stems_of(question))]
    return {example.strip() for each in found for example in each}


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What pets does she have?", "Our kitten sleeps on the sofa."),
        ("Which martial arts has he done?", "I signed up for judo."),
        ("Who are her relatives?", "My niece is coming over."),
        ("What weapon does the ranger carry?", "She strings her longbow."),
        ("Which database did I choose?", "Let us go with Postgres then."),
        ("What board games do they play?", "We set up the chess board."),
        ("Where do I live?", "User moved to Leeds last year."),
    ],
)
def test_an_example_is_found_in_whatever_form_it_stands(question: str, line: str) -> None:
    """R2."""
    assert named(question, line)
    assert not named(question, "It was a quiet afternoon and nothing happened.")


def test_an_example_of_several_words_must_stand_there_as_a_whole() -> None:
    """R2."""
    assert "video game" in named("What are his hobbies?", "He loves video games.")
    assert "video game" not in named("What are his hobbies?", "The game was on video.")


def test_who_asks_where_they_live_does_not_ask_for_their_job() -> None:
    """R2."""
    assert not named("Where do I live?", "User works as a nurse.")


def test_two_words_that_belong_together_are_asked_for_together() -> None:
    """R2: who asks for a martial art does not ask for a painting."""
    assert [head for head, _ in asked_for(stems_of("which martial arts"))] == [stems_of("martial art")]


def test_a_question_for_nothing_in_particular_has_no_examples() -> None:
    assert asked_for(stems_of("What was that about?")) == []
    assert asked_for(()) == []


def _found(*contents: str) -> Found:
    hits = [Hit(PassageKind.MEMORY, a_memory(content), 0.1, Parts(0.2, None)) for content in contents]
    return Found(tuple(hits), Coverage(len(hits), len(hits)), {"pet": 0.7, "keep": 0.3})


def test_what_names_an_example_covers_a_part_of_the_word() -> None:
    """R2: not as much as the word itself, and not twice."""
    found = _found("User has a kitten.", "User has a boat.", "User's pet is a kitten.")

    ((kitten, boat, word),) = (each.hits for each in with_examples([found], "Which pets do I keep?"))

    assert 0 < kitten.parts.example < 0.7
    assert boat.parts.example == word.parts.example == 0
    assert with_examples([found], "What happened?") == [found]


def test_what_an_example_covers_is_evidence() -> None:
    """R2."""
    floor = NoiseModel()

    assert floor.evidence(Parts(0.2, 0.3, 0.4), 3) == pytest.approx(floor.evidence(Parts(0.2, 0.7), 3))
    # One word of many says little; what was asked for says what it says.
    assert floor.evidence(Parts(0.2, None, 0.4), 1) > floor.evidence(Parts(0.2, 0.4), 1)
    assert floor.evidence(Parts(None, 1.0, 0.4), 3) == floor.evidence(Parts(None, 1.0), 3)


def test_the_list_can_be_read() -> None:
    """One colon a line, small letters, nothing twice, nothing empty."""
    for line in KINDS:
        heads, examples = line.split(":")
        for part in (heads, examples):
            words = [each.strip() for each in part.split(",")]
            assert all(words), line
            assert len(words) == len(set(words)), line
        assert line == line.lower()
    assert len(KINDS) > 500
