"""Names that are given: "we named her Honey", "three kids: Kofi, Ama and Yaw", "call me Sam"."""

from collections.abc import Sequence
from dataclasses import replace

from everlore.language.clauses import Read, Token, Whose, lows
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.people import FEMALE, MALE
from everlore.language.words import BEFORE_PERSONS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.identity import name, name_in
from everlore.reflect.rules.people import Kin, introduced, kin_at
from everlore.reflect.rules.phrase import shown
from everlore.reflect.rules.rule import rule

_MOST_NAMED = 14
_NOBODY = words("nobody no-one not never don't must should shall")
_PARTNERS = listed("people.partners")
_AFTER_A_NAME = listed("names.behind_theirs")


@rule
def named_by_us(each: Read, last: Kin | None) -> list[Candidate]:
    """ "We named her Honey"."""
    near = lows(each.predicate[:2])
    is_naming = each.clause.whose is Whose.SELF and near[:1] in {("named",), ("call",), ("called",)}
    if not is_naming or last is None or last.name or near[1:2] not in {("her",), ("him",), ("it",), ("them",)}:
        return []
    found = name_in(each.predicate[2:])
    return introduced(replace(last, name=found)) if found else []


def all_named(each: Read, last: Kin | None) -> Kin | None:
    """ "We have three kids: Kofi, Ama and little Yaw": the same by their names."""
    if last is None or not last.is_many or last.name or ":" not in each.lead[:1]:
        return None
    tokens = [token for token in (*each.front, *each.subject, *each.predicate) if token.low not in BEFORE_PERSONS]
    while tokens and not tokens[-1].is_capital:
        tokens.pop()
    are_names = all(token.is_capital or token.low in {",", "and"} for token in tokens)
    return replace(last, name=shown(tokens)) if are_names and 1 < len(tokens) <= _MOST_NAMED else None


@rule
def theirs(each: Read) -> list[Candidate]:
    """ "Rhona is my aunt"; but "coffee is my best friend"."""
    is_one = len(each.subject) == 1 and each.subject[0].is_capital and lows(each.predicate[:2]) == ("is", "my")
    kin = kin_at(each.predicate, 1) if is_one else None
    if kin is None or kin.name or kin.end < len(each.predicate):
        return []
    is_name = each.subject[0].low in FIRST_NAMES or kin.noun in (FEMALE | MALE) - _PARTNERS
    return introduced(replace(kin, name=each.subject[0].text)) if is_name else []


@rule
def called_by(each: Read) -> list[Candidate]:
    """ "Call me Sam", "you can call me Sam", "everybody calls me Sam", "name's Sam"."""
    tokens = (*each.subject, *each.predicate)
    tokens = tokens[1:] if lows(tokens[:2]) == ("the", "name") else tokens
    words = lows(tokens)
    for place, word in enumerate(words[:5]):
        if (
            word in {"call", "calls"}
            and _NOBODY.isdisjoint(words[:place])
            and words[place + 1 : place + 2] == ("me",)
            and len(words) > place + 2
            and tokens[place + 2].is_capital
        ):
            found = name_in(tokens[place + 2 :])
            is_end = (
                len(tokens) == place + 2 + len(found.split())
                or tokens[place + 2 + len(found.split())].low in _AFTER_A_NAME
            )
            return name(found, "Says what to call them.", confidence=0.9) if found and is_end else []
    if words[:2] == ("it", "is") or words[:1] == ("its",):
        return _is_me(tokens[2 if words[0] == "it" else 1 :])
    if (words[:2] in {("name", "is"), ("name", "'s"), ("my", "names")} and len(words) > 2) or (
        words[:1] == ("names",) and len(words) == 2
    ):
        found = name_in(tokens[2:] if len(words) > 2 else tokens[1:])
        return name(found, "Says their name.") if found else []
    return []


@rule
def _is_me(tokens: Sequence[Token]) -> list[Candidate]:
    """ "It's Marcus again"; "it's Katarzyna, not Katarina"."""
    words = lows(tokens)
    is_back = len(words) == 2 and words[0] in FIRST_NAMES and words[1] in {"again", "here"}
    is_right = len(words) == 4 and words[1:3] == (",", "not") and words[0][:2] == words[3][:2] and tokens[0].is_capital
    return name(tokens[0].text.capitalize(), "Says who they are.", confidence=0.9) if is_back or is_right else []
