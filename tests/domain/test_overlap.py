"""Whether a reply speaks of a memory (R5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.overlap import is_used

BOAT = "Don sold Mike a leaking boat in Bergen."


@pytest.mark.parametrize(
    "reply",
    [
        BOAT,
        "Don once sold Mike a boat. A leaking one!",
        "Did you hear? MIKE was SOLD a LEAKING BOAT!",
        "That leaking boat in Bergen… Don should never have sold it.",
    ],
)
def test_a_reply_that_says_it_uses_it(reply: str) -> None:
    """R5: in whatever order and form."""
    assert is_used(BOAT, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Fine.",
        "Don is a friend of mine.",
        "I like Bergen.",
        "Don and Mike are well, thank you.",
        "What a nice day!",
    ],
)
def test_a_reply_that_only_shares_a_name_does_not(reply: str) -> None:
    """R5."""
    assert not is_used(BOAT, reply)


def test_one_telling_word_is_enough_where_there_is_but_one() -> None:
    """R5."""
    assert is_used("Seattle", "Oh, Seattle!")
    assert not is_used("Seattle", "Oh, Portland!")


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_says_more_still_says_it(memory: str, more: str) -> None:
    """R5: words are never unsaid by words that follow."""
    assert not is_used(memory, memory) or is_used(memory, f"{memory} {more}")


@given(st.text(max_size=80))
def test_nothing_is_used_by_silence(memory: str) -> None:
    """R5."""
    assert not is_used(memory, "")
    assert not is_used("", memory)
