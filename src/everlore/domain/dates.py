"""The time that an English sentence speaks of: "yesterday", "since March", "two years ago", "on 5 May".

In: a text, and when it was said, with its time zone. Out: the first period that the text names, in that time
zone, or None; or the text itself, without its dates or with all of them absolute. Days, weeks, months and years
are those of the calendar: "two years ago" is a whole year, as "last year" is, for nobody who says it means the
day. Where the year is left open, the tense of the sentence decides, and without one the nearest. Habits ("every
Monday") and ages ("when I was 12") name no period.

Only the beginning of a text is read, each word a fixed number of times. Start at `when`; `periods` finds what is
named, and `dating` says it in absolute words.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from everlore.domain.dating import dated
from everlore.domain.periods import periods_in
from everlore.domain.spoken import MOST_CHARS, said_in

# More readings than any sentence needs until nothing is left to say.
_MOST_READINGS = 8


@dataclass(frozen=True, slots=True)
class When:
    """From `start` until before `end`; None: still going on, as in "since March"."""

    start: datetime
    end: datetime | None
    is_past: bool


def when(text: str, said_at: datetime) -> When | None:
    """The first period that the text names. `said_at` must have a time zone."""
    for found in periods_in(said_in(text, _zoned(said_at))):
        return When(found.start, found.end, found.end is not None and found.end <= said_at)
    return None


def without_dates(text: str) -> str:
    """The text without the periods it names and the small words before them."""
    # Any day will do: where an expression stands does not depend on it.
    said = said_in(text, datetime(2000, 6, 15, tzinfo=UTC))
    kept, start = [], 0
    for found in periods_in(said):
        kept.append(text[start : said.tokens[found.first].start])
        start = said.tokens[found.after - 1].end
    return " ".join("".join((*kept, text[start:])).split()) if kept else text


def absolute(text: str, said_at: datetime) -> str:
    """The text as it will still be true in a year: "moved to Portland last month" is "in October 2026".

    Durations, habits, ages, names and whatever leaves a doubt stay as they are, and so does a text too long to be
    read whole. What is absolute already comes back unchanged. `said_at` must have a time zone.
    """
    _zoned(said_at)
    for _ in range(_MOST_READINGS):
        before = text
        text = dated(before, said_in(before, said_at)) if len(before) <= MOST_CHARS else before
        if text == before:
            break
    return text


def _zoned(said_at: datetime) -> datetime:
    if said_at.tzinfo is None:
        raise ValueError(f"said_at is {said_at.isoformat()} without a time zone; add one, such as datetime.UTC.")
    return said_at
