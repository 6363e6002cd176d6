"""Finds the user's words that support a statement (F5): the model's quote, compared verbatim. Pure.

In: a candidate and its message. Out: the words, whether the model quoted them verbatim, and their mood. Without a
verbatim quote the nearest clause is shown to a person, but is no evidence. No knowledge of a language is needed: only
quotations, played and asked text are recognized, by their punctuation.

Start at `find_evidence`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from everlore.language.lists import listed
from everlore.learning.candidate import Candidate, Source
from everlore.learning.clauses import Mood, clauses_of
from everlore.learning.clauses.plain import pieces_of
from everlore.learning.facts.words import folded, words_of

_MOST_CHARS = 12_000
_MOST_QUOTE = 300
# Length of a word's stem in unknown languages.
_STEM = 5
_LEAST_WORD = 3
_OWN = listed("grammar.own")
_SMALL = listed("grammar.small")
_LEFT_OUT = re.compile(r"…|\.{3}|\[\.\.\.\]")
# Minimum words between two ellipses of a quote: anything could be assembled from single words.
_LEAST_PART = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """`is_verbatim`: the model gave the quote, and the message contains it unchanged."""

    words: str
    is_verbatim: bool
    mood: Mood


def find_evidence(candidate: Candidate, source: Source) -> Evidence:
    page = _page(source.content)
    quote = candidate.quote.strip(" .…")
    if not _says_nothing(quote) and stands_in(source.content, quote):
        return Evidence(quote[:_MOST_QUOTE], True, _mood(_overlapping(quote, page.clauses)))
    nearest = _nearest(candidate.content, page.clauses)
    mood = _mood(nearest or page.clauses)
    words = next((each.text for each in nearest if each.mood is mood), source.content)
    return Evidence(words[:_MOST_QUOTE], False, mood)


def stands_in(message: str, quote: str) -> bool:
    """Whether the message contains these words in order, ignoring case, spacing, punctuation and accents; an ellipsis
    may stand for omitted words."""
    said, at = folded(message[:_MOST_CHARS]), 0
    parts = [each for each in _LEFT_OUT.split(quote) if not _says_nothing(each)]
    if len(parts) > 1 and any(len(words_of(each)) < _LEAST_PART for each in parts):
        return False
    for part in parts:
        signs = [sign for sign in folded(part) if sign.isalnum()]
        # Match whole words: no "rat" in "grateful"; scripts without capitals do not separate words.
        begins = "" if _is_uncased(signs[0]) else r"(?<![^\W_])"
        ends = "" if _is_uncased(signs[-1]) else r"(?![^\W_])"
        found = re.compile(begins + r"[\W_]*".join(map(re.escape, signs)) + ends).search(said, at)
        if found is None:
            return False
        at = found.end()
    return bool(parts)


def _is_uncased(sign: str) -> bool:
    return sign.isalpha() and sign.upper() == sign.lower()


def _says_nothing(quote: str) -> bool:
    """Whether it is only "I", "my" or the like, which every message contains."""
    words = words_of(quote)
    return not words or (len(words) == 1 and words[0] in _OWN | _SMALL)


def is_no_statement(evidence: Evidence, source: Source) -> bool:
    """Whether the words are certainly no statement of the user's: quoted, in code, or played."""
    words, page = _flat(evidence.words), _page(source.content)
    return words not in page.own and any(words in each for each in page.others)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    mood: Mood
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Page:
    """A parsed message, against which many statements are checked. `own`: the user's own words; `others`: quoted or
    played text."""

    clauses: tuple[_Clause, ...]
    own: str
    others: tuple[str, ...]


@lru_cache(maxsize=16)
def _page(content: str) -> _Page:
    pieces = pieces_of(content)
    return _Page(
        clauses=tuple(_Clause(each.text, each.mood, _stems(each.text)) for each in clauses_of(content)),
        own=_flat(" ".join(each.text for each in pieces if each.mood is None)),
        others=tuple(_flat(each.text) for each in pieces if each.mood is not None),
    )


def _mood(clauses: Sequence[_Clause]) -> Mood:
    """STATES if any of the clauses states something."""
    moods = [each.mood for each in clauses]
    return Mood.STATES if Mood.STATES in moods or not moods else moods[0]


def _flat(text: str) -> str:
    return " ".join(words_of(text))


def _overlapping(quote: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that contain the quote, or most of which it contains."""
    quoted = _stems(quote)
    shared = ((each, len(each.stems & quoted)) for each in clauses)
    return [each for each, many in shared if many and 2 * many >= min(len(each.stems), len(quoted))]


def _nearest(content: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that share the most words with the statement; none if they share no word."""
    stems = _stems(content) - {"user"}
    most = max((len(stems & each.stems) for each in clauses), default=0)
    return [each for each in clauses if len(stems & each.stems) == most] if most else []


def _stems(text: str) -> frozenset[str]:
    long = (word for word in words_of(text) if len(word) >= _LEAST_WORD or word.isdecimal())
    return frozenset(word[:_STEM] for word in long) - _SMALL
