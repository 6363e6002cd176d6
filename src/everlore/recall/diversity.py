"""Several wordings of one fact must not fill the room (R2): the best of them counts whole, the others less. Pure.

They are not left out: the same words in another order can say something else. Start at `spread`.
"""

from collections.abc import Sequence
from dataclasses import replace

from everlore.domain.memory import Memory
from everlore.domain.recalled import Recalled
from everlore.domain.words import query_terms

# So much of all their telling words in common, and two statements may well say the same.
_SAME = 0.75
_REPEATED = 0.5


def spread(members: Sequence[Recalled]) -> list[Recalled]:
    """Best first again, with less for what says what a better one says. Lines of a talk are left as they are."""
    kept: list[tuple[Memory, frozenset[str]]] = []
    weighed: list[Recalled] = []
    for each in members:
        if not isinstance(each.record, Memory):
            weighed.append(each)
            continue
        terms = frozenset(query_terms(each.record.content))
        if any(_is_same(each.record, terms, other, others) for other, others in kept):
            weighed.append(_repeated(each))
        else:
            kept.append((each.record, terms))
            weighed.append(each)
    return sorted(weighed, key=lambda each: -each.score)


def _repeated(recalled: Recalled) -> Recalled:
    parts = {**recalled.parts, "diversity": _REPEATED}
    return replace(recalled, score=round(recalled.score * _REPEATED, 4), parts=parts)


def _is_same(one: Memory, terms: frozenset[str], other: Memory, others: frozenset[str]) -> bool:
    # "Likes tea" and "no longer likes tea" are of different times, and both are wanted.
    shorter, longer = sorted((len(terms), len(others)))
    # Most are told apart by their lengths already.
    if not shorter or shorter < _SAME * longer or one.status is not other.status:
        return False
    return len(terms & others) >= _SAME * len(terms | others)
