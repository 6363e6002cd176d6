"""Sentences typed without "I": "got fired", "been renting since", "doing a masters", "originally from Leeds".

In: the words of a part that names no subject. Out: the words that were left out behind "I" ("am", "have"), which may be
none, or None where somebody else or nobody is the subject. An order ("play jazz") and a noun ("running is fun") are
never taken for a statement.

Start at `dropped`.
"""

from collections.abc import Sequence

from everlore.language.lists import listed, tabled
from everlore.learning.clauses.tokens import Token, is_month
from everlore.learning.clauses.words import AUXILIARIES, BE, TASTES, THIRD_PERSON_VERBS, WOULD, is_past_form

_AM = (Token("am", "am", 0, 0),)
_WAS = (Token("was", "was", 0, 0),)
_HAVE = (Token("have", "have", 0, 0),)
_FRONT = listed("grammar.before_a_verb")
_AFTER = tabled("verbs.after_without_i")
_NEVER_ORDERED = frozenset("still usually mostly mainly currently".split())
_HABITS = listed("verbs.without_i")
_DENIED = listed("verbs.denied_without_i")
_STATES = listed("traits.without_am")
_NEEDING_MORE = listed("traits.needing_more")
_LED_ON = listed("grammar.leading_on")
_MADE = frozenset("born raised diagnosed".split())
_DONE_TO = listed("life.done_to_them")
_NO_GERUND = listed("verbs.no_gerunds")
# What makes a gerund the subject of something else: "running is fun", "working from home sucks".
_SAID_OF_A_THING = (
    (AUXILIARIES - {"going"})
    | WOULD
    | (THIRD_PERSON_VERBS & frozenset(word for word in THIRD_PERSON_VERBS if word.endswith("s")))
    | listed("verbs.said_of_a_thing")
)
_PERSONS_OF_OTHERS = frozenset({"your", "yours", "you"})


def dropped(tokens: Sequence[Token]) -> tuple[Token, ...] | None:
    front = 0
    while front < min(3, len(tokens) - 1) and tokens[front].low in _FRONT:
        front += 1
    words = tuple("" if is_month(tokens, place) else tokens[place].low for place in range(front, len(tokens)))
    if not words or not _PERSONS_OF_OTHERS.isdisjoint(words[:3]):
        return None
    if words[0] == "not" or words[:2] == ("no", "longer"):
        return _AM if _is_denied_state(words[2 if words[0] == "no" else 1 :]) else None
    if words[1:2] == ("not",):
        return () if _denies(words) else None
    if front and tokens[front - 1].low in _NEVER_ORDERED and words[0] in _HABITS and len(words) > 1:
        # "still eat fish": whoever gives an order does not say so.
        return ()
    return _implied(words, tokens[front])


def _implied(words: Sequence[str], first: Token) -> tuple[Token, ...] | None:
    low, after = words[0], words[1] if len(words) > 1 else ""
    if low == "been":
        return _HAVE if after else None
    if low == "got" and (after in {"a", "an", "two", "three", "four", "some", "one"} or after[:1].isdecimal()):
        return _HAVE
    if low == "retired" and after in {"last", "early", "at", "this"}:
        return ()
    if low in _DONE_TO and after in _LED_ON | {"last", "this", ""}:
        return _WAS
    if low in _STATES:
        return _state(words)
    if _is_gerund(words):
        return _AM
    if low in TASTES or low in _AFTER:
        return () if _is_taste(words) else None
    if low in {"was", "had", "did"}:
        return () if _is_finite_past(words) else None
    if (low == "am" and after in _LED_ON | {"a", "an"}) or (low == "will" and after == "be"):
        return ()
    if is_past_form(low) and after and _is_finite_past(words) and not (first.is_capital and _looks_titled(words)):
        return ()
    return None


def _state(words: Sequence[str]) -> tuple[Token, ...] | None:
    after = words[1] if len(words) > 1 else ""
    if words[0] in _NEEDING_MORE and after not in _LED_ON and words[0] != "into":
        return None
    if words[0] == "from" and (not after or after in {"the", "my", "what", "now", "there", "here", "then", "time"}):
        return None
    if words[0] == "married" and after in {"my", "her", "him", "the"}:
        return ()
    if after and after not in _LED_ON and words[0] not in {"into", "from", "lactose", "gluten"}:
        return None
    if not BE.isdisjoint(words) or (words[0] == "into" and not after):
        return None
    return _WAS if words[0] in _MADE else _AM


def _is_taste(words: Sequence[str]) -> bool:
    low, after = words[0], words[1] if len(words) > 1 else ""
    if words[:2] == ("work", "in") and words[2:3] in {("a",), ("an",)}:
        return _SAID_OF_A_THING.isdisjoint(words[1:])
    if low in _AFTER:
        return after in _AFTER[low]
    return bool(after) and after not in {"is", "the", "by", "from", "and", ",", "you", "at", "to"} | BE


def _is_gerund(words: Sequence[str]) -> bool:
    low = words[0]
    if not low.endswith("ing") or len(low) < 5 or low in _NO_GERUND or len(words) < 2:
        return False
    return words[1] not in {",", "and", "or", ">"} and _SAID_OF_A_THING.isdisjoint(words[1:])


def _is_denied_state(words: Sequence[str]) -> bool:
    """ "not a fan of", "not working", "no longer married"."""
    if not words or not BE.isdisjoint(words):
        return False
    return words[0] in _STATES or _is_gerund(words) or (words[0] in {"a", "an"} and len(words) > 1)


def _denies(words: Sequence[str]) -> bool:
    verb = next((word for word in words[2:4] if word not in _FRONT), "")
    if words[0] == "do":
        return words[2:3] != () and (words[2] in _DENIED and verb != "" and (verb in _DENIED or words[2] == verb))
    return words[0] in {"have", "did", "can", "was", "had"} and bool(verb) and verb not in {"you", "it", "that", "he"}


def _is_finite_past(words: Sequence[str]) -> bool:
    """ "won a prize" and not "added by", "thanked be", "used by"."""
    after = words[1] if len(words) > 1 else ""
    return after not in {"by", "is", "are", "was", "be", "you", "it", "he", "she", "they", "there", ",", "and", ""}


def _looks_titled(words: Sequence[str]) -> bool:
    """ "Lost is my favorite show": what has a finite verb behind it is a name."""
    return any(word in {"is", "are", "was", "has"} for word in words[1:5])
