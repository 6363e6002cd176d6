"""Recognizes sentences without "I": "got fired", "been renting since", "doing a masters", "originally from Leeds".

In: the words of a part without a subject. Out: the words left out after "I" ("am", "have"), possibly none; None if the
subject is someone or something else. An order ("play jazz") or a noun ("running is fun") is never taken for a
statement.

Start at `dropped`.
"""

from collections.abc import Sequence

from everlore.language.lists import listed
from everlore.learning.clauses.tokens import ClauseToken, is_month
from everlore.learning.clauses.words import AUXILIARIES, BE, TASTES, THIRD_PERSON_VERBS, WOULD, is_past_form

_AM = (ClauseToken("am", "am", 0, 0),)
_WAS = (ClauseToken("was", "was", 0, 0),)
_HAVE = (ClauseToken("have", "have", 0, 0),)
_FRONT = listed("grammar.before_a_verb")
_DENYING = frozenset({"have", "did", "can", "was", "had"})
_DENIED = listed("verbs.denied_without_i")
_STATES = listed("traits.without_am")
_LED_ON = listed("grammar.leading_on")
_SURE_STATES = frozenset({"into", "lactose", "gluten"})
_NO_OBJECT_OF_GERUND = frozenset({"", ",", "and", "or", ">"})
_MADE = frozenset("born raised diagnosed".split())
_DONE_TO = listed("life.done_to_them")
_NO_GERUND = listed("verbs.no_gerunds")
_ONES = frozenset("a an two three four some one".split())
_NO_PLACES = frozenset("the my what now there here then time".split())
_NO_TASTE = BE | {""} | frozenset("the by from and , you at to".split())
# Words after a verb that make it a passive or a fragment: "won a prize", but not "added by", "used by".
_NO_OBJECT = BE | frozenset("by you it he she they there , and".split())
# Verbs that make a gerund a subject: "running is fun", "working from home sucks".
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
    low, after = (*words, "")[:2]
    if low == "not" or words[:2] == ("no", "longer"):
        return _AM
    if after == "not":
        return () if low in _DENYING or (low == "do" and words[2:3] and words[2] in _DENIED) else None
    implied = _implied(words, low, after)
    return () if implied is None and _is_told(words, low, after) else implied


def _implied(words: Sequence[str], low: str, after: str) -> tuple[ClauseToken, ...] | None:
    is_one = after in _ONES or after[:1].isdecimal()
    if (low == "been" and after) or (low == "got" and is_one):
        return _HAVE
    if low in _DONE_TO and after in _LED_ON | {"last", "this", ""}:
        return _WAS
    if low in _STATES and BE.isdisjoint(words):
        is_state = after in _LED_ON | {""} or low in _SURE_STATES or (low == "from" and after not in _NO_PLACES)
        return (_WAS if low in _MADE else _AM) if is_state else None
    return _AM if _is_going_on(words, low, after) else None


def _is_going_on(words: Sequence[str], low: str, after: str) -> bool:
    """ "doing a masters", but not "running is fun"."""
    is_gerund = low.endswith("ing") and low not in _NO_GERUND | _STATES and len(low) >= len("thing")
    return is_gerund and after not in _NO_OBJECT_OF_GERUND and _SAID_OF_A_THING.isdisjoint(words[1:])


def _is_told(words: Sequence[str], low: str, after: str) -> bool:
    """ "love hiking", "got fired", "am a nurse": only "I" is missing."""
    if low in _STATES or (low.endswith("ing") and low not in _NO_GERUND and after):
        return False
    if low in TASTES:
        return after not in _NO_TASTE
    is_past = low in {"was", "had", "did"} or is_past_form(low)
    is_deed = is_past and after and after not in _NO_OBJECT and {"is", "are", "was", "has"}.isdisjoint(words[1:5])
    return bool(is_deed) or (low == "am" and after in _LED_ON | {"a", "an"})
