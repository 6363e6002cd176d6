"""An answer that goes round in circles is known by its end."""

import pytest

from everlore.models.repeating import is_repeating

_ENTRY = '{"content": "User likes tea", "quote": "I like tea", "category": "preference", "confidence": 0.95}, '


@pytest.mark.parametrize(
    "text",
    [
        '{"facts": [' + _ENTRY * 6,
        '{"facts": []}' + "\n" * 400,
        "Well, " + "ha" * 200,
        '{"facts": [' + _ENTRY * 6 + _ENTRY[:40],
        "and so on, " * 40,
    ],
    ids=["entries", "blank", "syllables", "half an entry", "words"],
)
def test_what_is_said_over_and_over_is_repeating(text: str) -> None:
    assert is_repeating(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ha",
        '{"facts": [' + _ENTRY * 3,
        '{"facts": [' + "".join(_ENTRY.replace("tea", f"tea number {n}") for n in range(20)),
        "A long text, of which no two parts are alike, whatever its subject may be. " * 2,
        "ha" * 20,
    ],
    ids=["nothing", "short", "three times", "one after the other", "twice", "a laugh"],
)
def test_what_goes_on_is_not(text: str) -> None:
    assert not is_repeating(text)
