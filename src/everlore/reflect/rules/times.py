"""When and how often a clause says that something is so, and which word of a phrase is its noun.

In: tokens after a verb, or a clause taken apart. Out: yes or no, or a word. The phrases are in `language/lasting.py`.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.clauses.words import BE
from everlore.language.lists import listed, phrases_listed
from everlore.language.words import DAYS, words
from everlore.reflect.rules.phrase import is_number
from everlore.reflect.rules.said import Said

_LONGEST = 4
_IDIOMS, _NOWS, _TIMES = frozenset(known.IDIOMS), frozenset(known.NOWS), frozenset(known.TIMES)
_WHEREABOUTS = frozenset(phrases_listed("talk.whereabouts"))
_FOR_LIFE = frozenset(phrases_listed("time.for_life"))

# ── time ─────────────────────────────────────────────────────────────────────────────────────────


def says_now(rest: Sequence[Token]) -> bool:
    return _holds(lows(rest), _NOWS, _LONGEST)


def says_how_often(said: Said) -> bool:
    low = (*lows(said.read.front), *lows(said.rest))
    pairs = set(pairwise(low)) - {("each", "other")}
    is_each = any(word in {"every", "each"} and after in known.UNITS for word, after in pairs)
    return bool(said.often) or is_each or not known.AGAIN.isdisjoint(low) or _holds(low, _TIMES, _LONGEST)


_NOT_SINCE = listed("time.not_since")


def is_for_long(rest: Sequence[Token]) -> bool:
    """ "for ten years", "since 2010", "all my life"."""
    low = lows(rest)
    for at, word in enumerate(low[:-1]):
        after = low[at + 1 : at + 5]
        is_year = after[0].isdecimal() and len(after[0]) == len("2010")
        is_hour = len(after) == 1 and is_number(rest[at + 1]) and not is_year
        if word == "since" and after[0] not in _NOT_SINCE and not is_hour:
            return True
        if word in {"for", "over"} and not known.DURATION.isdisjoint(after):
            return True
    return is_for_life(rest)


def is_for_life(rest: Sequence[Token]) -> bool:
    return _holds(lows(rest), _FOR_LIFE, _LONGEST)


def names_date(said: Said) -> bool:
    low = (*lows(said.read.front), *lows(said.rest))
    return any(
        word in known.WHEN and low[at - 1] in {"in", "on", "next", "this", "at", "by", "of", "for", "before", "after"}
        for at, word in enumerate(low)
        if at
    ) or any(word[:1].isdecimal() and word.endswith(("st", "nd", "rd", "th")) for word in low)


def _holds(said: Sequence[str], sought: frozenset[tuple[str, ...]], longest: int) -> bool:
    return any(tuple(said[at : at + length]) in sought for at in range(len(said)) for length in range(1, longest + 1))


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def is_idiom(predicate: Sequence[Token]) -> bool:
    """ "over the moon"; and "I'm at work" says as little, unlike "I speak Thai at work"."""
    low = lows(to_comma(predicate))
    is_there = any(word in BE for word in low[:2]) and _holds(low, _WHEREABOUTS, _LONGEST)
    return is_there or _holds(low, _IDIOMS, _LONGEST)


def to_comma(rest: Sequence[Token]) -> Sequence[Token]:
    end = next((place for place, token in enumerate(rest) if token.low == ","), len(rest))
    return rest[:end]


_INTENSE = listed("grammar.intense")


def plain(rest: Sequence[Token]) -> Sequence[Token]:
    """Without "so", "very", "a bit": what is left says what somebody is."""
    start = 0
    while start < len(rest) and rest[start].low in _INTENSE:
        start += 1
    return rest[start:] if start > 1 or lows(rest[:1]) != ("a",) else rest


_ENDS_NOUN = listed("grammar.behind_a_noun")


_AFTER_HEAD = DAYS | words("tomorrow today next this week month year")


def head_of(rest: Sequence[Token]) -> str:
    """The noun of a phrase: the word before the first preposition. "a job interview at …" is an interview."""
    ends = (place for place, token in enumerate(rest) if place and _ends_noun(token))
    end = next(ends, len(rest))
    while end > 2 and (rest[end - 1].low.isdecimal() or rest[end - 1].low in _AFTER_HEAD):
        end -= 1
    return rest[end - 1].low if rest else ""


def _ends_noun(token: Token) -> bool:
    return token.low in _ENDS_NOUN or not (token.is_word or token.low == "'s")
