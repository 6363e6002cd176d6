"""JSON from strangers: every value kept, every trap refused (S-5)."""

import json
from typing import Any

import pytest
from hypothesis import given

from everlore.errors import BadAsk
from everlore.interchange.jsontext import dump, parse
from everlore.interchange.report import Notes
from tests.interchange.builders import VALUES, case, same


def read(text: str) -> tuple[Any, Notes]:
    notes = Notes()
    return parse(text.encode("utf-8", "surrogatepass"), notes, what="the card"), notes


@given(VALUES)
def test_every_value_comes_back_as_it_was(value: object) -> None:
    """V9."""
    found, notes = read(json.dumps(value))

    assert same(found, value)
    assert dump(found) == dump(value)
    assert notes == Notes()


@pytest.mark.parametrize(
    "text",
    ["1", "1.0", "-0.0", "12345678901234567890123456789", "0.1", "1e300", "5e-324", "0.30000000000000004", '"\\u00e9"'],
)
def test_numbers_keep_their_kind(text: str) -> None:
    found, notes = read(text)

    assert same(found, json.loads(text))
    assert notes == Notes()


@pytest.mark.parametrize("text", ["0.12345678901234567890123", "1e-400", "1e-99999999999999999999999"])
def test_a_number_finer_than_a_double_is_rounded_and_said_so(text: str) -> None:
    found, notes = read(text)

    assert found == float(text)
    assert "was rounded to" in notes.changed.lines[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NaN", "holds NaN"),
        ('{"x": [Infinity]}', "holds Infinity"),
        ("-Infinity", "holds -Infinity"),
        ("1e400", "'1e400', which is too large"),
        ("-1e400", "too large"),
        ("9" * 5_000, "thousands of digits"),
        ('{"\\u0000": 1, "\\ufffd": 2}', "keys that differ only in"),
        ('"\x01"', "is not JSON: Invalid control character at line 1"),
        ("", "is not JSON: Expecting value at line 1, column 1"),
    ],
    ids=case,
)
def test_what_cannot_be_kept_is_refused(text: str, told: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=told):
        read(text)


@pytest.mark.parametrize("depth", [101, 5_000, 2_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_an_end(depth: int, opening: str, closing: str) -> None:
    """S-5: deep enough to overflow the stack, or only to overflow those who come after us."""
    with pytest.raises(BadAsk, match="nests more than 100 levels deep"):
        read(opening * depth + "1" + closing * depth)


def test_a_hundred_levels_are_read() -> None:
    found, _ = read("[" * 100 + "]" * 100)

    assert dump(found) == b"[" * 100 + b"]" * 100


def test_the_last_of_equal_keys_counts_and_the_report_says_so() -> None:
    found, notes = read('{"a": 1, "b": 2, "a": 3}')

    assert found == {"a": 3, "b": 2}
    assert notes.dropped.lines == ["The key 'a' stands 2 times in one object of the card; the last one counts."]


@pytest.mark.parametrize("broken", ["\\u0000", "\\ud800", "\\udfff", "\\ud800\\ud800", "\ud800"])
def test_what_is_no_character_is_replaced_and_said_so(broken: str) -> None:
    """V9: the store refuses them."""
    found, notes = read(f'{{"x": ["a{broken}b"], "k{broken}": 1}}')

    told = "\ufffd" * (2 if len(broken) == 12 else 1)
    assert found == {"x": [f"a{told}b"], f"k{told}": 1}
    assert len(notes.changed.lines) == 2
    assert all(line.isprintable() for line in notes.changed.lines)


def test_a_spelled_out_nul_is_only_text() -> None:
    """V9: cards carry regular expressions with it."""
    found, notes = read(r'{"findRegex": "/[\\u0000-\\u001f]/g"}')

    assert found == {"findRegex": r"/[\u0000-\u001f]/g"}
    assert notes == Notes()


def test_pairs_of_surrogates_are_characters() -> None:
    assert read('"\\ud83d\\ude00"') == ("😀", Notes())


def test_a_flood_of_complaints_is_counted_and_not_repeated() -> None:
    _, notes = read("[" + ",".join(['"\\u0000"'] * 10_000) + "]")

    told = notes.report("JSON").changed
    assert len(told) == 101
    assert told[-1] == "And 9,900 more like this."
