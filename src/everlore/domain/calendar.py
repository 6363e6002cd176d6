"""Calendar units around a day, in that day's time zone. Dates that do not exist raise ValueError or OverflowError."""

from calendar import monthrange
from datetime import datetime, timedelta
from typing import NamedTuple

_MONTHS_IN = {"month": 1, "season": 3, "year": 12, "decade": 120}
_DAYS_IN = {"day": 1, "feast": 1, "weekend": 2, "week": 7}


class DateSpan(NamedTuple):
    """From `start` until before `end`."""

    start: datetime
    end: datetime


def shifted(day: datetime, number: int, unit: str) -> datetime:
    """Moves a day by a number of units. The 31st becomes the last day of a shorter month."""
    if unit in _DAYS_IN:
        return day + timedelta(days=number * _DAYS_IN[unit])
    year, month = divmod(day.year * 12 + day.month - 1 + number * _MONTHS_IN[unit], 12)
    first = day.replace(year=year, month=month + 1, day=1)
    return first.replace(day=min(day.day, monthrange(year, month + 1)[1]))


def span_from(start: datetime, unit: str) -> DateSpan:
    return DateSpan(start, shifted(start, 1, unit))


def whole(day: datetime, unit: str) -> DateSpan:
    """The unit that contains the day. Weeks begin on Monday; for a weekday, its weekend is the one of the same week."""
    if unit in ("week", "weekend"):
        return span_from(shifted(day, (5 if unit == "weekend" else 0) - day.weekday(), "day"), unit)
    if unit in ("month", "year"):
        day = day.replace(day=1, month=day.month if unit == "month" else 1)
    return span_from(day, unit)
