"""The word lists of English: each is there once, used, and found by its name."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import everlore
from everlore.language.lists import by_word, listed, phrases_listed, tabled

_SOURCE = Path(everlore.__file__).parent
_CODE = "\n".join(file.read_text(encoding="utf-8") for file in sorted(_SOURCE.rglob("*.py")))
_PHRASES = (_SOURCE / "learning" / "phrasebooks" / "english.toml").read_text(encoding="utf-8")


def _written() -> Iterator[tuple[str, str | dict[str, str]]]:
    for file in sorted((_SOURCE / "language" / "english").glob("*.toml")):
        for key, held in tomllib.loads(file.read_text(encoding="utf-8")).items():
            yield f"{file.stem}.{key}", held


def _entries() -> Iterator[tuple[str, list[str]]]:
    """Of every list and of every key of a table, what it holds."""
    for name, held in _written():
        if isinstance(held, dict):
            yield from ((f"{name}.{key}", words.split()) for key, words in held.items())
        elif f'phrases_listed("{name}")' in _CODE or (f"<{name}>" in _PHRASES and "," in held):
            yield name, [" ".join(phrase.split()) for phrase in held.split(",")]
        else:
            yield name, held.split()


def test_every_list_is_used_by_a_module_or_a_phrase() -> None:
    assert [name for name, _ in _written() if f'("{name}")' not in _CODE and f"<{name}>" not in _PHRASES] == []


def test_no_list_holds_anything_twice() -> None:
    assert [(name, each) for name, held in _entries() for each in sorted(set(held)) if held.count(each) > 1] == []


def test_no_list_holds_nothing() -> None:
    assert [name for name, held in _entries() if not all(held) or not held] == []


def test_no_two_lists_are_the_same() -> None:
    lists = [(name, frozenset(held)) for name, held in _entries() if name.count(".") == 1]

    assert [(one, other) for one, held in lists for other, too in lists if one < other and held == too] == []


def test_a_list_is_found_by_its_name() -> None:
    assert {"sister", "mum"} <= listed("people.female")
    assert ("by", "the", "way") in phrases_listed("talk.tail_phrases")
    assert tabled("people.kin")["uncle"] == {"uncle", "uncles"}
    assert by_word("people.kin")["mum"] == "mother"


@pytest.mark.parametrize("name", ["people.robots", "robots.kind"])
def test_an_unknown_name_says_which_list_is_missing_and_where(name: str) -> None:
    subject, _, key = name.partition(".")

    with pytest.raises(KeyError, match=rf"no list '{key}' in language/english/{subject}\.toml"):
        listed(name)
