"""Two clauses of which one denies what the other says: "does not", "never", "nobody", "only". Pure.

Start at `denied`.
"""

import re
from functools import cache

from everlore.campaign.canon.clauses import CanonClause
from everlore.campaign.canon.comparing import LIKELY, Contradiction, name_of
from everlore.campaign.canon.things import CanonThing, is_other, is_same, thing_of
from everlore.campaign.canon.vocabulary import entries, in_one_word, kinds, members, stem_of, stems_in
from everlore.domain.words import words_of

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|no one|neither|nor|ever|yet|at all|any|anything|anyone|anywhere|"
    r"in (?:this|the|our) world)\b"
)
_PLACE = re.compile(
    r"\b(?:in|on|at|by|with|from|for|near|under|into|against|of|about|than|to (?=the |an? |[A-Z]))(?:\b|(?<= ))"
)
_TAIL = re.compile(r"\b(?:in|on|at|by|with|from|for|of|near|under|as|among|before|after|because|during|every)\b")
_ONLY_THIS = re.compile(r"^(?P<verb>[a-z]+) (?:only|nothing but) (?P<what>[\w' -]+)$")
_NO_PEOPLE = frozenset("nobody none nothing no one person people man".split())


def denied(one: CanonClause, other: CanonClause) -> Contradiction | None:
    if one.denied != other.denied:
        no, said = (one, other) if one.denied else (other, one)
        return Contradiction(f"“{_told(no)}” denies “{_told(said)}”", LIKELY) if _denies(no, said) else None
    if one.denied:
        return None
    if _excludes(one, other):
        return Contradiction(f"only one of {name_of(one.subject)} and {name_of(other.subject)}", LIKELY)
    if _leaves_out(one, other) or _leaves_out(other, one):
        return Contradiction(f"“{_told(one)}” leaves no room for “{_told(other)}”", LIKELY)
    return None


def _denies(no: CanonClause, said: CanonClause) -> bool:
    if no.is_of_nobody:
        return _is_among(no, said) and bool(_core(no.says)) and _core(no.says) <= _with_kinds(said.stems)
    if no.subject.text.lower() == "there":
        return _is_there(said) and _core(no.says) <= _with_kinds(said.stems | _stems_of(said.subject))
    head, *tail = _TAIL.split(_NEGATION.sub(" ", in_one_word(no.says)), maxsplit=1)
    core = _core(head)
    if not core or not is_same(no.subject, said.subject) or not core <= _with_kinds(said.stems):
        return False
    rest, others = stems_in(" ".join(tail)), said.stems - core
    # "Does not sail on the lake" leaves the sea.
    return not (rest and rest.isdisjoint(others) and _has_place(no))


def _is_there(said: CanonClause) -> bool:
    """Who lives there is there, and who once passed through need not be."""
    verb = said.says.split()[0]
    return not verb.endswith("ed") and verb not in _pasts()


@cache
def _pasts() -> frozenset[str]:
    return frozenset(word for line in entries("forms") for word in line.split()[1:])


def _stems_of(thing: CanonThing) -> frozenset[str]:
    return frozenset(stem_of(each) for each in thing.stems | thing.of)


def _core(says: str) -> frozenset[str]:
    """Without verbs that say no more than "is": what never goes mad is not mad."""
    plain = _NEGATION.sub(" ", in_one_word(says))
    telling = " ".join(each for each in plain.split() if each not in members("copulas"))
    return stems_in(telling) or stems_in(plain)


def _with_kinds(stems: frozenset[str]) -> frozenset[str]:
    """Who has a son has a child."""
    return stems.union(*(kinds().get(each, ()) for each in stems))


def _is_among(nobody: CanonClause, said: CanonClause) -> bool:
    """ "No elf of Orne": whoever it is said of must be an elf, and of Orne."""
    if said.subject.is_nobody:
        return False
    whole = _stems_of(said.subject) | said.stems
    kind = {stem_of(each) for each in nobody.subject.stems - _NO_PEOPLE} - {stem_of(each) for each in _NO_PEOPLE}
    is_of_kind = kind <= {stem_of(each) for each in said.subject.stems}
    return is_of_kind and {stem_of(each) for each in nobody.subject.of} <= whole


def _has_place(clause: CanonClause) -> bool:
    return _PLACE.search(clause.says) is not None


def _excludes(one: CanonClause, other: CanonClause) -> bool:
    if not (one.only or other.only) or (one.only and other.only and is_same(one.subject, other.subject)):
        return False
    return bool(one.stems) and one.stems == other.stems and is_other(one.subject, other.subject)


def _leaves_out(only: CanonClause, other: CanonClause) -> bool:
    """ "Drinks only water", "drinks wine"; not where the other is a kind of it, nor where it is said of a part."""
    found = _ONLY_THIS.match(only.says)
    if found is None or not is_same(only.subject, other.subject) or _PLACE.search(found["what"]):
        return False
    verb, _, what = other.says.partition(" ")
    allowed, done = stems_in(found["what"]), thing_of(_TAIL.split(what)[0])
    if (
        stem_of(verb) != stem_of(found["verb"])
        or done.is_nobody
        or re.match(r"\d|only\b", what)
        or verb in ("is", "are")
    ):
        return False
    if set(words_of(found["what"])) & (members("colours") | members("materials")):
        # "Wears only black", and a ring.
        return False
    return allowed.isdisjoint(_with_kinds(done.stems | stems_in(what))) and not _PLACE.match(what)


def _told(clause: CanonClause) -> str:
    return f"{clause.subject.text} {clause.says}"
