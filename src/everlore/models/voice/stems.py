"""Words and their stems, in order: what phrases are looked for in."""

import re
from collections.abc import Iterable
from functools import lru_cache

from everlore.domain.words import terms_of

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(text: str) -> list[str]:
    return [word.replace("’", "'") for word in _WORD.findall(text)]


def bare_words(text: str) -> list[str]:
    """In small letters and without apostrophes: i, im, dont."""
    return [word.lower().replace("'", "") for word in words_of(text)]


@lru_cache(maxsize=10_000)
def _stem(word: str) -> tuple[str, ...]:
    return terms_of(word)


def stems_of(text: str) -> list[str]:
    """ "What's my name?" is what, my, name."""
    return [stem for word in _WORD.findall(text) for stem in _stem(word)]


def spaced(text: str) -> str:
    """Stems with a space around each, to look for phrases in."""
    return f" {' '.join(stems_of(text))} "


def phrases(text: str) -> tuple[str, ...]:
    """ "last time | we talked": each phrase as stems, the longest first."""
    found = dict.fromkeys(spaced(part) for part in text.split("|"))
    return tuple(sorted(found, key=len, reverse=True))


def stem_set(text: str) -> frozenset[str]:
    """The words as they are, and their stems."""
    return frozenset(text.split()) | frozenset(stems_of(text))


def has(stems: str, wanted: Iterable[str]) -> bool:
    return any(phrase in stems for phrase in wanted)
