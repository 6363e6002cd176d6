"""Replies that start to repeat themselves are noticed (V15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.echo import STEERING, is_echoing, mean_overlap

TAVERN = [
    "The tavern is loud tonight. Rex pours you a drink and asks where you have been.",
    "I have been walking the coast road, and I saw three ships with black sails.",
    "Black sails mean the king's men. Finish your drink, and tell me which way they were heading.",
]
LOOP = [
    "I smile at you warmly and take your hand. The night is young, my friend.",
    "I smile at you warmly and take your hand again. The night is young, my friend.",
    "I smile at you warmly and take your hand. The night is still young, my dear friend.",
]


def test_the_same_sentences_again_and_again_are_an_echo() -> None:
    assert is_echoing(LOOP)


def test_a_talk_on_one_subject_is_no_echo() -> None:
    assert not is_echoing(TAVERN)


def test_only_the_last_three_replies_count() -> None:
    assert not is_echoing([*LOOP, *TAVERN])
    assert is_echoing([*TAVERN, *LOOP])


def test_two_replies_are_too_few_to_tell() -> None:
    assert not is_echoing(LOOP[:2])
    assert not is_echoing([])


def test_one_word_again_and_again_is_an_echo() -> None:
    assert is_echoing(["Yes.", "yes", "Yes!"])
    assert not is_echoing(["Yes.", "No.", "Perhaps."])


def test_case_and_punctuation_do_not_hide_an_echo() -> None:
    assert mean_overlap(["One, two; three four.", "ONE TWO THREE FOUR"]) == 1


def test_replies_without_words_are_no_echo() -> None:
    assert mean_overlap(["…", "!", ""]) == 0


def test_the_threshold_can_be_chosen() -> None:
    assert is_echoing(LOOP, threshold=0.5)
    assert not is_echoing(LOOP, threshold=1.0)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_overlap_is_a_share(replies: list[str]) -> None:
    assert 0 <= mean_overlap(replies) <= 1


def test_half_a_megabyte_is_compared_by_its_beginning() -> None:
    """S-8."""
    assert is_echoing(["word " * 100_000] * 3)


@pytest.mark.parametrize("word", ["repeat", "new"])
def test_the_note_says_what_to_do(word: str) -> None:
    assert word in STEERING
