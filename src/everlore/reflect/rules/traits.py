"""What holds of the user for long: traits, states and tastes after "I am", and health.

Feelings of a moment are none of it: an adjective counts only where it is known to last.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed, phrases_listed
from everlore.language.words import NATIONS, STATES_OF, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, STATED, Said, Tense
from everlore.reflect.rules.times import is_idiom, plain, says_now

_MOST = 10
# What stands after "I am": an adjective and its preposition.
HOLDS: dict[tuple[str, ...], Category] = {
    **dict.fromkeys(phrases_listed("traits.holds"), Category.PERSONAL_INFO),
    **dict.fromkeys(phrases_listed("tastes.holds"), Category.PREFERENCE),
    **dict.fromkeys(phrases_listed("work.holds"), Category.SKILL),
    **dict.fromkeys(phrases_listed("people.holds"), Category.RELATIONSHIP),
    ("accepted", "to"): Category.EXPERIENCE,
}
_NO_HOLD = listed("traits.no_hold")


@rule
def lasting(said: Said) -> list[Candidate]:
    """ "I'm allergic to peanuts", "I'm German", "I'm vegan": what holds for long. Feelings of a moment do not."""
    if said.verb != "be" or said.tense not in {Tense.PRESENT, Tense.PAST} or is_idiom(said.read.predicate):
        return []
    said = said.turned(rest=tuple(plain(said.rest)))
    is_told = said.tense is Tense.PRESENT or said.next in {"adopted", "homeschooled"}
    is_told = is_told or (not said.is_user and said.next in NATIONS)
    return _into(said) or _holding(said) or (_lasting_adjectives(said) if is_told else [])


@rule
def _holding(said: Said) -> list[Candidate]:
    pair = lows(said.rest[:2])
    category = HOLDS.get(pair)
    if category is None or (said.tense is Tense.PAST and pair[0] not in {"diagnosed", "accepted", "married"}):
        return []
    held = value(said.rest[2:], comma=False)
    if not held or len(held) > _MOST or says_now(held):
        return []
    if held[0].low in _NO_HOLD and category in {Category.PREFERENCE, Category.SKILL}:
        return []
    head = f"{said.head().removeprefix(said.label).strip()} {' '.join(pair)}"
    capital = category is Category.RELATIONSHIP and len(held) == 1
    return said.tells(held, category, f"Says what they are {' '.join(pair)}.", head=head, capital=capital)


@rule
def _into(said: Said) -> list[Candidate]:
    held = value(said.rest[1:], comma=False) if said.next == "into" and said.tense is Tense.PRESENT else ()
    if not held or held[0].low in _NO_HOLD or len(held) > _MOST:
        return []
    does = ("do" if said.is_many else "does") + " not like" if said.is_denied else "like" if said.is_many else "likes"
    return said.tells(held, Category.PREFERENCE, "Says what they are into.", head=does, confidence=0.9)


_IMPLIED_ONLY = listed("traits.implied")
_OFTEN_FIGURES = listed("traits.often_figures")
_LED_ON = listed("grammar.holding") - {"at", "by"} | {"and", "up"}
_BONDS = words("married divorced engaged widowed single separated")


@rule
def _lasting_adjectives(said: Said) -> list[Candidate]:
    found: list[Candidate] = []
    for chain in _adjectives(said.rest):
        low, behind = chain[-1].low, said.rest[len(chain) : len(chain) + 1]
        if low in _OFTEN_FIGURES and not found and behind and behind[0].low in _LED_ON - {"and"}:
            break
        category = Category.RELATIONSHIP if low in _BONDS else Category.PERSONAL_INFO
        sure = IMPLIED if low in _IMPLIED_ONLY else STATED
        found += said.tells(shown(chain), category, "Says what they are.", confidence=sure)
    return found


_BEFORE_STATE = listed("traits.before")
_PAIRS = frozenset(phrases_listed("traits.two_words"))
_AFTER_ADJECTIVE = listed("grammar.behind_an_adjective") | words("on about of up who which living")


def _adjectives(rest: Sequence[Token]) -> list[tuple[Token, ...]]:
    """ "half Irish", "married", "lactose intolerant": one word each, with what goes before it."""
    chains: list[tuple[Token, ...]] = []
    place = 0
    while place < len(rest):
        low, after = rest[place].low, rest[place + 1] if place + 1 < len(rest) else None
        is_state = low in STATES_OF | NATIONS
        is_pair = after is not None and (
            (low, after.low) in _PAIRS or (low in _BEFORE_STATE and after.low in STATES_OF | NATIONS)
        )
        if is_pair:
            chains.append(tuple(rest[place : place + 2]))
        elif is_state and (after is None or not after.is_word or after.low in _AFTER_ADJECTIVE or after.is_capital):
            chains.append((rest[place],))
        elif low not in {",", "and"} or not chains:
            break
        place += 2 if is_pair else 1
    return chains
