"""Whether two statements about a world say the same, or cannot both be true, by what they claim (G7). Pure.

In: two statements, and the names of who is in them. They contradict each other where both claim something of the same
subject in the same respect, only one value of it can hold, and neither says that it has changed. What claims nothing
that is understood contradicts nothing: to hold back what is true is the worse error, and a model sees more.

Start at `contradiction_of`; `is_same_statement` says whether two say the same.
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
    """`reason`: for a reader; `confidence`: how surely."""

    reason: str
    confidence: float


def contradiction_of(old: Statement, new: Statement) -> Contradiction | None:
    one, other = old.frame, new.frame
    if one is None or other is None or old.claim is None or new.claim is None or one.is_change or other.is_change:
        return None
    return Contradiction(_reason(old.claim, new.claim), _BY_CLAIM) if relation(other, one) is Relation.OPPOSED else None


def is_same_statement(one: Statement, other: Statement) -> bool:
    """In the same words but for small ones, or with the same claim."""
    if one.denies != other.denies or numbers_of(one.text) != numbers_of(other.text):
        return False
    if _telling(one.text) == _telling(other.text):
        return True
    if one.frame is None or other.frame is None:
        return False
    return relation(one.frame, other.frame) is Relation.SAME


def statement_of(text: str, names: Mapping[str, str], claim: Claim | None = None) -> Statement:
    """`names`: every name of who and what is known, each with the one by which it is compared. `claim`: what the
    statement is kept with, which counts where its words with these names say nothing."""
    listed = tuple(names.items())
    found = read(_renamed(" ".join(text.split()), listed))
    if claim is None or claim.slot is None or (found.claim is not None and found.claim.slot is not None):
        return found
    return read(found.text, replace(claim, subject=_renamed(claim.subject, listed)))


@lru_cache(maxsize=8_192)
def _renamed(text: str, names: tuple[tuple[str, str], ...]) -> str:
    """Whoever is known stands as one word: "the Grey Widow" and "Countess Imre" are both "Countess_Imre"."""
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
