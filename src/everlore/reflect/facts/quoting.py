"""On which words of the user a statement rests (F5): the quote that the model gave, or else the nearest clause. Pure.

In: a candidate and its message. Out: the words, whether the model had quoted them as they stand, and what the user does
in them. A quote that stands nowhere in the message is no evidence, and nothing stands in for it. Nothing of this
understands a language: only what is quoted, played or asked is told apart by its signs.

Start at `rest_of`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from everlore.language.clauses import Mood
from everlore.language.clauses.plain import Voice
from everlore.language.lists import listed
from everlore.reflect.candidate import Candidate, Source
from everlore.reflect.facts.spoken import folded, words_of
from everlore.reflect.typed import pieces_of, read

_MOST_CHARS = 12_000
_MOST_QUOTE = 300
# Of so many letters the stem of a word is made, where no language is known.
_STEM = 5
_LEAST_WORD = 3
_OWN = listed("grammar.own")
_SMALL = listed("grammar.small")
_LEFT_OUT = re.compile(r"…|\.{3}|\[\.\.\.\]")


@dataclass(frozen=True, slots=True)
class Rest:
    """`is_verbatim`: the quote came from the model, and stands in the message as it is. `is_evidence`: so it does, or
    there was none, and a clause that states something stands in for it."""

    words: str
    is_verbatim: bool
    is_evidence: bool
    mood: Mood


def rest_of(candidate: Candidate, source: Source) -> Rest:
    page = _page(source.content)
    quote = candidate.quote.strip(" .…")[:_MOST_QUOTE]
    quote = "" if _says_nothing(quote) else quote
    if quote and holds(source.content, quote):
        return Rest(quote, True, True, _mood(_overlapping(quote, page.clauses)))
    nearest = _nearest(candidate.content, page.clauses)
    if not nearest:
        return Rest(source.content[:_MOST_QUOTE], False, False, _mood(page.clauses))
    mood = _mood(nearest)
    words = next(each.text for each in nearest if each.mood is mood)
    return Rest(words[:_MOST_QUOTE], False, not quote and mood is Mood.STATES, mood)


def holds(message: str, quote: str) -> bool:
    """Whether the quote stands in the message: case, spacing, punctuation and accents aside, and with what is left out
    between two parts of it."""
    said = _squeezed(message[:_MOST_CHARS])
    parts = [_squeezed(each) for each in _LEFT_OUT.split(quote)]
    return any(parts) and all(each in said for each in parts)


def _squeezed(text: str) -> str:
    return "".join(sign for sign in folded(text) if sign.isalnum())


def _says_nothing(quote: str) -> bool:
    """ "I", "my": that much stands in every message."""
    words = words_of(quote)
    return not words or (len(words) == 1 and words[0] in _OWN | _SMALL)


def is_no_statement(rest: Rest, source: Source) -> bool:
    """Whether the words are certainly not the user's own, as true: in quotation marks, in code, played; or, where the
    model itself named them, in a question. "I keep hens?" tells something of whoever says it."""
    if rest.is_verbatim and rest.mood is Mood.ASKS and _is_asked(rest.words, source.content):
        return True
    words, page = _flat(rest.words), _page(source.content)
    return words not in page.own and any(words in each for each in page.others)


def _is_asked(words: str, content: str) -> bool:
    """Whether the sentence that the words stand in ends with a question mark, and is not told of the user as so."""
    at = content.find(words)
    ends = re.search(r"[.!?…\n]", content[at + len(words) :]) if at >= 0 else None
    return ends is not None and ends.group() == "?" and _OWN.isdisjoint(words_of(words)[:3])


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    mood: Mood
    words: frozenset[str]
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
        clauses=tuple(
            _Clause(each.text, each.mood, frozenset(words_of(each.text)), _stems(each.text)) for each in clauses
        ),
        own=_flat(" ".join(each.text for each in pieces if each.voice in (Voice.OWN, Voice.ASIDE))),
        others=tuple(_flat(each.text) for each in pieces if each.voice in (Voice.ANOTHER, Voice.ACTION)),
    )


def _mood(clauses: Sequence[_Clause]) -> Mood:
    """Where anything is stated in the words, they state it."""
    moods = [each.mood for each in clauses]
    return Mood.STATES if Mood.STATES in moods or not moods else moods[0]


def _flat(text: str) -> str:
    return " ".join(words_of(text))


def _overlapping(quote: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that the quote lies in, or takes in for the greater part."""
    quoted = set(words_of(quote))
    return [
        each for each in clauses if each.words and 2 * len(each.words & quoted) >= min(len(each.words), len(quoted))
    ]


def _nearest(content: str, clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses that share most words with the statement; none where they share no word at all."""
    stems = _stems(content) - {"user"}
    most = max((len(stems & each.stems) for each in clauses), default=0)
    return [each for each in clauses if len(stems & each.stems) == most] if most else []


def _stems(text: str) -> frozenset[str]:
    long = (word for word in words_of(text) if len(word) >= _LEAST_WORD or word.isdecimal())
    return frozenset(word[:_STEM] for word in long) - _SMALL
