"""What a time makes worth keeping, whatever the verb: "did ballet until sixteen", "we sail to Malta on the 3rd".

In: a clause taken apart. Out: at most one candidate. A habit has its "every week", a life its years, a plan its date.
What is only of today ("tonight", "this morning", "in ten minutes") is none of them.

Start at `anchored`.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.words import DAYS, MONTHS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_number, is_soon, is_telling
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, Said, Tense

_MOST_WORDS = 14
_LOOKED_AT = 24
_REPEATED = words("weekends weeknights weekdays mornings evenings") | {f"{day}s" for day in DAYS}
_SEASONS = listed("time.seasons") | {"lent"}
_PERIODS = listed("time.periods") | DAYS
_LONG_UNITS = words("years year months month decades decade weeks")
_PLURAL_PERIODS = words("days weeks months years")
_OF_LIFE = listed("life.parts")
_WHEN_YOUNG = listed("people.young")
_ABOUT = listed("time.about")
_OF_NO_LIFE = listed("verbs.of_no_life")


class _When(StrEnum):
    HABIT = "habit"
    SPAN = "span"
    PAST = "past"
    FUTURE = "future"


_FITTING: dict[_When, frozenset[Tense]] = {
    _When.HABIT: frozenset({Tense.PRESENT, Tense.GOING, Tense.LONG}),
    _When.SPAN: frozenset({Tense.PERFECT, Tense.LONG, Tense.PAST}),
    _When.PAST: frozenset({Tense.PAST, Tense.PERFECT}),
    _When.FUTURE: frozenset({Tense.GOING, Tense.FUTURE, Tense.PRESENT}),
}
_CATEGORIES = {
    _When.HABIT: Category.PREFERENCE,
    _When.SPAN: Category.EXPERIENCE,
    _When.PAST: Category.EXPERIENCE,
    _When.FUTURE: Category.GOAL,
}


@rule
def anchored(said: Said) -> list[Candidate]:
    if said.verb in _OF_NO_LIFE and not (said.verb == "be" and said.tense is Tense.PERFECT):
        return []
    found = cut(said.rest, keep_when=True)
    if not _has_object(said, found):
        return []
    if not found or len(found) > _MOST_WORDS or not is_telling(found) or is_soon(found) or _is_by_the_clock(said):
        return []
    if not {"it", "him", "her", "them", "that", "this", "there"}.isdisjoint(lows(found)):
        return []
    when = next((each for each in _whens(said) if said.tense in _FITTING[each]), None)
    if when is None or (said.is_denied and when is _When.FUTURE and said.tense is Tense.PRESENT):
        return []
    return said.tells(found, _CATEGORIES[when], "Says it with its time.", confidence=IMPLIED)


def _is_by_the_clock(said: Said) -> bool:
    """ "The shift ended at five": no age, though it could be one with another verb ("took up judo at five")."""
    hours = [at for at, token in enumerate(said.rest) if at and _is_hour(token.low) and said.rest[at - 1].low in _AT]
    return said.verb in _TIMED_BY_HOURS and bool(hours)


_AT = words("at until till")
_TIMED_BY_HOURS = listed("verbs.by_the_clock")


def _has_object(said: Said, found: Sequence[Token]) -> bool:
    """ "have been since uni" says of nothing how long."""
    first = found[0].low if found else ""
    if said.verb == "be":
        is_place = first == "in" and len(found) > 1 and found[1].is_capital
        return is_place or first not in {"since", "for", "in", "there", "here", "so"}
    return first not in {"since", "for"} or said.verb in _WITHOUT_OBJECT


_WITHOUT_OBJECT = listed("verbs.without_object")
_MOST_OF_THING = 5


@rule
def of_thing(said: Said) -> list[Candidate]:
    """ "My startup failed last year", "my flight to Lisbon is on the 14th": something of theirs, with its time."""
    found = cut(said.rest, keep_when=True)
    is_short = len(said.label.split()) <= _MOST_OF_THING + 1 and said.verb not in _OF_NO_LIFE - {"be"}
    if not found or len(found) > _MOST_WORDS or not is_short or is_soon(found) or not said.verb or said.is_denied:
        return []
    if _is_by_the_clock(said):
        return []
    when = next((each for each in _whens(said) if said.tense in _FITTING[each]), None)
    if when not in {_When.PAST, _When.FUTURE}:
        return []
    told = said.tells(found, _CATEGORIES[when], "Says it with its time.", confidence=IMPLIED)
    return [replace(each, category=_CATEGORIES[when]) for each in told]


def has_time(said: Said) -> bool:
    return any(said.tense in _FITTING[each] for each in _whens(said))


def lies_ahead(said: Said) -> bool:
    return _When.FUTURE in _whens(said) and said.tense in _FITTING[_When.FUTURE]


def _whens(said: Said) -> list[_When]:
    rest = said.rest[:_LOOKED_AT]
    found = [_When.HABIT] if said.often else []
    found += [
        when for place in range(len(rest)) if (when := _at(lows(rest[place : place + 6]), rest[place:])) is not None
    ]
    if said.tense in _FITTING[_When.PAST] and _When.FUTURE in found and not (MONTHS | _SEASONS).isdisjoint(lows(rest)):
        # "I quit in March": behind a past form the month is past.
        found.append(_When.PAST)
    if any(token.low == "once" for token in said.read.predicate[:2]) or ("my", "first") in _pairs(rest):
        found.append(_When.PAST)
    return found


def _pairs(rest: Sequence[Token]) -> set[tuple[str, str]]:
    return set(pairwise(lows(rest[:5])))


def _at(words_of: Sequence[str], tokens: Sequence[Token]) -> _When | None:
    """The time that begins here."""
    low, after = words_of[0], words_of[1] if len(words_of) > 1 else ""
    if _is_habit(low, after, words_of):
        return _When.HABIT
    if _is_span(low, words_of, tokens):
        return _When.SPAN
    if _is_past(low, after, words_of, tokens):
        return _When.PAST
    return _When.FUTURE if _is_future(low, after, words_of, tokens) else None


def _is_habit(low: str, after: str, words_of: Sequence[str]) -> bool:
    if low in {"every", "each"}:
        after = words_of[2] if after in {"other", "single", "few", "second"} and len(words_of) > 2 else after
        return after in _PERIODS | _SEASONS | MONTHS or (words_of[1:2] == ("few",) and after in _PLURAL_PERIODS)
    if low in {"times", "days", "nights", "hours", "once", "twice"} or (low[:-1].isdecimal() and low[-1] == "x"):
        return after in {"a", "per"} and words_of[2:3] != () and words_of[2] in {"week", "month", "year", "day"}
    return low in _REPEATED or low in {"weekly", "monthly"}


def _is_span(low: str, words_of: Sequence[str], tokens: Sequence[Token]) -> bool:
    if low == "for":
        place = 1
        while place < len(words_of) and words_of[place] in _ABOUT:
            place += 1
        is_many = place < len(words_of) and (
            is_number(tokens[place]) or words_of[place] in {"years", "decades", "many"}
        )
        return is_many and not _LONG_UNITS.isdisjoint(words_of[place : place + 2])
    if words_of[1:2] in {("years",), ("decades",), ("months",)} and is_number(tokens[0]):
        # "I've been driving trucks 22 years".
        return len(tokens) == 2 or not tokens[2].is_word or tokens[2].low in {"now", "and"}
    if low == "since":
        # "since one" is of the clock.
        is_hour = len(tokens) > 1 and is_number(tokens[1]) and not _is_year(words_of[1])
        return len(words_of) > 1 and not is_hour and not _is_near(words_of[1:3])
    return low in {"all", "most"} and "life" in words_of[1:4]


def _is_near(words_of: Sequence[str]) -> bool:
    return not {"morning", "today", "yesterday", "monday", "then", "breakfast", "lunch", "noon"}.isdisjoint(words_of)


def _is_past(low: str, after: str, words_of: Sequence[str], tokens: Sequence[Token]) -> bool:
    if low in {"in", "during", "back"} and (_is_year(after) or after in _OF_LIFE):
        return True
    if low == "when":
        return words_of[2:3] in {("was",), ("were",), ("turned",)}
    if low == "last":
        return after in _SEASONS | MONTHS | {"year", "month"}
    if low in {"years", "months", "decades", "weeks", "year", "month"}:
        return after in {"ago", "back"}
    if low == "as":
        return not _WHEN_YOUNG.isdisjoint(words_of[1:4])
    if low in {"until", "till", "at"} and len(tokens) > 1 and is_number(tokens[1]):
        return len(tokens) == 2 or not tokens[2].is_word or tokens[2].low in {"and", "years-old"}
    return low == "after" and after in _OF_LIFE


def _is_hour(low: str) -> bool:
    """May be of the clock."""
    return low in listed("time.hours") or (low.isdecimal() and int(low) <= _HOURS)


_HOURS = 12


def _is_year(low: str) -> bool:
    digits = low.lstrip("'").removesuffix("s")
    return digits.isdecimal() and len(digits) in {2, 4} and (len(digits) == 2 or digits[:2] in {"18", "19", "20"})


def _is_future(low: str, after: str, words_of: Sequence[str], tokens: Sequence[Token]) -> bool:
    if after == "the" and low in {"in", "before", "until", "over", "by"} and words_of[2:3] != ():
        return words_of[2] in _SEASONS
    if low in {"next", "this"}:
        return after in _SEASONS | MONTHS | {"year", "month"} or (
            low == "next" and after in DAYS | {"week", "term", "semester"}
        )
    if low in {"in", "by", "before", "until", "till", "over", "for"} and after in MONTHS | _SEASONS:
        return True
    if low in {"on", "by"}:
        return (
            after in DAYS | MONTHS
            or _is_ordinal(after)
            or (after == "the" and _is_ordinal(words_of[2:3][0] if words_of[2:3] else ""))
        )
    if low == "in" and len(tokens) > 2 and is_number(tokens[1]):
        return tokens[2].low in {"weeks", "months", "years"}
    return (after in MONTHS and (low.isdecimal() or _is_ordinal(low))) or (
        low in MONTHS and (_is_ordinal(after) or after.isdecimal())
    )


def _is_ordinal(low: str) -> bool:
    return low[:-2].isdecimal() and low[-2:] in {"st", "nd", "rd", "th"}
