"""What happened once, where and in which year; and who is the first, last or greatest of a kind. Pure.

Of both there is only one: who was born in one town was not born in another. Start at `happened` and `superlative`.
"""

import re
from collections.abc import Iterator
from functools import cache

from everlore.campaign.canon.clauses import CanonClause
from everlore.campaign.canon.respects import RespectReading
from everlore.campaign.canon.things import thing_of
from everlore.campaign.canon.vocabulary import members, stem_of

_YEAR = re.compile(r"\b(?:in|in the year|in year|anno) (?P<year>\d{1,4})\b(?! \w+ (?:ago|later|long))")
_PLACE = re.compile(
    r"^(?: \w+ly)? (?P<how>in|at|on) (?P<where>(?:the )?(?:\w+ of )?[A-Z][\w'-]*(?: (?:of )?[A-Z][\w'-]*)*)"
)
_GREATEST = re.compile(
    r"^(?:is|was) (?P<not>not )?(?:the|an?) (?P<which>[a-z]+est|first|last|only|most [a-z]+) (?P<what>[a-z][a-z -]*?) "
    r"(?:of|in|on|among|at) (?P<of>.+)$"
)


def happened(clause: CanonClause) -> Iterator[RespectReading]:
    found = _once().match(clause.says)
    if found is None:
        return
    deed, rest = stem_of(found["deed"]), clause.says[found.end() :]
    year, place = _YEAR.search(rest), _PLACE.match(rest)
    who = clause.subject
    if year is not None:
        yield RespectReading("when", f"year {deed}", who, who, amount=float(year["year"]), denied=clause.denied)
    if place is not None:
        # "In Orne" and "on Orne" may be one beside the other.
        yield RespectReading("where", f"{place['how']} {deed}", who, thing_of(place["where"]), denied=clause.denied)


@cache
def _once() -> re.Pattern[str]:
    deeds = "|".join(sorted(members("once"), key=len, reverse=True))
    return re.compile(rf"^(?:(?:is|are|was|were) )?(?:not |never |\w+ly )?(?P<deed>{deeds})\b(?: up)?")


_FROM = re.compile(
    r"^(?:is|are|was|were|comes?|came|hails?|hailed) from (?P<from>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)(?= in |,|$)"
)
_INTO = re.compile(
    r"^(?P<how>flows|empties|drains|(?:runs|leads|goes|flows) from (?:the )?[A-Z][\w' -]*?) "
    r"(?:in)?to (?P<into>(?:the )?[A-Z].*)$"
)
_CALLED = re.compile(r"^(?:is|was) (?:called|named) (?P<name>(?:the )?[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)$")


def called(clause: CanonClause) -> Iterator[RespectReading]:
    """Where somebody is from, into what a river flows, and how a thing is called that has no other name."""
    who = clause.subject
    for respect, found in (("from", _FROM.match(clause.says)), ("to", _INTO.match(clause.says))):
        if found is not None:
            respect = f"{respect} {found['how']}" if respect == "to" else respect
            yield RespectReading("where", respect, who, thing_of(found[found.lastgroup or 0]), denied=clause.denied)
    name = _CALLED.match(clause.says)
    if name is not None and not who.names:
        yield RespectReading("who", "role name", who, thing_of(name["name"]), denied=clause.denied)


def superlative(clause: CanonClause) -> Iterator[RespectReading]:
    """ "Orne is the largest town in Tarn": no other is."""
    found = _GREATEST.match(clause.says)
    if found is not None and clause.subject.names:
        respect = f"role {found['which']} {' '.join(stem_of(each) for each in found['what'].split())}"
        yield RespectReading("who", respect, thing_of(found["of"]), clause.subject, denied=clause.denied)
