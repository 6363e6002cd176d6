"""Whether a content is a whole sentence: the last thing that is asked of whatever the rules put together.

A clause that was not understood leaves marks: a verb that is none ("User wepts"), an end that hangs in the air ("used
to race club level till"), an object that stands for something said elsewhere ("has 31 of them"), or a second verb that
nothing joins to the first. Such a content is better not kept.

In: the content, beginning with "User". Out: yes or no. Start at `is_whole`.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.language.lists import listed
from everlore.language.verbs import base_of_past, base_of_third, has_own_participle
from everlore.language.words import words

_MOST_LABEL = 9
_HANGING = listed("grammar.hanging")
_NO_VERBS = listed("grammar.no_verbs")
_POINTING = listed("grammar.pointing_back")
_FINITE = words("is are was were am does did")
_JOINING = listed("grammar.joining")
_BETWEEN = listed("grammar.between")


def is_whole(content: str) -> bool:
    written = content.rstrip(".!?, ").split()
    at = _verb_at(written)
    text = [word.lower() for word in written]
    return at is not None and _is_verb(text[at]) and not _hangs(text, at) and not _runs_on(text[at + 1 :])


def _verb_at(text: Sequence[str]) -> int | None:
    """The first word behind the subject. Of "User's sister Emma" only a rule knows where it ends, so it is looked for
    among the words that could be one; the user's own is the next word."""
    if text[:1] == ["User"]:
        return next((place for place in range(1, len(text)) if text[place] not in _BETWEEN), None)
    return _of_another(text) if text[:1] == ["User's"] else None


def _of_another(text: Sequence[str]) -> int | None:
    """ "User's sister Emma lives": the first word behind the noun that has the form of a verb."""
    # "User's mum and dad live": behind the second of them.
    first = 4 if text[2:3] == ["and"] else 2
    behind = range(first, min(len(text), _MOST_LABEL))
    found = (at for at in behind if text[at] not in _BETWEEN and _looks_finite(text[at]))
    return next(found, first if text[first:] else None)


def _looks_finite(word: str) -> bool:
    """A name is none, though it may end as one: "James", "Boss"."""
    is_third = word.islower() and word.endswith("s") and not word.endswith("ss")
    return is_third or word in _FINITE or base_of_past(word) is not None or word in _MODAL


_MODAL = listed("verbs.modal")


def _is_verb(word: str) -> bool:
    base = base_of_third(word)
    is_bare_s = base != word and (base in _NO_VERBS or _is_only_past(base))
    return word not in _NO_VERBS and not is_bare_s and word.replace("-", "").replace("'", "").isalpha()


_ALSO_BASE = listed("verbs.also_base")


def _is_only_past(base: str) -> bool:
    """ "wept", "drove": with "s" they are no form of anything."""
    return base_of_past(base) is not None and base not in _ALSO_BASE


def _hangs(text: Sequence[str], at: int) -> bool:
    last, before = text[-1], text[-2]
    is_empty = last in _POINTING and (len(text) - at <= 2 or before in {"of", "has", "have", "had", "got"})
    # "fixes em", "not good with the thing": of what, only the sentence before could tell.
    is_vague = text[at + 1 : at + 2] == ["em"] or (before, last) == ("the", "thing")
    is_loose = is_empty or is_vague or _points(text) or _is_known_only_there(text[at], text[at + 1 :])
    return last.strip(",") in _HANGING or is_loose or _has_gap(text[at + 1 :])


_TAKING = listed("verbs.taking")
_GOING = words("goes go went left leaves")
_ONLY_WHEN = listed("time.only_when")
_AGES = listed("people.young") - {"student"}
_WHICH_ONE = words("next last other first same only")


def _is_known_only_there(verb: str, rest: Sequence[str]) -> bool:
    """ "got the car", "is the only one", "read the next one": which, only the talk itself told. And everybody "was a
    child"."""
    is_bare = verb in _TAKING and len(rest) == 2 and rest[0] == "the"
    # "goes on Mondays", "went last year": where to, only the talk itself told.
    is_open = verb in _GOING or (verb == "does" and rest[:1] == ["every"])
    is_bare = is_bare or (is_open and bool(rest) and _ONLY_WHEN.issuperset(rest))
    ones = [at for at, pair in enumerate(pairwise(rest)) if pair[0] in _WHICH_ONE and pair[1] == "one"]
    is_one = any(rest[at + 2 : at + 3] in ([], ["in"], ["on"], ["at"]) or rest[at] != "only" for at in ones)
    return is_bare or is_one or (verb == "was" and len(rest) == 2 and rest[0] == "a" and rest[1] in _AGES)


_BEFORE_GAP = words("to with of about")
_BEHIND_GAP = listed("grammar.behind_a_gap")
_WHOLE_TIMES = words("time day night week month year")


def _has_gap(rest: Sequence[str]) -> bool:
    """ "wrote letters to for years", "was afraid of the whole night": what belongs behind the preposition stood
    before."""
    is_timeless = any(
        first in _BEFORE_GAP and (second, third) == ("the", "whole") and fourth in _WHOLE_TIMES
        for first, second, third, fourth in zip(rest, rest[1:], rest[2:], rest[3:], strict=False)
    )
    return is_timeless or any(first in _BEFORE_GAP and second in _BEHIND_GAP for first, second in pairwise(rest))


_OF_TIME = listed("time.of_that")
_PARTS = listed("play.parts")
_BEFORE_POINTING = listed("grammar.holding") - {"in"}


def _points(text: Sequence[str]) -> bool:
    """ "with that man": only what was said before tells which."""
    trios = list(zip(text, text[1:], text[2:], strict=False))
    if any(first == "in" and second in _PARTS and third[:1].isdecimal() for first, second, third in trios):
        return True
    return any(
        first in _BEFORE_POINTING and second in {"that", "this", "those", "these"} and third not in _OF_TIME
        for first, second, third in trios
    )


_OTHER_WORDS = listed("verbs.other_words")


def _is_past(rest: Sequence[str], at: int) -> bool:
    """ "… fought in Korea taught them chess": another past form, with its own object where it could be a participle."""
    is_clear = has_own_participle(rest[at]) and rest[at] not in _OTHER_WORDS
    has_object = at + 1 < len(rest) and rest[at + 1] in {"them", "him"} and base_of_past(rest[at]) is not None
    return is_clear or has_object


def _runs_on(rest: Sequence[str]) -> bool:
    """Another finite verb, with nothing before it that begins a clause."""
    place = next((at for at, word in enumerate(rest) if at and (word in _FINITE or _is_past(rest, at))), None)
    return place is not None and _JOINING.isdisjoint(rest[:place])
