"""Several wordings of one fact must not fill the room (R2): the best of them counts whole, the others less. Pure.

They are not left out: the same words in another order can say something else. Start at `spread`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from everlore.domain.memory import Memory, Status
from everlore.domain.recalled import Recalled
from everlore.domain.words import query_terms

# So much of all their telling words in common, and two statements may well say the same.
_SAME = 0.75
_REPEATED = 0.5


def spread(members: Sequence[Recalled], limit: float = math.inf) -> list[Recalled]:
    """Best first again, with less for what says what a better one says. Lines of a talk are left as they are, and so is
    whatever stands behind `limit` that say something of their own: it is not brought back in any case."""
    said = _Said()
    weighed: list[Recalled] = []
    different = 0
    for each in members:
        is_again = different < limit and isinstance(each.record, Memory) and said.again(each.record)
        different += not is_again
        weighed.append(_repeated(each) if is_again else each)
    return sorted(weighed, key=best_first)


def best_first(recalled: Recalled) -> tuple[bool, float]:
    """What to sort by: what is doubtful comes behind what is plain, whatever else it weighs."""
    return recalled.is_doubtful, -recalled.score


class _Said:
    """The words of each statement so far that says something of its own."""

    def __init__(self) -> None:
        # "Likes tea" and "no longer likes tea" are of different times, and both are wanted.
        self._words: dict[Status, list[frozenset[str]]] = {}

    def again(self, memory: Memory) -> bool:
        """Whether this says what was said; if not, it is said now."""
        words = frozenset(query_terms(memory.content))
        said = self._words.setdefault(memory.status, [])
        if any(_is_same(words, other) for other in said):
            return True
        said.append(words)
        return False


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    common = len(one & other)
    return common > 0 and common >= _SAME * (len(one) + len(other) - common)


def _repeated(recalled: Recalled) -> Recalled:
    parts = {**recalled.parts, "diversity": _REPEATED}
    return replace(recalled, score=round(recalled.score * _REPEATED, 4), parts=parts)
