"""Clauses whose subject is neither "I" nor "my …", and which tell of the user all the same.

"Mum's a nurse" is the user's mother, "the baby's due in May" is theirs, and so is "he/him." alone. Somebody of theirs
who died is named on the way: "my late husband Tom".

Start at `stated`, and at `of_late`, which is asked of every statement.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from everlore.domain.memory import Category
from everlore.language.clauses import Read, Token, lows
from everlore.language.words import DAYS, MONTHS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import bonds, home, identity, plans, skills, tastes, traits, wide, work
from everlore.reflect.rules.people import bare_kin, introduced, kins_in
from everlore.reflect.rules.phrase import cut, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, said_of

Rule = Callable[[Said], list[Candidate]]

_MOST = 6
_OF_KIN: tuple[Rule, ...] = (
    identity.aged,
    traits.lasting,
    bonds.stated,
    plans.stated,
    tastes.stated,
    skills.stated,
    home.stated,
    work.stated,
    wide.stated,
)
_PRONOUNS = frozenset({"he/him", "she/her", "they/them", "he/they", "she/they", "they/he", "they/she", "it/its"})


@rule
def stated(read: Read) -> list[Candidate]:
    return _pronouns(read) or tastes.inverted(read) or _of_bare_kin(read) or _due(read)


@rule
def _pronouns(read: Read) -> list[Candidate]:
    text = read.clause.text.lower().strip(" .!()").removesuffix(" btw").removesuffix(" pronouns").replace(" ", "")
    content = f"User uses {text} pronouns"
    return _fact(content, Category.PERSONAL_INFO, "Says their pronouns.") if text in _PRONOUNS else []


def _fact(content: str, category: Category, reason: str) -> list[Candidate]:
    return [Candidate(content=content, category=category, confidence=0.85, reasoning=reason)]


@rule
def _of_bare_kin(read: Read) -> list[Candidate]:
    """ "Dad's from Leeds", "nan died in January"."""
    tokens = (*read.subject, *read.predicate)
    kin = bare_kin(tokens)
    if kin is None or read.front:
        return []
    predicate = _has(tokens[kin.end :])
    said = said_of(replace(read, predicate=tuple(predicate)), kin.label) if predicate else None
    found = next((told for each in _OF_KIN if (told := each(said))), []) if said is not None else []
    return [*introduced(kin), *found]


def _has(predicate: Sequence[Token]) -> Sequence[Token]:
    """ "'s been" and "'s got" are of "has"."""
    if lows(predicate[:1]) == ("'s",) and lows(predicate[1:2]) in {("been",), ("got",)}:
        return (Token("has", "has", predicate[0].start, predicate[0].end), *predicate[1:])
    return predicate


_BOOKED = words(
    "surgery operation op wedding flight interview appointment exam exams scan chemo baby graduation funeral hearing "
    "defence defense viva honeymoon audition biopsy induction"
)
_DATE = MONTHS | DAYS | words("christmas easter halloween next week month year summer")


@rule
def _due(read: Read) -> list[Candidate]:
    """ "The baby's due on Halloween", "surgery's booked for 14 January"."""
    tokens = (*read.subject, *read.predicate)
    tokens = tokens[1:] if lows(tokens[:1]) == ("the",) else tokens
    low = lows(tokens)
    if len(low) < 4 or low[0] not in _BOOKED or low[1] not in {"is", "'s", "are"}:
        return []
    held = cut(tokens[2:], keep_when=True)
    if not held or len(held) > _MOST or held[0].low not in {"due", "booked", "scheduled", "on", "in", "set"}:
        return []
    is_dated = any(token.low in _DATE or token.low[:1].isdigit() for token in held)
    content = f"User's {low[0]} {'are' if low[1] == 'are' else 'is'} {shown(held)}"
    return _fact(content, Category.PERSONAL_INFO, "Says when it is.") if is_dated else []


@rule
def of_late(tokens: Sequence[Token]) -> list[Candidate]:
    return [
        each
        for kin in kins_in(tokens)
        if kin.name and kin.kind.startswith("late ")
        for each in _fact(f"User's {kin.kind} was named {kin.name}", Category.RELATIONSHIP, "Names who died.")
    ]
