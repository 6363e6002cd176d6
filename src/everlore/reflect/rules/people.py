"""Family, friends, partners and pets: who there is, what they are called, and who a later "she" is.

In: "my …" wherever it stands, and "I have …". Out: relationship facts, and for a subject such as "my older sister Emma"
the label under which facts about her are kept: "User's older sister Emma".

Start at `kin_at` and `having`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed, phrases_listed
from everlore.language.people import WITH_THE
from everlore.language.words import (
    BEFORE_PERSONS,
    FEMALE,
    KEPT,
    MALE,
    NATIONS,
    PERSONS,
    PETS,
    PLURAL_PETS,
    PLURALS,
    RELATIVES,
    SOME,
    STATES_OF,
    TELLING,
    words,
)
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_number, is_telling, names, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, STATED, Said, Tense

_NOT_NAMES = listed("names.not_theirs")


@dataclass(frozen=True, slots=True)
class Kin:
    """Somebody of the user's. `kind` is "older sister"; `name` is empty where none was said. `pronoun`: how they were
    spoken of already; who was "he" is not "she" in the next sentence."""

    kind: str
    noun: str
    name: str
    end: int
    pronoun: str = ""

    @property
    def is_many(self) -> bool:
        return self.noun in PLURALS | PLURAL_PETS

    @property
    def label(self) -> str:
        return f"User's {self.kind} {self.name}".strip()

    def answers_to(self, pronoun: str) -> bool:
        if self.is_many:
            return pronoun == "they"
        if self.noun in FEMALE:
            return pronoun == "she"
        if self.noun in MALE:
            return pronoun == "he"
        if self.pronoun and pronoun in {"he", "she"}:
            return pronoun == self.pronoun
        return pronoun in {"he", "she"} or (pronoun == "it" and self.noun in PETS)


def kin_at(tokens: Sequence[Token], start: int) -> Kin | None:
    """Whom "my …" names that begins at `start`: adjectives, the noun, and a name where one follows."""
    place = start + 1
    first = place
    while place < len(tokens) and place - first < 4:
        low = tokens[place].low
        if low in KEPT and not (
            place + 1 < len(tokens)
            and tokens[place + 1].low in KEPT
            and low in BEFORE_PERSONS | PETS | {"girl", "boy", "baby", "kid", "twin"}
        ):
            return _kin(tokens, first, place)
        if low not in BEFORE_PERSONS | KEPT | NATIONS and not is_number(tokens[place]) and not _is_aged(low):
            return None
        place += 1
    return None


def _is_aged(low: str) -> bool:
    """ "3-year-old"."""
    return low.endswith(("year-old", "month-old")) or low in {"year", "old"}


def _kin(tokens: Sequence[Token], first: int, at: int) -> Kin | None:
    noun = tokens[at].low
    end = at + 1
    if lows(tokens[end : end + 2]) == ("in", "law"):
        end += 2
    if end < len(tokens) and tokens[end].low in {"'s", "'"} and not _is_verb_after(tokens, end):
        return None
    if end < len(tokens) and tokens[end].low in _OF_PETS and noun in PETS:
        return None
    kind_end = end
    name, end = _name_after(tokens, end, noun)
    kind = shown(tokens[first:kind_end])
    return Kin(kind, noun, name, end)


_OF_PETS = listed("things.of_pets")
_AFTER_IS = listed("people.behind_is")


def _is_verb_after(tokens: Sequence[Token], place: int) -> bool:
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    return after in _AFTER_IS or after in NATIONS | STATES_OF or after.endswith("ing")


def _name_after(tokens: Sequence[Token], place: int, noun: str) -> tuple[str, int]:
    """ "Emma", ", Emma,", "named Emma", "whose name is Emma"."""
    start = place
    if start < len(tokens) and tokens[start].low == ",":
        start += 1
        if is_plural(noun) and _plain_names(tokens[start:]):
            listed, end = list_of_names(tokens, start)
            is_end = end == len(tokens) or tokens[end].low == ","
            return (listed, end) if " and " in listed and is_end else ("", place)
        found = _plain_names(tokens[start:])
        is_apart = found and (
            start + len(found) == len(tokens) or tokens[start + len(found)].low in {",", "and", "is", "who"}
        )
        return (_spelled(found), min(len(tokens), start + len(found) + 1)) if is_apart else ("", place)
    if start + 1 < len(tokens) and tokens[start].low in {"named", "called"}:
        found = tuple(names(tokens[start + 1 :])) or tuple(tokens[start + 1 : start + 2])
        return list_of_names(tokens, start + 1) if is_plural(noun) else (_spelled(found), start + 1 + len(found))
    if lows(tokens[start : start + 3]) in {("who", "is", "named"), ("who", "is", "called"), ("whose", "name", "is")}:
        found = tuple(names(tokens[start + 3 :])) or tuple(tokens[start + 3 : start + 4])
        return _spelled(found), start + 3 + len(found)
    if lows(tokens[start : start + 1]) in _TITLES and start + 1 < len(tokens) and tokens[start + 1].low.isalpha():
        return _spelled(tokens[start : start + 2]), start + 2
    found = _plain_names(tokens[start:])
    if found and is_plural(noun):
        return list_of_names(tokens, start)
    return (_spelled(found), start + len(found)) if found else ("", place)


_TITLES = frozenset(phrases_listed("names.titles_before"))


def is_plural(noun: str) -> bool:
    return noun in PLURALS | PLURAL_PETS or (noun.endswith("s") and noun[:-1] in KEPT)


def list_of_names(tokens: Sequence[Token], start: int) -> tuple[str, int]:
    """ "Tom and Lily", "Tom, Lily and Max"."""
    place = start
    while place < len(tokens) and (
        tokens[place].is_capital
        or tokens[place].low in FIRST_NAMES
        or (tokens[place].low in {"and", ","} and place > start)
    ):
        if tokens[place].low in _NOT_NAMES - {"and"}:
            break
        place += 1
    found = list(tokens[start:place])
    while found and found[-1].low in {"and", ","}:
        found.pop()
    return shown(found, capital=True), start + len(found)


def _plain_names(tokens: Sequence[Token]) -> tuple[Token, ...]:
    found = tuple(token for token in names(tokens) if token.low not in _NOT_NAMES)[:2]
    if found:
        return found if tokens[0] is found[0] and not tokens[0].text.isupper() else ()
    is_name = (
        tokens
        and tokens[0].low in FIRST_NAMES
        and tokens[0].low not in {"will", "may", "grace", "hope", "joy", "mark", "rich", "dawn", "rose", "art", "drew"}
    )
    return (tokens[0],) if is_name else ()


def _spelled(tokens: Sequence[Token]) -> str:
    return " ".join(token.text[:1].upper() + token.text[1:] for token in tokens)


# ── who there is ─────────────────────────────────────────────────────────────────────────────────


@rule
def introduced(kin: Kin) -> list[Candidate]:
    """A named one: "my sister Emma" is a sister named Emma."""
    if not kin.name:
        return []
    what = kin.kind if kin.is_many else f"{_article(kin.kind)} {kin.kind}"
    return [_relation(f"User has {what} named {kin.name}", "Names somebody of theirs.", STATED)]


@rule
def whereabouts(kin: Kin, subject: Sequence[Token]) -> list[Candidate]:
    """ "My niece in Quito collects stamps"."""
    where = subject[kin.end :]
    if len(where) < 2 or where[0].low != "in" or not all(token.is_capital for token in where[1:]):
        return []
    be = "are" if kin.is_many else "is"
    return [_relation(f"{kin.label} {be} {shown(where)}", "Says where one of theirs is.", IMPLIED)]


@rule
def mentioned(kin: Kin) -> list[Candidate]:
    """Without a name: whoever speaks of their wife has one."""
    if (
        kin.noun not in TELLING
        or kin.name
        or kin.kind.split()[0] in {"late", "ex", "future", "former"}
        or "old" in kin.kind.split()
    ):
        return []
    what = kin.kind if kin.is_many else f"{_article(kin.kind)} {kin.kind}"
    return [_relation(f"User has {what}", "Mentions somebody of theirs.", IMPLIED)]


def _relation(content: str, reason: str, confidence: float) -> Candidate:
    return Candidate(content=content, category=Category.RELATIONSHIP, confidence=confidence, reasoning=reason)


def _article(phrase: str) -> str:
    return "an" if phrase[:1].lower() in "aeiou" and not phrase.lower().startswith(("uni", "one", "eu")) else "a"


def kins_in(tokens: Sequence[Token]) -> Iterator[Kin]:
    """Everybody whom "my …" or "our …" names in a clause."""
    for place, token in enumerate(tokens):
        if token.low in {"my", "our"}:
            kin = kin_at(tokens, place)
            if kin is not None:
                yield replace(kin, name=kin.name or _name_before(tokens, place))


def _name_before(tokens: Sequence[Token], place: int) -> str:
    """ "With Owen, my cousin": the name stands first."""
    at = place - 2 if place and tokens[place - 1].low == "," else place - 1
    if at < 0 or not tokens[at].is_capital:
        return ""
    name = tokens[at]
    is_name = name.low in FIRST_NAMES or (at > 0 and tokens[at - 1].low == "with")
    return name.text if is_name and name.low not in _NOT_NAMES else ""


def only_mentioned(tokens: Sequence[Token]) -> Iterator[Kin]:
    """Whom something belongs to, or who needs no "my": "my husband's posting", "while the kids sleep"."""
    for place, token in enumerate(tokens[:-1]):
        noun = tokens[place + 1].low
        is_owner = token.low in {"my", "our"} and noun in RELATIVES and lows(tokens[place + 2 : place + 3]) == ("'s",)
        if is_owner or (token.low == "the" and noun in WITH_THE):
            yield Kin(tokens[place + 1].text.lower(), noun, "", place + 2)


# ── having ───────────────────────────────────────────────────────────────────────────────────────

_HAVING = frozenset({Tense.PRESENT, Tense.PAST, Tense.USED, Tense.PERFECT})
_GETTING = listed("verbs.getting")


@rule
def having(said: Said) -> list[Candidate]:
    """ "I have two kids", "I've got a cat named Tom", "I don't have any siblings", "I adopted a puppy last year"."""
    is_raising = said.tense is Tense.GOING and said.verb in {"raise", "foster", "get", "adopt"}
    if said.verb not in _GETTING or not (said.tense in _HAVING or is_raising):
        return []
    # "any brothers or sisters" is told whole.
    is_whole = said.is_denied and "or" in lows(said.rest[:4])
    if is_whole or (said.verb == "keep" and said.tense is not Tense.PRESENT):
        return []
    chains = _chains(said)
    is_got = said.verb == "get" and said.tense is Tense.PAST and said.next not in {"my", "our", "the"}
    if is_got and any(token.low in PERSONS for token in chains[0][:4]):
        # "I got two brothers" is said of having them.
        said = said.turned(verb="have", tense=Tense.PRESENT, form="have")
    found = _had(said, chains[0])
    # "two kids and dogs", but not "a table with cats and dogs".
    return found + [each for chain in chains[1:] if found or chain[0].low not in KEPT for each in _had(said, chain)]


def _chains(said: Said) -> list[tuple[Token, ...]]:
    """Each thing of an enumeration: "two kids, a dog named Rex and a cat"."""
    chains: list[list[Token]] = [[]]
    rest = said.rest
    for place, token in enumerate(rest):
        begins = (
            token.low in SOME
            or is_number(token)
            or token.low in {"my", "any"}
            or any(each.low in KEPT for each in rest[place : place + 2])
        )
        if chains[-1] and rest[place - 1].low in {"and", ","} and begins:
            chains.append([])
        chains[-1].append(token)
    return [tuple(chain) for chain in chains[:6]]


@rule
def _had(said: Said, chain: Sequence[Token]) -> list[Candidate]:
    at = _kept_at(chain)
    if at is None:
        return []
    end = at + 3 if lows(chain[at + 1 : at + 3]) == ("in", "law") else at + 1
    name, named_end = _name_after(chain, end, chain[at].low)
    tail = chain[named_end:] if name else chain[end:]
    if not _ends_noun(tail) or (not name and chain[at].low in _EVERYBODYS and chain[0].low in {"a", "an", "my"}):
        return []
    text = f"{shown(chain[:end])} named {name}" if name else shown(chain[:end])
    is_told = said.tense is not Tense.PRESENT or said.verb in {"have", "own", "raise", "foster"}
    return said.tells(f"{text} {_qualifier(tail)}", Category.RELATIONSHIP, "Says whom they have.") if is_told else []


_EVERYBODYS = listed("people.everybodys")
_AFTER_NOUN = listed("people.behind")


def _ends_noun(tail: Sequence[Token]) -> bool:
    """ "a dog" and "a dog in the yard", but not "a dog class"."""
    return not tail or (not tail[0].is_word and tail[0].low not in {"'", "'s"}) or tail[0].low in _AFTER_NOUN


def _kept_at(chain: Sequence[Token]) -> int | None:
    """Where the noun stands that says whom: after a number, "a", "any" or "no", and adjectives."""
    if not chain or not (
        chain[0].low in SOME | {"any", "my"}
        or is_number(chain[0])
        or chain[0].low in PLURALS | PLURAL_PETS | {"younger", "older", "twin", "step"}
    ):
        return None
    for place, token in enumerate(chain[:6]):
        if token.low in KEPT and not (place + 1 < len(chain) and chain[place + 1].low in KEPT):
            return place
        if place and not _may_precede(token) and not (place + 1 < len(chain) and chain[place + 1].low in KEPT):
            return None
    return None


_BEFORE_NOUN = SOME | BEFORE_PERSONS | KEPT | NATIONS | words("any my of very well behaved really")


def _may_precede(token: Token) -> bool:
    return token.low in _BEFORE_NOUN or is_number(token) or _is_aged(token.low)


_MOST_TAIL = 8
_QUALIFYING = listed("people.qualifying")


def _qualifier(tail: Sequence[Token]) -> str:
    """What goes on to say more: "in high school", "from my first marriage"; not another clause."""
    if not tail or tail[0].low not in _QUALIFYING:
        return ""
    if lows(tail[:3]) == ("on", "the", "way"):
        return "on the way"
    found = cut(tail, keep_when=True)
    return shown(found) if found and len(found) <= _MOST_TAIL and is_telling(found[1:] or found) else ""


_GONE = listed("people.gone")
# What somebody was may be over, with them; where they were last night is not.
_WAS = listed("people.was")


def has_died(predicate: Sequence[Token]) -> bool:
    """Whoever died is no longer had, and is named where that is told."""
    low = lows(predicate[:3])
    is_passed = low[:1] == ("passed",) and low[1:2] in {("away",), ("in",), ("on",), ("last",), ("when",), ("this",)}
    return is_passed or "died" in low or low[:2] == ("is", "dead")


def is_gone(tokens: Sequence[Token], *, is_self: bool) -> bool:
    """Says of somebody what may mean that they are there no more."""
    gone = _GONE if is_self else _GONE | {"had"}
    is_over = not is_self and any(one in {"was", "were"} and other in _WAS for one, other in pairwise(lows(tokens[:9])))
    is_apart = any(pair == ("broke", "up") for pair in pairwise(lows(tokens[:8])))
    return is_apart or is_over or any(token.low in gone for token in tokens[:8])
