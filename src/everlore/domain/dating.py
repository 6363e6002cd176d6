"""Says in absolute words when something was: "moved last month" becomes "moved in October 2026".

In: a text, and its words with the time they were said. Out: the text, with each relative date as wide as it was
told: a day, a week, a month, a season or a year. What was only roughly so long ago is "around" then. Where the
year alone is missing it is added, if the tense leaves no doubt. Habits, durations, names, titles and quotations
stay as they are: a date that stays relative grows stale, but a wrong one is a lie.

Start at `dated`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from everlore.domain.calendar import DAYS, FEASTS, MONTHS
from everlore.domain.periods import periods_in
from everlore.domain.reckoning import FIRST_YEAR, LAST_YEAR
from everlore.domain.spoken import Grain, Period, TimePhrase, TimeReference
from everlore.language.tense import Tense

_MONTH_NAMES = "January February March April May June July August September October November December".split()
_PROPER = MONTHS.keys() | DAYS.keys() | {word for name in FEASTS for word in name}
# Behind these stands the time alone: "by 20 November 2026".
_TAKE_A_NOUN = frozenset(
    "by until till from since for of to before after than starting beginning during around about over through "
    "throughout between into towards toward like - – —".split()
)
_SMALL = frozenset("in on at".split())
_ROUGHLY = frozenset("almost nearly roughly approximately over".split())
_MODIFIERS = frozenset("early mid late".split())
_COPULAS = frozenset("is was are were will has".split())
# "Their last year", "a next time": not the one before this.
_DETERMINERS = frozenset("his her their its my our your a an some any no".split())
_CONTRACTED = frozenset("it's that's he's she's there's here's what's who's let's".split())
_COUNTED = frozenset("last next past previous".split())


class Edit(NamedTuple):
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class _Page:
    """`shielded`: where quotations and names stand. `years`: those that the text names itself."""

    text: str
    said: TimePhrase
    words: frozenset[str]
    shielded: tuple[tuple[int, int], ...]
    years: frozenset[int]

    def begins_sentence(self, place: int) -> bool:
        tokens = self.said.tokens
        if place == 0 or tokens[place - 1].word in (".", "!", "?", ";"):
            return True
        return not {"\n", ":"}.isdisjoint(self.text[tokens[place - 1].end : tokens[place].start])

    def is_capital(self, place: int) -> bool:
        return self.text[self.said.tokens[place].start].isupper()


def dated(text: str, said: TimePhrase) -> str:
    """One reading; where words beside a date had hidden another one, the next reading finds it."""
    found = list(periods_in(said, beside=True))
    if all(each.known is TimeReference.FIXED and not each.points for each in found):
        return text
    words = frozenset(token.word for token in said.tokens)
    years = frozenset(each.start.year for each in found if each.known is TimeReference.FIXED and not each.points)
    page = _Page(text, said, words, tuple(_shielded(text)), years)
    kept, start = [], 0
    for edit in (edit for each in found for edit in _edits(page, each)):
        kept += [text[start : edit.start], edit.words]
        start = edit.end
    return "".join((*kept, text[start:])) if kept else text


def _edits(page: _Page, found: Period) -> Iterator[Edit]:
    if found.known is TimeReference.LASTING:
        return
    if len(found.points) == 2:
        yield from _edits_of_range(page, found.points)
        return
    point = found.points[0] if found.points else found
    if point.known is TimeReference.FIXED or _is_name(page, point) or not FIRST_YEAR <= point.start.year <= LAST_YEAR:
        return
    if point.known is TimeReference.OPEN:
        if _is_sure(page, point, found):
            yield _with_year(page, point)
    elif _is_meant(page, point):
        yield _told(page, point)


def _edits_of_range(page: _Page, points: tuple[Period, ...]) -> Iterator[Edit]:
    """ "Works from Monday to Friday" is a habit, and "between March and May 2020" leaves nothing open."""
    is_open = any(each.known in (TimeReference.OPEN, TimeReference.WEEKDAY) for each in points)
    is_habit = page.said.tense is Tense.NOW or not page.words.isdisjoint(_AGAIN)
    if any(_is_name(page, each) for each in points) or (
        is_open and (is_habit or points[-1].known is TimeReference.FIXED)
    ):
        return
    for each in points:
        if not FIRST_YEAR <= each.start.year <= LAST_YEAR:
            continue
        if each.known is TimeReference.OPEN:
            yield _with_year(page, each)
        elif each.known is not TimeReference.FIXED:
            yield _edit(page, _article(page, each.core), each, _noun(page, each))


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def _told(page: _Page, point: Period) -> Edit:
    said, first = page.said, _article(page, point.core)
    noun, full = _noun(page, point), _with_small_word(page, point)
    before = said.word(first - 1)
    if said.tokens[point.after - 1].is_owner:
        is_plain = noun[:3] != "the"
        return _edit(page, first, point, f"the {noun}" if is_plain else f"{noun}'s")
    if said.word(point.core) == "within":
        return _edit(page, first, point, f"by {noun}")
    if before in _ROUGHLY and (said.word(point.after - 1) in ("ago", "earlier") or before != "over"):
        return _edit(page, first - 1, point, f"around {noun}")
    if before == "than" and said.word(first - 2) in ("more", "less", "fewer"):
        return _edit(page, first - 2, point, f"around {noun}")
    if before in _SMALL:
        return _edit(page, first - 1, point, full)
    if before == "all":
        return _edit(page, first, point, f"through {noun}")
    if before in _TAKE_A_NOUN or (before in _MODIFIERS and said.word(first - 2) in _TAKE_A_NOUN | _SMALL):
        return _edit(page, first, point, noun)
    is_subject = page.begins_sentence(first) and said.word(point.after) in _COPULAS and said.gap(point.after) == 1
    return _edit(page, first, point, noun if is_subject else full)


def _edit(page: _Page, first: int, point: Period, words: str) -> Edit:
    start = page.said.tokens[first].start
    if page.text[start].isupper() and page.begins_sentence(first):
        words = words[:1].upper() + words[1:]
    return Edit(start, page.said.tokens[point.after - 1].end, words)


def _article(page: _Page, place: int) -> int:
    return place - 1 if page.said.word(place - 1) == "the" else place


def _noun(page: _Page, point: Period) -> str:
    start = point.start
    name = page.text[page.said.tokens[point.name[0]].start : page.said.tokens[max(point.name[1] - 1, 0)].end]
    match point.grain:
        case Grain.DAY:
            return _day(start)[: -5 if _comes_back(page, point) else None]
        case Grain.FEAST:
            return f"{name} {start.year}"
        case Grain.WEEK:
            return f"the week of {_day(start)}"
        case Grain.WEEKEND:
            return f"the weekend of {_day(start)}"
        case Grain.MONTH:
            return f"{_MONTH_NAMES[start.month - 1]} {start.year}"
        case Grain.SEASON:
            return f"{name.lower()} {_season_year(start)}"
    return str(start.year)


def _day(day: datetime) -> str:
    return f"{day.day} {_MONTH_NAMES[day.month - 1]} {day.year:04}"


def _season_year(start: datetime) -> str:
    """A winter has two."""
    return f"{start.year}–{(start.year + 1) % 100:02}" if start.month == 12 else str(start.year)


def _with_small_word(page: _Page, point: Period) -> str:
    noun = _noun(page, point)
    if point.is_vague:
        return f"around {noun}"
    if point.grain is Grain.FEAST:
        return f"{'at' if point.name[1] - point.name[0] == 1 else 'on'} {noun}"
    return f"{'on' if point.grain in (Grain.DAY, Grain.WEEKEND) else 'in'} {noun}"


def _comes_back(page: _Page, point: Period) -> bool:
    """ "User's birthday is tomorrow": on that day of every year."""
    place = _article(page, point.core) - 1
    for _ in range(3):
        if page.said.word(place) not in _COPULAS | {"be", "on", "falls", "fell"}:
            break
        place -= 1
    return place < point.core - 1 and page.said.word(place) in ("birthday", "anniversary")


def _with_year(page: _Page, point: Period) -> Edit:
    """Behind the words that were said: "in June 2027", "on May 5, 2027", "in the summer of 2026"."""
    tokens, year = page.said.tokens, str(point.start.year)
    joint = " "
    if point.grain is Grain.SEASON:
        year = _season_year(point.start)
        joint = " of " if page.said.word(point.core - 1) == "the" else " "
    elif point.grain is Grain.DAY and tokens[point.after - 1].word[0].isdigit():
        joint = ", "
    start, end = tokens[point.core].start, tokens[point.after - 1].end
    # A month that was typed in small letters gets its capital with its year.
    named = _LOWER.sub(lambda found: found[0].capitalize() if found[0] in MONTHS else found[0], page.text[start:end])
    return Edit(start, end, f"{named}{joint}{year}")


_LOWER = re.compile(r"\b[a-z]{3,9}\b")


# ── what is to stay ──────────────────────────────────────────────────────────────────────────────

_QUOTED = re.compile(r"\"[^\"]{1,300}\"|“[^”]{1,300}”|‘[^’]{1,100}’|(?<!\w)'[^']{1,100}'(?!\w)")
_NAMED = re.compile(
    r"\b(?:named|called|titled|entitled|nicknamed|known as|name is|names are)(?: [A-Z][\w'’-]{0,40}| the| of){1,8}"
)
# What is done again and again, or comes back every year.
_AGAIN = frozenset(
    "every each always usually often never sometimes typically normally generally whenever annually yearly annual "
    "weekly regularly mostly traditionally birthday birthdays anniversary born celebrates".split()
)
# "In March, when I was a child": of another year.
_LONG_AGO = frozenset("when while child childhood kid kids teenager teen boy girl grew young younger".split())
# What of now stands for something that is to come: "has an exam in June".
_ARRANGED = frozenset(
    "is are has have starts begins leaves arrives flies graduates moves due opens ends finishes isn't hasn't".split()
)
_ABLE = frozenset("can could able".split())
_DOES_WITHIN = frozenset("runs run finish finishes complete completes reads read does do".split())
_TIME_SMALL = frozenset(
    "in on during since until till around through throughout starting beginning between early mid late this and or "
    "- – —".split()
)
_ENDS_OF = frozenset("end start beginning middle month rest half week summer first last part".split())


def _shielded(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_QUOTED, _NAMED):
        for match in pattern.finditer(text):
            yield match.span()


def _is_name(page: _Page, point: Period) -> bool:
    """In a quotation, behind "named", or with a capital where none belongs: "Last Christmas", "Summer"."""
    said = page.said
    start = said.tokens[point.core].start
    if any(first <= start < end for first, end in page.shielded):
        return True
    inner = range(point.core, point.after)
    return any(
        page.is_capital(place) and said.word(place) not in _PROPER and not page.begins_sentence(place)
        for place in inner
    )


def _is_sure(page: _Page, point: Period, found: Period) -> bool:
    """Whether there is no doubt about the year that was left open."""
    said, before = page.said, page.said.word(point.core - 1)
    if not page.words.isdisjoint(_AGAIN) or not _is_time(page, point):
        return False
    opener = said.word(found.first)
    if opener in ("since", "until", "till"):
        return True
    if said.tense is Tense.NOW:
        is_ahead = point.end is None or point.end > said.at
        is_arranged = not page.words.isdisjoint(_ARRANGED) or opener in ("starting", "from", "beginning")
        return is_ahead and (is_arranged or (point.grain is Grain.DAY and before != "of"))
    if said.tense is Tense.PAST:
        return page.words.isdisjoint(_LONG_AGO) and page.years <= {point.start.year}
    return True


def _is_time(page: _Page, point: Period) -> bool:
    """Whether a lone month, day or feast can only be a time here, and nobody's name."""
    said = page.said
    if said.word(point.after) in ("-", "–", "—"):
        return False
    if point.grain not in (Grain.MONTH, Grain.SEASON) and point.known is TimeReference.OPEN:
        return True
    place = point.core - 1
    while said.word(place) == "the":
        place -= 1
    before = said.word(place)
    is_far = said.tense is Tense.FUTURE or said.word(point.after) in ("on", "onward", "onwards")
    is_far = is_far or (point.known is TimeReference.WEEKDAY and said.is_deadline(point.core))
    if before not in _TIME_SMALL and not (before in ("by", "from") and is_far):
        return before == "of" and said.word(place - 1) in _ENDS_OF
    return page.begins_sentence(place) or not _has_surname(page, point.after)


def _has_surname(page: _Page, place: int) -> bool:
    word = page.said.word(place)
    if page.said.gap(place) != 1 or not word[0].isalpha() or not page.is_capital(place):
        return False
    return word not in ("i", "user", "user's") and word not in _PROPER


def _is_meant(page: _Page, point: Period) -> bool:
    said, core = page.said, point.core
    if point.known is TimeReference.WEEKDAY:
        is_arranged = said.tense is not Tense.NOW or not page.words.isdisjoint(_ARRANGED) or said.is_deadline(core)
        return is_arranged and page.words.isdisjoint(_AGAIN) and _is_time(page, point) and not _is_list(said, point)
    if said.word(core) in ("in", "within"):
        return _is_ahead(page, point)
    first = _article(page, core)
    before = said.word(first - 1)
    is_theirs = before in _DETERMINERS or (before.endswith("'s") and before not in _CONTRACTED)
    is_counted = first < core and said.word(core) in _COUNTED and point.grain in (Grain.WEEK, Grain.MONTH, Grain.YEAR)
    return not (is_theirs or is_counted or said.word(point.after) in ("-", "–", "—"))


def _is_list(said: TimePhrase, point: Period) -> bool:
    """ "On Monday and Thursday", of now: every week."""
    return said.tense is Tense.NOW and said.word(point.after) in ("and", "or") and said.word(point.after + 1) in DAYS


def _is_ahead(page: _Page, point: Period) -> bool:
    """ "Has a flight in two hours", but not "runs ten miles in two hours"."""
    if not page.words.isdisjoint(_ABLE):
        return False
    is_short = page.said.word(point.after - 1).removesuffix("s") in ("hour", "minute")
    if page.said.tense is Tense.FUTURE and not is_short:
        return True
    return not page.words.isdisjoint(_ARRANGED) and page.words.isdisjoint(_DOES_WITHIN)
