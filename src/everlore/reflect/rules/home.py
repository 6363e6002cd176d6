"""Where the user lives, comes from, was born, has moved to and has been."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules.frames import ANY_TENSE, Frame, of_frames, place_in, with_capital
from everlore.reflect.rules.phrase import cut, is_telling, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, STATED, Said, Tense
from everlore.reflect.rules.words import PERSONS, PLACE_PAIRS, PLACES, words

_IN = words("in near at outside on by around across between")
_NO_PLACE = words(
    "past moment future shadow fear moments present fast lane dream lie denial peace harmony hope hell limbo bubble "
    "simulation matrix bed best love edge wild society office world head shoes trouble shock awe charge need pain "
    "general particular case fact line time mood process middle"
)


_WATERS = words(
    "sea ocean lake beach river coast park woods water bay forest airport mountains harbor harbour shore canal creek"
)


def _is_place(rest: Sequence[Token]) -> bool:
    if (
        rest[0].low == "on"
        and len(rest) > 1
        and rest[1].low not in {"a", "an", "the", "my", "campus"}
        and not rest[1].is_capital
    ):
        return False
    if rest[0].low == "by" and not any(token.low in _WATERS for token in rest[1:4]):
        return False
    return not any(token.low in _NO_PLACE for token in rest[1:5])


def is_named_place(tokens: Sequence[Token]) -> bool:
    """Begins with a proper noun, or with a well-known place typed in small letters."""
    if not tokens:
        return False
    first = tokens[1] if tokens[0].low == "the" and len(tokens) > 1 else tokens[0]
    if first.low in {"my", "our", "i", "the", "a", "an", "this", "that", "your"}:
        return False
    return first.is_capital or first.low in PLACES or (first.low in PLACE_PAIRS and len(tokens) > 1)


_AREAS = words("city town country countryside suburbs coast apartment house state village farm flat")


def _names_area(rest: Sequence[Token]) -> bool:
    return any(token.low in _AREAS for token in rest[:6])


_HOME = (
    Frame(
        verbs=words("live"),
        after=words("about an half just two three four five ten within close far minutes outside"),
        category=Category.PERSONAL_INFO,
        reason="Says where they live.",
        fits=lambda rest: any(token.low in {"from", "of"} for token in rest[1:6]) and "you" not in lows(rest),
    ),
    Frame(
        verbs=words("live reside dwell"),
        after=_IN,
        category=Category.PERSONAL_INFO,
        reason="Says where they live.",
        place=True,
        fits=_is_place,
    ),
    Frame(
        verbs=words("move relocate emigrate immigrate"),
        after=words("to from back into here out"),
        category=Category.PERSONAL_INFO,
        reason="Says where they moved.",
        tenses=ANY_TENSE - {Tense.PRESENT, Tense.GOING},
        fits=lambda rest: _is_move(rest),
        place=True,
    ),
    Frame(
        verbs=words("grow"),
        after=words("up"),
        category=Category.EXPERIENCE,
        reason="Says where they grew up.",
        tenses=frozenset({Tense.PAST}),
        fits=lambda rest: len(rest) > 2,
    ),
    Frame(
        verbs=words("hail"),
        after=words("from"),
        category=Category.PERSONAL_INFO,
        reason="Says where they come from.",
        place=True,
    ),
    Frame(
        verbs=words("come"),
        after=words("from"),
        category=Category.PERSONAL_INFO,
        reason="Says where they come from.",
        place=True,
        tenses=frozenset({Tense.PRESENT}),
        fits=lambda rest: is_named_place(rest[1:]) or _is_family(rest),
    ),
    Frame(
        verbs=words("visit tour explore backpack hike climb"),
        category=Category.EXPERIENCE,
        reason="Says where they have been.",
        tenses=frozenset({Tense.PAST, Tense.PERFECT}),
        fits=lambda rest: _is_trip(rest),
    ),
    Frame(
        verbs=words("travel fly go"),
        after=words("to through around across"),
        category=Category.EXPERIENCE,
        reason="Says where they travelled.",
        tenses=frozenset({Tense.PAST, Tense.PERFECT}),
        fits=lambda rest: is_named_place(rest[1:]),
    ),
)


def _is_move(rest: Sequence[Token]) -> bool:
    if rest[0].low in {"to", "from", "into", "back"}:
        return len(rest) > 1 and (
            is_named_place(_after_to(rest))
            or _names_area(rest)
            or (rest[0].low == "to" and rest[1].low not in {"the", "a", "my"})
        )
    return (
        rest[0].low == "here" and len(rest) > 1 and rest[1].low in {"from", "in", "last", "two", "three", "when"}
    ) or (rest[0].low == "out" and len(rest) > 2 and rest[1].low == "of")


def _after_to(rest: Sequence[Token]) -> Sequence[Token]:
    return next((rest[place + 1 :] for place, token in enumerate(rest[:3]) if token.low in {"to", "from"}), rest[1:])


def _is_family(rest: Sequence[Token]) -> bool:
    return any(token.low in {"family", "town", "village"} for token in rest[1:7])


def _is_trip(rest: Sequence[Token]) -> bool:
    return bool(rest) and is_named_place(rest) and not any(token.low in {"page", "site", "website"} for token in rest)


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb == "live" and said.next == "with":
        return _companion(said, said.rest)
    if said.verb == "live" and said.next in _ABOUT and len(said.rest) > 2:
        said = said.turned(rest=_after_about(said.rest))
    if said.verb == "live" and lows(said.rest[:2]) in {("by", "myself"), ("on", "my")}:
        return said.tells("alone", Category.PERSONAL_INFO, "Says how they live.")
    if said.verb == "stay" and said.tense is Tense.PRESENT and said.next == "in" and is_named_place(said.rest[1:]):
        return _placed(said, "lives in", said.rest[1:], IMPLIED)
    if said.verb == "be":
        return _being(said)
    if said.verb == "live" and said.next == "alone" and said.tense in {Tense.PRESENT, Tense.GOING}:
        where = place_in(said.rest[2:]) if lows(said.rest[1:2]) in {("in",), ("near",)} else ()
        text = f"alone in {with_capital(where)}" if where and is_named_place(where) else "alone"
        return said.tells(text, Category.PERSONAL_INFO, "Says how they live.")
    if said.verb == "move" and lows(said.rest[:2]) == ("here", "from"):
        said = said.turned(rest=said.rest[1:])
    found = of_frames(said, _HOME)
    if found and said.verb == "live":
        found += [
            each
            for place, token in enumerate(said.rest)
            if token.low == "with" and place
            for each in _companion(said, said.rest[place:])
        ][:1]
    return found


_ABOUT = words("out over down up together here right just somewhere back upstate")


def _after_about(rest: Sequence[Token]) -> tuple[Token, ...]:
    """ "out here in California" is "in California"."""
    start = 0
    while start < len(rest) and rest[start].low in _ABOUT:
        start += 1
    return tuple(rest[start:]) or tuple(rest)


@rule
def _companion(said: Said, rest: Sequence[Token]) -> list[Candidate]:
    """ "… with my husband and two kids"."""
    found = cut(rest[1:])
    if (
        not found
        or not any(token.low in PERSONS or token.low in {"family", "dog", "cat", "dogs", "cats"} for token in found)
        or not is_telling(found)
    ):
        return []
    return said.tells(f"with {shown(found)}", Category.RELATIONSHIP, "Says whom they live with.")


@rule
def _being(said: Said) -> list[Candidate]:
    """ "I'm from Leeds", "I'm based in Denver", "I'm in Vermont", "I've been to Peru"."""
    rest = said.rest
    if said.next == "originally" or said.next == "actually":
        rest = rest[1:]
    if not rest:
        return []
    first, after = rest[0].low, rest[1:]
    if first == "from" and said.tense in {Tense.PRESENT, Tense.PAST}:
        return _from(said, after)
    if first in {"born", "raised"} and said.tense in {Tense.PAST, Tense.PRESENT}:
        return _born(said, rest)
    if first in {"based", "located", "stationed"} and after and after[0].low in _IN and said.tense is Tense.PRESENT:
        return _placed(said, f"is {first} {after[0].low}", after[1:], STATED)
    if first == "in" and said.tense is Tense.PRESENT and is_named_place(after) and not said.is_denied:
        return _in_place(said, after)
    if first == "to" and said.tense is Tense.PERFECT and is_named_place(after):
        return said.tells(f"to {with_capital(place_in(after))}", Category.EXPERIENCE, "Says where they have been.")
    return []


@rule
def _from(said: Said, after: Sequence[Token]) -> list[Candidate]:
    found = place_in(after)
    if (
        not found
        or found[0].low in {"my", "our", "work", "home", "there", "here", "before", "now", "then"}
        or not is_telling(found)
    ):
        return []
    is_place = (
        is_named_place(found)
        or (not said.is_denied and found[0].low not in {"the", "that", "this", "what"})
        or _names_area(found)
    )
    if not is_place:
        return []
    origin = "originally from" if _says(said, "originally") else "from"
    return _placed(said, f"{_is(said)} {origin}", after, STATED)


def _says(said: Said, word: str) -> bool:
    return any(token.low == word for token in said.read.predicate[:3])


def _is(said: Said) -> str:
    return said.head().removeprefix(said.label).strip()


@rule
def _placed(said: Said, head: str, after: Sequence[Token], confidence: float) -> list[Candidate]:
    found = place_in(after)
    if not found or not is_telling(found):
        return []
    is_common = found[0].low in {"a", "an", "the", "northern", "southern", "eastern", "western", "upstate", "rural"}
    return said.tells(
        found,
        Category.PERSONAL_INFO,
        "Says where they come from or live.",
        head=head,
        confidence=confidence,
        capital=not is_common,
    )


@rule
def _in_place(said: Said, after: Sequence[Token]) -> list[Candidate]:
    found = place_in(after)
    is_short = 0 < len(found) <= 3 and not any(token.low in {"love", "trouble"} for token in found)
    return (
        said.tells(found, Category.PERSONAL_INFO, "Says where they are.", head="is in", confidence=0.8, capital=True)
        if is_short
        else []
    )


@rule
def _born(said: Said, rest: Sequence[Token]) -> list[Candidate]:
    found = value(rest, comma=False, keep_when=True)
    is_fact = (
        len(found) > 2
        and any(token.low in {"in", "on", "at", "by", "near", "with"} for token in found[1:4])
        and len(found) <= 12
    )
    return (
        said.tells(found, Category.PERSONAL_INFO, "Says where or when they were born.", head="was") if is_fact else []
    )


@rule
def moving(said: Said) -> list[Candidate]:
    """ "I'm moving to Spain in May": a plan."""
    is_going = (
        said.verb in {"move", "relocate", "emigrate"}
        and said.tense in {Tense.GOING, Tense.FUTURE}
        and said.next in {"to", "back", "in"}
    )
    found = value(said.rest, keep_when=True) if is_going and _is_move(said.rest) else ()
    return said.tells(found, Category.GOAL, "Says where they will move.", confidence=IMPLIED + 0.05) if found else []
