"""Plans and goals that last: "I want to learn Spanish", "I plan to visit Iceland next summer". What somebody wants for
the next minute, or wants of the assistant, is none."""

from collections.abc import Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.verbs import base_of_gerund
from everlore.language.words import AIM_OBJECTS, AIMS, KEPT, MONTHS, NO_KIND, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.home import is_named_place
from everlore.reflect.rules.phrase import is_soon, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense

_MOST = 14
_NO_AIM = listed("life.no_aim")
_STORY = listed("play.story")
_WANTING = listed("verbs.wanting")
_PURSUING = frozenset({Tense.GOING, Tense.LONG})
# What leads to a plan: the verb, when it is said so, and the word behind it; the plan is an infinitive or a gerund.
_LEADING = (
    (_WANTING, _PURSUING | {Tense.PRESENT, Tense.PERFECT}, "to"),
    (words("love like"), frozenset({Tense.WOULD}), "to"),
    (words("decide"), frozenset({Tense.PAST, Tense.PERFECT}), "to"),
    (words("go"), frozenset({Tense.GOING}), "to"),
    (words("try"), _PURSUING, "to"),
    (words("dream"), _PURSUING | {Tense.PRESENT}, "of"),
    (words("think"), _PURSUING, "about"),
    (words("think"), _PURSUING, "of"),
    (words("plan"), _PURSUING | {Tense.PRESENT}, "on"),
)


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb == "want" and said.tense is Tense.PRESENT and said.next != "to":
        return _wanting(said)
    if said.is_denied or not said.rest:
        return []
    if said.verb == "go" and said.tense is Tense.GOING and is_named_place(said.rest[1:]):
        return _going(said)
    if any(said.verb in verbs and said.tense in tenses and said.next == word for verbs, tenses, word in _LEADING):
        return _aimed(said, said.rest[1:], f"{_verb(said)} {said.next}")
    if said.verb == "consider" and said.tense in _PURSUING:
        return _aimed(said, said.rest, _verb(said))
    return _preparing(said)


def _verb(said: Said) -> str:
    return said.head().removeprefix(said.label).strip()


@rule
def _wanting(said: Said) -> list[Candidate]:
    """ "I want kids", "I don't want children"."""
    held = value(said.rest)
    is_kept = bool(held) and len(held) <= 6 and held[-1].low in KEPT - {"doctor", "manager", "boss", "teacher", "fish"}
    return said.tells(held, Category.GOAL, "Says whom they want.", confidence=0.85) if is_kept else []


_BEFORE_AIM = words("eventually someday one day really finally also")


@rule
def _aimed(said: Said, rest: Sequence[Token], head: str) -> list[Candidate]:
    """ "… to learn Spanish", "… of opening a bakery": a verb of a lasting goal, with an object that is one."""
    while rest and rest[0].low in _BEFORE_AIM:
        rest = rest[1:]
    held = value(rest, keep_when=True)
    if not held or len(held) > _MOST or is_soon(held):
        return []
    base = base_of_gerund(held[0].low) or held[0].low
    if not is_aim((Token(base, base, held[0].start, held[0].end), *held[1:])):
        return []
    return said.tells(held, Category.GOAL, "Says what they want to do.", head=head, confidence=0.9)


_WITH_ANY_OBJECT = listed("life.with_any_object")
_LIVING = listed("places.after_living")


def is_aim(held: Sequence[Token]) -> bool:
    verb, rest = held[0].low, held[1:]
    near = lows(rest[:6])
    is_how = verb == "learn" and near[:2] == ("how", "to")
    is_vague = bool(rest) and rest[0].low in _NO_AIM and verb not in {"get", "live"} and not is_how
    if is_vague or not _STORY.isdisjoint(near):
        return False
    is_exact = verb not in _OF_AN_EVENING and _is_exact(rest)
    if is_exact or verb not in AIMS:
        return is_exact
    if verb == "see" and any(token.is_capital for token in rest[1:]):
        return True
    if verb in AIM_OBJECTS:
        return not AIM_OBJECTS[verb].isdisjoint(lows(rest[:8]))
    if verb == "be":
        return _is_to_be(rest)
    if verb == "go":
        return _is_to_go(rest)
    if verb in {"live", "work"}:
        return bool(rest) and rest[0].low in _LIVING
    return bool(rest) or verb not in _WITH_ANY_OBJECT


_OF_AN_EVENING = known.THINKING | listed("verbs.of_an_evening")


def _is_exact(rest: Sequence[Token]) -> bool:
    """Somewhere or some time by name: "to do forestry in Finland", "to renew it before August"."""
    is_named = any(token.is_capital and token.text[1:2].islower() for token in rest)
    is_short = any(before.low in {"at", "in"} and after.text.isupper() for before, after in pairwise(rest))
    return is_named or is_short or any(token.low in MONTHS for token in rest)


_TO_BE = listed("life.to_be")


def _is_to_be(rest: Sequence[Token]) -> bool:
    """ "to be a doctor", "to be fluent in French": what one becomes, and no mood."""
    if not rest or rest[0].low not in _TO_BE:
        return False
    return not any(token.low in NO_KIND - {"good", "bad", "hero", "member", "king"} for token in rest[1:3]) or any(
        token.low in WORKS for token in rest
    )


_SCHOOLS = listed("work.schools_to_go_to")


def _is_to_go(rest: Sequence[Token]) -> bool:
    """ "to Iceland", "back to school", "vegan"."""
    rest = rest[1:] if lows(rest[:1]) == ("back",) else rest
    if lows(rest[:1]) == ("to",):
        return is_named_place(rest[1:]) or not _SCHOOLS.isdisjoint(lows(rest[1:4]))
    return lows(rest[:1]) in {("skydiving",), ("abroad",), ("vegan",), ("backpacking",), ("freelance",)}


@rule
def _going(said: Said) -> list[Candidate]:
    """ "I'm going to Iceland next summer"; not "I'm going to bed"."""
    held = value(said.rest[1:], keep_when=True) if said.next == "to" else ()
    is_told = held and not is_soon(held) and len(held) <= _MOST
    return said.tells(f"to {shown(held)}", Category.GOAL, "Says where they will go.", confidence=0.9) if is_told else []


# What is prepared for: the verb, the words one of which comes next, and those one of which stands near.
_PREPARED = (
    (words("save"), words("for up"), frozenset[str]()),
    (words("train prepare"), words("for"), frozenset[str]()),
    (words("study"), words("to"), words("be become")),
    (words("look"), words("for"), words("job apartment house work internship")),
    (words("work"), words("on towards toward"), listed("work.worked_on")),
    (words("plan"), words("a my our"), words("trip wedding vacation move holiday honeymoon")),
)
_ERRANDS = words("test exam interview meeting")
_MOST_PREPARED = 10


@rule
def _preparing(said: Said) -> list[Candidate]:
    """ "I'm saving up for a house", "I'm training for a marathon", "I'm planning a trip to Iceland"."""
    held = value(said.rest, keep_when=True) if said.tense in _PURSUING else ()
    low = lows(held)
    is_told = any(
        said.verb in verbs and said.next in after and not (near and near.isdisjoint(low))
        for verbs, after, near in _PREPARED
    )
    if not is_told or not held or len(held) > _MOST_PREPARED or is_soon(held) or not _ERRANDS.isdisjoint(low):
        return []
    return said.tells(held, Category.GOAL, "Says what they are preparing for.", confidence=0.9)
