"""What belongs to the user and what it is: "my favorite color is green", "my hobby is chess", "my name is Sarah".

In: a clause with the subject "my …", and that subject. Out: at most one fact; none of what passes with the hour.

Start at `attribute`.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lasting import MOODS
from everlore.language.lists import listed
from everlore.language.words import KEPT, LANGUAGES, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import home, wide, work
from everlore.reflect.rules.identity import name, name_in
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.plans import is_aim
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, Said
from everlore.reflect.rules.times import is_idiom, says_now

_MOST_SUBJECT = 7
_MOST_VALUE = 12
_ATTRIBUTES: dict[str, Category] = {
    **dict.fromkeys(listed("traits.attributes"), Category.PERSONAL_INFO),
    **dict.fromkeys(listed("tastes.attributes"), Category.PREFERENCE),
    **dict.fromkeys(listed("life.attributes"), Category.GOAL),
    **dict.fromkeys(listed("work.attributes"), Category.SKILL),
}
_BE = {"is": "is", "'s": "is", "are": "are"}
_NO_VALUE = MOODS | listed("traits.no_value")
_FIGURES = words("mess disaster nightmare joke wreck pain")


@rule
def attribute(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My favorite color is green", "my name is Sarah": `subject` without "my"."""
    while len(subject) > 1 and subject[-1].low in {"this", "year", "life", "now", "right", "for", "in"}:
        subject = subject[:-1]
    kinds, be = lows(subject), _BE.get(said.read.predicate[0].low if said.read.predicate else "")
    if not kinds or len(kinds) > _MOST_SUBJECT or is_idiom(said.read.predicate):
        return []
    if "'s" in kinds:
        return _of_theirs(said, subject)
    if be is None or said.is_denied:
        return []
    rest = said.read.predicate[1:]
    if kinds[-1] in LANGUAGES:
        return _spoken(rest, subject[-1])
    if kinds[-1] in {"name", "names"}:
        return _own_name(rest, kinds)
    if not {"favorite", "favorites"}.isdisjoint(kinds):
        return _favorite(rest, subject, be)
    return _own_attribute(rest, subject, be)


@rule
def _of_theirs(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My sister's husband is a pilot"."""
    kinds = lows(subject)
    is_kin = kinds.count("'s") == 1 and kinds[kinds.index("'s") - 1] in KEPT
    if not is_kin or kinds[-1] not in KEPT - {"doctor", "teacher"}:
        return []
    theirs = said.turned(label=f"User's {shown(subject)}")
    return work.stated(theirs) or home.stated(theirs) or wide.stated(theirs)


_NOT_SPOKEN = listed("places.not_spoken")
_WELL = words("fluent good great excellent native perfect")


@rule
def _spoken(rest: Sequence[Token], tongue: Token) -> list[Candidate]:
    """ "My Spanish is okay"."""
    if not rest or not _NOT_SPOKEN.isdisjoint(lows(rest[:4])) or says_now(rest):
        return []
    some = "some " if _WELL.isdisjoint(lows(rest[:3])) else ""
    return _fact(f"User speaks {some}{tongue.text[:1].upper()}{tongue.text[1:]}", Category.SKILL)


def _fact(content: str, category: Category, confidence: float = 0.9) -> list[Candidate]:
    return [Candidate(content=content, category=category, confidence=confidence, reasoning="Says what theirs is.")]


_KINDS_OF_NAME = listed("names.kinds")


@rule
def _own_name(rest: Sequence[Token], kinds: Sequence[str]) -> list[Candidate]:
    found = name_in(rest) if _KINDS_OF_NAME.issuperset(kinds[:-1]) else ""
    kind = " ".join(kinds) if kinds[0] in {"last", "middle", "nick", "family"} else "name"
    return name(found, "Says their name.", kind=kind) if found else []


_NO_KIND = words("absolute very all time all-time of")


@rule
def _favorite(rest: Sequence[Token], subject: Sequence[Token], be: str) -> list[Candidate]:
    """ "my favorite color is green" and "my favorites are jazz and soul"."""
    held = value(rest, comma="has" in lows(rest))
    is_open = subject[-1].low in {"part", "thing"} and len(subject) < 4
    if not held or len(held) > _MOST_VALUE or is_open or held[0].low in {"when", "probably", "definitely"}:
        return []
    is_of_all = "time" in lows(subject)
    what = shown([token for token in subject if token.low not in _NO_KIND or (token.low == "of" and not is_of_all)])
    return _fact(f"User's {what} {be} {shown(held)}", Category.PREFERENCE, STATED)


_AIMED = listed("life.aimed")
_DONE = listed("life.done")


@rule
def _own_attribute(rest: Sequence[Token], subject: Sequence[Token], be: str) -> list[Candidate]:
    """ "My birthday is in May", "my job is fixing lifts", "my dream is to open a bakery"."""
    kinds = lows(subject)
    is_wished = not {"comfort", "go-to", "guilty", "dream"}.isdisjoint(kinds[:-1])
    held = value(rest, comma=False, keep_when=True)
    category = _ATTRIBUTES.get(kinds[-1]) or (Category.PREFERENCE if is_wished else _of_model(held))
    if category is None or len(kinds) > 4 or not 0 < len(held) <= _MOST_VALUE or says_now(held):
        return []
    first = held[0].low
    if category is Category.GOAL:
        aim = [token for token in held[1:] if token.low not in {"finally", "actually", "one", "day"}]
        is_told = bool(aim) and is_aim(aim) if first == "to" else first in _AIMED
    else:
        is_done = not first.endswith("ing") or kinds[-1] in _DONE
        is_told = first not in _NO_VALUE and is_done and not (held[-1].low in _NO_VALUE and len(held) < 3)
    if not is_told or not _FIGURES.isdisjoint(lows(held)):
        return []
    return _fact(f"User's {shown(subject)} {be} {shown(held)}", category)


def _of_model(held: Sequence[Token]) -> Category | None:
    """ "a Pixel 7": whatever it is, a name or a number says which."""
    is_named = lows(held[:1]) in {("a",), ("an",)} and any(token.is_capital for token in held[1:3])
    return Category.PERSONAL_INFO if is_named else None
