"""What is said of oneself and not meant: "clearly a millionaire", "basically a vampire", "born yesterday". Pure.

In: the words of one clause, in small letters. Out: whether it is a joke by its own marks. Start at `is_jest`.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.language.lists import listed
from everlore.language.words import PERSONS

_WINKS = frozenset({"apparently", "clearly", "obviously", "evidently", "allegedly", "supposedly"})
_ALMOST_A = frozenset({("basically", "a"), ("basically", "an"), ("practically", "a"), ("practically", "an")})
_BEING = frozenset({"am", "was", "is", "were", "are", "be"})
_LIKING = listed("tastes.liking")
_UNREAL = listed("play.unreal")
_NO_ALLERGENS = listed("body.no_allergens")
# How one speaks in a play only.
_SAID_IN_PLAY = frozenset({("my", "lord"), ("my", "liege"), ("my", "lady"), ("your", "majesty"), ("your", "highness")})
_SKIES = frozenset({"moon", "mars"})
_AFTER = listed("grammar.behind_what_one_is")


def is_jest(words: Sequence[str]) -> bool:
    pairs = set(pairwise(words))
    if ("born", "yesterday") in pairs or not _ALMOST_A.isdisjoint(pairs):
        return True
    if any(first in {"to", "on", "the"} and second in _SKIES for first, second in pairs):
        return True
    if ("raised", "by") in pairs and _is_by_nobody(words[words.index("raised") + 2 :]):
        return True
    is_no_allergy = "allergic" in words and not _NO_ALLERGENS.isdisjoint(words)
    if is_no_allergy or not _SAID_IN_PLAY.isdisjoint(pairs):
        return True
    is_being = not _BEING.isdisjoint(words[:5])
    if _winks(words) or (is_being and ("this", "point") in pairs):
        return True
    return is_being and any(word in _UNREAL and _is_what(words, at) for at, word in enumerate(words))


def _winks(words: Sequence[str]) -> bool:
    """ "I'm clearly a millionaire", "We won the lottery, obviously"; whoever obviously loves something does."""
    claims = not _BEING.isdisjoint(words[:5]) and not {"a", "an", "the"}.isdisjoint(words)
    is_meant = not _LIKING.isdisjoint(words)
    return not _WINKS.isdisjoint(words) and (claims or "won" in words) and not is_meant


_WHO_RAISES = PERSONS | listed("people.raising")


def _is_by_nobody(words: Sequence[str]) -> bool:
    """ "raised by wolves": nobody who raises a child, and no name."""
    return _WHO_RAISES.isdisjoint(words[:6])


def _is_what(words: Sequence[str], place: int) -> bool:
    """Said to be one, and nothing of that sort: not "a queen bed"."""
    is_last = place + 1 >= len(words) or words[place + 1] in _AFTER
    return is_last and not {"a", "an", "the", "such"}.isdisjoint(words[max(0, place - 4) : place])
