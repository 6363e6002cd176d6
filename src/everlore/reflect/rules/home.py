"""Where the user lives, comes from, was born, has moved to and has been."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.verbs import is_base
from everlore.language.words import PERSONS, PLACE_PAIRS, PLACES, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.frames import ANY_TENSE, Frame, of_frames, place_in, with_capital
from everlore.reflect.rules.phrase import cut, is_number, is_soon, is_telling, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, Said, Tense

_IN = listed("places.in")
_NO_PLACE = listed("places.none")
_MOST = 12


def is_named_place(tokens: Sequence[Token]) -> bool:
    """Begins with a proper noun, or with a well-known place typed in small letters."""
    if not tokens:
        return False
    first = tokens[1] if tokens[0].low == "the" and len(tokens) > 1 else tokens[0]
    if first.low in {"my", "our", "i", "the", "a", "an", "this", "that", "your"}:
        return False
    # A verb in capitals names nothing.
    is_shouted = first.text.isupper() and is_base(first.low)
    return (
        (first.is_capital and not is_shouted) or first.low in PLACES or (first.low in PLACE_PAIRS and len(tokens) > 1)
    )


_AREAS = listed("places.areas")


def _names_area(rest: Sequence[Token]) -> bool:
    return not _AREAS.isdisjoint(lows(rest[:7]))


def _is_move(rest: Sequence[Token]) -> bool:
    """ "to Leeds", "from the city", "back to Spain", "here from Rome"."""
    rest = rest[1:] if rest and rest[0].low in {"back", "here", "out"} else rest
    if len(rest) < 2 or rest[0].low not in {"to", "from", "into", "of", "in"}:
        return False
    is_common = rest[1].low in {"the", "a", "my"}
    return is_named_place(rest[1:]) or _names_area(rest) or (rest[0].low == "to" and not is_common)


_BEEN = frozenset({Tense.PAST, Tense.PERFECT})
_HOME = (
    Frame(
        verbs=words("live"),
        after=listed("places.before_a_distance"),
        reason="Says where they live.",
        fits=lambda rest: not {"from", "of"}.isdisjoint(lows(rest[1:6])) and "you" not in lows(rest),
    ),
    Frame(
        verbs=words("live reside dwell"),
        after=_IN,
        reason="Says where they live.",
        place=True,
        fits=lambda rest: _NO_PLACE.isdisjoint(lows(rest[1:5])),
    ),
    Frame(
        verbs=words("move relocate emigrate immigrate"),
        reason="Says where they moved.",
        after=words("to from back into here out"),
        tenses=ANY_TENSE - {Tense.PRESENT, Tense.GOING},
        place=True,
        fits=_is_move,
    ),
    Frame(
        verbs=words("come hail"),
        after=words("from"),
        reason="Says where they come from.",
        tenses=frozenset({Tense.PRESENT}),
        place=True,
        fits=lambda rest: is_named_place(rest[1:]) or _names_area(rest),
    ),
    Frame(
        verbs=words("visit tour explore backpack hike climb"),
        reason="Says where they have been.",
        category=Category.EXPERIENCE,
        tenses=_BEEN,
        fits=is_named_place,
    ),
    Frame(
        verbs=words("travel fly go"),
        after=words("to through around across"),
        reason="Says where they travelled.",
        category=Category.EXPERIENCE,
        tenses=_BEEN,
        fits=lambda rest: is_named_place(rest[1:]),
    ),
)


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb == "be":
        return _being(said)
    if said.verb == "live":
        return _living(said)
    if said.verb == "move" and lows(said.rest[:2]) == ("here", "from"):
        said = said.turned(rest=said.rest[1:])
    return of_frames(said, _HOME)


_ABOUT = listed("places.before_where")


@rule
def _living(said: Said) -> list[Candidate]:
    """ "I live alone", "I live with my parents", "I live out here in Ohio with my husband and two kids"."""
    while len(said.rest) > 2 and said.next in _ABOUT:
        said = said.turned(rest=said.rest[1:])
    if said.next == "alone" or lows(said.rest[:2]) in {("by", "myself"), ("on", "my")}:
        return said.tells("alone", Category.PERSONAL_INFO, "Says how they live.")
    at = next((place for place, token in enumerate(said.rest) if token.low == "with"), len(said.rest))
    found = of_frames(said, _HOME)
    return [*found, *_companion(said, said.rest[at:])] if found or at == 0 else []


@rule
def _companion(said: Said, rest: Sequence[Token]) -> list[Candidate]:
    """ "… with my husband and two kids"."""
    found = cut(rest[1:])
    is_somebody = not (PERSONS | {"family", "dog", "cat", "dogs", "cats"}).isdisjoint(lows(found))
    if not is_somebody or not is_telling(found):
        return []
    return said.tells(f"with {shown(found)}", Category.RELATIONSHIP, "Says whom they live with.")


@rule
def _being(said: Said) -> list[Candidate]:
    """ "I'm from Leeds", "I'm based in Denver", "I'm in Vermont", "I've been to Peru"."""
    rest = said.rest[1:] if said.next == "originally" else said.rest
    if not rest:
        return []
    first, after = rest[0].low, rest[1:]
    if first == "from" and said.tense in {Tense.PRESENT, Tense.PAST}:
        return _from(said, after)
    if first in {"born", "raised"} and said.tense in {Tense.PAST, Tense.PRESENT}:
        return _born(said, rest)
    if first in {"based", "located", "stationed"} and after and after[0].low in _IN and said.tense is Tense.PRESENT:
        return _placed(said, f"is {first} {after[0].low}", after[1:])
    is_here = first == "in" and said.tense is Tense.PRESENT and is_named_place(after) and not is_soon(after)
    if is_here and said.is_over and said.is_denied:
        return _placed(said, "no longer lives in", after)
    if is_here and not said.is_denied:
        return _in_place(said, after)
    if first == "to" and said.tense is Tense.PERFECT and is_named_place(after):
        return said.tells(f"to {with_capital(place_in(after))}", Category.EXPERIENCE, "Says where they have been.")
    return []


_NOWHERE = listed("places.nowhere")


@rule
def _from(said: Said, after: Sequence[Token]) -> list[Candidate]:
    found = place_in(after)
    if not found or (found[0].low in _NOWHERE and not is_named_place(found) and not _names_area(found)):
        return []
    is_first = "originally" in lows(said.read.predicate[:3])
    verb = said.head().removeprefix(said.label).strip()
    return _placed(said, f"{verb} {'originally from' if is_first else 'from'}", after)


_COMMON = listed("places.small")


@rule
def _placed(said: Said, head: str, after: Sequence[Token]) -> list[Candidate]:
    found = place_in(after)
    if not is_telling(found) or is_number(found[0]):
        return []
    reason, capital = "Says where they come from or live.", found[0].low not in _COMMON
    return said.tells(found, Category.PERSONAL_INFO, reason, head=head, confidence=STATED, capital=capital)


# "Galway, in the west of Ireland".
_MOST_PLACE = 5


@rule
def _in_place(said: Said, after: Sequence[Token]) -> list[Candidate]:
    found = place_in(after)
    if not 0 < len(found) <= _MOST_PLACE or not {"love", "trouble"}.isdisjoint(lows(found)):
        return []
    reason = "Says where they are."
    return said.tells(found, Category.PERSONAL_INFO, reason, head="is in", confidence=0.8, capital=True)


@rule
def _born(said: Said, rest: Sequence[Token]) -> list[Candidate]:
    found = value(rest, comma=False, keep_when=True)
    is_fact = 2 < len(found) <= _MOST and not {"in", "on", "at", "by", "near", "with"}.isdisjoint(lows(found[1:4]))
    reason = "Says where or when they were born."
    return said.tells(found, Category.PERSONAL_INFO, reason, head="was") if is_fact else []
