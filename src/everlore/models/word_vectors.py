"""Vectors of single words, whichever model embeds the texts: for comparing two words by meaning.

Uses the tables in WordLlama's wheel. Words are cached, because there are few of them and they occur in every question.
Start at `WordVectors.of`.
"""

import threading
from collections.abc import Sequence

import numpy as np

from everlore.models.embedder import Matrix
from everlore.models.wordllama import WordLlamaEmbedder

# A kilobyte for each word.
_MOST_KEPT = 20_000


class WordVectors:
    def __init__(self) -> None:
        self._embedder = WordLlamaEmbedder()
        self._kept: dict[str, Matrix] = {}
        self._lock = threading.Lock()

    def of(self, words: Sequence[str]) -> Matrix:
        """One row of length 1 per word; all zero for an empty one."""
        if not words:
            return np.zeros((0, 1), dtype=np.float32)
        with self._lock:
            if len(self._kept) + len(words) > _MOST_KEPT:
                self._kept.clear()
            if fresh := [word for word in dict.fromkeys(words) if word not in self._kept]:
                self._kept |= dict(zip(fresh, self._embedder.embed_now(fresh), strict=True))
            return np.stack([self._kept[word] for word in words])
