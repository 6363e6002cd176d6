"""Finds the relative or pet that a clause is about: "my older sister Emma", "she", or a name.

In: tokens of a clause, and the people mentioned before. Out: a `Kin`, whose `subject` is the subject for a claim. Start
at `kin_at` and `subject_of`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from everlore.language import words
from everlore.language.lists import listed
from everlore.language.words import BEFORE_PERSONS, FEMALE, FIRST_NAMES, KEPT, MALE, PETS, PLURAL_PETS, PLURALS
from everlore.learning.clauses import Clause, ClauseToken, Whose, lows
from everlore.learning.clauses.tokens import low_at
from everlore.learning.clauses.words import ADVERBS
from everlore.learning.phrasebooks.wording import is_number, names, shown, with_article

_NOT_NAMES = listed("names.not_theirs")
_NO_NAMES = listed("names.words")
_PARENTS = listed("people.parents") - {"parent", "grandmother", "grandfather"} | {"granny", "gran", "nan"}
_MOST_BEFORE = 4
_MOST_OF_A_NAME = 2
_JOINTS = frozenset({"and", ","})
_MOST_WORDS = 3
_NONE = listed("names.none")
_AFTER = listed("names.behind")
_AFTER_OWN = listed("names.behind_own") | {""}
_PLAYED = listed("names.played")
_FAMOUS = listed("names.famous")
_KNOWN = _NONE | words.NATIONS | words.STATES_OF | words.KINDS | words.WORKS | words.MONTHS | words.DAYS | words.PLACES


@dataclass(frozen=True, slots=True)
class Kin:
    """A relative or pet of the user. `kind`: "older sister"; `name`: empty if unknown. `pronoun`: used for them before;
    `end`: the position after their words."""

    kind: str
    noun: str
    name: str = ""
    end: int = 0
    pronoun: str = ""

    @property
    def is_many(self) -> bool:
        return self.noun in PLURALS | PLURAL_PETS or (self.noun.endswith("s") and self.noun[:-1] in KEPT)

    @property
    def mention(self) -> str:
        """ "has a sister named Emma"."""
        return f"has {self.kind if self.is_many else with_article(self.kind)} named {self.name}"

    def answers_to(self, pronoun: str) -> bool:
        if self.is_many:
            return pronoun == "they"
        known = "she" if self.noun in FEMALE else "he" if self.noun in MALE else self.pronoun
        return pronoun == known if known else pronoun in {"he", "she"} or (pronoun == "it" and self.noun in PETS)


def kin_at(tokens: Sequence[ClauseToken], start: int) -> Kin | None:
    """The relative in "my …" or "a …" at `start`: adjectives, the noun, and a name if one follows."""
    for place in range(start + 1, min(len(tokens), start + 1 + _MOST_BEFORE)):
        low, after = tokens[place].low, low_at(tokens, place + 1)
        if low not in KEPT or (after in KEPT and low in BEFORE_PERSONS | PETS | {"girl", "boy", "baby", "kid"}):
            continue
        end = place + (3 if lows(tokens[place + 1 : place + 3]) == ("in", "law") else 1)
        name, after_name = _name_after(tokens, end, is_many=Kin("", low).is_many)
        return Kin(shown(tokens[start + 1 : end]).lower(), low, name, after_name)
    return None


def _name_after(tokens: Sequence[ClauseToken], place: int, *, is_many: bool) -> tuple[str, int]:
    """ "Emma", ", Emma,", "named Emma", "Tom, Lily and Max"."""
    led = tokens[place].low if place < len(tokens) else ""
    is_told = led in {"named", "called"}
    found = _names(tokens[place + (is_told or led == ",") :], is_many=is_many, is_told=is_told)
    end = place + (is_told or led == ",") + len(found)
    is_apart = end >= len(tokens) or tokens[end].low in {",", "and", "is", "who", "has"}
    if not found or (led == "," and (not is_apart or (is_many and "and" not in lows(found)))):
        return "", place
    return shown([token if token.low == "and" else replace(token, text=_capital(token)) for token in found]), end


def _names(tokens: Sequence[ClauseToken], *, is_many: bool, is_told: bool) -> Sequence[ClauseToken]:
    """`is_told`: a word like "named" introduces the name, so that it needs no capital."""
    end = 0
    while end < len(tokens) and (is_many or end < _MOST_OF_A_NAME):
        is_joint = is_many and end > 0 and tokens[end].low in _JOINTS
        if not is_joint and not _is_named(tokens[end], is_first=end == 0, is_many=is_many, is_told=is_told):
            break
        end += 1
    joints = takewhile(lambda token: token.low in _JOINTS, reversed(tokens[:end]))
    return tokens[: end - len(list(joints))]


def _is_named(token: ClauseToken, *, is_first: bool, is_many: bool, is_told: bool) -> bool:
    is_name = token.is_capital and (is_told or is_many or not is_first or not token.text.isupper())
    is_known = (is_first or is_many) and (token.low in FIRST_NAMES - _NO_NAMES or is_told)
    return (is_name or is_known) and token.low.isalpha() and token.low not in _NOT_NAMES


def _capital(token: ClauseToken) -> str:
    return token.text[:1].upper() + token.text[1:]


def kins_in(tokens: Sequence[ClauseToken]) -> Iterator[Kin]:
    """All relatives in "my …" or "our …" phrases of a clause; also "my cousin" after a name."""
    for place, token in enumerate(tokens):
        if token.low not in {"my", "our"}:
            continue
        kin = kin_at(tokens, place)
        if kin is not None:
            before = tokens[place - 2 : place - 1] if place > 1 and tokens[place - 1].low == "," else ()
            is_named = bool(before) and before[0].is_capital and before[0].low in FIRST_NAMES
            yield replace(kin, name=kin.name or (before[0].text if is_named else ""))


# ── the subject of a clause ──────────────────────────────────────────────────────────────────────


def subject_of(each: Clause, last: Kin | None, named: Mapping[str, Kin]) -> Kin | None:
    """The relative that is the subject of the clause, if any."""
    if each.whose is not Whose.OTHER:
        kin = kin_at(each.subject, 0) if each.whose is Whose.OWN else None
        # "My mother tongue" is no mother, and "my mum and dad" are two people.
        behind = lows(each.subject[kin.end :]) if kin is not None else ()
        is_light = len(behind) == 1 and behind[0] in ADVERBS | {"'s", ",", "all"}
        return kin if not behind or is_light or behind[0] in {"in", "at"} else None
    said = each.subject[0].text if len(each.subject) == 1 else ""
    if said in named:
        return named[said]
    pronoun = said.lower() or each.pronoun.lower()
    if last is None or len(each.subject) > 1 or not last.answers_to(pronoun):
        return None
    return replace(last, pronoun=pronoun) if pronoun in {"he", "she"} else last


def last_of(each: Clause) -> Kin | None:
    """The person mentioned last in the clause besides its subject, for the pronoun of the next clause."""
    words = lows(each.subject)
    if len(words) == 1 and words[0] in _PARENTS:
        return Kin(words[0], words[0])
    found = next(reversed(list(kins_in(each.predicate))), None)
    if found is not None or each.whose is not Whose.SELF:
        return found
    had = {"have", "got", "adopted", "has"}.intersection(lows(each.predicate[:3]))
    counted = (at for at, token in enumerate(each.predicate[:4]) if token.low in {"a", "an"} or is_number(token))
    at = next(counted, None) if had else None
    return kin_at(each.predicate, at - is_number(each.predicate[at])) if at is not None else None


# ── names in introductions ───────────────────────────────────────────────────────────────────────


def name_in(tokens: Sequence[ClauseToken], *, is_many: bool = False) -> str:
    """An introduced name at the front of the tokens, with its capitals; of many all names: "Tom, Lily and Max"."""
    if is_many:
        return shown(_names(tokens, is_many=True, is_told=False))
    found = [token for token in names(tokens) if token.low not in _NONE][:_MOST_WORDS]
    if found and tokens[0] is found[0]:
        return " ".join(token.text for token in found)
    low = tokens[0].low if tokens else ""
    return _capital(tokens[0]) if low.isalpha() and low not in _NONE | _AFTER else ""


def introduced_name(rest: Sequence[ClauseToken], *, is_first: bool = True) -> str:
    """ "I'm Sarah", "my boss is Martin": a name alone, or followed by a comma or an origin. `is_first`: an introduction
    at the start of a message may contain any name, later ones only known names."""
    found = names(rest) or (tuple(rest[:1]) if lows(rest[:1]) and rest[0].low in FIRST_NAMES - _NO_NAMES else ())
    after = rest[len(found)].low if len(rest) > len(found) else ""
    if not 0 < len(found) <= _MOST_WORDS or after not in _AFTER_OWN or not all(map(_may_be_name, found)):
        return ""
    if rest[0].low in _FAMOUS or not _PLAYED.isdisjoint(lows(rest[1:8])):
        return ""
    is_known = found[0].low in FIRST_NAMES or len(found) > 1
    return " ".join(map(_capital, found)) if is_known or is_first else ""


def _may_be_name(token: ClauseToken) -> bool:
    low = token.low
    if low in FIRST_NAMES:
        return True
    is_word = low in _KNOWN or low.endswith(("ing", "ed"))
    return token.is_capital and low.isalpha() and len(low) > 1 and not token.text.isupper() and not is_word
