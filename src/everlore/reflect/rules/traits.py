"""What holds of the user for long: traits, states and tastes after "I am", and health.

Feelings of a moment are none of it: an adjective counts only where it is known to last.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules.owned import attribute
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, STATED, Said, Tense
from everlore.reflect.rules.times import is_idiom, plain, says_now
from everlore.reflect.rules.words import NATIONS, PERSONS, STATES_OF, words

__all__ = ["attribute", "lasting"]

# ── lasting states ───────────────────────────────────────────────────────────────────────────────

_HOLDS = {
    # What stands after "I am" and an adjective: (adjective, preposition) → category.
    ("allergic", "to"): Category.PERSONAL_INFO, ("intolerant", "to"): Category.PERSONAL_INFO,
    ("married", "to"): Category.RELATIONSHIP,
    ("engaged", "to"): Category.RELATIONSHIP, ("fond", "of"): Category.PREFERENCE, ("keen", "on"): Category.PREFERENCE,
    ("crazy", "about"): Category.PREFERENCE, ("obsessed", "with"): Category.PREFERENCE,
    ("addicted", "to"): Category.PREFERENCE,
    ("passionate", "about"): Category.PREFERENCE, ("interested", "in"): Category.PREFERENCE,
    ("scared", "of"): Category.PREFERENCE,
    ("afraid", "of"): Category.PREFERENCE, ("terrified", "of"): Category.PREFERENCE, ("good", "at"): Category.SKILL,
    ("bad", "at"): Category.SKILL,
    ("great", "at"): Category.SKILL, ("terrible", "at"): Category.SKILL, ("fluent", "in"): Category.SKILL,
    ("skilled", "at"): Category.SKILL,
    ("skilled", "in"): Category.SKILL, ("proficient", "in"): Category.SKILL, ("proficient", "with"): Category.SKILL,
    ("horrible", "at"): Category.SKILL,
    ("picky", "about"): Category.PREFERENCE, ("fussy", "about"): Category.PREFERENCE,
    ("good", "with"): Category.SKILL, ("bad", "with"): Category.SKILL, ("terrible", "with"): Category.SKILL,
    ("hopeless", "with"): Category.SKILL, ("great", "with"): Category.SKILL, ("rubbish", "with"): Category.SKILL,
    ("big", "on"): Category.PREFERENCE, ("awful", "with"): Category.SKILL, ("useless", "with"): Category.SKILL,
    ("hopeless", "at"): Category.SKILL, ("useless", "at"): Category.SKILL, ("rubbish", "at"): Category.SKILL,
    ("awful", "at"): Category.SKILL, ("decent", "at"): Category.SKILL, ("crap", "at"): Category.SKILL,
    ("amazing", "at"): Category.SKILL, ("petrified", "of"): Category.PREFERENCE,
    ("hooked", "on"): Category.PREFERENCE, ("big", "into"): Category.PREFERENCE,
    ("mad", "on"): Category.PREFERENCE, ("sold", "on"): Category.PREFERENCE, ("named", "after"): Category.PERSONAL_INFO,
    ("descended", "from"): Category.PERSONAL_INFO, ("registered", "blind"): Category.PERSONAL_INFO,
    ("estranged", "from"): Category.RELATIONSHIP, ("related", "to"): Category.RELATIONSHIP,
    ("deaf", "in"): Category.PERSONAL_INFO, ("blind", "in"): Category.PERSONAL_INFO,
    ("excellent", "at"): Category.SKILL, ("diagnosed", "with"): Category.PERSONAL_INFO,
    ("nuts", "about"): Category.PREFERENCE,
    ("mad", "about"): Category.PREFERENCE, ("into", ""): Category.PREFERENCE, ("partial", "to"): Category.PREFERENCE,
    ("fascinated", "by"): Category.PREFERENCE, ("enrolled", "at"): Category.PERSONAL_INFO,
    ("enrolled", "in"): Category.PERSONAL_INFO,
    ("employed", "at"): Category.PERSONAL_INFO, ("employed", "by"): Category.PERSONAL_INFO,
    ("employed", "as"): Category.PERSONAL_INFO,
    ("sensitive", "to"): Category.PERSONAL_INFO, ("accepted", "to"): Category.EXPERIENCE,
    ("divorced", "from"): Category.RELATIONSHIP,
}  # fmt: skip
_NO_HOLD = words(
    "talking helping chatting hearing seeing knowing learning buying telling meeting asking what how you more being "
    "say admit ask that this it missing losing saying getting going"
)


@rule
def lasting(said: Said) -> list[Candidate]:
    """ "I'm allergic to peanuts", "I'm German", "I'm vegan": what holds for long. Feelings of a moment do not."""
    if said.verb != "be" or said.tense not in {Tense.PRESENT, Tense.PAST} or not said.rest:
        return []
    said = said.turned(rest=tuple(plain(said.rest)))
    if not said.rest:
        return []
    if is_idiom(said.read.predicate):
        return []
    found = _holding(said)
    if found:
        return found
    is_told = said.tense is Tense.PRESENT or said.next in {"adopted", "homeschooled"}
    is_told = is_told or (not said.is_user and said.next in NATIONS)
    return _lasting_adjectives(said) if is_told else []


@rule
def _holding(said: Said) -> list[Candidate]:
    rest = said.rest
    first, second = rest[0].low, rest[1].low if len(rest) > 1 else ""
    if first == "into":
        return _into(said)
    category = _HOLDS.get((first, second))
    if category is None or (said.tense is Tense.PAST and first not in {"diagnosed", "accepted", "married"}):
        return []
    held = value(rest[2:], comma=False)
    if (
        first == "allergic"
        and held
        and held[0].low in {"nonsense", "mondays", "work", "stupidity", "people", "drama", "math", "fun", "effort"}
    ):
        return []
    if (
        first in {"married", "engaged"}
        and held
        and held[0].low in {"my", "the", "this"}
        and held[-1].low not in PERSONS
    ):
        return []
    if says_now(held) or lows(held[:2]) == ("the", "moment"):
        return []
    if not held or (held[0].low in _NO_HOLD and category in {Category.PREFERENCE, Category.SKILL}) or len(held) > 10:
        return []
    head = f"{said.head().removeprefix(said.label).strip()} {first} {second}"
    return said.tells(
        held,
        category,
        f"Says what they are {first} {second}.",
        head=head,
        capital=category is Category.RELATIONSHIP and len(held) == 1,
    )


@rule
def _into(said: Said) -> list[Candidate]:
    held = value(said.rest[1:], comma=False)
    if not held or held[0].low in _NO_HOLD or len(held) > 10 or said.tense is not Tense.PRESENT:
        return []
    does = ("do" if said.is_many else "does") + " not like" if said.is_denied else "like" if said.is_many else "likes"
    return said.tells(held, Category.PREFERENCE, "Says what they are into.", head=does, confidence=0.9)


_IMPLIED_ONLY = words("shy outgoing tall short religious spiritual black white mixed straight blind")


_OFTEN_FIGURES = words("short mixed straight blind separated black white adopted engaged tall")


_FIGURES_TO = words("deaf blind pregnant married")


@rule
def _lasting_adjectives(said: Said) -> list[Candidate]:
    found: list[Candidate] = []
    for chain in _adjectives(said.rest):
        if (found and said.rest[0].low in {"bilingual", "trilingual", "multilingual"}) or lows(said.rest[:2]) == (
            "married",
            "to",
        ):
            break
        low = chain[-1].low
        text = shown(chain)
        if len(chain) == 2 and low in {"intolerant", "free", "blind", "handed", "binary"}:
            found += said.tells(text, Category.PERSONAL_INFO, "Says what they are.")
        elif low in STATES_OF or low in NATIONS:
            if low in _FIGURES_TO and lows(said.rest[len(chain) : len(chain) + 1]) == ("to",):
                break
            shy = low in _IMPLIED_ONLY
            if low in _OFTEN_FIGURES and (
                len(said.rest) > len(chain)
                and said.rest[len(chain)].low in {"on", "about", "of", "in", "from", "with", "up", "to", "for", "and"}
            ):
                break
            category = (
                Category.RELATIONSHIP
                if low in {"married", "divorced", "engaged", "widowed", "single", "separated"}
                else Category.PERSONAL_INFO
            )
            found += said.tells(text, category, "Says what they are.", confidence=IMPLIED if shy else STATED)
        else:
            break
    return found


_BEFORE_STATE = words(
    "half part newly recently happily currently strictly native quarter ethnically first-generation second-generation "
    "third-generation"
)


def _adjectives(rest: Sequence[Token]) -> list[tuple[Token, ...]]:
    """ "half Irish", "married", "lactose intolerant": one word each, with what goes before it."""
    chains: list[tuple[Token, ...]] = []
    place = 0
    while place < len(rest) and len(chains) < 4:
        low = rest[place].low
        after = rest[place + 1] if place + 1 < len(rest) else None
        if after is not None and (low, after.low) in {
            ("lactose", "intolerant"),
            ("gluten", "intolerant"),
            ("gluten", "free"),
            ("color", "blind"),
            ("left", "handed"),
            ("right", "handed"),
            ("non", "binary"),
            ("legally", "blind"),
        }:
            return [*chains, tuple(rest[place : place + 2])]
        if after is not None and low in _BEFORE_STATE and after.low in STATES_OF | NATIONS:
            chains.append(tuple(rest[place : place + 2]))
            place += 2
        elif low in NATIONS and after is not None and after.low == "to":
            # "mostly German to English" is what somebody translates.
            break
        elif low in STATES_OF | NATIONS and not (
            after is not None and after.is_word and after.low not in _AFTER_ADJECTIVE and not after.is_capital
        ):
            chains.append((rest[place],))
            place += 1
        elif low in {",", "and"} and chains:
            place += 1
        else:
            break
    return chains


_AFTER_ADJECTIVE = words(
    "and but with for since now so who because by though from at in too also to on about of up or as while living "
    "which who though"
)


# ── health ───────────────────────────────────────────────────────────────────────────────────────
