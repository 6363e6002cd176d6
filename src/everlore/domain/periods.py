"""Finds the periods that a text names: "last month", "since March", "from 2010 to 2015".

Input: the text and the time when it was written. Output: the periods in order, without overlaps. The phrases are data
in `dates.toml`; a `_read_…` function turns a phrase that matched into a period, or into None if it names no time there.
Start at `periods_in`.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from everlore.domain.calendar import DateSpan, shifted, span_from, whole
from everlore.language.numbers import CARDINALS
from everlore.language.tense import Tense, leaning

MOST_CHARS = 2_000
DATA: dict[str, Any] = tomllib.loads((files(__package__) / "dates.toml").read_text(encoding="utf-8"))
VALUES: dict[str, dict[str, Any]] = DATA["values"]
_VALUES = {**VALUES, "number": CARDINALS | VALUES["number"]}
_CONTEXT = {name: re.compile(words.replace(" ", r"\s"), re.I) for name, words in DATA["context"].items()}
# A text without any of these names no time. Most texts end here.
_TIMES = (word for name, words in VALUES.items() if name not in ("way", "number") for word in words)
_HINT = re.compile(rf"\d|\b(?:{'|'.join(_TIMES)}|now|weekend|(?:day|week|month|year|decade)s?)\b", re.I)
# Far enough from the ends of the calendar for arithmetic and for every store.
_YEARS = range(100, 9_900)


class TimeReference(Enum):
    """What must be known to resolve the period, besides its words."""

    FIXED = "nothing"
    OPEN = "the year"
    WEEKDAY = "the week"
    RELATIVE = "when it was said"
    LASTING = "when it was said; it names a duration"


class Period(NamedTuple):
    """`core` to `after`: the offsets of its words. `first`: the offset of the prepositions before them, which are
    `lead`. `grain`: the calendar unit. `tense`: the tense it was read in. `points`: both ends of a range, or the end
    after "until". `is_vague`: "a few days ago". `is_owner`: "tomorrow's exam"."""

    start: datetime
    end: datetime | None
    grain: str
    known: TimeReference
    name: str = ""
    is_vague: bool = False
    is_owner: bool = False
    first: int = 0
    core: int = 0
    after: int = 0
    lead: str = ""
    tense: Tense = Tense.NOW
    points: tuple["Period", ...] = ()


class _Words(NamedTuple):
    """The groups of a matched phrase, and what is needed to resolve them."""

    groups: dict[str, str]
    at: datetime
    tense: Tense
    text: str

    def value(self, table: str) -> Any:
        word = self.groups.get(table)
        return _VALUES[table].get(word, word) if word else None

    @property
    def today(self) -> datetime:
        return self.at.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


# ── the phrases ──────────────────────────────────────────────────────────────────────────────────


def _read_day(words: _Words) -> Period:
    """ "Yesterday evening", "tonight", "this morning"."""
    day = shifted(words.today, words.value("day") or words.value("way") or 0, "day")
    hours = VALUES["part"]["night"] if words.groups.get("day") == "tonight" else words.value("part") or (0, 24)
    start, end = (day + timedelta(hours=hour) for hour in hours)
    return Period(start, end, "day", TimeReference.RELATIVE)


def _read_weekday(words: _Words) -> Period | None:
    """ "Next Tuesday", "last weekend". A bare weekday lies before or after today, depending on the tense."""
    weekday, way, today = words.value("weekday"), words.value("way"), words.today
    is_past = words.tense is Tense.PAST
    if weekday is None:
        span = whole(today, "weekend")
        if way is None and words.tense is Tense.NOW:
            return None
        weeks = (span.start <= today) if way == 1 else way or -(is_past and span.start > today)
        return Period(*whole(shifted(today, weeks, "week"), "weekend"), "weekend", TimeReference.RELATIVE)
    known = TimeReference.WEEKDAY if way is None else TimeReference.RELATIVE
    ahead = (weekday - today.weekday()) % 7
    if way == -1 or (is_past and (way is None or ahead)):
        ahead -= 7
    elif way != 0:
        ahead = ahead or 7
    return Period(*whole(shifted(today, ahead, "day"), "day"), "day", known)


def _read_unit(words: _Words) -> Period | None:
    """ "Last month", "two weeks ago", "three days from now", "in a year"."""
    groups, unit = words.groups, words.groups["unit"]
    if "ahead" in groups and words.tense is Tense.PAST:
        return None
    number = words.value("way") if "way" in groups else int(words.value("number")) * (-1 if "back" in groups else 1)
    away = shifted(words.today, number, unit)
    unit = "year" if unit == "decade" else unit
    is_vague = "vague" in groups or groups.get("number", "").endswith(("few", "couple", "couple of"))
    return Period(*whole(away, unit), unit, TimeReference.RELATIVE, is_vague=is_vague)


def _read_lasting(words: _Words) -> Period | None:
    """ "For three years", "over the past two months": until now."""
    if "back" not in words.groups and not _CONTEXT["still"].search(words.text):
        return None
    start = shifted(words.today, -int(words.value("number") or 1), words.groups["unit"])
    return Period(start, None, "day", TimeReference.LASTING)


def _read_named(words: _Words) -> Period | None:
    """ "March 2020", "last summer", "at Christmas", "on 5 May", "the week of 9 November 2026", "the 90s"."""
    groups = words.groups
    grain = next((each for each in ("season", "feast", "tens", "month") if each in groups), "year")
    grain = {"tens": "decade"}.get(grain, "day" if "date" in groups else grain)
    if "year" in groups or "tens" in groups:
        year = int(groups.get("year") or groups["tens"])
        span, known = _named_in(words, grain, year + (1900 if year < 100 else 0)), TimeReference.FIXED
    elif grain == "season" and "way" not in groups and words.tense is Tense.NOW:
        # "Swims in the summer" is a habit.
        return None
    else:
        span, known = _nearest(words, grain), TimeReference.RELATIVE if "way" in groups else TimeReference.OPEN
    grain, name = groups.get("whole", grain), groups.get(grain, "")
    return Period(*(whole(span.start, grain) if "whole" in groups else span), grain, known, name)


def _named_in(words: _Words, grain: str, year: int) -> DateSpan:
    month = words.value("month") or words.value("season") or int(words.groups.get("digits", 1))
    month, day = words.value("feast") or (month, int(words.groups.get("date", 1)))
    return span_from(words.today.replace(year=year, month=month, day=day), grain)


def _nearest(words: _Words, grain: str) -> DateSpan:
    """Picks the year: the last one, this one, the next one, or the one that fits the tense."""
    at, way, tense, spans = words.at, words.value("way"), words.tense, []
    # A leap day comes once in four years, and once in eight around 1900 and 2100.
    for year in range(at.year - 8, at.year + 9):
        with suppress(ValueError):
            spans.append(_named_in(words, grain, year))
    begun = [span for span in spans if span.start <= at]
    if way == 0:
        # In January, "this winter" began last year.
        near = [span for span in (begun if tense is Tense.PAST else spans) if span.start.year in (at.year - 1, at.year)]
        return next((span for span in near if span.end > at), near[-1])
    if way is None and tense is Tense.NOW:
        return min(spans, key=lambda span: abs(span.start - at))
    if way == 1 or (way is None and tense is Tense.FUTURE):
        return spans[len(begun)]
    # "Last March" is over; for "since March" it is enough that March has begun.
    return begun[-2] if way == -1 and begun[-1].end > at else begun[-1]


_READERS = {
    "lasting": _read_lasting,
    "unit": _read_unit,
    "day": _read_day,
    "weekday": _read_weekday,
    "named": _read_named,
}


@cache
def _phrases() -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """For each phrase: its reader, whether it needs a preposition before it, and its pattern."""
    tables = {name: "|".join(sorted(words, key=len, reverse=True)) for name, words in _VALUES.items()}

    def compiled(pattern: str) -> re.Pattern[str]:
        for name, part in DATA["parts"].items():
            pattern = pattern.replace(f"<{name}>", part) if f"(?P<{name}>" not in pattern else pattern
        for name, words in tables.items():
            pattern = pattern.replace(f"{{{name}}}", words if f"(?P<{name}>" in pattern else f"(?P<{name}>{words})")
        return re.compile(rf"(?<!\w)(?:{pattern})(?P<owner>'s)?(?!'?\w)".replace(" ", r"\s"), re.I)

    return tuple(
        (reader, part == "after_preposition", compiled(pattern))
        for part in ("patterns", "after_preposition")
        for reader, patterns in DATA[part].items()
        for pattern in patterns
    )


# ── finding ──────────────────────────────────────────────────────────────────────────────────────


def periods_in(text: str, at: datetime, *, with_bounds: bool = False) -> Iterator[Period]:
    """Searches the first `MOST_CHARS` characters. `with_bounds`: include periods after "before", "after" and "than"."""
    text = text[:MOST_CHARS].replace("’", "'")
    if at.year not in _YEARS or not _HINT.search(text):
        return
    finder, after = _Finder(text, at), 0
    for start in sorted(finder.phrases):
        found = finder.period(start, after, with_bounds=with_bounds) if start >= after else None
        if found is not None:
            after = found.after
            yield found


class _Finder:
    """`phrases`: the matches at each offset, in the order of `dates.toml`."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.at, self.tense = text, at, leaning(text)
        self.phrases: dict[int, list[tuple[str, bool, dict[str, str], int]]] = {}
        for reader, takes_lead, pattern in _phrases():
            for match in pattern.finditer(text):
                groups = {name: word.lower() for name, word in match.groupdict().items() if word}
                self.phrases.setdefault(match.start(), []).append((reader, takes_lead, groups, match.end()))

    def point(self, start: int, at: datetime, tense: Tense, *, has_lead: bool = True) -> Period | None:
        for reader, takes_lead, groups, after in self.phrases.get(start, ()):
            if takes_lead and not has_lead:
                continue
            try:
                found = _READERS[reader](_Words(groups, at, tense, self.text))
            except (ValueError, OverflowError, IndexError):
                continue
            if found is None or ("owner" in groups and found.known in (TimeReference.FIXED, TimeReference.OPEN)):
                continue
            if found.start.year in _YEARS and (found.end or found.start).year in _YEARS:
                return found._replace(core=start, first=start, after=after, tense=tense, is_owner="owner" in groups)
        return None

    def period(self, start: int, after: int, *, with_bounds: bool) -> Period | None:
        lead = _CONTEXT["lead"].search(self.text, max(after, start - 40), start)
        first = lead.start() if lead else start
        bound = _CONTEXT["bound"].search(self.text, max(0, first - 10), first)
        if bound and (bound["never"] or not with_bounds):
            return None
        small = " ".join(lead[0].lower().split()) if lead else ""
        found = self._range(start, small) or self._point_after(start, after, small)
        return None if found is None else found._replace(first=first, lead=small)

    def _point_after(self, start: int, after: int, lead: str) -> Period | None:
        is_until = lead.startswith(("until", "till"))
        is_owed = lead == "by" and (self.tense is not Tense.PAST or _CONTEXT["to_come"].search(self.text, 0, start))
        # "By Friday" lies ahead, also in "promised to send it by Friday", but not in "finished by Friday".
        tense = Tense.FUTURE if is_until or is_owed else self.tense
        tense = Tense.PAST if lead.startswith(("since", "as of")) else tense
        found = self.point(start, self.at, tense, has_lead=lead not in ("", "between"))
        if found is None or self._is_part(found, after):
            return None
        if lead.startswith(("since", "as of", "from", "starting", "beginning")):
            return found._replace(end=None)
        if is_until and found.start > self.at:
            return found._replace(start=self.at, end=found.start, points=(found,))
        return found

    def _is_part(self, found: Period, after: int) -> bool:
        """ "March of last year", "last week on Tuesday": only the wider period is resolved."""
        if found.known not in (TimeReference.OPEN, TimeReference.WEEKDAY):
            return False
        joint = _CONTEXT["joint"].match(self.text, found.after)
        behind = self.point(joint.end(), self.at, self.tense) if joint else None
        is_behind = behind is not None and behind.known is not TimeReference.LASTING
        return is_behind or (after > 0 and _CONTEXT["joint"].fullmatch(self.text, after, found.core) is not None)

    def _range(self, start: int, lead: str) -> Period | None:
        first = self.point(start, self.at, self.tense)
        joint = _CONTEXT["range"].match(self.text, first.after) if first else None
        if first is None or joint is None:
            return None
        opener = "" if joint[2] else "between" if joint[1].lower() == "and" else "from"
        last = self.point(joint.end(), self.at, self.tense) if lead.startswith(opener) else None
        if last is not None and last.start < first.start:
            # "Between March and May 2020": both months are in 2020.
            first = self.point(start, last.start, Tense.PAST)
        if first is None or last is None or last.end is None or last.end <= first.start:
            return None
        return first._replace(end=last.end, after=last.after, points=(first, last))
