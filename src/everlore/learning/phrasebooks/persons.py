"""Whom a clause is about, where that is somebody of the user's: "my older sister Emma", "she", or a name.

In: tokens of a clause, and who was spoken of before. Out: a `Kin`, whose `subject` is the one of a claim. Start at
`kin_at` and `subject_of`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.words import BEFORE_PERSONS, FEMALE, KEPT, MALE, PETS, PLURAL_PETS, PLURALS
from everlore.learning.clauses import Read, Token, Whose, lows
from everlore.learning.clauses.words import ADVERBS
from everlore.learning.phrasebooks.wording import is_number, names, shown, with_article

_NOT_NAMES = listed("names.not_theirs")
_NO_NAMES = listed("names.words")
_PARENTS = listed("people.parents") - {"parent", "grandmother", "grandfather"} | {"granny", "gran", "nan"}
_OF_PETS = listed("things.of_pets")
_AFTER_IS = listed("people.behind_is")
_EVERYBODYS = listed("people.everybodys")
_ONE = {"children": "child", "babies": "baby", "puppies": "puppy", "wolves": "wolf", "ponies": "pony"}
_GIVEN = frozenset({("named",), ("called",)})
_MOST_BEFORE = 4
# "my rating", "my iPhone Pro": what has a name behind "my" and is nobody.
_NO_ROLE = listed("things.no_role") | listed("things.of_the_task") | listed("things.passing")


@dataclass(frozen=True, slots=True)
class Kin:
    """Somebody of the user's. `kind` is "older sister"; `name` is empty where none was said. `pronoun`: how they were
    spoken of already; `end`: where their words end."""

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
        if self.noun in FEMALE | MALE:
            return pronoun == ("she" if self.noun in FEMALE else "he")
        if self.pronoun and pronoun in {"he", "she"}:
            return pronoun == self.pronoun
        return pronoun in {"he", "she"} or (pronoun == "it" and self.noun in PETS)


def kin_at(tokens: Sequence[Token], start: int) -> Kin | None:
    """Whom "my …" or "a …" names that begins at `start`: adjectives, the noun, and a name where one follows."""
    for place in range(start + 1, min(len(tokens), start + 1 + _MOST_BEFORE)):
        low, after = tokens[place].low, tokens[place + 1].low if place + 1 < len(tokens) else ""
        if low in KEPT and not (after in KEPT and low in BEFORE_PERSONS | PETS | {"girl", "boy", "baby", "kid"}):
            return _kin(tokens, start + 1, place)
    return None


def _kin(tokens: Sequence[Token], first: int, at: int) -> Kin | None:
    noun, end = tokens[at].low, at + 1
    if lows(tokens[end : end + 2]) == ("in", "law"):
        end += 2
    after = tokens[end].low if end < len(tokens) else ""
    if after == "'" or (noun in PETS and after in _OF_PETS):
        return None
    kind = shown(tokens[first:end]).lower()
    name, end = _name_after(tokens, end, is_many=Kin(kind, noun).is_many)
    return Kin(kind, noun, name, end)


def _name_after(tokens: Sequence[Token], place: int, *, is_many: bool) -> tuple[str, int]:
    """ "Emma", ", Emma,", "named Emma", "whose name is Emma"."""
    words = lows(tokens[place : place + 3])
    led = 1 if words[:1] in _GIVEN else 3 if words in _LEADING else 0
    if led:
        found, end = _listed(tokens, place + led) if is_many else _plain(tokens, place + led, is_told=True)
        return found, end if found else place
    start = place + (words[:1] == (",",))
    found, end = _listed(tokens, start) if is_many else _plain(tokens, start)
    is_apart = end >= len(tokens) or tokens[end].low in {",", "and", "is", "who", "has"}
    if not found or (start > place and (not is_apart or (is_many and " and " not in found))):
        return "", place
    return found, min(len(tokens), end + (start > place and end < len(tokens) and tokens[end].low == ","))


_LEADING = {("who", "is", "named"), ("who", "is", "called"), ("whose", "name", "is"), ("whose", "names", "are")}


def _plain(tokens: Sequence[Token], start: int, *, is_told: bool = False) -> tuple[str, int]:
    """`is_told`: something says that it is a name, so that it needs no capital."""
    found = tuple(each for each in names(tokens[start:]) if each.low not in _NOT_NAMES)[:2]
    is_first = bool(found) and tokens[start] is found[0] and (is_told or not tokens[start].text.isupper())
    if not is_first:
        low = tokens[start].low if start < len(tokens) else ""
        is_known = low in FIRST_NAMES - _NO_NAMES or (is_told and low.isalpha() and low not in _NOT_NAMES)
        found = (tokens[start],) if is_known else ()
    return " ".join(each.text[:1].upper() + each.text[1:] for each in found), start + len(found)


def _listed(tokens: Sequence[Token], start: int) -> tuple[str, int]:
    """ "Tom and Lily", "Tom, Lily and Max"."""
    end = start
    while end < len(tokens) and (
        (tokens[end].is_capital and tokens[end].low not in _NOT_NAMES)
        or tokens[end].low in FIRST_NAMES - _NO_NAMES
        or (end > start and tokens[end].low in {"and", ","})
    ):
        end += 1
    while end > start and tokens[end - 1].low in {"and", ","}:
        end -= 1
    return shown([replace(each, text=_capital(each)) for each in tokens[start:end]]), end


def _capital(token: Token) -> str:
    return token.text if token.low == "and" else token.text[:1].upper() + token.text[1:]


def kins_in(tokens: Sequence[Token]) -> Iterator[Kin]:
    """Everybody whom "my …" or "our …" names in a clause; also "our cofounder Anneke", "my cousin", behind a name."""
    for place, token in enumerate(tokens):
        if token.low not in {"my", "our"}:
            continue
        kin = kin_at(tokens, place)
        if kin is not None:
            before = tokens[place - 2 : place - 1] if place > 1 and tokens[place - 1].low == "," else ()
            is_named = bool(before) and before[0].is_capital and before[0].low in FIRST_NAMES
            yield replace(kin, name=kin.name or (before[0].text if is_named else ""))
        elif place + 2 < len(tokens):
            yield from _role(tokens[place + 1], tokens[place + 2 :])


def _role(noun: Token, behind: Sequence[Token]) -> Iterator[Kin]:
    is_noun = noun.text.islower() and noun.low.isalpha() and noun.low not in _NO_ROLE | KEPT
    name = behind[0]
    is_name = name.is_capital and name.text[1:].islower() and not (behind[1:] and behind[1].is_capital)
    is_name = is_name and name.low not in _NOT_NAMES and (name.low in FIRST_NAMES or noun.low.endswith(_ROLE_ENDS))
    if is_noun and is_name:
        yield Kin(noun.low, noun.low, name.text)


_ROLE_ENDS = ("er", "or", "ist", "ant", "ian", "ess", "mate", "man")


# ── of whom a clause is ──────────────────────────────────────────────────────────────────────────


def subject_of(each: Read, last: Kin | None, named: Mapping[str, Kin]) -> Kin | None:
    """Whose facts the clause tells, where its subject is somebody of the user's."""
    subject = lows(each.subject)
    if each.clause.whose is Whose.OWN:
        return _own(each.subject)
    if each.clause.whose is Whose.SELF:
        return None
    if len(subject) == 1 and each.subject[0].text in named:
        return named[each.subject[0].text]
    if subject == ("mine",):
        return last
    if len(subject) > 2 and each.subject[0].is_capital and "my" in subject[1:3]:
        # "Rex, my old spaniel, …".
        kin = kin_at(each.subject, subject.index("my"))
        return replace(kin, name=each.subject[0].text) if kin is not None and not kin.name else None
    if last is None:
        return None
    if last.is_many and len(subject) == 1 and each.subject[0].is_capital and subject[0] not in _NOT_NAMES:
        return _one_of(last, each.subject[0].text) if lows(each.predicate)[:1] in _AGING else None
    spoken = subject or (each.clause.subject.lower(),)
    is_one = len(spoken) == 1 and last.answers_to(spoken[0])
    return replace(last, pronoun=spoken[0]) if is_one and spoken[0] in {"he", "she"} else last if is_one else None


_AGING = frozenset({("is",), ("'s",), ("turned",), ("just",), ("turns",)})


def _own(subject: Sequence[Token]) -> Kin | None:
    subject = subject[1:] if lows(subject[:1]) in {("both",), ("all",)} else subject
    low = lows(subject)
    if "and" in low[1:-1] and (at := low.index("and", 1)):
        # "My mum and dad": two of theirs as one.
        others = subject[at + 1 :] if low[at + 1] == "my" else (subject[0], *subject[at + 1 :])
        first, second = kin_at(subject[:at], 0), kin_at(others, 0)
        if first is not None and second is not None and not (first.name or second.name):
            return Kin(f"{first.kind} and {second.kind}", "parents", "", len(subject))
    kin = kin_at(subject, 0)
    if kin is None:
        return _aged_one(subject)
    # "My mother tongue" is no mother: behind the noun there is room for an adverb and for where they are.
    is_end = kin.end >= len(subject) or subject[kin.end].low in {"in", "at"}
    is_light = kin.end == len(subject) - 1 and subject[-1].low in ADVERBS | {"'s", ",", "all"}
    return kin if is_end or is_light else None


def _aged_one(subject: Sequence[Token]) -> Kin | None:
    """ "My 12yo", "my four year old"."""
    text = " ".join(lows(subject)[1:])
    found = re.fullmatch(r"(\w+)[ -]?(?:yo|(?:years?|yr)[ -]old)", text)
    return Kin(f"{found[1]}-year-old child", "child", "", len(subject)) if found else None


def last_of(each: Read) -> Kin | None:
    """Whom the clause spoke of last, beside its subject: of whom the next one's "she" may be."""
    words = lows(each.subject)
    if len(words) == 1 and words[0] in _PARENTS:
        return Kin(words[0], words[0])
    found = next(reversed(list(kins_in(each.predicate))), None)
    if found is not None or each.clause.whose is not Whose.SELF:
        return found
    had = {"have", "got", "adopted", "has"}.intersection(lows(each.predicate[:3]))
    counted = (at for at, token in enumerate(each.predicate[:4]) if token.low in {"a", "an"} or is_number(token))
    at = next(counted, None) if had else None
    return kin_at(each.predicate, at - is_number(each.predicate[at])) if at is not None else None


def _one_of(many: Kin, name: str) -> Kin:
    """ "two sons, Karl who is 8": one of them."""
    noun = _ONE.get(many.noun, many.noun.removesuffix("s"))
    kind = " ".join([*(word for word in many.kind.split()[:-1] if word not in _COUNTS), noun])
    return Kin(kind, noun, name)


_COUNTS = frozenset("two three four five six seven eight nine ten 2 3 4 5 6 7 8 9 both".split())
