"""Decides by their claims whether two statements about a world agree or contradict each other (G7). Pure.

In: two statements, and the names of the entities in them. They contradict each other if both claim a value for the same
subject and attribute, the attribute has only one value at a time, and neither says that it changed. A statement without
a recognized claim contradicts nothing: holding back a true statement is the worse error, and a model finds more.

Start at `contradiction_of`; `is_same_statement` says whether two agree.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from everlore.domain.claim import Claim
from everlore.domain.words import query_terms
from everlore.learning.claims import numbers_of
from everlore.learning.relations import Relation, relation
from everlore.learning.saving.likeness import Statement, read
from everlore.learning.segments.transcript import clip

_BY_CLAIM = 0.75
_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Contradiction:
    """`reason`: text for a reader; `confidence`: from 0 to 1."""

    reason: str
    confidence: float


def contradiction_of(old: Statement, new: Statement) -> Contradiction | None:
    one, other = old.frame, new.frame
    if one is None or other is None or old.claim is None or new.claim is None or one.is_change or other.is_change:
        return None
    return Contradiction(_reason(old.claim, new.claim), _BY_CLAIM) if relation(other, one) is Relation.OPPOSED else None


def is_same_statement(one: Statement, other: Statement) -> bool:
    """Whether both have the same words, apart from function words, or the same claim."""
    if one.denies != other.denies or numbers_of(one.text) != numbers_of(other.text):
        return False
    if _telling(one.text) == _telling(other.text):
        return True
    if one.frame is None or other.frame is None:
        return False
    return relation(one.frame, other.frame) is Relation.SAME


def statement_of(text: str, names: Mapping[str, str], claim: Claim | None = None) -> Statement:
    """`names`: maps every known name to the one used for comparison. `claim`: the stored claim of the statement, used
    if its words with these names yield none."""
    listed = tuple(names.items())
    found = read(_renamed(" ".join(text.split()), listed))
    if claim is None or claim.slot is None or (found.claim is not None and found.claim.slot is not None):
        return found
    return read(found.text, replace(claim, subject=_renamed(claim.subject, listed)))


@lru_cache(maxsize=8_192)
def _renamed(text: str, names: tuple[tuple[str, str], ...]) -> str:
    """Replaces each known name by one token: "the Grey Widow" and "Countess Imre" both become "Countess_Imre"."""
    by_name = {name.casefold(): known for name, known in names}
    if not by_name:
        return text
    listed = "|".join(sorted(map(re.escape, by_name), key=len, reverse=True))
    pattern = re.compile(rf"\b(?:the )?(?P<name>{listed})\b", re.IGNORECASE)
    return pattern.sub(lambda found: "_".join(by_name[found["name"].casefold()].split()), text)


@lru_cache(maxsize=8_192)
def _telling(text: str) -> tuple[str, ...]:
    return query_terms(text, most=200)


def _reason(old: Claim, new: Claim) -> str:
    slot = new.topic or (new.slot.value if new.slot else "")
    if old.polarity != new.polarity:
        return f"one says what the other denies of {new.subject}".replace("_", " ")
    first, second = (clip(each.value, _MOST_SHOWN) for each in (old, new))
    return f"{slot} of {new.subject}: {first} or {second}".replace("_", " ")
