"""Whether anything here is relevant to a question, and how much a similarity means, for each embedding model (R2).

Four ideas. A cosine means nothing by itself: each model is measured once on unrelated sentences, and similarity is then
counted in steps of that noise. The best of many unrelated passages is more similar than a single one, so the threshold
rises with the number of passages. A question about somebody who is known here, or about the asker, gets the benefit of
the doubt, while "What is the capital of Peru?" needs a passage that is clearly about it. And a question that many
passages are similar to is on a topic of these memories, even if none of them clearly matches. docs/recall-bench.md has
the measurements.

Start at `NoiseModel.opens` and `NoiseModel.relevance`; `NoiseModels` stores the measurements.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from everlore.errors import Misconfigured, ModelMisbehaved
from everlore.models.embedder import Embedder, Matrix
from everlore.store.answers import Parts
from everlore.store.port import Vector

Likeness = NDArray[np.float64]
# This many steps of noise weigh as much as a passage that has every word of the question.
FULL_STEPS = 5.0
# A question of one word is never fully covered: this many words make a whole question.
_WHOLE_QUESTION = 3
_WORDS_ALONE = 2
# The most evidence from words if there is no vector.
_WORDS_FOR_ALL = 1.2
# The weight of similarity against words in the ranking of passages; and how fast relevance nears 1.
_MEANING = 0.6
_PLAIN = 2.2
# How far below chance a question about somebody known, or the asker, may fall; less with a precise model.
_BENEFIT = 0.3
_BENEFIT_FINE = 0.2
_FINE_REACH = 0.4
_MOST_REACH = 0.65
_FOR_STRANGERS = 0.2
_LEANING_WEIGHT = 0.1
_MOST_LEANING = 2.0
# This many passages with more evidence than chance make a topic; the last of them counts by this weight.
_TOPIC = 10
_TOPIC_WEIGHT = 0.3


class About(StrEnum):
    """Whom a question is about: somebody known here, the asker, a stranger, or nobody."""

    KNOWN = "known"
    SELF = "self"
    STRANGER = "stranger"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """`middle` and `step` describe the cosines of unrelated sentences; `reach` is how far above chance the most similar
    of them comes, once in twenty times."""

    middle: float = 0.1
    step: float = 0.1
    reach: float = _MOST_REACH
    personal: Matrix | None = field(default=None, compare=False, hash=False)
    helping: Matrix | None = field(default=None, compare=False, hash=False)

    def beyond_chance(self, likeness: Likeness) -> Likeness:
        """How far cosines are above the noise: about from 0 to 1 for relevant ones."""
        return (likeness - self.middle) / (FULL_STEPS * self.step)

    def evidence(self, parts: Parts, words: int) -> float:
        """Words in common or by example, plus similarity above the noise; `words` counts the question's significant
        words."""
        covered = parts.text or 0.0
        if parts.vector is None:
            # Without a vector, two words count as much as words can.
            return min(covered + parts.example, 1.0) * min(words / _WORDS_ALONE, 1.0) * _WORDS_FOR_ALL
        covered = min(covered * min(words / _WHOLE_QUESTION, 1.0) + parts.example, 1.0)
        return covered + self._nearness(parts.vector)

    def relevance(self, parts: Parts, words: int) -> float:
        """From 0, unrelated, towards 1. Among passages with enough evidence, words tell better than similarity which
        one is meant; and none reaches 1, so that the best can still be told from the good."""
        strength = self.evidence(parts, words)
        if parts.vector is not None:
            strength -= (1 - _MEANING) * self._nearness(parts.vector)
        return 1 - math.exp(-_PLAIN * strength)

    def _nearness(self, likeness: float) -> float:
        return max((likeness - self.middle) / (FULL_STEPS * self.step), 0.0)

    def opens(self, evidence: Sequence[float], about: About, passages: int, vector: Vector | None) -> bool:
        """Whether a question finds anything. `evidence`: of what was found for it, the largest first."""
        best = evidence[0] if evidence else 0.0
        tenth = evidence[_TOPIC - 1] if len(evidence) >= _TOPIC else 0.0
        topic = _TOPIC_WEIGHT * max(tenth - luck(passages), 0.0)
        return best + topic + _LEANING_WEIGHT * self._leaning(vector) >= self.bar(about, passages)

    def bar(self, about: About, passages: int) -> float:
        # Limited, because a few dozen sentences measure the reach of a model only roughly.
        plain = min(max(self.reach, _FINE_REACH), _MOST_REACH)
        own = _BENEFIT_FINE if self.reach < _FINE_REACH else _BENEFIT
        margin = {
            About.KNOWN: -_BENEFIT,
            About.SELF: -own,
            About.NOBODY: plain,
            About.STRANGER: plain + _FOR_STRANGERS,
        }
        return luck(passages) + margin[about]

    def _leaning(self, question: Vector | None) -> float:
        """Towards questions to a memory (above 0) or to an assistant (below), in steps of noise."""
        if question is None or self.personal is None or self.helping is None:
            return 0.0
        near = np.sort(self.personal @ question)[-3:].mean() - np.sort(self.helping @ question)[-3:].mean()
        return float(np.clip(near / self.step, -_MOST_LEANING, _MOST_LEANING))


def luck(passages: int) -> float:
    """The evidence that the best of so many unrelated passages has by chance: the largest of as many draws."""
    return math.sqrt(2 * math.log(max(passages, 2))) / FULL_STEPS


class NoiseModels:
    """The measurements, by the name of the model."""

    def __init__(self) -> None:
        self._known: dict[str, NoiseModel] = {}
        self._measuring = asyncio.Lock()

    async def of(self, embedder: Embedder | None) -> NoiseModel:
        if embedder is None:
            return NoiseModel()
        async with self._measuring:
            if embedder.name not in self._known:
                try:
                    self._known[embedder.name] = await _measured(embedder)
                except (ModelMisbehaved, Misconfigured):
                    # Tried again next time: the endpoint may only be down.
                    return NoiseModel()
            return self._known[embedder.name]


async def _measured(embedder: Embedder) -> NoiseModel:
    groups = _sentences()
    rows = await embedder.embed([text for group in groups for text in group])
    ends = np.cumsum([len(group) for group in groups])[:-1]
    questions, helping, statements, personal = np.split(rows, ends)
    return calibrated(questions, helping, statements, personal)


def _sentences() -> list[list[str]]:
    """Questions, requests that memory cannot help with, statements, and requests that it can."""
    text = (files("everlore.recall") / "sentences.txt").read_text(encoding="utf-8")
    sections = (section.partition("]\n") for section in text.split("\n[")[1:])
    said = {name: [line for line in lines.splitlines() if line and line[0] != "#"] for name, _, lines in sections}
    return [said[name] for name in ("questions", "helping", "statements", "personal")]


def calibrated(questions: Matrix, helping: Matrix, statements: Matrix, personal: Matrix) -> NoiseModel:
    """No question among these has anything to do with any statement."""
    cosines = questions @ statements.T
    middle = float(np.median(cosines))
    # By an upper quantile: the cosines are skewed, and a few pairs are related.
    step = max((float(np.quantile(cosines, 0.95)) - middle) / 1.645, 1e-3)
    best = (np.concatenate([questions, helping]) @ statements.T).max(axis=1)
    reach = float(np.quantile((best - middle) / step / FULL_STEPS, 0.95)) - luck(len(statements))
    return NoiseModel(middle, step, reach, personal, helping)
