"""Being together and apart: dating, marrying, parting, expecting a child, and one's place among siblings."""

from everlore.domain.memory import Category
from everlore.language.clauses import lows
from everlore.language.lists import listed
from everlore.language.words import PERSONS, PLURALS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense

_MOST = 9
_ONGOING = frozenset({Tense.GOING, Tense.LONG})
_FOR_LONG = listed("traits.for_long")
_BONDS = words("married divorced single engaged")


@rule
def stated(said: Said) -> list[Candidate]:
    """ "I'm dating Sam", "I got married in 2015", "I've been married for ten years", "we're expecting a baby"."""
    category = _category(said)
    held = value(said.rest, keep_when=True) if category is not None else ()
    if category is None or not held or len(held) > _MOST:
        return []
    return said.tells(held, category, "Says whom they are with, or how they stand among their own.")


def _category(said: Said) -> Category | None:
    """What sort of fact the clause is, where it tells of a bond at all."""
    if said.verb == "be":
        return _of_being(said)
    if said.verb == "get" and said.next in _BONDS - {"single"} and said.tense is not Tense.PRESENT:
        return Category.GOAL if said.tense in {Tense.GOING, Tense.FUTURE} else Category.RELATIONSHIP
    is_bond = (
        (said.verb in {"date", "see"} and said.tense in _ONGOING and _is_dated(said))
        or (said.verb == "marry" and said.tense is Tense.PAST)
        or (said.verb == "expect" and said.tense is Tense.GOING and _is_child(said))
    )
    return Category.RELATIONSHIP if is_bond else None


def _is_dated(said: Said) -> bool:
    if lows(said.rest[:2]) in {("a", "guy"), ("a", "girl"), ("a", "man"), ("a", "woman")}:
        return True
    return said.verb == "date" and bool(said.rest) and (said.rest[0].is_capital or said.next in {"a", "my", "someone"})


def _is_child(said: Said) -> bool:
    return any(token.low in {"baby", "child", "twins", "girl", "boy"} for token in said.rest[:5])


def _of_being(said: Said) -> Category | None:
    if said.tense is Tense.PRESENT:
        # "I'm not with Dan any more".
        is_parted = said.is_over and said.next == "with" and len(said.rest) > 1 and said.rest[1].is_capital
        return Category.RELATIONSHIP if is_parted or _is_place_among(said) else None
    if said.tense is not Tense.PERFECT:
        return None
    if said.next == "together":
        # With whom must be said.
        return Category.RELATIONSHIP if said.rest[1:2] and said.rest[1].low == "with" else None
    if said.next in _FOR_LONG:
        return Category.RELATIONSHIP if said.next in _BONDS else Category.PERSONAL_INFO
    is_with = lows(said.rest[:2]) == ("with", "my") and len(said.rest) > 2 and said.rest[2].low in PERSONS
    return Category.RELATIONSHIP if is_with else None


def _is_place_among(said: Said) -> bool:
    """ "the youngest of four", "an only child", "one of five siblings"."""
    near = lows(said.rest[:4])
    if near[:3] == ("an", "only", "child") or (near[:2] == ("one", "of") and near[3:] and near[3] in PLURALS):
        return True
    is_ranked = near[:1] == ("the",) and near[1:2] and near[1] in {"youngest", "oldest", "eldest", "middle"}
    is_all = len(said.rest) == 2 or (len(said.rest) > 2 and not said.rest[2].is_word)
    return bool(is_ranked) and (is_all or not {"of", "child", "sibling", "in"}.isdisjoint(near[2:]))
