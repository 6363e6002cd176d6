"""What follows from a clause, as clauses of their own: who is a son has a parent, what fire burns is burned. Pure.

Statements speak of the same from two ends; seen from the same end they can be compared. Start at `told_in`.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from everlore.campaign.canon.clauses import CanonClause, clauses_of
from everlore.campaign.canon.things import thing_of
from everlore.campaign.canon.vocabulary import entries, meanings, members, signs

_KIN_OF = re.compile(
    r"^(?:is|are|was|were) (?:still )?(?:(?:the|an?) (?:\w+ )?(?P<kin>\w+) of (?P<of>.+)|"
    r"(?P<whose>.+?)'s? (?:\w+ )?(?P<own>\w+))$"
)
_PLACE = re.compile(r"\b(?:in|at|on) (?:the )?[A-Z][\w' -]*$")
_OBJECT = re.compile(r"^(?P<of>(?:every |all |any |the |each )?[\w'-]+(?: [\w'-]+)?)")
_BEHIND = re.compile(r"\b(?:to|in|at|on|with|by|of|as|like|from|for|when|at once|and)\b.*")
_MEANING = re.compile(
    r"^(?:is|are|was|were) (?:still |always )?(?:an? |all )?(?:(?!only)\w+ly )?(?P<what>[a-z][a-z -]*)$"
)
_OTHER_END = {"son": "child", "daughter": "child", "father": "child", "mother": "child"}
_OTHER_END |= {"brother": "sibling", "sister": "sibling", "husband": "spouse", "wife": "spouse"}


@lru_cache(maxsize=8_192)
def told_in(text: str) -> tuple[CanonClause, ...]:
    """The clauses of a text that tell what is so, each with what follows from it."""
    told = [each for each in clauses_of(text) if not is_over(each)]
    return tuple(clause for each in told for clause in (each, *_implied(each)))


def is_over(clause: CanonClause) -> bool:
    """ "Had two hands": this clause tells of what was, whatever stands beside it."""
    return bool(signs("past here").search(clause.says)) and "always" not in clause.says.split()


def _implied(clause: CanonClause) -> Iterator[CanonClause]:
    if clause.denied or clause.only:
        return
    yield from _harmed(clause)
    yield from _related(clause)
    yield from _meant(clause)


def _harmed(clause: CanonClause) -> Iterator[CanonClause]:
    verb, _, rest = clause.says.partition(" ")
    done = _harms().get(verb)
    found = _OBJECT.match(_BEHIND.sub("", rest).strip()) if done else None
    if found is not None:
        place = _PLACE.search(rest)
        of = f"{found['of']} {place[0]}" if place else found["of"]
        yield CanonClause(thing_of(of), f"is {done} by {clause.subject.text}")


@cache
def _harms() -> dict[str, str]:
    return {form: line.split()[-1] for line in entries("harms") for form in line.split()[:2]}


def _meant(clause: CanonClause) -> Iterator[CanonClause]:
    """ "Is mute": can not speak."""
    found = _MEANING.match(clause.says)
    if found is None:
        return
    for length in (2, 1):
        term = " ".join(found["what"].split()[:length])
        behind = found["what"].split()[length:]
        if term in meanings() and (not behind or behind[0] in members("behind acts") | members("whoever")):
            yield CanonClause(clause.subject, meanings()[term], denied=True)
            return


def _related(clause: CanonClause) -> Iterator[CanonClause]:
    found = _KIN_OF.match(clause.says)
    kin = (found["kin"] or found["own"]).lower() if found else ""
    if found is None or kin not in members("kin"):
        return
    other = _OTHER_END.get(kin, "relative")
    if re.search(rf"\bonly {kin}\b", clause.says) and kin in ("son", "daughter"):
        yield CanonClause(thing_of(found["of"] or found["whose"]), f"has one {kin}")
    of, who = thing_of(found["of"] or found["whose"]), clause.subject
    if kin in ("father", "mother"):
        yield CanonClause(who, f"has a {other}")
    else:
        yield CanonClause(of, f"has a {kin}")
    if other in ("sibling", "spouse", "relative"):
        yield CanonClause(who, f"has a {other}")
