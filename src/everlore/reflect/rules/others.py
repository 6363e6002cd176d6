"""Clauses whose subject is neither "I" nor "my …", and which tell of the user all the same.

"Mum's a nurse" is the user's mother, "the baby's due in May" is theirs, and so is "he/him." alone. Somebody of theirs
who died is named on the way: "my late husband Tom", and so is what ails them: "my asthma is playing up".

Start at `stated`, and at `of_late` and `ailing`, which are asked of every statement.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Read, Token, lows
from everlore.language.clauses.words import AUXILIARIES
from everlore.language.lists import listed
from everlore.language.words import AILMENTS, DAYS, MONTHS
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import tastes
from everlore.reflect.rules.people import kins_in
from everlore.reflect.rules.phrase import cut, shown
from everlore.reflect.rules.rule import rule

_MOST = 6
_PRONOUNS = listed("grammar.pronouns")


@rule
def stated(read: Read) -> list[Candidate]:
    return _pronouns(read) or tastes.inverted(read) or _due(read)


@rule
def _pronouns(read: Read) -> list[Candidate]:
    text = read.clause.text.lower().strip(" .!()").removesuffix(" btw").removesuffix(" pronouns").replace(" ", "")
    content = f"User uses {text} pronouns"
    return _fact(content, Category.PERSONAL_INFO, "Says their pronouns.") if text in _PRONOUNS else []


def _fact(content: str, category: Category, reason: str) -> list[Candidate]:
    return [Candidate(content=content, category=category, confidence=0.85, reasoning=reason)]


_BOOKED = listed("time.appointments") | listed("time.booked")
_STARTING = listed("life.starting")
_DATE = MONTHS | DAYS | listed("time.of_a_date")


@rule
def _due(read: Read) -> list[Candidate]:
    """ "The baby's due on Halloween", "surgery's booked for 14 January"."""
    tokens = (*read.subject, *read.predicate)
    tokens = tokens[1:] if lows(tokens[:1]) == ("the",) else tokens
    low = lows(tokens)
    is_start = low[1:2] in {("starts",), ("begins",)} and low[0] in _STARTING
    if not is_start and (len(low) < 4 or low[0] not in _BOOKED or low[1] not in {"is", "'s", "are"}):
        return []
    held = cut(tokens[2:], keep_when=True)
    is_set = is_start or (held and held[0].low in {"due", "booked", "scheduled", "on", "in", "set"})
    if not held or len(held) > _MOST or not is_set:
        return []
    is_dated = any(token.low in _DATE or token.low[:1].isdecimal() for token in held)
    verb = low[1] if is_start else "are" if low[1] == "are" else "is"
    content = f"User's {low[0]} {verb} {shown(held)}"
    return _fact(content, Category.PERSONAL_INFO, "Says when it is.") if is_dated else []


@rule
def of_late(tokens: Sequence[Token]) -> list[Candidate]:
    return [
        each
        for kin in kins_in(tokens)
        if kin.name and kin.kind.startswith("late ")
        for each in _fact(f"User's {kin.kind} was named {kin.name}", Category.RELATIONSHIP, "Names who died.")
    ]


_NO_ILLNESS = listed("body.no_illness")
_OF_AN_ILLNESS = listed("body.of_an_illness")
_OVER = listed("body.cured_of")


@rule
def ailing(tokens: Sequence[Token]) -> list[Candidate]:
    """Whoever speaks of their asthma has it, unless they speak of its end."""
    low = lows(tokens)
    if not _OVER.isdisjoint(low):
        return []
    return [
        each
        for place in range(1, len(low))
        if low[place - 1] == "my" and low[place] in AILMENTS - _NO_ILLNESS and _is_spoken_of(tokens, place + 1)
        for each in _fact(f"User has {_with_article(tokens[place])}", Category.PERSONAL_INFO, "Names what ails them.")
    ]


_COUNTED = listed("body.counted")


def _with_article(token: Token) -> str:
    return f"{'an' if token.low[0] in 'aeiou' else 'a'} {token.low}" if token.low in _COUNTED else token.text


def _is_spoken_of(tokens: Sequence[Token], place: int) -> bool:
    """Not "my cancer research": the illness itself, or what belongs to it."""
    if place >= len(tokens) or not tokens[place].is_word:
        return True
    low = tokens[place].low
    return low in AUXILIARIES | _OF_AN_ILLNESS | {"and", "since", "has", "from", "in", "when"} or low.endswith("s")
