"""Of whom a clause tells, where that is somebody of the user's: "my sister", "she", "who", or a name that was said.

Start at `kin_of`; `last_kin` is whom a clause leaves behind for the next one's "she".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from everlore.language.clauses import Read, Token, Whose, lows
from everlore.language.clauses.words import ADVERBS
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.people import KEPT
from everlore.reflect.rules.identity import name_in
from everlore.reflect.rules.people import Kin, kin_at, kins_in
from everlore.reflect.rules.phrase import is_number, shown

_NEAR = 5
_AGING = frozenset({("is",), ("'s",), ("turned",), ("just",), ("turns",)})
_PARENTS = listed("people.parents") - {"parent", "grandmother", "grandfather"} | {"granny", "gran", "nan"}
_ONE = {"children": "child", "babies": "baby", "puppies": "puppy", "wolves": "wolf", "ponies": "pony"}
_NAMES_OF: dict[tuple[str, ...], str] = {("his", "name"): "he", ("her", "name"): "she", ("its", "name"): "it"}


def kin_of(each: Read, last: Kin | None, named: Mapping[str, Kin], before: Read | None) -> Kin | None:
    """Whose facts the clause tells, where its subject is somebody of the user's."""
    if lows(each.subject) == ("who",) and before is not None and _points_elsewhere(before, last):
        return None
    if len(each.subject) == 1 and each.subject[0].text in named:
        return named[each.subject[0].text]
    if each.clause.whose is not Whose.SELF and not each.subject and each.clause.subject:
        return named.get(each.clause.subject, last)
    if lows(each.subject) == ("mine",) and last is not None and not last.name:
        return last
    if lows(each.subject) in _NAMES_OF and last is not None and last.answers_to(_NAMES_OF[lows(each.subject)]):
        return None if _is_given(before) else last
    if each.clause.whose is Whose.OWN:
        kin = _both(each.subject) or kin_at(each.subject, 0) or _aged_one(each.subject)
        return kin if kin is not None and _ends_with(kin, each.subject) else None
    at = named_first(each.subject)
    if each.clause.whose is Whose.OTHER and at:
        kin = kin_at(each.subject, at)
        return Kin(kin.kind, kin.noun, each.subject[0].text, kin.end) if kin is not None and not kin.name else None
    if lows(each.subject) == ("who",) and before is not None and (one := _right_before(before)) is not None:
        return one
    if last is not None and last.is_many and lows(each.subject) == ("who",):
        return _one_of(last, before.predicate[-1] if before is not None and before.predicate else None)
    if last is not None and last.is_many and len(each.subject) == 1 and _says_age(each.predicate):
        return _one_of(last, each.subject[0])
    if each.clause.whose is Whose.OTHER and last is not None:
        subject = lows(each.subject) or lows(each.predicate)[:1]
        if subject == ("who",) or (len(subject) == 1 and last.answers_to(subject[0])):
            return replace(last, pronoun=subject[0]) if subject[0] in {"he", "she"} else last
    return None


def named_first(subject: Sequence[Token]) -> int:
    """Where "my" stands in "Rex, my old spaniel" or "Rex my old spaniel"; else 0."""
    low = lows(subject[:3])
    at = 1 if low[1:2] == ("my",) else 2 if low[1:] == (",", "my") else 0
    return at if at and subject[0].is_capital else 0


def last_kin(each: Read) -> Kin | None:
    """Whom the clause spoke of last, beside its subject."""
    words = lows(each.subject)
    if len(words) == 1 and words[0] in _PARENTS:
        # "Mum's coming, she lives in Kerala".
        return Kin(each.subject[0].text.lower(), words[0], "", 0)
    if "'s" in words and words[-1] == "name":
        kin = kin_at(each.subject[: words.index("'s")], 0)
        return Kin(kin.kind, kin.noun, name_in(each.predicate[1:]), 0) if kin else None
    return next(iter(reversed(list(kins_in(each.predicate)))), None) or _had_in(each)


def _both(subject: Sequence[Token]) -> Kin | None:
    """ "My mum and dad": two of theirs as one."""
    low = lows(subject)
    if "and" not in low[1:-1]:
        return None
    at = low.index("and", 1)
    others = subject[at + 1 :] if low[at + 1] == "my" else (subject[0], *subject[at + 1 :])
    first, second = kin_at(subject[:at], 0), kin_at(others, 0)
    if first is None or second is None or first.name or second.name:
        return None
    return Kin(f"{first.kind} and {second.kind}", "parents", "", len(subject))


def _ends_with(kin: Kin, subject: Sequence[Token]) -> bool:
    """ "my mother tongue" is no mother: behind the noun there is room for an adverb, a name, and where they are."""
    if kin.end >= len(subject) or subject[kin.end].low in {"in", "at"}:
        return True
    last = subject[-1]
    is_light = last.low in ADVERBS | {"'s", ",", "all"} or last.is_capital or last.low in FIRST_NAMES
    return kin.end == len(subject) - 1 and is_light


def _points_elsewhere(before: Read, last: Kin | None) -> bool:
    """ "Then there's Tobias, who …": somebody new; "it's not my brother who …": somebody else; "I'm the one who …",
    "everybody else who …"."""
    tail = (*before.front, *before.subject, *before.predicate)[-_NEAR:]
    if (
        last is not None
        and not last.is_many
        and not any(each.low == last.noun or each.text in last.name for each in tail)
    ):
        return True
    if before.clause.whose is Whose.SELF and lows(before.predicate)[:1] == ("am",):
        return True
    if lows(before.subject) == ("there",):
        return not any(kins_in(before.predicate))
    return lows(before.subject) == ("it",) and before.clause.negated


def _is_given(before: Read | None) -> bool:
    """ "My aunt got me a puppy. Her name is …": whose is anybody's guess."""
    return before is not None and any(pair in {("me", "a"), ("me", "an")} for pair in pairwise(lows(before.predicate)))


def _right_before(before: Read) -> Kin | None:
    """ "… and a son, Jack, who …": the one with whom the clause before ends."""
    low = lows(before.predicate)
    places = [place for place, word in enumerate(low) if word in {"a", "an", "my", "our"}]
    found = kin_at(before.predicate, places[-1]) if places else None
    return found if found is not None and found.name and found.end >= len(low) - 1 else None


def by_name(kin: Kin) -> dict[str, Kin]:
    """Whoever goes by a name from now on; of several, each."""
    if not kin.is_many:
        return {kin.name: kin} if kin.name else {}
    names = [each for each in re.split(r",? and |, ", kin.name) if each and " " not in each]
    found = {name: _one_of(kin, Token(name, name.lower(), 0, 0)) for name in names}
    return {name: each for name, each in found.items() if each is not None}


def called(each: Read, kin: Kin) -> Kin | None:
    """ "My dog is called Rex", "her name is Emma"."""
    words = lows(each.predicate)
    if lows(each.subject) in _NAMES_OF:
        return Kin(kin.kind, kin.noun, name_in(each.predicate[1:]) if words[:1] == ("is",) else "", 0)
    if (words[:1] in {("is",), ("'s",), ("are",)} and words[1:2] in {("named",), ("called",)}) or words[:1] in {
        ("named",)
    }:
        rest = each.predicate[words.index("named" if "named" in words[:2] else "called") + 1 :]
        found = name_in(rest)
        return Kin(kin.kind, kin.noun, found, 0) if found else None
    return _a_named_one(each.predicate, kin)


def _a_named_one(predicate: Sequence[Token], kin: Kin) -> Kin | None:
    """ "She's a crested newt called Olive": what they are, and how they are called."""
    low = lows(predicate[:8])
    at = next((place for place, word in enumerate(low) if word in {"called", "named"}), 0)
    if at < 3 or low[0] not in {"is", "'s"} or low[1] not in {"a", "an"} or low[at - 1] not in KEPT:
        return None
    found = name_in(predicate[at + 1 :])
    return Kin(shown(predicate[2:at]), kin.noun, found, 0) if found else None


def _had_in(each: Read) -> Kin | None:
    """Whom "I have a sister" brings up, so that "she" is known after it."""
    words = lows(each.predicate)
    if each.clause.whose is not Whose.SELF or not {"have", "got", "adopted", "has"}.intersection(words[:3]):
        return None
    counted = (place for place, token in enumerate(each.predicate[:4]) if token.low in {"a", "an"} or is_number(token))
    at = next(counted, None)
    return kin_at(each.predicate, at) if at is not None else None


def _aged_one(subject: Sequence[Token]) -> Kin | None:
    """ "My 12yo", "my four year old"."""
    low = lows(subject)
    is_short = len(low) == 2 and low[1][:1].isdecimal() and low[1].endswith(("yo", "year-old", "yr-old"))
    is_aged = is_short or (low[2:] == ("year", "old") and is_number(subject[1])) or low[2:] == ("years-old",)
    if not is_aged:
        return None
    kind = low[1].removesuffix("yo") + "-year-old" if is_short and low[1].endswith("yo") else shown(subject[1:])
    return Kin(kind, "child", "", len(subject))


def _says_age(predicate: Sequence[Token]) -> bool:
    return lows(predicate)[:1] in _AGING and any(is_number(token) for token in predicate[1:3])


def _one_of(many: Kin, name_of: Token | None) -> Kin | None:
    """ "two sons, Karl who is 8", "two kids. Oskar's 6": one of them, by name."""
    if name_of is None or not name_of.is_capital:
        return None
    noun = _ONE.get(many.noun, many.noun.removesuffix("s"))
    kind = " ".join([*(word for word in many.kind.split()[:-1] if not word.isdecimal()), noun])
    return Kin(kind, noun, name_of.text, 0)
