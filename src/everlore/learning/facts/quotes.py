"""On which words of the user a statement rests (F5): the quote that the model gave, letter by letter. Pure.

In: a candidate and its message. Out: the words, whether the model had quoted them as they stand, and what the user does
in them. Without such a quote the nearest clause is shown to a person, and is no evidence. Nothing of this understands a
language: only what is quoted, played or asked is told apart by its signs.

Start at `find_evidence`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from everlore.language.lists import listed
from everlore.learning.candidate import Candidate, Source
from everlore.learning.clauses import Mood, read
from everlore.learning.clauses.plain import SpeakerVoice, pieces_of
from everlore.learning.facts.words import folded, words_of

_MOST_CHARS = 12_000
_MOST_QUOTE = 300
# Of so many letters the stem of a word is made, where no language is known.
_STEM = 5
_LEAST_WORD = 3
_OWN = listed("grammar.own")
_SMALL = listed("grammar.small")
_LEFT_OUT = re.compile(r"…|\.{3}|\[\.\.\.\]")
# What stands between two marks of omission has so many words at least: of single words anything can be put together.
_LEAST_PART = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """`is_verbatim`: the quote came from the model, and stands in the message as it is."""

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
    """Whether the message holds these words one after the other: case, spacing, punctuation and accents aside, and with
    what is left out between two parts of it."""
    said, at = folded(message[:_MOST_CHARS]), 0
    parts = [each for each in _LEFT_OUT.split(quote) if not _says_nothing(each)]
    if len(parts) > 1 and any(len(words_of(each)) < _LEAST_PART for each in parts):
        return False
    for part in parts:
        signs = [sign for sign in folded(part) if sign.isalnum()]
        # No "rat" in "grateful"; scripts without capitals put words together.
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
    """ "I", "my": that much stands in every message."""
    words = words_of(quote)
    return not words or (len(words) == 1 and words[0] in _OWN | _SMALL)


def is_no_statement(evidence: Evidence, source: Source) -> bool:
    """Whether the words are certainly not the user's own, as true: in quotation marks, in code, played."""
    words, page = _flat(evidence.words), _page(source.content)
    return words not in page.own and any(words in each for each in page.others)


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    mood: Mood
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Page:
    """A message laid out for reading: many statements are held against it. `own`: what the user says in their own
    words; `others`: what they quote or play."""

    clauses: tuple[_Clause, ...]
    own: str
    others: tuple[str, ...]


@lru_cache(maxsize=16)
def _page(content: str) -> _Page:
    clauses = [each.clause for each in read(content)]
    pieces = pieces_of(content)
    return _Page(
        clauses=tuple(_Clause(each.text, each.mood, _stems(each.text)) for each in clauses),
        own=_flat(" ".join(each.text for each in pieces if each.voice is SpeakerVoice.OWN)),
        others=tuple(_flat(each.text) for each in pieces if each.voice in (SpeakerVoice.ANOTHER, SpeakerVoice.ACTION)),
    )


def _mood(clauses: Sequence[_Clause]) -> Mood:
    """Where anything is stated in the words, they state it."""
    moods = [each.mood for each in clauses]
    return Mood.STATES if Mood.STATES in moods or not moods else moods[0]


def _flat(text: str) -> str:
    return " ".join(words_of(text))


def _overlapping(quote: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that the quote lies in, or takes in for the greater part."""
    quoted = _stems(quote)
    shared = ((each, len(each.stems & quoted)) for each in clauses)
    return [each for each, many in shared if many and 2 * many >= min(len(each.stems), len(quoted))]


def _nearest(content: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that share most words with the statement; none where they share no word at all."""
    stems = _stems(content) - {"user"}
    most = max((len(stems & each.stems) for each in clauses), default=0)
    return [each for each in clauses if len(stems & each.stems) == most] if most else []


def _stems(text: str) -> frozenset[str]:
    long = (word for word in words_of(text) if len(word) >= _LEAST_WORD or word.isdecimal())
    return frozenset(word[:_STEM] for word in long) - _SMALL
