"""Several wordings of one fact must not fill the room (R2): the best of them counts whole, the others less. Pure.

They are not left out: the same words in another order can say something else. Start at `spread`.
"""

import math
from collections import Counter
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
    return sorted(weighed, key=lambda each: -each.score)


class _Said:
    """What was said so far, by its words: two statements that have none in common are never compared."""

    def __init__(self) -> None:
        # "Likes tea" and "no longer likes tea" are of different times, and both are wanted.
        self._holding: dict[tuple[Status, str], list[int]] = {}
        self._sizes: list[int] = []

    def again(self, memory: Memory) -> bool:
        """Whether this says what was said; if not, it is said now."""
        words = [(memory.status, word) for word in frozenset(query_terms(memory.content))]
        if self._has_same(words):
            return True
        for word in words:
            self._holding.setdefault(word, []).append(len(self._sizes))
        self._sizes.append(len(words))
        return False

    def _has_same(self, words: list[tuple[Status, str]]) -> bool:
        shared: Counter[int] = Counter()
        for word in words:
            shared.update(self._holding.get(word, ()))
        # Of what has too few words of this one, the size need not be looked at.
        likely = [place for place, common in shared.items() if common >= _SAME * len(words)]
        return any(_is_same(shared[place], len(words), self._sizes[place]) for place in likely)


def _is_same(common: int, size: int, other: int) -> bool:
    return common >= _SAME * (size + other - common)


def _repeated(recalled: Recalled) -> Recalled:
    parts = {**recalled.parts, "diversity": _REPEATED}
    return replace(recalled, score=round(recalled.score * _REPEATED, 4), parts=parts)
