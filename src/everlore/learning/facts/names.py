"""Checks that the names and numbers of a statement were said (F5), to catch inventions, in any language. Pure.

In: a statement in our form ("User …") and its message. Out: the first name or number that nobody said, and whether that
is certain: in a language with only partly known names and numbers it is not. Ignores accents, case, hyphens and typos;
"'99" is 1999 and "sept" September.

Start at `find_unsaid`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from everlore.domain.display import display
from everlore.language.numbers import Number, numbers_in
from everlore.learning.candidate import Source
from everlore.learning.facts.translations import is_english, plain_digits, translations_in
from everlore.learning.facts.words import bare, folded, words_of

_MOST_TURNS = 12
_MOST_CHARS = 12_000
_MOST_NAME_WORDS = 4
_WORD = re.compile(r"[^\W_]+(?:[-’'.&][^\W_]+)*")
_DIGITS = re.compile(r"\d+")
_SHORT_YEAR = re.compile(r"['’](\d\d)\b")
# From this similarity and length on, a word counts as a misspelling.
_SAME = 0.82
_LEAST_CHARS = 5
_MOST_SLIP = 2
# Minimum share of a common prefix in related words: "cartography", "cartographer".
_SHARE_OF_PREFIX = 0.7
_DECADE = re.compile(r"\b(\d0)['’]?s\b|\b(twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies\b", re.IGNORECASE)
_NO_NAMES = frozenset({"i", "user", "users", "user's", "ok", "am", "pm"})
# "A cat" and "one cat" contain no number.
_ONE = "1"


@dataclass(frozen=True, slots=True)
class Unsaid:
    """`is_certain`: the message says something else instead, or is in English."""

    text: str
    is_certain: bool


def find_unsaid(content: str, source: Source, quote: str = "") -> Unsaid | None:
    """The first one that is certain, else the first one. `quote`: the words that would contain a number."""
    found = [*_unsaid_names(content, source), *_unsaid_numbers(content, source, quote or source.content)]
    return next((each for each in found if each.is_certain), found[0] if found else None)


def _unsaid_names(content: str, source: Source) -> Iterator[Unsaid]:
    said = _said(tuple(_texts(source)))
    missing = [name for name in _names(content) if not said.has_name(name)]
    if is_english(source.content):
        yield from (Unsaid(name, True) for name in missing)
        return
    translations = translations_in(source.content)
    runs = _runs(content)
    for name in missing:
        whole = [run for run in runs if name in run.split()]
        if not any(translations.says(run) for run in whole):
            yield Unsaid(name, any(translations.another_of_its_kind(run, content) for run in whole))


def _unsaid_numbers(content: str, source: Source, quote: str) -> Iterator[Unsaid]:
    said = _said(tuple(_texts(source)))
    for number in numbers_in(_plain_decades(content)):
        if number.must_be_said and not said.has_number(number):
            # If the quote has no recognized number, it may contain one in unknown words.
            others = _said((quote,)).numbers - {_ONE}
            yield Unsaid(number.written, bool(others) or is_english(source.content))


# ── the statement ────────────────────────────────────────────────────────────────────────────────


def _names(content: str) -> list[str]:
    """Words that contain a capital, except the first; includes days and months."""
    words = _WORD.findall(content)[1:]
    names = [word for word in words if any(sign.isupper() for sign in word)]
    return [name for name in names if len(name) > 1 and folded(name) not in _NO_NAMES]


def _runs(content: str) -> list[str]:
    """Runs of adjacent words, the longest first, because names may have several."""
    words = [bare(word) for word in _WORD.findall(content)[1:]]
    sizes = range(min(_MOST_NAME_WORDS, len(words)), 0, -1)
    return [" ".join(words[at : at + size]) for size in sizes for at in range(len(words) - size + 1)]


def _plain_decades(text: str) -> str:
    """ "In their thirties" contains thirty."""
    return _DECADE.sub(lambda found: f"{found[1] or found[2] + 'y'} ", text)


# ── the message ──────────────────────────────────────────────────────────────────────────────────


def _texts(source: Source) -> list[str]:
    turns = [display(turn.content).text for turn in source.before[-_MOST_TURNS:]]
    return [text[:_MOST_CHARS] for text in (source.content, *turns, source.user_name, *source.people)]


class _Said:
    def __init__(self, texts: Sequence[str]) -> None:
        whole = plain_digits("\n".join(texts))
        words = words_of(whole)
        self._words = frozenset(part for word in words for part in (word, *word.split("-"), word.replace("-", "")))
        self._joined = frozenset(one + other for one, other in pairwise(words))
        self._meanings = frozenset(meaning for word in self._words for meaning in _meanings().get(word, ()))
        self._short_years = frozenset(_SHORT_YEAR.findall(whole))
        numbers = {part for number in numbers_in(_plain_decades(whole)) for part in (number.value, *number.parts)}
        # "19th", "5k" and "3pm" contain numbers too.
        numbers |= {digits.lstrip("0") or "0" for digits in _DIGITS.findall(whole)}
        self.numbers = frozenset(numbers | {each for each in self._meanings if each.isdecimal()})

    def has_name(self, name: str) -> bool:
        plain = bare(folded(name))
        if self._is_said(plain):
            return True
        parts = [part for part in re.split(r"[-'.&]", plain) if len(part) > 1]
        return len(parts) > 1 and all(self._is_said(part) for part in parts)

    def has_number(self, number: Number) -> bool:
        if number.is_among(self.numbers):
            return True
        return len(number.value) == 4 and number.value[2:] in self._short_years

    def _is_said(self, word: str) -> bool:
        plain = word.replace("-", "")
        if not {word, plain}.isdisjoint(self._words) or plain in self._joined:
            return True
        if meanings := _meanings().get(word):
            return not meanings.isdisjoint(self._meanings)
        return any(_is_same(word, each) for each in self._words if len(each) >= _LEAST_CHARS - 1)


@lru_cache(maxsize=64)
def _said(texts: tuple[str, ...]) -> _Said:
    """Cached, because all facts of a message are checked against it."""
    return _Said(texts)


def _is_same(name: str, word: str) -> bool:
    if len(name) < _LEAST_CHARS:
        return False
    if name[0] != word[0]:
        return False
    if abs(len(name) - len(word)) <= _MOST_SLIP and SequenceMatcher(None, name, word).ratio() >= _SAME:
        return True
    shared = next((at for at, (one, other) in enumerate(zip(name, word, strict=False)) if one != other), None)
    least = min(len(name), len(word)) if shared is None else shared
    return least >= _LEAST_CHARS and least >= _SHARE_OF_PREFIX * len(name)


@cache
def _meanings() -> dict[str, frozenset[str]]:
    """Maps foreign names of months, days and numbers to the English name or the digits. "Sept" has two meanings."""
    text = files("everlore.learning.facts").joinpath("foreign.txt").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            first, *others = line.split()
            for word in (first, *others):
                found.setdefault(folded(word), set()).add(first)
    return {word: frozenset(each) for word, each in found.items()}
