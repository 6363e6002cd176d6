"""The time that a question asks about (R3): a period that it names, or the last or the first of several. Pure.

Start at `asked_time`; `time_weight` scores a moment.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from everlore.domain.dates import when

_LAST = re.compile(r"\b(?:last|latest|newest|most recent(?:ly)?|recently|lately|just now|these days|nowadays)\b", re.I)
_FIRST = re.compile(r"\b(?:first|earliest|oldest|originally|at first|initially|in the beginning)\b", re.I)
# Things are told shortly after they happen, or announced shortly before.
_SLACK = timedelta(days=3)
_OUTSIDE = 0.75
_OUT_OF_ORDER = 0.85


class Order(StrEnum):
    LAST = "last"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class AskedTime:
    """A period from `start` until before `end`, or an order, or neither."""

    start: datetime | None = None
    end: datetime | None = None
    order: Order | None = None

    def __bool__(self) -> bool:
        return self.start is not None or self.order is not None


def asked_time(text: str, now: datetime) -> AskedTime:
    found = when(text, now)
    if found is not None:
        return AskedTime(found.start, found.end)
    if _LAST.search(text):
        return AskedTime(order=Order.LAST)
    return AskedTime(order=Order.FIRST) if _FIRST.search(text) else AskedTime()


def time_weight(asked: AskedTime, at: datetime | None, earliest: datetime, latest: datetime) -> float:
    """1 for the time that is asked about, less for other times. `earliest` and `latest` are of all that was found."""
    if at is None or not asked:
        return 1.0
    if asked.start is not None:
        begins, ends = asked.start - _SLACK, (asked.end or latest) + _SLACK
        return 1.0 if begins <= at <= ends else _OUTSIDE
    whole = (latest - earliest).total_seconds()
    if whole <= 0:
        return 1.0
    late = (at - earliest).total_seconds() / whole
    share = late if asked.order is Order.LAST else 1 - late
    return _OUT_OF_ORDER + (1 - _OUT_OF_ORDER) * min(max(share, 0.0), 1.0)
