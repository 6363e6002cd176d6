"""The markup around the words in a log: speakers, times, and marks for the game master only (G1, G9).

Each function looks at one line of a file. Every pattern is anchored and bounded, and looks at the beginning of a line
only (S-8). Start at `head_of` and `pieces_of`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from everlore.interchange.times import read_time

_LOOKED_AT = 240
_MOST_NAME = 60
# Lines that a name in lower case must begin to be a speaker's.
_LEAST_LINES = 3
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_DAY = (
    r"(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[/.][0-9]{1,2}[/.](?:[0-9]{4}|[0-9]{2})|"
    r"[A-Za-z]{3,9}\.? [0-9]{1,2},? [0-9]{4}|[0-9]{1,2}\.? [A-Za-z]{3,9}\.?,? [0-9]{4})"
)
_STAMP = (
    rf"(?:{_DAY}(?:(?:T|,? (?:at )?){_CLOCK}(?:\.[0-9]{{1,6}})?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?|"
    rf"(?:Today|Yesterday) at {_CLOCK}|{_CLOCK})"
)
_LEAD = re.compile(rf"[ \t]*(?:[\[(](?P<boxed>{_STAMP})[\])]|(?P<bare>{_STAMP}))[ \t]*(?:[-–—|][ \t]+)?")
_AFTER_NAME = re.compile(
    rf"(?P<name>\S[^:\n]{{0,59}}?)[ \t]*(?:[ \t][—–-]|[ \t]{{2}}|\t)[ \t]*(?P<stamp>{_STAMP})[ \t]*$"
)
_IN_ANGLES = re.compile(rf"<(?P<name>[^<>\n]{{1,{_MOST_NAME}}})>[ \t]?")
_IN_BOLD = re.compile(
    rf"(?P<mark>\*\*|__|\*)(?P<name>[^*_\n:]{{1,{_MOST_NAME}}})(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*:)[ \t]*"
)
_IN_BRACKETS = re.compile(rf"\[(?P<name>[^\[\]\n:]{{1,{_MOST_NAME}}})\]:[ \t]+")
_PLAIN = re.compile(rf"(?P<name>[^\s:*<>\[\]#|>-][^:\n]{{0,{_MOST_NAME}}}):(?:[ \t]+|$)")
_ASIDE = re.compile(r"[ \t]*[(\[](?P<aside>[^()\[\]]{0,40})[)\]][ \t]*$")
_DATE_LINE = re.compile(rf"[\s#*_=—–-]*(?P<stamp>{_DAY})[\s*_=—–-]*$")
_PARTICLES = frozenset("of the von van de la le del da di du und and y ibn al bin der den af av den zu".split())
# Words before a colon in notes that are no names.
_NOT_NAMES = frozenset(
    """note notes treasure loot xp experience date time when where location place session players player present absent
    title summary recap previously scene chapter act goal goals quest quests hook hooks reward rewards clue clues todo
    to-do result results roll rolls initiative hp ac dc damage next plan plans reminder important warning example
    tags aliases status type kind npcs npc monsters items setting premise cast characters attendance http https
    spoiler spoilers secret""".split()
)
GAME_MASTERS = frozenset(
    {"gm", "dm", "game master", "gamemaster", "dungeon master", "narrator", "keeper", "storyteller", "referee", "mc"}
)
_GM = r"(?:gm|dm|game[ -]?master|dungeon[ -]?master|keeper)"
_FOR_GM = rf"(?:(?:for )?{_GM}(?:['’]?s)?(?:[ -](?:only|note|notes|secret|secrets|eyes only|info))?|secrets?|spoilers?)"
_HIDDEN_HEAD = re.compile(
    rf"[ \t]*(?:[\[(][ \t]*{_FOR_GM}[ \t]*[\])][ \t]*:?|{_GM}(?:['’]?s)?[ -](?:only|notes?|secrets?|eyes only)[ \t]*:)"
    r"[ \t]*",
    re.IGNORECASE,
)
_TO_GM = re.compile(
    rf"(?:whispers?|whispering|privately|secretly|aside)?[ \t]*(?:to|->|→)[ \t]*(?:the )?{_GM}", re.IGNORECASE
)
_CALLOUT = re.compile(
    rf"[ \t]*>[ \t]*\[!(?:secret|secrets|spoiler|spoilers|hidden|{_GM}(?:[ -]?(?:only|notes?|secrets?))?)\][+-]?[ \t]*",
    re.IGNORECASE,
)
_HIDDEN_HEADING = re.compile(
    rf"(?:{_GM}(?:['’]?s)?(?:[ -](?:only|notes?|secrets?|eyes only|info|information|section|prep|preparations?))?|"
    r"secrets?(?: and .{0,40})?|spoilers?|behind the screen|hidden(?: .{0,20})?)[ \t]*:?[ \t]*$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ \t]{0,3}(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)$")
_RULE = re.compile(r"[ \t]*(?:[-*_=~][ \t]?){3,80}[ \t]*$")
_OPENS_INLINE = re.compile(rf"%%|<!--|[\[(][ \t]*{_FOR_GM}[ \t]*:", re.IGNORECASE)
_BRACKET = re.compile(r"[\[\]()]")
_CLOSES = {"%%": "%%", "<!--": "-->"}
_BOTH_WAYS = re.compile(
    r"(?P<one>[0-9]{1,2})[/.](?P<two>[0-9]{1,2})[/.](?P<year>[0-9]{4}|[0-9]{2})(?P<rest>.*)", re.DOTALL
)
_LONG_BEFORE = timedelta(hours=6)


class NameMarking(StrEnum):
    """The markup of a name. Only `plain` and `bold` text might not be a name."""

    PLAIN = "plain"
    BOLD = "bold"
    ANGLES = "angles"
    ABOVE = "above"


@dataclass(frozen=True, slots=True)
class Head:
    """The part before the words of a line: `mark` is all of it, `stamp` its time. `NameMarking.ABOVE`: the words are in
    the lines below."""

    form: NameMarking
    name: str
    mark: str
    rest: str
    stamp: str = ""
    is_hidden: bool = False


# ── speakers ─────────────────────────────────────────────────────────────────────────────────────


def small_names(lines: Iterable[str], known: Collection[str] = ()) -> frozenset[str]:
    """Speakers who write their names in lower case, as in chats: known ones, and those who begin several lines."""
    begun = (line[:_LOOKED_AT].strip() for line in lines)
    found = (_PLAIN.match(line, lead.end() if (lead := _LEAD.match(line)) else 0) for line in begun)
    names = Counter(each["name"] for each in found if each and each["name"].islower() and each["name"].isidentifier())
    return frozenset(
        name for name, number in names.items() if name not in _NOT_NAMES and (number >= _LEAST_LINES or name in known)
    )


def head_of(line: str, small: Collection[str] = ()) -> Head | None:
    """The possible speaker of this line. `small`: names in lower case."""
    begun = line[:_LOOKED_AT]
    if not begun or begun.isspace():
        return None
    is_stamped = len(line) < _LOOKED_AT and begun.rstrip()[-1] in "0123456789Mm."
    if is_stamped and (above := _AFTER_NAME.match(begun.strip())):
        name = above["name"].strip()
        has_day = re.search(r"[0-9]{4}|day at", above["stamp"]) is not None
        if _is_plain_name(name) or (has_day and len(name.split()) <= 3):
            return Head(NameMarking.ABOVE, name, line, "", above["stamp"])
    lead = _LEAD.match(begun)
    stamp = (lead["boxed"] or lead["bare"]) if lead else ""
    at = lead.end() if lead else len(begun) - len(begun.lstrip(" \t"))
    for form, pattern in _FORMS:
        found = pattern.match(begun, at)
        if found is not None and (head := _head(form, found["name"], line, found.end(), stamp, small)):
            return head
    return None


_FORMS = (
    (NameMarking.ANGLES, _IN_ANGLES),
    (NameMarking.BOLD, _IN_BOLD),
    (NameMarking.PLAIN, _IN_BRACKETS),
    (NameMarking.PLAIN, _PLAIN),
)


def _head(form: NameMarking, named: str, line: str, end: int, stamp: str, small: Collection[str]) -> Head | None:
    aside = _ASIDE.search(named)
    name = (named[: aside.start()] if aside else named).strip().lstrip("@+%~&")
    if form is not NameMarking.ANGLES and name not in small and not _is_plain_name(name):
        return None
    is_hidden = bool(aside and _TO_GM.search(aside["aside"]))
    return Head(form, name, line[:end], line[end:], stamp, is_hidden) if name else None


def _is_plain_name(name: str) -> bool:
    words = name.split()
    if not 1 <= len(words) <= 5 or len(name) > 40 or name.casefold() in _NOT_NAMES or words[0].casefold() in _NOT_NAMES:
        return False
    if name.casefold() in GAME_MASTERS:
        return True
    first, last = name[0], name[-1]
    if not first.isalpha() or first.islower() or not (last.isalnum() or last in ".’'”\""):
        return False
    return all(not word[0].isalpha() or not word[0].islower() or word in _PARTICLES for word in words[1:])


def acts(line: str, is_known: Callable[[str], bool]) -> Head | None:
    """Reads `* Pia opens the door`, if Pia is a known speaker."""
    found = re.match(r"[ \t]*\*{1,3}[ \t]+(?P<name>[^\s*:]{1,60})[ \t]+(?=\S)", line[:_LOOKED_AT])
    if found is None or not is_known(found["name"]):
        return None
    return Head(NameMarking.ANGLES, found["name"], line[: found.end()], line[found.end() :])


# ── visibility ───────────────────────────────────────────────────────────────────────────────────


def hidden_mark(text: str) -> str:
    """The mark at its beginning that limits it to the game master, or an empty text."""
    found = _HIDDEN_HEAD.match(text[:_LOOKED_AT])
    return found[0] if found else ""


def callout_mark(line: str) -> str:
    """The mark of a callout for the game master, or an empty text."""
    found = _CALLOUT.match(line[:_LOOKED_AT])
    return found[0] if found else ""


def heading_of(line: str) -> tuple[int, str] | None:
    """The level and the title of a heading."""
    found = _HEADING.match(line) if "#" in line[:8] else None
    return (len(found["marks"]), found["title"].strip(" #*_\t")) if found else None


def is_hidden_title(title: str) -> bool:
    return len(title) < _LOOKED_AT and _HIDDEN_HEADING.match(title) is not None


def is_rule(line: str) -> bool:
    """Whether the line is a horizontal rule."""
    return len(line) < _LOOKED_AT and _RULE.match(line) is not None


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    text: str
    is_hidden: bool


def pieces_of(line: str, closing: str) -> tuple[list[MarkedPiece], str]:
    """Splits a line into pieces; those within comments and game master's brackets are hidden. `closing`: the mark that
    ends the comment at the start of the line; the result has the one for the end of the line."""
    pieces: list[MarkedPiece] = []
    at = 0
    while at < len(line):
        if closing:
            end = line.find(closing, at)
            pieces.append(MarkedPiece(line[at:] if end < 0 else line[at:end], True))
            at = len(line) if end < 0 else end + len(closing)
            closing = closing if end < 0 else ""
            continue
        opened = _OPENS_INLINE.search(line, at)
        # A bracket at the beginning marks the whole line.
        pieces.append(MarkedPiece(line[at : opened.start()] if opened else line[at:], False))
        if opened is None:
            break
        closing = _CLOSES.get(opened[0], "")
        at = opened.end()
        if not closing:
            at = _end_of_bracket(line, opened.start())
            pieces.append(MarkedPiece(line[opened.start() : at], True))
    return [each for each in pieces if each.text], closing


def _end_of_bracket(line: str, at: int) -> int:
    """The position after the matching bracket; without one, the end of the line."""
    depth = 0
    for found in _BRACKET.finditer(line, at):
        depth += 1 if found[0] in "[(" else -1
        if depth == 0:
            return found.end()
    return len(line)


# ── times ────────────────────────────────────────────────────────────────────────────────────────


def date_of(line: str) -> str:
    """The date of a line that contains nothing else."""
    found = _DATE_LINE.match(line) if len(line) < 80 else None
    return found["stamp"] if found else ""


def boxed_stamp(line: str) -> tuple[str, str]:
    """The time in brackets before a line without a speaker, and the text that it takes up."""
    found = _LEAD.match(line[:_LOOKED_AT])
    return (found["boxed"], found[0]) if found and found["boxed"] else ("", "")


def order_of(stamps: list[str]) -> str:
    """Whether the "month" or the "day" is first in dates such as 4/5/2026, judging by all dates in the file."""
    found = [each for each in (_BOTH_WAYS.match(stamp) for stamp in stamps) if each]
    if any(int(each["one"]) > 12 for each in found):
        return "day"
    if any(int(each["two"]) > 12 for each in found):
        return "month"
    return "month" if any(re.search(r"[AaPp]\.?[Mm]", each["rest"]) for each in found) else ""


class Watch:
    """Reads the times of a log in order: one without a date has the date of the one before it."""

    def __init__(self, order: str, day: date | None = None) -> None:
        self._order = order
        self._day = day
        self._last: datetime | None = None

    def read(self, stamp: str) -> datetime | None:
        at = self._whole(stamp) or self._clock(stamp)
        if at is not None:
            self._day, self._last = at.date(), at
        return at

    def _whole(self, stamp: str) -> datetime | None:
        both = _BOTH_WAYS.fullmatch(stamp)
        if both is None:
            return read_time(stamp)
        if not self._order:
            return None
        one, two, year = int(both["one"]), int(both["two"]), int(both["year"])
        month, day = (one, two) if self._order == "month" else (two, one)
        year += 2000 if year < 100 else 0
        clock = both["rest"].strip(", ").removeprefix("at ")
        return _at(f"{year:04}-{month:02}-{day:02}", clock)

    def _clock(self, stamp: str) -> datetime | None:
        if self._day is None or not re.fullmatch(_CLOCK, stamp):
            return None
        at = _at(self._day.isoformat(), stamp)
        if (
            at is not None
            and self._last is not None
            and at.replace(tzinfo=self._last.tzinfo) < self._last - _LONG_BEFORE
        ):
            return at + timedelta(days=1)
        return at


def _at(day: str, clock: str) -> datetime | None:
    """A naive time, because the text has no time zone."""
    try:
        midnight = datetime.fromisoformat(day)
    except ValueError:
        return None
    if not clock:
        return midnight
    # With the month as a word, `read_time` can parse it without ambiguity.
    return read_time(f"{midnight:%B} {midnight.day}, {midnight.year} {clock}")
