"""What a character should know when somebody comes back after a while (V16): the length of the pause, open questions.

Takes the messages of a conversation and the time. Returns a note for the first turn after a pause, and nothing for any
other turn. Start at `welcome_note`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from everlore.domain.conversation import Author, Message
from everlore.domain.display import display

_SHORTEST = timedelta(hours=1)
_MOST_QUOTED = 300


class Absence(StrEnum):
    CONTINUING = "continuing"
    RECENT = "recent"
    CATCHING_UP = "catching_up"
    WELCOME_BACK = "welcome_back"


_UP_TO = (
    (timedelta(days=1), Absence.CONTINUING),
    (timedelta(days=7), Absence.RECENT),
    (timedelta(days=30), Absence.CATCHING_UP),
)
_MANNER = {
    Absence.CONTINUING: "Go on where you were; no new introduction is needed.",
    Absence.RECENT: "Pick up the thread in a few words.",
    Absence.CATCHING_UP: "Say in a few words that it has been a while, and come back to what was open.",
    Absence.WELCOME_BACK: "Welcome the user back, recall what you last spoke about, and ask what has happened since.",
}
_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


def welcome_note(history: Sequence[Message], now: datetime) -> str:
    """Empty if the conversation just continues. A user message at the end of `history` is the one to answer."""
    is_answer = bool(history) and history[-1].author is Author.USER
    before, at = (history[:-1], history[-1].created_at) if is_answer else (history, now)
    if not before:
        return ""
    gap = at - before[-1].created_at
    absence = absence_after(gap)
    if absence is None:
        return ""
    parts = [f"It has been {how_long(gap)} since you last spoke with the user.", _MANNER[absence], _open(before)]
    return " ".join(part for part in parts if part)


def absence_after(gap: timedelta) -> Absence | None:
    """None for a pause within a conversation."""
    if gap < _SHORTEST:
        return None
    return next((absence for most, absence in _UP_TO if gap <= most), Absence.WELCOME_BACK)


def how_long(gap: timedelta) -> str:
    """In the largest unit that fits, rounded down: "5 hours", "a day", "2 weeks"."""
    for days, unit in _UNITS:
        if gap.days >= days:
            return _count(gap.days // days, unit, "a")
    return _count(int(gap.total_seconds() // 3_600), "hour", "an")


def _count(number: int, unit: str, one: str) -> str:
    return f"{one} {unit}" if number == 1 else f"{number} {unit}s"


def _open(before: Sequence[Message]) -> str:
    """The question that was left unanswered, or else the last thing that the user said."""
    last = before[-1]
    said = _quoted(last)
    if last.author is Author.ASSISTANT and said.endswith("?"):
        return f'You had asked: "{said}"'
    users = next((each for each in reversed(before) if each.author is Author.USER), None)
    words = _quoted(users) if users is not None else ""
    return f'The last thing the user said was: "{words}"' if words else ""


def _quoted(message: Message) -> str:
    text = " ".join(display(message.content).text.split())
    return text if len(text) <= _MOST_QUOTED else "… " + text[-_MOST_QUOTED:].partition(" ")[2]
