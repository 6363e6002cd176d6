"""Sentences typed without "I": "got fired", "been renting since", "doing a masters", "originally from Leeds".

In: the words of a part that names no subject. Out: the words that were left out behind "I" ("am", "have"), which may be
none, or None where somebody else or nobody is the subject. An order ("play jazz") and a noun ("running is fun") are
never taken for a statement.

Start at `dropped`.
"""

from collections.abc import Sequence

from everlore.language.clauses.tokens import Token, is_month
from everlore.language.clauses.words import AUXILIARIES, BE, TASTES, THIRD_PERSON_VERBS, WOULD, is_past_form

_AM = (Token("am", "am", 0, 0),)
_WAS = (Token("was", "was", 0, 0),)
_HAVE = (Token("have", "have", 0, 0),)
_FRONT = frozenset(
    "just really absolutely recently also currently now never always still finally already actually originally "
    "mostly mainly usually only once even totally literally honestly officially happily nearly almost proudly "
    "lately rather very quite definitely".split()
)
# … and with these only where the right word follows.
_AFTER = {
    "live": frozenset("in near with alone on by outside between".split()),
    "work": frozenset("at for as nights from part-time full-time remotely".split()),
    "have": frozenset("a an two three four five six no 2 3 4 5 6 type".split()),
    "own": frozenset("a an two three my".split()),
    "speak": frozenset({"fluent"}),
    "suffer": frozenset({"from", "with"}),
    "come": frozenset({"from"}),
    "want": frozenset({"to"}),
    "hope": frozenset({"to"}),
    "plan": frozenset({"to", "on"}),
    "used": frozenset({"to"}),
}
_NEVER_ORDERED = frozenset("still usually mostly mainly currently".split())
_HABITS = frozenset(
    "eat drink live work play read watch go drive ride run swim smoke bake cook sing paint write teach wear use take "
    "do have own train knit sew dance speak".split()
)
_DENIED = frozenset(
    "like enjoy eat drink smoke drive have own work live speak know care believe really even usually think want mind "
    "vote watch celebrate cook play date".split()
)
# With "am": what somebody is, was made, or feels for long.
_STATES = frozenset(
    "from allergic fluent born based deaf blind married engaged divorced widowed single retired pregnant vegan "
    "vegetarian bilingual dyslexic autistic diabetic colorblind colourblind left-handed teetotal addicted obsessed "
    "scared afraid terrified raised lactose coeliac celiac unemployed self-employed into "
    "intolerant sober gay bi trans proud fond partial keen hooked".split()
)
_NEEDING_MORE = frozenset(
    "into scared afraid terrified proud fond partial keen hooked obsessed addicted raised".split()
)
_LED_ON = frozenset("in to of on with at from by near as for and , since".split())
_MADE = frozenset("born raised diagnosed".split())
# What is done to somebody: with no object behind it, nobody did it to another.
_DONE_TO = frozenset(
    "diagnosed hospitalised hospitalized deployed stationed promoted evicted adopted fostered bullied orphaned "
    "sectioned arrested furloughed sacked fired hired homeschooled discharged prescribed".split()
)
_NO_GERUND = frozenset(
    "thing something nothing everything anything morning evening during king ring spring string wedding building "
    "interesting amazing boring meeting being including regarding according considering exciting annoying fucking "
    "freaking bloody depressing confusing ceiling clothing sibling darling pudding dumpling sterling outing "
    "speaking talking asking wondering kidding joking seeing given".split()
)
# What makes a gerund the subject of something else: "running is fun", "working from home sucks".
_SAID_OF_A_THING = (
    (AUXILIARIES - {"going"})
    | WOULD
    | (THIRD_PERSON_VERBS & frozenset(word for word in THIRD_PERSON_VERBS if word.endswith("s")))
    | frozenset(
        "sucks beats makes helps feels seems sounds gets takes costs gives means rocks blows hurts ruins saves "
        "requires involves 's".split()
    )
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
    if low == "got" and (after in {"a", "an", "two", "three", "four", "some", "one"} or after[:1].isdigit()):
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
    if low == "will" and after == "be":
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
