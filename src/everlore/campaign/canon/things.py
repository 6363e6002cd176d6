"""Who or what a phrase means, and whether two phrases mean the same. Pure.

"The old dragon Ash" and "Ash" are one, "Orne" and "Orne Library" are two, and so are a tower and its door. Start at
`thing_of`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from everlore.campaign.canon.vocabulary import lines_of, members, stem_of, stems_in

_WORD = re.compile(r"[^\W_][\w'-]*")
_BEHIND = re.compile(
    r"\b(?:of|in|at|on|from|by|near|under|beneath|behind|beside|above|below|between|for|with|to|within|inside|outside|"
    r"across|around|over|who|which|that)\b"
)
_OWNER = re.compile(r"^(?P<owner>.+?)(?:'s|(?<=s)') (?P<rest>.+)$")
_FIRST = frozenset(
    "the a an every all each any some no this that these those both his her their its our my most many "
    "few several".split()
)
_PRONOUNS = frozenset("he she it they him her them his hers its their someone somebody something who there".split())


@dataclass(frozen=True, slots=True)
class CanonThing:
    """`names`: the words of its name, without titles; `head`: what it is called otherwise, and `nouns` all the words of
    that; `of`: what it is part of, or stands at. `is_many`: several are named."""

    text: str
    names: frozenset[str]
    nouns: frozenset[str]
    head: str
    of: frozenset[str]
    is_many: bool = False

    @property
    def is_nobody(self) -> bool:
        return not (self.names or self.nouns)

    @property
    def stems(self) -> frozenset[str]:
        return self.names | self.nouns


@lru_cache(maxsize=8_192)
def thing_of(phrase: str) -> CanonThing:
    text = phrase.strip(" ,.;:")
    owned = _OWNER.match(text)
    if owned is not None:
        own = thing_of(owned["rest"])
        return CanonThing(text, own.names, own.nouns, own.head, own.of | _all_of(owned["owner"]), own.is_many)
    head, behind = _parted(text)
    words = [each for each in _WORD.findall(head) if each.lower() not in _FIRST]
    named = frozenset(_bare(each) for each in words if each[0].isupper())
    names = named - members("titles") or named
    nouns = [stem_of(each.lower()) for each in words if each[0].islower() and each != "and"]
    is_many = bool(re.search(r"\band\b", head)) and len(words) > 1
    is_named = bool(behind) and _is_name_of(text, head)
    if not names and nouns == [stem_of(each) for each in nouns if each in members("named")] and is_named:
        return thing_of(behind)
    if is_named and words and words[-1].lower() in members("named") | members("groups"):
        return thing_of(behind)
    return CanonThing(text, names, frozenset(nouns), nouns[-1] if nouns else "", _all_of(behind), is_many)


def renamed(text: str, aliases: Mapping[str, str]) -> str:
    """With everybody under the one name that they are known by. `aliases`: from another name to that one."""
    if not aliases:
        return text
    known = sorted((re.escape(each) for each in aliases), key=len, reverse=True)
    lower = {each.lower(): name for each, name in aliases.items()}
    return re.sub(rf"\b(?:{'|'.join(known)})\b", lambda found: lower[found[0].lower()], text, flags=re.IGNORECASE)


def is_same(one: CanonThing, other: CanonThing) -> bool:
    """Whether both phrases mean the same; in doubt not."""
    if one.is_nobody or other.is_nobody or one.is_many != other.is_many or _is_pronoun(one) or _is_pronoun(other):
        return False
    if not _is_of_same(one, other):
        return False
    if one.names and other.names:
        return _is_same_name(one, other)
    if one.names or other.names:
        # A sentence begins with a capital letter, be it of a name or not.
        return _as_nouns(one) == _as_nouns(other)
    if one.of and one.of == other.of:
        return one.head == other.head
    return one.nouns - members("fluff") == other.nouns - members("fluff")


def is_other(one: CanonThing, other: CanonThing) -> bool:
    """Whether they cannot mean the same: both are named, and by other names, or one is many who act as one."""
    if one.is_nobody or other.is_nobody or _is_pronoun(one) or _is_pronoun(other):
        return False
    names = one.names | (one.of if one.names else frozenset())
    others = other.names | (other.of if other.names else frozenset())
    if names and others:
        return one.names.isdisjoint(other.names) and names.isdisjoint(others)
    if _is_body(one) != _is_body(other) and (one.names or other.names):
        return one.stems.isdisjoint(other.stems)
    return _is_own_kin(one, other) or _is_own_kin(other, one) or _are_of_other_kinds(one, other)


def _are_of_other_kinds(one: CanonThing, other: CanonThing) -> bool:
    """Giants are no dwarves."""
    if one.names or other.names:
        return False
    kinds = [{_beings().get(each) for each in thing.nouns} - {None} for thing in (one, other)]
    return all(kinds) and kinds[0].isdisjoint(kinds[1])


@cache
def _beings() -> Mapping[str, int]:
    return {stem_of(each): line for each, line in lines_of("beings").items()}


def _is_own_kin(one: CanonThing, other: CanonThing) -> bool:
    """ "His own son" is somebody, and hardly whoever is called by a rank."""
    return bool(re.match(r"(?:his|her|their) own\b", one.text)) and bool(other.names)


def _is_body(thing: CanonThing) -> bool:
    return bool({thing.head, *thing.names} & members("bodies"))


def _is_same_name(one: CanonThing, other: CanonThing) -> bool:
    fewer, more = sorted((one.names, other.names), key=len)
    if not fewer <= more:
        return False
    if one.head and other.head and one.head != other.head:
        # The sword Dusk, and the ship Dusk.
        return False
    return not ((more - fewer) & members("things"))


def _is_of_same(one: CanonThing, other: CanonThing) -> bool:
    if one.of == other.of:
        return True
    if one.names and other.names and (not one.of or not other.of):
        # "Ferrin of Holt" and "Ferrin": the name is enough, unless all that is known is a rank.
        return not (one.names | other.names) & (members("titles") | members("things"))
    return bool(one.of and other.of) and (one.of <= other.of or other.of <= one.of) and bool(one.head or one.names)


def _as_nouns(thing: CanonThing) -> frozenset[str]:
    return frozenset(stem_of(each) for each in thing.names) | thing.nouns


def _is_pronoun(thing: CanonThing) -> bool:
    return thing.text.lower() in _PRONOUNS


def _parted(text: str) -> tuple[str, str]:
    found = _BEHIND.search(text, 1)
    if found is None:
        return text, ""
    return text[: found.start()].strip(" ,"), text[found.end() :].strip(" ,")


def _is_name_of(text: str, head: str) -> bool:
    """ "The town of Orne" is Orne; a moon above Orne is not."""
    return text[len(head) :].strip().startswith("of ")


def _all_of(text: str) -> frozenset[str]:
    stems = stems_in(text)
    return stems - {stem_of(each) for each in members("named")} - members("titles") or stems


def _bare(word: str) -> str:
    return word.lower().removesuffix("'s")
