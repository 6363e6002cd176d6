"""Counts and chooses for `periods`: "a couple of months", the March that the tense means, the next Tuesday."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from everlore.domain.calendar import FEASTS, NUMBERS, PARTS, UNITS, DateSpan, shifted, weekday_from, whole
from everlore.domain.spoken import Grain, Period, TimePhrase, TimeReference
from everlore.language.tense import Tense

FIRST_YEAR, LAST_YEAR = 1800, 2199
_GRAINS = {"week": Grain.WEEK, "month": Grain.MONTH, "year": Grain.YEAR}


class Amount(NamedTuple):
    number: int
    unit: str
    after: int
    is_vague: bool = False


def amount_at(said: TimePhrase, place: int, *, bare: bool = False) -> Amount | None:
    """ "Two weeks", "a couple of months", "a few days". `bare`: also "year" alone, as in "the past year"."""
    word, step = said.word(place), 1
    if word == "a" and said.word(place + 1) in ("few", "couple"):
        word, step = said.word(place + 1), 2
    step += word == "couple" and said.word(place + step) == "of"
    number = {"few": 3, "couple": 2}.get(word, NUMBERS.get(word))
    if number is None and word.isdecimal():
        number = int(word)
    if number is None and bare:
        number, step = 1, 0
    unit = said.word(place + step).removesuffix("'").removesuffix("s")
    if number is None or unit not in UNITS:
        return None
    return Amount(number, unit, place + step + 1, word in ("few", "couple"))


def unit_away(said: TimePhrase, amount: Amount, way: int, after: int) -> Period | None:
    """The unit of the calendar that lies so far away."""
    if amount.unit in ("minute", "hour"):
        size = timedelta(**{f"{amount.unit}s": 1})
        start = said.at + way * amount.number * size
        return told(DateSpan(start, start + size), after)._replace(is_vague=amount.is_vague)
    number, unit = (amount.number * 10, "year") if amount.unit == "decade" else (amount.number, amount.unit)
    away = shifted(said.today, way * number, unit)
    span = None if away is None else whole(away, unit)
    if span is None:
        return None
    return told(span, after, _GRAINS.get(unit, Grain.DAY))._replace(is_vague=amount.is_vague)


def chosen(
    said: TimePhrase, of: Callable[[int], DateSpan | None], way: int | None, after: int, grain: Grain = Grain.DAY
) -> Period | None:
    """Of the years around: the last before now, the one of this year, the next, or what the tense says."""
    if way == 0:
        # In January this winter began last year.
        spans = [span for year in (said.at.year - 1, said.at.year) if (span := of(year)) is not None]
        if said.tense is Tense.PAST and len(spans) > 1 and spans[-1].start > said.at:
            spans.pop()
        found = next((span for span in spans if span.end > said.at), spans[-1] if spans else None)
        return fixed(found, after, grain)
    # A leap day comes once in four years, and once in eight around 1900 and 2100.
    for reach in (2, 8):
        years = range(said.at.year - reach, said.at.year + reach + 1)
        found = _picked(said, [span for year in years if (span := of(year)) is not None], way)
        if found is not None:
            return Period(found.start, found.end, after, grain=grain, known=TimeReference.OPEN)
    return None


def _picked(said: TimePhrase, spans: list[DateSpan], way: int | None) -> DateSpan | None:
    if way is None and said.tense is Tense.NOW:
        return min(spans, key=lambda span: abs(span.start - said.at), default=None)
    if way == 1 or (way is None and said.tense is Tense.FUTURE):
        return next((span for span in spans if span.start > said.at), None)
    # "Last March" is over; "since March" has only to have begun.
    begun = [span for span in spans if (span.end if way == -1 else span.start) <= said.at]
    return begun[-1] if begun else None


def day_of_week(said: TimePhrase, weekday: int, way: int, after: int, *, days: int = 1) -> Period:
    """The last such day before today, the next after today, or the one of these days that the tense means."""
    span = weekday_from(said.today, weekday, way, days=days)
    if way == 0 and said.tense is Tense.PAST and span.start > said.at:
        span = span.moved(-7)
    after += said.word(after) in PARTS and days == 1
    return told(span, after, Grain.DAY if days == 1 else Grain.WEEKEND)


def feast_at(said: TimePhrase, place: int) -> tuple[tuple[int, int], int] | None:
    for size in (3, 2, 1):
        name = tuple(said.word(place + step) for step in range(size))
        if name in FEASTS:
            return FEASTS[name], place + size
    return None


def told(span: DateSpan, after: int, grain: Grain = Grain.DAY) -> Period:
    return Period(span.start, span.end, after, grain=grain, known=TimeReference.RELATIVE)


def fixed(span: DateSpan | None, after: int, grain: Grain = Grain.DAY) -> Period | None:
    return None if span is None else Period(span.start, span.end, after, grain=grain)


def is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and FIRST_YEAR <= int(word) <= LAST_YEAR


def is_day(word: str) -> bool:
    digits = word.rstrip("stndrh")
    return len(digits) <= 2 and digits.isdecimal() and 1 <= int(digits) <= 31 and not word.endswith("0s")


def day_number(word: str) -> int:
    return int(word.rstrip("stndrh"))
