"""Selects the summaries for a range of messages: the highest levels, without overlaps (C7).

Pure. A summary of summaries covers exactly what its parts cover, so choosing the highest first never leaves a gap that
a lower one could have filled. Start at `cover`.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime

from everlore.domain.conversation import Summary


def cover(summaries: Iterable[Summary], first: int, last: int) -> list[Summary]:
    """Summaries within `first` to `last` that do not overlap, in order. Preferred are higher levels, then longer, then
    newer ones."""
    within = [each for each in summaries if first <= each.first_seq <= each.last_seq <= last]
    taken: list[Summary] = []
    for each in sorted(within, key=_breadth, reverse=True):
        at = bisect_right(taken, each.first_seq, key=lambda other: other.first_seq)
        starts_free = at == 0 or taken[at - 1].last_seq < each.first_seq
        ends_free = at == len(taken) or each.last_seq < taken[at].first_seq
        if starts_free and ends_free and each.content.strip():
            taken.insert(at, each)
    return taken


def covered_to(summaries: Sequence[Summary]) -> int:
    """The last message that any of them covers; 0 if there is none."""
    return max((each.last_seq for each in summaries), default=0)


def _breadth(summary: Summary) -> tuple[int, int, datetime, str]:
    return summary.level, summary.last_seq - summary.first_seq, summary.created_at, summary.id
