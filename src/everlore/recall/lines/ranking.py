"""Ranks lines by how well they answer a question: a weighted sum of their features. Pure.

The weights are few and the same for everybody; docs/recall-bench.md says how they were found and what each is worth.
Start at `ranked`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from everlore.domain.conversation import Message
from everlore.recall.lines.features import Lines, Values, Words, features_of
from everlore.recall.lines.query import LineQuery

WEIGHTS: Mapping[str, float] = {
    "meaning": 2.8,
    "words": 5.9,
    "words_around": 4.3,
    "phrases": 2.2,
    "talk": 1.65,
    "answers": 2.5,
    "speaker": 2.65,
    "asker": 1.55,
    "asking": -1.3,
    "kind": 2.1,
    "example": 2.2,
    "date": 4.3,
    "opening": 0.9,
}
# The score at which a line answers the question with a probability of one half.
_EVEN = 7.0
_STEEP = 0.6


@dataclass(frozen=True, slots=True)
class Ranked:
    """One line: its score, and the parts of the score."""

    message: Message
    score: float
    parts: Mapping[str, float]

    @property
    def relevance(self) -> float:
        """The probability that a line of this score answers the question."""
        return round(1 / (1 + math.exp(-(self.score - _EVEN) * _STEEP)), 6)


def ranked(wanted: LineQuery, lines: Lines, word_vectors: Words, most: int | None = None) -> list[Ranked]:
    """Best first, at most `most`."""
    if not len(lines):
        return []
    features = features_of(wanted, lines, word_vectors)
    scores = score(features)
    parts = {name: np.round(weight * features[name], 4).tolist() for name, weight in WEIGHTS.items()}
    return [
        Ranked(lines.messages[place], float(scores[place]), {name: parts[name][place] for name in WEIGHTS})
        for place in np.argsort(-scores, kind="stable")[:most].tolist()
    ]


def score(features: Mapping[str, Values]) -> Values:
    total: Values = np.sum([weight * features[name] for name, weight in WEIGHTS.items()], axis=0)
    return total
