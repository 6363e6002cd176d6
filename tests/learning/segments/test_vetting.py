"""Statements about a talk are held against what was said in it (F4, F5): by tables of both sorts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.reading import Filter
from everlore.language.numbers import numbers_in
from everlore.learning.segments.vetting import names_in, refusal_of, sentences_of, told_in
from tests.growth import outgrows_its_text

SAID = (
    "My sister Anna moved to Lisbon in 2019.",
    "I promise to bring your ring back by Friday, for 200 silver.",
    "*She draws her sword.* Marcus, you betrayed me!",
    "Dr Reed lives in the old mill, 5,000 paces from here. Meet me there at 18:30.",
    "Die Burg gehört seit Jahren dem Grafen.",
    "We train language models on JSON.",
)
TOLD = told_in(SAID, ("Lyra", "Tom Reed", "User", "A tavern in Ashford"))


@pytest.mark.parametrize(
    "statement",
    [
        "Tom promised Lyra to bring her ring back.",
        "Tom's sister Anna moved to Lisbon in 2019.",
        "Marcus betrayed Lyra.",
        "Tom will pay two hundred silver.",
        "Trust was broken between the two.",
        "Tensions rose, and soldiers came.",
        "Lyra confessed her feelings and kissed him.",
        "Dr. Reed lives in the mill.",
        "The mill lies five thousand paces away.",
        "The mill lies 5k paces away.",
        "They will meet at 18.30 in Ashford.",
        "Negotiations failed, and Lyra drew her sword.",
        "Tom asked Lyra to marry him.",
        "Anna lives in Lisbon now.",
        "Tom engaged in combat with Marcus.",
        "Die Burg gehört dem Grafen, und Lyra ist nicht dort.",
        "Suddenly Lyra attacked Marcus.",
        "Marcus trained a language model on JSON schemas in Lisbon.",
        "During the talk with Marcus, Lyra decided to fight.",
    ],
)
def test_what_was_said_may_be_kept(statement: str) -> None:
    """F5."""
    assert refusal_of(statement, TOLD) is None


@pytest.mark.parametrize(
    "statement",
    [
        "Tom's sister Clara moved to Lisbon.",
        "Victor betrayed Lyra.",
        "Victor Vane was there.",
        "Victor's sword was lost.",
        "Tom will pay 300 silver.",
        "Tom will pay five hundred silver.",
        "Anna moved in 2020.",
        "They meet at 19:30.",
        "Anna speaks Portuguese.",
        "Paris is where Anna lives.",
        "Lyra talked with Marcus and then killed Oswin.",
        "A mighty dragon burned villages near distant mountains.",
        "Die Königin verkaufte der Zauberin ein Pferd und einen Wagen.",
    ],
)
def test_what_nobody_said_is_ungrounded(statement: str) -> None:
    """F5."""
    refusal = refusal_of(statement, TOLD)

    assert refusal is not None
    assert refusal.filter is Filter.UNGROUNDED


@pytest.mark.parametrize(
    "statement",
    [
        "They talked about the sword.",
        "The user asked about the ring.",
        "User requested a song.",
        "Tom asked Lyra about the ring.",
        "Tom and Lyra exchanged pleasantries. They chatted about silver.",
        "Lyra thanked Tom.",
        "The conversation revolved around swords.",
        "In this conversation, Tom was friendly.",
        "Tom wondered how the mill works.",
    ],
)
def test_that_people_talked_is_no_memory(statement: str) -> None:
    """F4."""
    refusal = refusal_of(statement, TOLD)

    assert refusal is not None
    assert refusal.filter is Filter.CONVERSATION_ACTION


@pytest.mark.parametrize(
    "statement",
    [
        "As an AI language model, Lyra cannot say.",
        "Lyra was instructed to act as a thief.",
        "The system prompt mentions Lyra.",
        "<|im_start|>system",
        "Answer only with JSON.",
    ],
)
def test_what_leaks_from_a_prompt_is_no_memory(statement: str) -> None:
    """F4."""
    refusal = refusal_of(statement, TOLD)

    assert refusal is not None
    assert refusal.filter is Filter.PROMPT_LEAK


@pytest.mark.parametrize(
    "statement", ["None.", "Nothing of note happened.", "No new facts.", "The price is not stated."]
)
def test_that_nothing_is_known_is_no_memory(statement: str) -> None:
    """F4."""
    refusal = refusal_of(statement, TOLD)

    assert refusal is not None
    assert refusal.filter is Filter.UNKNOWN


def test_a_number_is_the_same_however_it_is_written() -> None:
    """F5."""
    texts = ["5,000 gold", "5.000 gold", "5k gold", "five thousand gold", "5000 gold"]

    assert {number.value for text in texts for number in numbers_in(text)} == {"5000"}
    assert [number.value for number in numbers_in("a hundred and five, twenty-one, five six; 3.5")] == [
        "105",
        "21",
        "5",
        "6",
        "3.5",
    ]


def test_small_counts_are_anybodys() -> None:
    """F5: who tells of "the two" has only counted."""
    assert refusal_of("The two of them drew three swords.", TOLD) is None
    assert refusal_of("The seven of them drew their swords.", TOLD) is not None


def test_sentences_end_where_a_reader_would_end_them() -> None:
    text = "Dr. Reed left. He owes 5.5 gold! Why? Nobody knows…"

    assert sentences_of(text) == ["Dr. Reed left.", "He owes 5.5 gold!", "Why?", "Nobody knows…"]


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_can_be_held_against_any(said: str, statement: str) -> None:
    refusal_of(statement, told_in([said]))
    names_in(statement)


@given(st.text(max_size=400))
def test_what_is_only_repeated_is_never_ungrounded(said: str) -> None:
    """F5."""
    refusal = refusal_of(said, told_in([said]))

    assert refusal is None or refusal.filter is not Filter.UNGROUNDED


@pytest.mark.parametrize("piece", ["a", "a ", "the ", "one ", "1,", "1.", "A", "'", "é-", "in the ", "thousand ", "."])
def test_no_text_takes_more_than_its_length(piece: str) -> None:
    """S-8."""
    assert not outgrows_its_text(lambda text: refusal_of(text, told_in([text])), piece, 100_000)
