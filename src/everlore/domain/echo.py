"""Detects a character that starts to repeat itself (V15).

The overlap of two replies is the share of three-word runs that they have in common (Jaccard). Replies echo if the last
three overlap by more than `THRESHOLD` on average: replies on one subject stay well below it.
"""

import re
from collections.abc import Sequence
from itertools import combinations

THRESHOLD = 0.3
STEERING = (
    "Your last replies have been repeating themselves. Answer the newest message with something new: other words, "
    "another way to begin, and a next step. Do not repeat any earlier sentence of yours."
)

_WORD = re.compile(r"\w+")
_LAST = 3
_RUN = 3
# The beginning of a reply is enough, and a pasted book must not be compared word by word.
_MOST_WORDS = 1_000


def is_echoing(replies: Sequence[str], threshold: float = THRESHOLD) -> bool:
    """`replies`: those of one character, latest last."""
    last = replies[-_LAST:]
    return len(last) == _LAST and mean_overlap(last) > threshold


def mean_overlap(replies: Sequence[str]) -> float:
    """0: nothing in common; 1: the same words in the same order. 0 for fewer than two replies."""
    pairs = list(combinations([_runs(reply) for reply in replies], 2))
    return sum(len(one & other) / (len(one | other) or 1) for one, other in pairs) / (len(pairs) or 1)


def _runs(reply: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(reply.casefold()[: 20 * _MOST_WORDS])[:_MOST_WORDS]
    # A reply of one or two words is one run: "Yes." three times is an echo too.
    return frozenset(tuple(words[at : at + _RUN]) for at in range(max(len(words) - _RUN + 1, min(len(words), 1))))
