"""Sentences typed without "I": "got fired", "been renting since", "doing a masters", "originally from Leeds".

In: the words of a part that names no subject. Out: the words that were left out behind "I" ("am", "have"), which may be
none, or None where somebody else or nobody is the subject. An order ("play jazz") and a noun ("running is fun") are
never taken for a statement.

Start at `dropped`.
"""

from collections.abc import Sequence

from everlore.language.lists import listed, tabled
from everlore.learning.clauses.tokens import ClauseToken, is_month
from everlore.learning.clauses.words import AUXILIARIES, BE, TASTES, THIRD_PERSON_VERBS, WOULD, is_past_form

_AM = (ClauseToken("am", "am", 0, 0),)
_WAS = (ClauseToken("was", "was", 0, 0),)
_HAVE = (ClauseToken("have", "have", 0, 0),)
_FRONT = listed("grammar.before_a_verb")
_AFTER = tabled("verbs.after_without_i")
_NEVER_ORDERED = frozenset("still usually mostly mainly currently".split())
_HABITS = listed("verbs.without_i")
_DENIED = listed("verbs.denied_without_i")
_STATES = listed("traits.without_am")
_LED_ON = listed("grammar.leading_on")
_MADE = frozenset("born raised diagnosed".split())
_DONE_TO = listed("life.done_to_them")
_NO_GERUND = listed("verbs.no_gerunds")
_ONES = frozenset("a an two three four some one".split())
_NO_PLACES = frozenset("the my what now there here then time".split())
_NO_TASTE = BE | frozenset("the by from and , you at to".split())
# "won a prize" and not "added by", "thanked be", "used by".
_NO_OBJECT = BE | frozenset("by you it he she they there , and".split())
# What makes a gerund the subject of something else: "running is fun", "working from home sucks".
_SAID_OF_A_THING = (
    (AUXILIARIES - {"going"})
    | WOULD
    | frozenset(word for word in THIRD_PERSON_VERBS if word.endswith("s"))
    | listed("verbs.said_of_a_thing")
)


def dropped(tokens: Sequence[ClauseToken]) -> tuple[ClauseToken, ...] | None:
    front = 0
    while front < min(3, len(tokens) - 1) and tokens[front].low in _FRONT:
        front += 1
    words = tuple("" if is_month(tokens, place) else tokens[place].low for place in range(front, len(tokens)))
    if not words or not {"you", "your", "yours"}.isdisjoint(words[:3]):
        return None
    low, after = words[0], words[1] if len(words) > 1 else ""
    if low == "not" or words[:2] == ("no", "longer"):
        return _AM
    if after == "not":
        is_told = low in {"have", "did", "can", "was", "had"} or (low == "do" and not _DENIED.isdisjoint(words[2:3]))
        return () if is_told else None
    # "still eat fish": an order states nothing.
    is_habit = front and tokens[front - 1].low in _NEVER_ORDERED and low in _HABITS and after
    implied = None if is_habit else _implied(words, low, after)
    return () if is_habit or (implied is None and _is_told(words, low, after)) else implied


def _implied(words: Sequence[str], low: str, after: str) -> tuple[ClauseToken, ...] | None:
    if (low == "been" and after) or (low == "got" and (after in _ONES or after[:1].isdecimal())):
        return _HAVE
    if low in _DONE_TO and after in _LED_ON | {"last", "this", ""}:
        return _WAS
    if low in _STATES:
        is_place = low == "from" and after not in _NO_PLACES
        is_state = after in _LED_ON | {""} or low in {"into", "lactose", "gluten"} or is_place
        return (_WAS if low in _MADE else _AM) if is_state and BE.isdisjoint(words) else None
    is_gerund = low.endswith("ing") and low not in _NO_GERUND and len(low) >= len("thing")
    is_own = after not in {"", ",", "and", "or", ">"} and _SAID_OF_A_THING.isdisjoint(words[1:])
    return _AM if is_gerund and is_own else None


def _is_told(words: Sequence[str], low: str, after: str) -> bool:
    """ "love hiking", "got fired", "am a nurse": nothing is left out but "I"."""
    if low in _STATES or (low.endswith("ing") and low not in _NO_GERUND and after):
        return False
    if low in TASTES or low in _AFTER:
        return after in _AFTER.get(low, {after} - _NO_TASTE - {""}) - _NO_TASTE
    is_past = low in {"was", "had", "did"} or is_past_form(low)
    is_deed = is_past and after and after not in _NO_OBJECT and {"is", "are", "was", "has"}.isdisjoint(words[1:5])
    return bool(is_deed) or (low == "am" and after in _LED_ON | {"a", "an"})
