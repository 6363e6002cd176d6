"""Plans and goals that last: "I want to learn Spanish", "I plan to visit Iceland next summer". What somebody wants for
the next minute, or wants of the assistant, is none."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules.home import is_named_place
from everlore.reflect.rules.phrase import is_number, is_soon, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.verbs import base_of_gerund
from everlore.reflect.rules.words import AIM_OBJECTS, AIMS, KEPT, MONTHS, NO_KIND, WORKS, words

_MOST = 14
_NO_AIM = words(
    "more something anything everything nothing it that this you your better them him one here there what how about "
    "why where some"
)
_STORY = words(
    "story game chat conversation character roleplay scene poem essay email regex function script code song app quiz "
    "test adventure campaign session homework"
)


_WITH_THE_IDEA = ("with", "the", "idea", "of")


@rule
def stated(said: Said) -> list[Candidate]:
    if said.is_denied and said.verb == "want" and said.tense is Tense.PRESENT:
        held = value(said.rest)
        is_kept = 0 < len(held) <= 3 and held[-1].low in KEPT
        return said.tells(held, Category.GOAL, "Says whom they do not want.", confidence=0.9) if is_kept else []
    if said.is_denied or not said.rest:
        return []
    if said.verb in {"want", "hope", "plan", "aim", "intend", "aspire"} and said.tense in {
        Tense.PRESENT,
        Tense.GOING,
        Tense.LONG,
        Tense.PERFECT,
    }:
        return _wanting(said)
    if said.tense is Tense.WOULD and said.verb in {"love", "like"} and said.next == "to":
        return _aimed(said, said.rest[1:], f"would {said.verb} to", 0.85)
    if said.verb == "dream" and said.next in {"of", "about"}:
        return _gerund(said, said.rest[1:], f"{_verb(said)} {said.next}")
    if said.verb == "go" and said.tense is Tense.GOING:
        return _going(said)
    if said.verb == "decide" and said.tense in {Tense.PAST, Tense.PERFECT} and said.next == "to":
        return _aimed(said, said.rest[1:], f"{_verb(said)} to", 0.9)
    if said.verb == "toy" and said.tense in {Tense.GOING, Tense.LONG} and lows(said.rest[:4]) == _WITH_THE_IDEA:
        return _gerund(said, said.rest[4:], "is thinking about")
    if said.verb == "consider" and said.tense in {Tense.GOING, Tense.LONG}:
        return _gerund(said, said.rest, _verb(said))
    if said.verb == "think" and said.tense in {Tense.GOING, Tense.LONG} and said.next in {"of", "about"}:
        return [replace(each, confidence=0.8) for each in _gerund(said, said.rest[1:], f"{_verb(said)} {said.next}")]
    if said.tense is Tense.FUTURE:
        return _will(said)
    if said.verb in {"save", "train", "study", "prepare", "apply", "look", "work"} and said.tense in {
        Tense.GOING,
        Tense.LONG,
    }:
        return _preparing(said)
    if said.verb == "try" and said.tense in {Tense.GOING, Tense.LONG} and said.next == "to":
        return (
            _aimed(said, said.rest[1:], f"{_verb(said)} to", 0.9)
            if said.rest[1:2] and said.rest[1].low in _TRIED
            else []
        )
    return []


_TRIED = words("learn lose quit become save stop get cut improve buy be go have move give eat")


def _verb(said: Said) -> str:
    return said.head().removeprefix(said.label).strip()


@rule
def _wanting(said: Said) -> list[Candidate]:
    if said.next == "to":
        return _aimed(said, said.rest[1:], f"{_verb(said)} to", 0.95)
    if said.verb == "plan" and said.next == "on":
        return _gerund(said, said.rest[1:], f"{_verb(said)} on")
    if said.verb == "plan" and said.tense is Tense.GOING and said.next in {"a", "my", "our"}:
        held = value(said.rest, keep_when=True)
        is_trip = any(token.low in {"trip", "wedding", "vacation", "move", "holiday", "honeymoon"} for token in held)
        return (
            said.tells(held, Category.GOAL, "Says what they plan.", confidence=0.9)
            if is_trip and not is_soon(held)
            else []
        )
    if said.verb == "want" and said.tense is Tense.PRESENT:
        held = value(said.rest)
        is_kept = (
            held and len(held) <= 6 and held[-1].low in KEPT - {"doctor", "manager", "boss", "teacher", "fish"}
        ) or (held and held[-1].low in {"someday"} and held[0].low in KEPT)
        return (
            said.tells(held, Category.GOAL, "Says what they want to have.", confidence=0.85)
            if is_kept and not is_soon(held)
            else []
        )
    return []


@rule
def _aimed(said: Said, rest: Sequence[Token], head: str, confidence: float) -> list[Candidate]:
    """ "… to learn Spanish": a verb of a lasting goal, with an object that is one."""
    if len(rest) > 1 and rest[0].low == "go" and (rest[1].low in AIMS - {"back"} or rest[1].low == "and"):
        rest = rest[2:] if rest[1].low == "and" else rest[1:]
    while rest and rest[0].low in {"eventually", "someday", "one", "day", "really", "finally", "also"}:
        rest = rest[1:]
    while rest and rest[-1].low in {"for", "a", "the"}:
        # "for a while" was taken for the start of another clause.
        rest = rest[:-1]
    held = value(rest, keep_when=True)
    if not held or len(held) > _MOST or not is_aim(held) or is_soon(held):
        return []
    return said.tells(held, Category.GOAL, "Says what they want to do.", head=head, confidence=confidence)


_WITH_ANY_OBJECT = words(
    "quit lose visit learn study become adopt improve move master own climb explore publish attend join pursue"
)


def is_aim(held: Sequence[Token]) -> bool:
    verb, rest = held[0].low, held[1:]
    near = lows(rest[:6])
    if (
        verb not in AIMS
        or (
            rest
            and rest[0].low in _NO_AIM
            and verb not in {"get", "live"}
            and not (verb == "learn" and near[:2] == ("how", "to"))
        )
        or not _STORY.isdisjoint(near)
    ):
        return False
    if verb == "get" and near[:2] == ("better", "at"):
        return len(near) > 2 and near[2] not in _NO_AIM
    if verb == "see" and len(rest) > 1 and any(token.is_capital for token in rest[1:]):
        return True
    if verb in AIM_OBJECTS:
        return not AIM_OBJECTS[verb].isdisjoint(lows(rest[:8])) and not (
            verb == "get" and near[:1] == ("a",) and near[1:2] == ("job",) and len(near) > 9
        )
    if verb == "visit" and near[:1] == ("my",):
        return _is_dated(held)
    if verb == "be":
        return _is_to_be(rest)
    if verb == "go":
        return _is_to_go(rest)
    if verb in {"live", "work"}:
        return (
            bool(rest)
            and rest[0].low in {"in", "as", "at", "for", "abroad", "on", "by", "near", "with", "from"}
            and "with" not in near[:1]
        )
    if verb in _WITH_ANY_OBJECT:
        return (
            bool(rest)
            and not (verb == "learn" and near[:2] in {("more", "about"), ("about", "this")})
            and not (verb in {"improve", "publish"} and rest[0].low in {"this", "the"})
        )
    return True


_TO_BE = words("a an the fluent married debt-free fit healthier famous rich independent")


def _is_to_be(rest: Sequence[Token]) -> bool:
    """ "to be a doctor", "to be fluent in French": what one becomes, and no mood."""
    if not rest or rest[0].low not in _TO_BE:
        return False
    return not any(token.low in NO_KIND - {"good", "bad", "hero", "member", "king"} for token in rest[1:3]) or any(
        token.low in WORKS for token in rest
    )


_BACK_TO = words("school college university uni work teaching nursing studying")


def _is_to_go(rest: Sequence[Token]) -> bool:
    near = lows(rest[:5])
    if near[:1] == ("back",):
        return (near[1:2] == ("to",) and near[2:3] and near[2] in _BACK_TO) or is_named_place(rest[2:])
    if near[:1] == ("to",):
        return is_named_place(rest[1:]) or any(
            word in {"college", "university", "school", "grad", "med", "law", "culinary"} for word in near[1:4]
        )
    return near[:1] in {("skydiving",), ("abroad",), ("vegan",), ("backpacking",), ("freelance",)} and True


@rule
def _gerund(said: Said, rest: Sequence[Token], head: str) -> list[Candidate]:
    """ "I dream of opening a bakery"."""
    held = value(rest, keep_when=True)
    base = base_of_gerund(held[0].low) if held else None
    if base is None or len(held) > _MOST or is_soon(held):
        return []
    as_aim = (Token(base, base, held[0].start, held[0].end), *held[1:])
    return (
        said.tells(held, Category.GOAL, "Says what they dream of or plan.", head=head, confidence=0.9)
        if is_aim(as_aim)
        else []
    )


@rule
def _going(said: Said) -> list[Candidate]:
    """ "I'm going to visit Iceland", "I'm going to Iceland next summer"; not "I'm going to bed"."""
    if said.next == "back" and _is_to_go(said.rest):
        return said.tells(value(said.rest, keep_when=True), Category.GOAL, "Says where they will go.", confidence=0.9)
    if said.next != "to" or len(said.rest) < 2:
        return []
    after = said.rest[1:]
    if is_named_place(after):
        held = value(after, keep_when=True)
        is_told = held and not is_soon(held) and len(held) <= 10
        return (
            said.tells(
                f"to {shown(held)}", Category.GOAL, "Says where they will go.", head=f"{_verb(said)}", confidence=0.9
            )
            if is_told
            else []
        )
    return _aimed(said, after, f"{_verb(said)} to", 0.9)


@rule
def _will(said: Said) -> list[Candidate]:
    base = Token(said.verb, said.verb, 0, 0)
    held = value(said.rest, keep_when=True)
    if not held or len(held) > _MOST or is_soon(held) or not _is_dated(held) or not is_aim((base, *held)):
        return []
    return said.tells(held, Category.GOAL, "Says what they will do.", confidence=0.9)


@rule
def _preparing(said: Said) -> list[Candidate]:
    """ "I'm saving up for a house", "I'm training for a marathon", "I'm studying to become a doctor"."""
    words_ = lows(said.rest)
    held = value(said.rest, keep_when=True)
    if not held or len(held) > 10 or is_soon(held):
        return []
    is_told = (
        (said.verb == "save" and "for" in words_[:3])
        or (
            said.verb in {"train", "prepare"}
            and words_[0] == "for"
            and not {"test", "exam", "interview", "meeting"} & set(words_)
        )
        or (said.verb == "study" and words_[:2] in {("to", "be"), ("to", "become")})
        or (
            said.verb == "look"
            and words_[0] == "for"
            and len(words_) < 7
            and {"job", "apartment", "house", "work", "internship"} & set(words_)
        )
        or (
            said.verb == "work"
            and words_[0] in {"on", "towards", "toward"}
            and {"novel", "book", "phd", "degree", "thesis", "album", "dissertation", "masters", "master's"}
            & set(words_[:6])
        )
    )
    return said.tells(held, Category.GOAL, "Says what they are preparing for.", confidence=0.9) if is_told else []


_SPANS = (
    words(
        "week month year summer winter spring fall autumn weekend semester decade christmas easter monday tuesday "
        "wednesday thursday friday saturday sunday"
    )
    | MONTHS
)


def _is_dated(held: Sequence[Token]) -> bool:
    """Says when: "next summer", "in May", "in 2026", "in two weeks", "someday"."""
    for token, after in pairwise(held):
        if token.low in {"next", "this", "in", "on", "the"} and (after.low in _SPANS or after.low.isdigit()):
            return True
        if token.low == "in" and (is_number(after) or after.low in {"a", "the", "early", "late"}):
            return True
    return any(token.low in {"someday", "soon"} for token in held)
