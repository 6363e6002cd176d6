"""Clauses whose subject is neither "I" nor "my …", and which tell of the user all the same.

"Mum's a nurse" is the user's mother, "Shanice from work" a colleague; "the baby's due in May" is theirs, and so is a
taste in "autumn > summer" or "country music does nothing for me".

Start at `stated`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token, lows
from everlore.reflect.rules import bonds, home, identity, plans, skills, tastes, traits, wide, work
from everlore.reflect.rules.people import Kin, bare_kin, introduced
from everlore.reflect.rules.phrase import cut, is_telling, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, said_of
from everlore.reflect.rules.words import MONTHS, words

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


@rule
def stated(read: Read) -> list[Candidate]:
    return _of_bare_kin(read) or _from_work(read) or _due(read) or _compared(read)


# ── people without "my" ──────────────────────────────────────────────────────────────────────────


@rule
def _of_bare_kin(read: Read) -> list[Candidate]:
    """ "Dad's from Leeds", "nan died in January"."""
    tokens = (*read.subject, *read.predicate)
    kin = bare_kin(tokens)
    if kin is None or read.front:
        return []
    predicate = _has(tokens[kin.end :])
    said = said_of(_with_predicate(read, predicate), kin.label) if predicate else None
    found = next((told for each in _OF_KIN if (told := each(said))), []) if said is not None else []
    return [*introduced(kin), *found]


def _has(predicate: Sequence[Token]) -> Sequence[Token]:
    """ "'s been" and "'s got" are of "has"."""
    if lows(predicate[:1]) == ("'s",) and lows(predicate[1:2]) in {("been",), ("got",)}:
        return (Token("has", "has", predicate[0].start, predicate[0].end), *predicate[1:])
    return predicate


def _with_predicate(read: Read, predicate: Sequence[Token]) -> Read:
    return Read(read.clause, read.lead, read.front, read.subject, tuple(predicate), read.sentence)


@rule
def _from_work(read: Read) -> list[Candidate]:
    """ "Shanice from work is leaving"."""
    tokens = (*read.subject, *read.predicate)
    if len(tokens) < 3 or not tokens[0].is_capital or not tokens[0].text.isalpha():
        return []
    where = lows(tokens[1:3])
    kind = {"work": "colleague", "school": "schoolfriend", "uni": "friend", "church": "friend"}.get(where[1])
    if where[0] != "from" or kind is None or tokens[0].low in {"i", "back", "home", "people", "someone", "everyone"}:
        return []
    return introduced(Kin(kind, "colleague", tokens[0].text, 3))


# ── dates ────────────────────────────────────────────────────────────────────────────────────────

_BOOKED = words(
    "surgery operation op wedding flight interview appointment exam exams scan chemo baby graduation funeral hearing "
    "defence defense viva honeymoon audition biopsy induction"
)
_DATE = MONTHS | words(
    "monday tuesday wednesday thursday friday saturday sunday christmas easter halloween next week month year summer"
)


@rule
def _due(read: Read) -> list[Candidate]:
    """ "The baby's due on Halloween", "surgery's booked for 14 January"."""
    tokens = (*read.subject, *read.predicate)
    low = lows(tokens)
    start = 1 if low[:1] == ("the",) else 0
    if len(low) < start + 4:
        return []
    if low[start] not in _BOOKED or low[start + 1] not in {"is", "'s", "are"}:
        return []
    held = cut(tokens[start + 2 :], keep_when=True)
    if not held or len(held) > _MOST or held[0].low not in {"due", "booked", "scheduled", "on", "in", "set"}:
        return []
    if not any(token.low in _DATE or token.low[:1].isdigit() for token in held):
        return []
    be = "are" if low[start + 1] == "are" else "is"
    return _fact(f"User's {low[start]} {be} {shown(held)}", Category.PERSONAL_INFO, "Says when it is.")


# ── tastes ───────────────────────────────────────────────────────────────────────────────────────

_NO_THING = words("it that this these those he she they you we there what which who nothing everything")


@rule
def _compared(read: Read) -> list[Candidate]:
    """ "Autumn > summer", "tea over coffee any day"."""
    tokens = (*read.front, *read.subject, *read.predicate)
    low = lows(tokens)
    mark = next((place for place, word in enumerate(low[:_MOST]) if word in {">", ">>", ">>>", "over"}), 0)
    if not mark or (low[mark] == "over" and not _is_always(low)) or "<" in low:
        return []
    while low[mark + 1 : mark + 2] == (">",):
        tokens, low = (*tokens[:mark], *tokens[mark + 1 :]), (*low[:mark], *low[mark + 1 :])
    first, second = cut(tokens[:mark]), cut(_before_always(tokens[mark + 1 :]))
    is_pair = _is_thing(first) and _is_thing(second)
    content = f"User prefers {shown(first)} to {shown(second)}"
    return _fact(content, Category.PREFERENCE, "Puts one above the other.") if is_pair else []


def _is_always(low: Sequence[str]) -> bool:
    return ("any", "day") in set(pairwise(low)) or "always" in low or ("every", "time") in set(pairwise(low))


def _before_always(tokens: Sequence[Token]) -> Sequence[Token]:
    ends = words("any always every all hands")
    end = next((place for place, token in enumerate(tokens) if place and token.low in ends), len(tokens))
    return tokens[:end]


def _is_thing(tokens: Sequence[Token]) -> bool:
    return (
        0 < len(tokens) <= 4
        and is_telling(tokens)
        and tokens[0].low not in _NO_THING
        and all(len(token.low) > 1 and token.low.replace("-", "").replace("'", "").isalpha() for token in tokens)
    )


@rule
def _fact(content: str, category: Category, reason: str) -> list[Candidate]:
    return [Candidate(content=content, category=category, confidence=0.85, reasoning=reason)]
