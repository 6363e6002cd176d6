"""What the reading of dates is made of: the words of a text, when it was said, and the periods found in it.

In: a text. Out: its words, each with its place. The finding is in `periods`, what comes of it in `dates`.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, IntEnum
from typing import NamedTuple

from everlore.domain.calendar import DAYS, MONTHS
from everlore.language.tense import Tense, leaning

MOST_CHARS = 2_000
# So far from the ends of the calendar that no sum of days falls off it.
_FIRST_YEAR, _LAST_YEAR = 100, 9_900
_TOKEN = re.compile(
    r"(?<![^\W_])\d{4}-\d\d-\d\d(?![^\W_])|(?<![^\W_])\d{1,4}(?:st|nd|rd|th|s)?(?![^\W_])"
    r"|[^\W\d_]{1,40}(?:['’][^\W\d_]{1,40})?|(?<=\w)[-–—](?=\w)|[.!?;]"
)
# "Tomorrow's exam" is tomorrow.
_OWNERS = frozenset("today tomorrow yesterday tonight week month year weekend morning evening night".split()) | {*DAYS}


class Grain(IntEnum):
    """How wide the unit is that was named."""

    DAY = 1
    FEAST = 2
    WEEKEND = 3
    WEEK = 4
    MONTH = 5
    SEASON = 6
    YEAR = 7
    DECADE = 8


class TimeReference(Enum):
    """What it takes to know when that is."""

    FIXED = "nothing"
    OPEN = "the year"
    WEEKDAY = "the week"
    RELATIVE = "when it was said"
    LASTING = "when it was said, and it is only how long"


class SpokenToken(NamedTuple):
    word: str
    start: int
    end: int
    is_owner: bool = False


class Period(NamedTuple):
    """`first` and `after`: the places of the first token, and of the one behind the last; `core`: where the time
    itself begins, behind the small words. `name`: the places of a season or feast. `points`: what a period with
    two ends, or with an end alone, is told by. `is_vague`: "a few days ago"."""

    start: datetime
    end: datetime | None
    after: int
    first: int = 0
    core: int = 0
    grain: Grain = Grain.DAY
    known: TimeReference = TimeReference.FIXED
    name: tuple[int, int] = (0, 0)
    points: tuple["Period", ...] = ()
    is_vague: bool = False


_TO_COME = frozenset({"to", "would", "should", "must"})


@dataclass(frozen=True, slots=True)
class TimePhrase:
    tokens: list[SpokenToken]
    at: datetime
    tense: Tense

    def word(self, place: int) -> str:
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def gap(self, place: int) -> int:
        """How many characters lie before that token, and behind the one before it."""
        return self.tokens[place].start - self.tokens[place - 1].end if 0 < place < len(self.tokens) else MOST_CHARS

    def is_deadline(self, place: int) -> bool:
        """ "By Friday" is ahead, also of what was promised or asked; "finished by Friday" may be behind."""
        if self.word(place - 1) != "by":
            return False
        return self.tense is not Tense.PAST or any(each.word in _TO_COME for each in self.tokens[:place])

    def in_the(self, tense: Tense) -> "TimePhrase":
        return replace(self, tense=tense)

    @property
    def today(self) -> datetime:
        return self.at.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def said_in(text: str, at: datetime) -> TimePhrase:
    """Nothing is read at the very ends of the calendar."""
    return TimePhrase(tokens_of(text) if _FIRST_YEAR <= at.year <= _LAST_YEAR else [], at, leaning(text))


def tokens_of(text: str) -> list[SpokenToken]:
    found: list[SpokenToken] = []
    for match in _TOKEN.finditer(text[:MOST_CHARS]):
        word = match.group().lower().replace("’", "'")
        # "Dec. 5" does not end a sentence.
        if word == "." and found and found[-1].word in MONTHS:
            continue
        # "1.5 years ago" is not five, and "10,000 years ago" neither ten nor none.
        if word[0].isdigit() and _is_tail(text, match.start(), len(word)):
            word = "#"
        owner = word.removesuffix("'s")
        is_owner = owner != word and owner in _OWNERS and not (found and found[-1].word == "new")
        found.append(SpokenToken(owner if is_owner else word, match.start(), match.end(), is_owner))
    return found


def _is_tail(text: str, start: int, size: int) -> bool:
    if start < 2 or not text[start - 2].isdigit():
        return False
    return text[start - 1] == "." or (text[start - 1] == "," and size == 3)
