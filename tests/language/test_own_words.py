"""Which passages of a message are the user's own words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.language.own_words import own_words, passages_of


def own(message: str) -> str:
    return " ".join(own_words(message).split())


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("Look:\n```\nI live here\n```\nI live in Ghent", "Look: … I live in Ghent"),
        ("~~~\nnever closed\nI live here", "…"),
        ("<mail date='1'>I live here</mail> I live in Ghent", "… I live in Ghent"),
        ("a\n---\nI live here\n---\nI live in Ghent", "a … I live in Ghent"),
        ("=== MAIL ===\nI live here\n=== END ===\nI live in Ghent", "… I live in Ghent"),
        ("[START]\nI live here\n[END]\nI live in Ghent", "… I live in Ghent"),
        ("> I live here\n> still here\nI live in Ghent", "… I live in Ghent"),
        ('I got this:\n"I live\nin here."\nI live in Ghent', "I got this: … I live in Ghent"),
        ("Ticket: I live here\nand there\n\nI live in Ghent", "… I live in Ghent"),
        ("I live in Ghent. Translate to French: I live here.", "I live in Ghent. Translate to French: …"),
        ("Bitte übersetze: „Ich wohne hier.“ Ich wohne in Gent.", "Bitte übersetze: … Ich wohne in Gent."),
        (
            "I live here. I hate it.\nSummarise the text above. I live in Ghent",
            "… Summarise the text above. I live in Ghent",
        ),
        ("Subject: hello\n\nI live here", "…"),
        ("My boss wrote: I live here. I hate it.\n\nI live in Ghent", "My boss wrote: … I live in Ghent"),
    ],
)
def test_what_is_handed_over_is_left_out(message: str, left: str) -> None:
    assert own(message) == left


@pytest.mark.parametrize(
    "message",
    [
        "I <b>live</b> in <i>Ghent</i>",
        "<p>I live in Ghent</p>\n<p>I hate it</p>",
        "I live in Ghent\n\n---\n\nand I like it",
        "Two things:\n- I live in Ghent\n- I hate it",
        "I translate novels: I live in Ghent",
        "Correct me if I'm wrong: I live in Ghent",
        "Let me rephrase: I live in Ghent",
        "At 10:30 I take the train: I live in Ghent",
        "As I said: I live in Ghent",
        "",
        ":",
        "\n\n",
    ],
)
def test_what_only_looks_like_it_stays(message: str) -> None:
    assert own_words(message) == message


@given(st.text(alphabet=st.sampled_from('Iab <>/[]:.!?\n"“”>-=`~…#T'), max_size=80))
def test_own_words_of_own_words_are_the_same_and_nothing_is_lost(text: str) -> None:
    once = own_words(text)

    assert own_words(once) == once
    kept = [sign for passage in passages_of(text) for sign in passage.text if not sign.isspace()]
    assert kept == [sign for sign in text if not sign.isspace()]


@pytest.mark.parametrize(
    "piece", ["<a1>", '"', "“", "---\n", "> x\n", "Translate: ", "Text: a\n", "a: ", "\n", "[AAA]\n"]
)
def test_a_long_message_is_read_in_a_moment(piece: str) -> None:
    message = (piece * 12_000)[:12_000]

    began = time.perf_counter()
    own_words(message)

    assert time.perf_counter() - began < 2
