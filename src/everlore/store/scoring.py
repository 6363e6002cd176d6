"""Scores search candidates: pure, and the same for every store.

Full text: each word of the question weighs by how rare it is *within the scope* (never by other workspaces), and a
passage scores the share of that weight it covers, a little less when it is long. How often a word occurs in a passage
does not count: in short statements it says nothing, and leaving it out keeps the indexes small. Vector: the cosine. The
score is the weighted sum of both.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.store.answers import Parts

# Passages up to this many different words are not considered long.
PIVOT_TERMS = 12
LENGTH_SLOPE = 0.25
# With fewer passages than this, rarity cannot be judged: a word that both of two passages contain need not be common.
FEW_PASSAGES = 100


def rarity(passages: int, holding: int) -> float:
    """The weight of a word that `holding` of `passages` passages contain."""
    return math.log(1 + (max(passages, FEW_PASSAGES) - holding + 0.5) / (holding + 0.5))


def length_weight(terms: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 for a short passage, slowly less for a longer one."""
    weight = 1 / (1 + LENGTH_SLOPE * np.maximum(terms / PIVOT_TERMS - 1, 0))
    return weight.astype(np.float32, copy=False)


def shares(passages: int, holding: Sequence[int]) -> list[float]:
    """Each word's part of the weight of the question; they add up to 1."""
    weights = [rarity(passages, min(count, passages)) for count in holding]
    total = sum(weights)
    return [weight / total for weight in weights] if total else []


def weights(terms: Sequence[str], passages: int, holding: Sequence[int]) -> dict[str, float]:
    """The weight of each word of the question; they add up to 1."""
    return dict(zip(terms, shares(passages, holding), strict=True))


def fuse(parts: Parts, vector_weight: float) -> float:
    """A passage without a vector is scored by its words alone."""
    text = parts.text or 0.0
    if parts.vector is None:
        return text
    return vector_weight * max(parts.vector, 0.0) + (1 - vector_weight) * text
