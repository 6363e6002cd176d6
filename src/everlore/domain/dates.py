"""The time that an English sentence speaks of: "yesterday", "since March", "two years ago", "on 5 May".

Periods are whole calendar units in the time zone of `said_at`: "two years ago" is a whole year, because people who say
it do not mean the day. If the year is missing, the tense of the sentence decides, or else the nearest one counts.
Habits ("every Monday") and ages ("when I was 12") are not periods.

`when` finds a period, `absolute` rewrites relative dates for storage. `periods` does the matching.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from string import capwords
from typing import NamedTuple

from everlore.domain.periods import DATA, MOST_CHARS, VALUES, Period, TimeReference, periods_in
from everlore.language.tense import Tense, leaning

_MONTH_NAMES = "January February March April May June July August September October November December".split()
_YEARS = range(1800, 2200)
_PROPER = {
    word for table in ("month", "weekday", "feast") for name in VALUES[table] for word in re.findall(r"\w+", name)
}
_RULES = {
    name: re.compile(words.replace("<proper>", "|".join(_PROPER)).replace(" ", r"\s"), re.I)
    for name, words in DATA["absolute"].items()
}


@dataclass(frozen=True, slots=True)
class When:
    """From `start` until before `end`; None: still going on, as in "since March"."""

    start: datetime
    end: datetime | None
    is_past: bool


def when(text: str, said_at: datetime) -> When | None:
    """The first period that the text names. `said_at` must have a time zone."""
    for found in periods_in(text, _zoned(said_at)):
        return When(found.start, found.end, found.end is not None and found.end <= said_at)
    return None


def without_dates(text: str) -> str:
    """Removes the periods and the prepositions before them."""
    kept, start = [], 0
    # The day does not matter, because the offsets of the phrases do not depend on it.
    for found in periods_in(text, datetime(2000, 6, 15, tzinfo=UTC)):
        kept.append(text[start : found.first])
        start = found.after
    return " ".join("".join((*kept, text[start:])).split()) if kept else text


def absolute(text: str, said_at: datetime) -> str:
    """Rewrites relative dates so that the text stays true: "moved last month" becomes "moved in October 2026".

    Each date stays as precise as it was: "a few years ago" becomes "around 2023". Durations, habits, ages, names,
    quotations, doubtful dates and texts longer than `MOST_CHARS` are not changed, because a wrong date is worse than a
    relative one. `said_at` must have a time zone.
    """
    _zoned(said_at)
    return _rewrite(text, said_at) if len(text) <= MOST_CHARS else text


def _zoned(said_at: datetime) -> datetime:
    if said_at.tzinfo is None:
        raise ValueError(f"said_at is {said_at.isoformat()} without a time zone; add one, such as datetime.UTC.")
    return said_at


class _Text(NamedTuple):
    """`years`: the years that the text names."""

    text: str
    at: datetime
    tense: Tense
    years: set[int]

    def has(self, rule: str, start: int = 0, end: int = MOST_CHARS) -> bool:
        return _RULES[rule].search(self.text, start, end) is not None

    def before(self, place: int, rule: str) -> bool:
        return self.has(rule, max(0, place - 60), place)

    def after(self, place: int, rule: str) -> bool:
        return _RULES[rule].match(self.text, place) is not None

    def article(self, place: int) -> int:
        return place - 4 * self.before(place, "the")


def _rewrite(text: str, at: datetime) -> str:
    found = list(periods_in(text, at, with_bounds=True))
    years = {each.start.year for each in found if each.known is TimeReference.FIXED and not each.points}
    source = _Text(text.replace("’", "'"), at, leaning(text), years)
    shielded = [match.span() for rule in ("quoted", "named") for match in _RULES[rule].finditer(text)] if found else []
    for period in reversed(found):
        for point in reversed(period.points or (period,)):
            if not any(first <= point.core < last for first, last in shielded) and _is_certain(source, point, period):
                start, words = _replacement(source, point)
                text = text[:start] + words + text[point.after :]
    return text


def _replacement(source: _Text, point: Period) -> tuple[int, str]:
    """The offset where the new words begin, and the new words."""
    first, words = source.article(point.core), _noun(source, point)
    is_subject = source.before(first, "beginning") and source.after(point.after, "copula")
    if point.is_owner:
        words = f"the {words}"
    elif point.is_vague:
        words = f"around {words}"
    elif not is_subject and not source.before(first, "takes_noun"):
        small = {"day": "on", "weekend": "on", "feast": "on" if " " in point.name else "at"}.get(point.grain, "in")
        words = f"{small} {words}"
        first -= 3 * source.before(first, "small")
    is_first = source.text[first].isupper() and source.before(first, "beginning")
    return first, words[:1].upper() + words[1:] if is_first else words


def _noun(source: _Text, point: Period) -> str:
    year, month = point.start.year, f"{_MONTH_NAMES[point.start.month - 1]} {point.start.year:04}"
    day = f"{point.start.day} {month}"
    if point.grain in ("week", "weekend"):
        return f"the {point.grain} of {day}"
    if point.grain in ("season", "feast"):
        # A winter has two years.
        is_winter = point.grain == "season" and point.start.month == 12
        name = point.name if point.grain == "season" else capwords(point.name)
        return f"{name} {year}–{(year + 1) % 100:02}" if is_winter else f"{name} {year}"
    # "User's birthday is tomorrow" names a day of every year.
    day = day[:-5] if source.before(source.article(point.core), "comes_back") else day
    return {"month": month, "year": str(year)}.get(point.grain, day)


def _is_certain(source: _Text, point: Period, period: Period) -> bool:
    """Whether a date is not absolute yet and can only mean this period: no habit, no name, no other year nearby."""
    if point.known in (TimeReference.FIXED, TimeReference.LASTING) or point.start.year not in _YEARS:
        return False
    if _is_name(source, point) or source.after(point.after, "dash"):
        return False
    if point.known is TimeReference.RELATIVE:
        return _is_near(source, point)
    if source.has("again") or not (len(period.points) == 2 or _is_time(source, point, period.lead)):
        return False
    if period.lead.startswith(("since", "until", "till")) or point.tense is Tense.FUTURE:
        return True
    is_arranged = source.has("arranged") and len(period.points) < 2
    if point.known is TimeReference.WEEKDAY:
        return point.tense is Tense.PAST or (is_arranged and not source.after(point.after, "weekdays"))
    if point.tense is Tense.PAST:
        return not source.has("long_ago") and source.years <= {point.start.year}
    is_arranged = is_arranged or period.lead.startswith(("starting", "from", "beginning"))
    return point.start > source.at and (is_arranged or (point.grain == "day" and not period.lead.endswith("of")))


def _is_name(source: _Text, point: Period) -> bool:
    """Capital letters inside a sentence, as in the song "Last Christmas"."""
    return any(
        word[0][0].isupper() and word[0].lower() not in _PROPER and not source.before(word.start(), "beginning")
        for word in _RULES["word"].finditer(source.text, point.core, point.after)
    )


def _is_time(source: _Text, point: Period, lead: str) -> bool:
    """Whether a bare month, weekday or season can only be a time: in "from June", June may be a person."""
    if point.grain == "day" and point.known is TimeReference.OPEN:
        return True
    word = lead.removesuffix(" the").split(" ")[-1]
    if word in ("of", "the", ""):
        return source.before(point.core, "ends_of")
    if word in ("by", "from") and point.tense is not Tense.FUTURE:
        return False
    return word not in ("about", "over") and not source.after(point.after, "surname")


def _is_near(source: _Text, point: Period) -> bool:
    """Whether the phrase counts from now, unlike "their last year" and "runs a marathon in a week"."""
    if source.text.startswith("in", point.core):
        return not source.has("takes_time") and (source.tense is Tense.FUTURE or source.has("arranged"))
    first = source.article(point.core)
    is_counted = first < point.core and source.after(point.core, "counted")
    is_odd = point.is_owner and point.grain in ("week", "weekend")
    return not (is_counted or is_odd or source.before(first, "theirs"))
