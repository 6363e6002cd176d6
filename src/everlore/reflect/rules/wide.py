"""What no rule of its own knows and still lasts: "I use Arch", "my folks ran a paint shop", "I'm six foot four".

In: a clause taken apart. Out: the same in the third person, where `lasting` says that it holds for long and its words
say something by themselves.

Start at `stated`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.verbs import is_base, third
from everlore.language.words import HABITS, SKILLS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.lasting import APPOINTMENTS, lasts
from everlore.reflect.rules.phrase import cut, is_number, is_soon, is_telling, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.tastes import TASTES
from everlore.reflect.rules.times import head_of, says_how_often

_MOST = 14
_MOST_FRONT = 4
_SURE = 0.85
# Verbs whose own rules have said all there is to say.
_KNOWN_ELSEWHERE = TASTES | words("want hope plan aim intend aspire dream")
_LONE = listed("verbs.lone")


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb == "die" and said.tense is Tense.PAST and not said.is_user:
        return said.tells(value(said.rest, keep_when=True), Category.EXPERIENCE, "Says that somebody died.")
    is_known = said.verb in _KNOWN_ELSEWHERE or (said.verb == "live" and said.next in {"in", "for", "by"})
    if is_known or said.tense is Tense.WOULD or not lasts(said):
        return []
    held = _held(said)
    if not held:
        return _alone(said)
    if not _says_something(said, held) or len(held) > _MOST or _is_of_now(said, held):
        return []
    text = f"{shown(held)} {_when(said)}".strip()
    return said.tells(text, _category(said), "Tells what holds of them.", confidence=_SURE)


_FINITE = listed("verbs.second")
_VAGUE = listed("grammar.vague_ends")
_PREPOSITIONS = listed("grammar.prepositions") - {"of"}


def _is_whole(said: Said, held: Sequence[Token]) -> bool:
    """Not "the support I got made a difference", nor "this book I read"."""
    front = said.read.front
    is_time = not front or front[0].low in _OPENING or any(token.low in _TIMES for token in front)
    is_cut = held[0].low in {"from", "through", "for"} and said.verb in {"have", "get", "go"}
    return is_time and _FINITE.isdisjoint(lows(held[1:])) and not is_cut


_OPENING = listed("time.opening")
_TIMES = known.UNITS | known.WHEN | known.AGAIN | listed("time.of_the_opening")


def _says_something(said: Said, held: Sequence[Token]) -> bool:
    """ "her first baby" says enough of a sister, though "her" alone would not."""
    if not _is_whole(said, held) or held[-1].low in _VAGUE or (len(held) == 1 and is_number(held[0])):
        return False
    low = lows(held)
    if not {"together", "itself"}.isdisjoint(low) or ("each", "other") in set(pairwise(low)):
        return said.verb == "move"
    if is_number(held[0]) and len(held) > 1:
        # "Saw two with Ana": two of what?
        return (said.verb == "be" or held[1].low not in _PREPOSITIONS) and is_telling(held[1:])
    if held[0].low == "the" and any(token.is_capital for token in held[1:]):
        return True
    is_theirs = not said.is_user and held[0].low in {"her", "his", "their", "its"} and len(held) > 1
    return is_telling(held[1:] if is_theirs else held)


def _when(said: Said) -> str:
    """How often or when, where it stood first: "on Friday I'm seeing my sister"."""
    front = cut(said.read.front, keep_when=True)
    is_time = any(token.low in known.AGAIN | known.WHEN for token in front) and len(front) <= _MOST_FRONT
    text = shown(front) if is_time else ""
    return text[:1].lower() + text[1:]


def _held(said: Said) -> tuple[Token, ...]:
    """Up to the next clause; a comma ends it unless a date or a place follows."""
    held = _without_it(cut(said.rest, keep_when=True))
    is_plain = said.tense is Tense.PRESENT and not said.is_denied and not said.is_many and "to" not in lows(held)
    return tuple(_agreeing(held)) if is_plain else held


def _without_it(held: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "a bike with a bell on it": what is said of the thing ends with it, and says little of the user."""
    at = next((place for place, token in enumerate(held) if place and token.low == "with"), None)
    return held[:at] if at is not None and held[-1].low in {"it", "them"} else held


def _agreeing(held: Sequence[Token]) -> Iterator[Token]:
    """ "keeps bees and sell honey": the second verb is in the third person, too."""
    for at, token in enumerate(held):
        is_second = at and held[at - 1].low == "and" and is_base(token.low)
        yield replace(token, text=third(token.low)) if is_second else token


@rule
def _alone(said: Said) -> list[Candidate]:
    """ "I snore", "I can't swim": the verb is all there is."""
    is_over = said.is_over and said.tense is Tense.PRESENT and said.verb in known.STANDING
    is_told = said.verb in _LONE and not said.rest[:1] and (said.tense is not Tense.PAST or not said.is_user)
    is_told = is_told or is_over
    return said.tells("", _category(said), "Tells what holds of them.", confidence=_SURE) if is_told else []


def _is_of_now(said: Said, held: Sequence[Token]) -> bool:
    if said.verb == "have" and head_of(held) in APPOINTMENTS:
        return False
    if said.tense is Tense.PAST and held[-1].low in {"early", "late"}:
        # "Closed the shop early" is of that day.
        return True
    return said.tense in {Tense.PRESENT, Tense.CAN} and is_soon(held) and head_of(held) not in known.STAYING


def _category(said: Said) -> Category:
    if said.tense in {Tense.PAST, Tense.USED}:
        return Category.EXPERIENCE
    if said.tense is Tense.FUTURE or (said.tense is Tense.GOING and said.verb in known.PLANNED):
        return Category.GOAL
    is_usual = said.tense is Tense.PRESENT
    is_habit = says_how_often(said) or said.verb in HABITS
    if is_usual and is_habit and said.verb not in {"be", "have", "drive", "wear", "own"}:
        return Category.PREFERENCE
    is_skill = said.verb == "learn" or (said.verb in SKILLS and is_usual and said.verb != "drive")
    return Category.SKILL if is_skill or said.tense is Tense.CAN else Category.PERSONAL_INFO
