"""A foreign language's phrasebook: translations of its words into English, and its plain phrases.

All of it is data: `de.toml` holds German phrases, `language/words.tsv` the words of all six languages with their
English. A phrase is a regular expression with slots in braces: `{place}`, `{since}`, or a kind from `words.tsv`, which
matches each of its words (`{job}`); `common.toml` holds the shared slots. It matches at the start of a clause, unless
it begins with `^`. Phrases under `[they]` follow "my sister" or "my dog".

Start at `book`.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import count
from typing import Any

from everlore.language.glossary import CODES, small_of, words_of


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to state a fact about oneself: "lives", as "ich wohne in {place}". `behind`: matches a further statement
    about the same relative: "my sister is 7 and plays the violin"."""

    what: str
    pattern: re.Pattern[str]
    behind: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """`words`: foreign words and their English, by kind; `signs`: patterns for sentences, see `common.toml`."""

    small: frozenset[str]
    words: Mapping[str, Mapping[str, str]]
    no_names: frozenset[str]
    no_places: frozenset[str]
    signs: Mapping[str, re.Pattern[str]]
    own: tuple[Phrase, ...]
    theirs: tuple[Phrase, ...]

    def english(self, kind: str, word: str) -> str:
        """The English word; the foreign one if there is none."""
        return self.words.get(kind, {}).get(word.lower(), word)


@lru_cache(maxsize=len(CODES))
def book(code: str) -> Phrasebook:
    """Takes some 400 ms on first use of a language."""
    known, common, words = _file(f"{code}.toml"), _file("common.toml"), words_of(code)
    signs = common.pop("signs")
    written = {slot: each for slot, each in known.items() if isinstance(each, str)}
    slots = {**_slots(words), **common, **written, "so": rf"(?:(?:{known['so']}) )*"}
    ways = {which: [(what, way) for what, each in known[which].items() for way in each] for which in ("i", "they")}
    own = ((what, way if way.startswith("^") else "{begins}" + way) for what, way in ways["i"])
    return Phrasebook(
        small=small_of(code),
        words=words,
        no_names=frozenset(known["not_name"].split()),
        no_places=frozenset(known["not_place"].split()),
        signs={name: _compiled(each, slots) for name, each in signs.items()},
        own=tuple(Phrase(what, _compiled(way, slots)) for what, way in own),
        theirs=tuple(
            Phrase(what, _compiled("{they}" + way, slots), _compiled("{behind}" + way, slots))
            for what, way in ways["they"]
        ),
    )


def _slots(words: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """A slot for each kind of words, longest words first, so that "twin sister" is not a sister with a name."""
    found: dict[str, str] = {}
    for kind, each in words.items():
        found[f"any_{kind}"] = "|".join(re.escape(word) for word in sorted(each, key=len, reverse=True))
        found[kind] = rf"(?P<{kind}>{{any_{kind}}})(?!\w)"
    # "One" is an article.
    ages = sorted((word for word, english in words["number"].items() if english != "one"), key=len, reverse=True)
    return found | {"aged": rf"(?P<number>1[01]\d|[1-9]?\d|{'|'.join(map(re.escape, ages))})(?!\w)"}


def _compiled(written: str, slots: Mapping[str, str]) -> re.Pattern[str]:
    """Expands nested slots; each group gets a number, because one may occur twice."""
    while found := re.search(r"\{([a-z_]+)\}", written):
        written = written[: found.start()] + slots[found[1]] + written[found.end() :]
    numbers = count(1)
    numbered = re.sub(r"\(\?P<([a-z]+)>", lambda group: f"(?P<{group[1]}{next(numbers)}>", written)
    return re.compile(numbered, re.IGNORECASE)


def _file(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / name).read_text(encoding="utf-8"))
