"""Whole units of the calendar around a day, in that day's time zone, and their English names.

In: a day, and which month, season, date or years are meant. Out: a span, from its first moment until before the
first moment after it; None wherever no calendar goes.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

# What every store can keep, in any time zone.
_EARLIEST, _LATEST = 2, 9997

MONTHS = {
    name[:size]: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
    for size in (3, len(name))
} | {"sept": 9}
DAYS = {name: number for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
FEASTS = {
    ("christmas",): (12, 25),
    ("christmas", "eve"): (12, 24),
    ("new", "year's", "eve"): (12, 31),
    ("new", "year's", "day"): (1, 1),
    ("halloween",): (10, 31),
    ("valentine's", "day"): (2, 14),
}
PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
NUMBERS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50}
DECADES = {
    word: number * 10 for number, word in enumerate("twenties thirties forties fifties sixties".split(), 192)
} | {"seventies": 1970, "eighties": 1980, "nineties": 1990}
UNITS = frozenset("minute hour day week month year decade".split())

_MONTHS_IN = {"month": 1, "year": 12, "decade": 120}


class DateSpan(NamedTuple):
    start: datetime
    end: datetime

    def moved(self, days: int) -> "DateSpan":
        return DateSpan(self.start + timedelta(days=days), self.end + timedelta(days=days))


def is_kept(at: datetime) -> bool:
    """Whether every store can keep that moment."""
    return _EARLIEST <= at.year <= _LATEST


def day_of(day: datetime) -> DateSpan:
    return DateSpan(day, day + timedelta(days=1))


def week_of(day: datetime) -> DateSpan:
    start = day - timedelta(days=day.weekday())
    return DateSpan(start, start + timedelta(days=7))


def weekend_of(day: datetime) -> DateSpan:
    start = week_of(day).start + timedelta(days=5)
    return DateSpan(start, start + timedelta(days=2))


def part_of(day: datetime, name: str) -> DateSpan:
    first, last = PARTS[name]
    return DateSpan(day + timedelta(hours=first), day + timedelta(hours=last))


def weekday_from(today: datetime, weekday: int, way: int, *, days: int = 1) -> DateSpan:
    """From that weekday on: the last before today (-1), today or the next (0), or the next after today (1)."""
    ahead = (weekday - today.weekday()) % 7
    if way < 0:
        ahead = ahead - 7 if ahead or days == 1 else -7
        # On a Sunday, "last weekend" is not the one that is still going on.
        ahead -= 7 if ahead + days > 0 else 0
    elif way > 0:
        ahead = ahead or 7
    elif ahead + days > 7:
        # And "this weekend" is.
        ahead -= 7
    start = today + timedelta(days=ahead)
    return DateSpan(start, start + timedelta(days=days))


def whole(day: datetime, unit: str) -> DateSpan | None:
    """The day, week (from Monday), month or year in which that day lies."""
    if unit == "day":
        return day_of(day)
    if unit == "week":
        return week_of(day)
    return _months_from(day.replace(day=1, month=day.month if unit == "month" else 1), _MONTHS_IN[unit])


def shifted(day: datetime, number: int, unit: str) -> datetime | None:
    """So many units away. What would be the 31st of a short month is its last day."""
    if unit in _MONTHS_IN:
        return _months_away(day, number * _MONTHS_IN[unit])
    try:
        away = day + timedelta(**{f"{unit}s": number})
    except OverflowError:
        return None
    return away if is_kept(away) else None


def years_from(day: datetime, year: int, years: int) -> DateSpan | None:
    return _months_from(_first(day, year), 12 * years)


def month_of(day: datetime, year: int, month: int) -> DateSpan | None:
    return _months_from(_first(day, year, month), 1)


def season_of(day: datetime, year: int, month: int) -> DateSpan | None:
    """The three months from that one on."""
    return _months_from(_first(day, year, month), 3)


def date_of(day: datetime, year: int, month: int, date: int) -> DateSpan | None:
    """None also for days that do not exist, such as 29 February in most years."""
    try:
        start = day.replace(year=year, month=month, day=date)
    except ValueError:
        return None
    return day_of(start) if is_kept(start) else None


def _first(day: datetime, year: int, month: int = 1) -> datetime | None:
    return day.replace(year=year, month=month, day=1) if _EARLIEST <= year <= _LATEST else None


def _months_from(start: datetime | None, months: int) -> DateSpan | None:
    end = None if start is None else _months_away(start, months)
    return None if start is None or end is None else DateSpan(start, end)


def _months_away(day: datetime, months: int) -> datetime | None:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not _EARLIEST <= year <= _LATEST:
        return None
    first = day.replace(year=year, month=month + 1, day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return first.replace(day=min(day.day, last.day))
