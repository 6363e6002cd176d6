"""The plain ways to find a turn, to stand beside: BM25, cosine, and the fusion of both by reciprocal rank.

All of them keep a turn with the name of its speaker, and always answer with as many turns as one asks for.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import Stemmer
from numpy.typing import NDArray

from benchmarks.recall.cases import Case
from everlore.models.embedder import Embedder, Matrix

K1 = 1.2
B = 0.75
RRF = 60

Scores = NDArray[np.float64]

_WORD = re.compile(r"\b\w\w+\b")
# The list that Lucene has used for ages.
_COMMON = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


def ranking(ids: Sequence[str], scores: Scores, limit: int) -> list[str]:
    """Best first; of equals, the one that was said first."""
    return [ids[at] for at in np.argsort(-scores, kind="stable")[:limit]]


class Words:
    """BM25 as Lucene computes it, over stemmed English words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        counts = [Counter(self._terms(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=np.float64)
        self._size = len(texts)
        # How much of a word counts as much as no word at all: more in a long text.
        self._dampening = K1 * (1 - B + B * lengths / (lengths.mean() or 1))
        self._places: dict[str, list[tuple[int, int]]] = {}
        for at, count in enumerate(counts):
            for term, times in count.items():
                self._places.setdefault(term, []).append((at, times))

    def scores(self, question: str) -> Scores:
        found = np.zeros(self._size)
        for term in self._terms(question):
            if term in self._places:
                rows, times = np.array(self._places[term]).T
                rarity = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
                found[rows] += rarity * times / (self._dampening[rows] + times)
        return found

    def _terms(self, text: str) -> list[str]:
        words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
        stems: list[str] = self._stemmer.stemWords(words)
        return stems


class Kept:
    """The turns of a case as the baselines keep them; each index is made when somebody first asks for it."""

    def __init__(self, case: Case, embedder: Embedder | None) -> None:
        self.ids = [turn.id for turn in case.turns]
        self.texts = [turn.spoken for turn in case.turns]
        self.embedder = embedder
        self._matrix: Matrix | None = None

    @cached_property
    def words(self) -> Words:
        return Words(self.texts)

    async def matrix(self) -> Matrix:
        if self._matrix is None:
            assert self.embedder is not None
            self._matrix = await self.embedder.embed(self.texts)
        return self._matrix

    async def vector_of(self, question: str) -> NDArray[np.float32]:
        assert self.embedder is not None
        found: NDArray[np.float32] = (await self.embedder.embed([question]))[0]
        return found

    async def cosines(self, question: str) -> Scores:
        return (await self.matrix() @ await self.vector_of(question)).astype(np.float64)


def fused(arms: Sequence[Scores]) -> Scores:
    """Each arm gives a turn the more the higher it stands, whatever its score."""
    found = np.zeros(len(arms[0]))
    for scores in arms:
        order = np.argsort(-scores, kind="stable")
        found[order] += 1 / (RRF + 1 + np.arange(len(order)))
    return found
