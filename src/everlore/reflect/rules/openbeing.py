"""What people say they are, in words that no list holds: "I'm B1 in French", "I'm a lollipop lady", "I'm based out of
Denver", "I'm the first of my family to finish school".

The shape tells it: a level, a number with its type, a place, one among others, a compound noun after "a". An adjective
alone is left to the lists, for most of them are moods.

In: a clause with "be". Out: at most one candidate, a little less sure. Start at `stated`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.words import NO_KIND, WORKS
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_soon, is_telling
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import head_of, is_idiom, plain, says_now

_SURE = 0.8
_MOST = 12
_RANKED = listed("traits.ranked")
_POINTING = listed("grammar.pointing_at_you")


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb != "be" or said.tense is not Tense.PRESENT or is_idiom(said.read.predicate):
        return []
    held = tuple(plain(cut(said.rest, keep_when=True)))
    if not held or len(held) > _MOST or says_now(held) or is_soon(held) or not _POINTING.isdisjoint(lows(held)):
        return []
    if not is_telling(held) and not (len(held) > 1 and held[1].low in _RANKED):
        return []
    category = next((category for fits, category in _SHAPES if fits(said, held)), None)
    return said.tells(held, category, "Says what they are.", confidence=_SURE) if category is not None else []


def _is_level(_: Said, held: Sequence[Token]) -> bool:
    """ "B1 in French"."""
    low = lows(held)
    is_level = len(low[0]) == 2 and low[0][0] in "abc" and low[0][1] in "12"
    return is_level and (len(low) == 1 or low[1] in {"at", "with", "in"})


def _is_type(_: Said, held: Sequence[Token]) -> bool:
    """ "type 2", "type one diabetic"."""
    return held[0].low == "type" and len(held) > 1 and held[1].low in {"1", "2", "one", "two"}


def _is_placed(_: Said, held: Sequence[Token]) -> bool:
    return held[0].low in {"based", "stationed", "posted"} and len(held) > 2


def _is_one_of(_: Said, held: Sequence[Token]) -> bool:
    """ "the first in my family to …", "the only one of my friends with a licence"."""
    low = lows(held)
    is_ranked = low[0] == "the" and len(low) > 4 and low[1] in _RANKED
    return is_ranked and not {("in", "my"), ("of", "my"), ("in", "our")}.isdisjoint(pairwise(low))


def _is_the_worker(said: Said, held: Sequence[Token]) -> bool:
    """ "My wife's the baker"; of oneself it may be a part that is played."""
    return not said.is_user and held[0].low == "the" and len(held) <= 3 and held[-1].low in WORKS


def _is_remote(_: Said, held: Sequence[Token]) -> bool:
    return held[-1].low in {"remote", "hybrid"} and len(held) <= 2


_WEIGHING = (known.MOODS | NO_KIND) | listed("traits.more_weighing")
_AGENTS = ("er", "or", "ist", "ian", "eer", "ant")
_PERSONS = listed("people.behind_a_sort")
_NO_AGENTS = NO_KIND - {"user"} | listed("traits.no_agents")


def _is_compound(said: Said, held: Sequence[Token]) -> bool:
    """ "a lollipop lady", "a long-haul trucker", "a wheelchair user": who does something, and a word that says what."""
    low, noun = lows(held), head_of(held)
    at = low.index(noun) if noun in low else 0
    if not said.is_user or said.is_denied or low[0] not in {"a", "an"} or not 1 < at <= 4:
        return False
    is_agent = noun.endswith(_AGENTS) and len(noun) > 3 and noun not in _NO_AGENTS and not low[at - 1].endswith("ly")
    is_person = noun in _PERSONS and not low[at - 1].endswith(("ed", "en", "ing", "y", "ful"))
    return (is_agent or is_person) and _WEIGHING.isdisjoint(low[1:at]) and low[at + 1 : at + 2] != ("of",)


_SHAPES: tuple[tuple[Callable[[Said, Sequence[Token]], bool], Category], ...] = (
    (_is_level, Category.SKILL),
    (_is_type, Category.PERSONAL_INFO),
    (_is_placed, Category.PERSONAL_INFO),
    (_is_one_of, Category.PERSONAL_INFO),
    (_is_the_worker, Category.RELATIONSHIP),
    (_is_remote, Category.PERSONAL_INFO),
    (_is_compound, Category.PERSONAL_INFO),
)
