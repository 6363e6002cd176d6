"""What people say they are, in words that no list holds: "I'm B1 in French", "I'm a lollipop lady", "I'm based out of
Denver", "I'm the first in my family to finish school".

The shape tells it: a level, a number with its type, a place, one among others, a compound noun after "a". An adjective
alone is left to the lists, for most of them are moods.

In: a clause with "be". Out: at most one candidate, a little less sure. Start at `stated`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.words import NO_KIND, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_soon, is_telling
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import head_of, is_idiom, plain, says_now

_SURE = 0.8
_MOST = 12
_ABLE = words(
    "good bad great terrible awful horrible decent hopeless useless rubbish crap shit shite brilliant excellent solid "
    "rusty competent handy amazing pants dreadful mediocre skilled proficient fluent"
)
_AT = frozenset({"at", "with", "in"})
_RANKED = words("first only oldest youngest eldest middle last sole")
_BASED = words("in at near out around between outside on from")


@rule
def stated(said: Said) -> list[Candidate]:
    if said.verb != "be" or said.tense is not Tense.PRESENT or not said.rest or is_idiom(said.read.predicate):
        return []
    held = tuple(plain(cut(said.rest, keep_when=True)))
    if not held or len(held) > _MOST or says_now(held) or is_soon(held) or not _is_telling(held):
        return []
    category = next((category for fits, category in _SHAPES if fits(said, held)), None)
    return said.tells(held, category, "Says what they are.", confidence=_SURE) if category is not None else []


def _is_telling(held: Sequence[Token]) -> bool:
    is_open = not {"you", "your", "this", "that", "it", "them", "these", "those"}.isdisjoint(lows(held))
    is_ranked = len(held) > 1 and held[1].low in _RANKED
    return (is_ranked or is_telling(held)) and not is_open


def _is_level(_: Said, held: Sequence[Token]) -> bool:
    """ "B1 in French", "grade 8 on piano"."""
    low = lows(held)
    return len(low[0]) == 2 and low[0][0] in "abc" and low[0][1] in "12" and (len(low) == 1 or low[1] in _AT)


def _is_type(_: Said, held: Sequence[Token]) -> bool:
    """ "type 2", "type one diabetic"."""
    return held[0].low == "type" and len(held) > 1 and held[1].low in {"1", "2", "one", "two"}


def _is_able(said: Said, held: Sequence[Token]) -> bool:
    """ "decent with Python", "hopeless with JavaScript"."""
    if not said.is_user or len(held) < 3 or held[0].low not in _ABLE or held[1].low not in _AT - {"in"}:
        return False
    return held[2].low not in {"the", "a", "an", "least", "all", "my", "him", "her"} and not held[2].low.endswith("ly")


def _is_placed(_: Said, held: Sequence[Token]) -> bool:
    return held[0].low in {"based", "stationed", "posted"} and len(held) > 2 and held[1].low in _BASED


def _is_one_of(_: Said, held: Sequence[Token]) -> bool:
    """ "the first person in my family to …", "the only one of us with a licence"."""
    low = lows(held)
    is_ranked = low[0] == "the" and len(low) > 4 and low[1] in _RANKED
    return is_ranked and not {("in", "my"), ("of", "my"), ("in", "our")}.isdisjoint(pairwise(low))


def _is_the_worker(said: Said, held: Sequence[Token]) -> bool:
    """ "My wife's the baker"; of oneself it may be a part that is played."""
    return not said.is_user and held[0].low == "the" and len(held) <= 3 and held[-1].low in WORKS


def _is_remote(_: Said, held: Sequence[Token]) -> bool:
    return held[-1].low in {"remote", "hybrid"} and len(held) <= 2


_WEIGHING = known.MOODS | words(
    "bit little such total complete real huge big massive terrible good great bad poor awful new old sucker lost happy "
    "sad special different normal simple mere fine true tiny small silly stupid dumb clever smart lucky horrible lazy "
    "strong weak brave proud humble mysterious powerful dark young lonely"
)
_PERSONS = words("lady man woman girl boy guy hand mum dad person")


def _is_compound(said: Said, held: Sequence[Token]) -> bool:
    """ "a lollipop lady", "a signal box man": a noun before "lady" says which work it is."""
    low = lows(held)
    at = low.index(head_of(held)) if head_of(held) in low else 0
    is_sort = said.is_user and low[0] in {"a", "an"} and 1 < at <= 3 and low[at] in _PERSONS - {"person"}
    return (
        is_sort
        and (_WEIGHING | NO_KIND).isdisjoint(low[1:at])
        and not low[at - 1].endswith(("ed", "en", "ing", "y", "ful"))
    )


_AGENTS = ("er", "or", "ist", "ian", "eer", "ant")
_NO_AGENTS = NO_KIND - {"user"} | words(
    "terror horror mirror number matter letter winner lover killer monster sister brother father mother daughter "
    "thinker former character player gamer leader error color summer winter dinner corner order river paper later "
    "other another ever over super minor major actor doctor fighter hunter slayer reader adult giant infant elephant "
    "ruler master christian vegetarian villager traveler traveller adventurer merchant servant peasant warrior archer "
    "healer"
)


def _is_agent(said: Said, held: Sequence[Token]) -> bool:
    """ "a long-haul trucker out of Tulsa", "a wheelchair user": who does something, with a word that says what."""
    low, noun = lows(held), head_of(held)
    at = low.index(noun) if noun in low else 0
    if not said.is_user or said.is_denied or low[0] not in {"a", "an"} or not 1 < at <= 4 or noun in _NO_AGENTS:
        return False
    is_plain = (_WEIGHING | NO_KIND).isdisjoint(low[1:at]) and not low[at - 1].endswith("ly")
    return noun.endswith(_AGENTS) and len(noun) > 3 and is_plain and low[at + 1 : at + 2] != ("of",)


_SHAPES: tuple[tuple[Callable[[Said, Sequence[Token]], bool], Category], ...] = (
    (_is_level, Category.SKILL),
    (_is_type, Category.PERSONAL_INFO),
    (_is_able, Category.SKILL),
    (_is_placed, Category.PERSONAL_INFO),
    (_is_one_of, Category.PERSONAL_INFO),
    (_is_the_worker, Category.RELATIONSHIP),
    (_is_remote, Category.PERSONAL_INFO),
    (_is_compound, Category.PERSONAL_INFO),
    (_is_agent, Category.PERSONAL_INFO),
)
