"""Ranks repetitions of one fact lower (R2): the best of several wordings keeps its score, the others lose some. Pure.

They are not dropped: the same words in another order can mean something else. Start at `spread`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from everlore.domain.memory import Memory, Status
from everlore.domain.recalled import Recalled
from everlore.domain.words import query_terms

# Share of common significant words from which two statements count as the same.
_SAME = 0.75
_REPEATED = 0.5


def spread(members: Sequence[Recalled], limit: float = math.inf) -> list[Recalled]:
    """Sorts again, best first, after lowering the score of memories that repeat a better one. Lines of conversations
    stay as they are, and so does everything after `limit` different memories: it is not returned in any case."""
    said = _Said()
    weighed: list[Recalled] = []
    different = 0
    for each in members:
        is_again = different < limit and isinstance(each.record, Memory) and said.again(each.record)
        different += not is_again
        weighed.append(_repeated(each) if is_again else each)
    return sorted(weighed, key=best_first)


def best_first(recalled: Recalled) -> tuple[bool, float]:
    """The sort key: doubtful ones come after plain ones, whatever their score."""
    return recalled.is_doubtful, -recalled.score


class _Said:
    """The words of each different statement so far."""

    def __init__(self) -> None:
        # "Likes tea" and "no longer likes tea" are of different times, and both are wanted.
        self._words: dict[Status, list[frozenset[str]]] = {}

    def again(self, memory: Memory) -> bool:
        """Whether an earlier memory says the same; if not, remembers its words."""
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
