"""Memories that are told by their id in a message (R10)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.ids import make_id
from everlore.domain.tokens import TOLD, token_of, told_in, told_with, with_told, without_told
from tests.turn.records import NOON

IDS = st.text(st.characters(exclude_characters="${}", exclude_categories=("Z", "C")), min_size=1, max_size=200).filter(
    lambda id: id not in {"context", "relationship", "facts", "lastSession", "count"}
)
WORDS = st.text(st.characters(exclude_characters="$"), max_size=40)


@given(IDS)
def test_a_token_tells_its_id(id: str) -> None:
    """R10."""
    assert told_in(token_of(id)) == (id,)


def test_the_ids_that_are_given_to_memories_make_tokens() -> None:
    """R10."""
    id = make_id(NOON, b"0123456789")

    assert told_in(f"Listen: {token_of(id)}!") == (id,)


@given(st.lists(st.tuples(WORDS, IDS), max_size=6), WORDS)
def test_each_is_told_once_and_in_order(parts: list[tuple[str, str]], end: str) -> None:
    """R10."""
    text = "".join(f"{words}{token_of(id)}" for words, id in parts) + end

    assert told_in(text) == tuple(dict.fromkeys(id for _, id in parts))
    assert without_told(text) == "".join(words for words, _ in parts) + end


@given(st.text(max_size=200))
def test_a_text_without_a_token_stays_as_it_is(text: str) -> None:
    """R10."""
    assert told_in(text) or with_told(text, str.upper) == text


def test_something_else_stands_in_the_place_of_each() -> None:
    """R10."""
    assert with_told("a ${memory.x} b ${memory.y} ${memory.x}", lambda id: f"<{id}>") == "a <x> b <y> <x>"


def test_what_replaces_a_token_is_not_read_again() -> None:
    """R10: a memory whose words look like a token tells no other."""
    assert with_told("${memory.x}", lambda _: "${memory.y}") == "${memory.y}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "memory.x",
        "${memory.}",
        "${memory. x}",
        "${memory.x",
        "$ {memory.x}",
        "${Memory.x}",
        "${memory.a b}",
        "${memory.${memory.}}",
        "${memory." + "x" * 201 + "}",
        "${memory.context}",
        "${memory.relationship}",
        "${memory.facts}",
        "${memory.lastSession}",
        "${memory.count}",
    ],
)
def test_what_is_no_token_tells_nothing_and_stays(text: str) -> None:
    """R10: nor do the variables of templates, which people talk about too."""
    assert told_in(text) == ()
    assert without_told(text) == text


def test_an_id_may_begin_like_a_variable() -> None:
    """R10."""
    assert told_in("${memory.contextual} ${memory.count-1}") == ("contextual", "count-1")


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ({"told": ["a", "b"], "unresolved": []}, ("a", "b")),
        ({"told": []}, ()),
        ({}, ()),
        ({"told": "a"}, ()),
        ({"told": ["a", 1, None]}, ("a",)),
        (["a"], ()),
        (None, ()),
    ],
)
def test_what_was_told_is_read_from_the_message_and_from_nothing_odd(mark: object, told: tuple[str, ...]) -> None:
    """R10: metadata come from files, too."""
    assert told_with({TOLD: mark}) == told
    assert told_with({}) == ()
