"""Loads data: the English word lists, one file in `english/` per subject, one name per list in it; and patterns.

A list is words separated by spaces, or phrases separated by commas; a table holds lists under keys. The comment above
each says what it holds. Strings use single quotes, because tomllib reads double-quoted ones character by character.

Start at `listed`; `pattern` is for the regular expressions in files of other packages.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list: "people.female" is `female` in `english/people.toml`."""
    return frozenset(written_list(name).split())


@cache
def phrases_listed(name: str) -> tuple[tuple[str, ...], ...]:
    """The words of each phrase, in the order of the list."""
    return tuple(tuple(phrase.split()) for phrase in written_list(name).split(","))


@cache
def tabled(name: str) -> dict[str, frozenset[str]]:
    """The words under each key of a table."""
    return {key: frozenset(words.split()) for key, words in written_list(name).items()}


@cache
def by_word(name: str) -> dict[str, str]:
    """Maps each word of a table to its key: "mum" to "mother"."""
    return {word: key for key, words in tabled(name).items() for word in words}


def written_list(name: str) -> Any:
    """The value in the file: a string, or a table of strings."""
    subject, _, key = name.partition(".")
    lists = _lists_of(subject)
    if key not in lists:
        raise KeyError(f"There is no list {key!r} in language/english/{subject}.toml; {name!r} was asked for.")
    return lists[key]


@cache
def _lists_of(subject: str) -> dict[str, Any]:
    file = files(__package__) / "english" / f"{subject}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


@cache
def pattern(package: str, name: str) -> re.Pattern[str]:
    """The alternatives under a name, with the file's pieces for names in braces: "filters.too_old" is `too_old` under
    `patterns` in the package's `filters.toml`. Case is ignored."""
    file, _, key = name.partition(".")
    data = data_in(package, f"{file}.toml")
    written = "|".join(f"(?:{each})" for each in data["patterns"][key])
    for piece, way in data.get("pieces", {}).items():
        written = written.replace(f"{{{piece}}}", f"(?:{way})")
    return re.compile(written, re.IGNORECASE)


@cache
def data_in(package: str, file: str) -> dict[str, Any]:
    """A TOML file of a package. Shared: callers do not change it."""
    return tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))
