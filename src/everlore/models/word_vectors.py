"""Single words as vectors, whichever model embeds the texts: how near two words are in meaning.

The tables of WordLlama, out of its wheel. A word that was met is remembered, for there are few of them and they come
back in every question. Start at `WordVectors.of`.
"""

import threading
from collections.abc import Sequence

import numpy as np

from everlore.models.embedder import Matrix
from everlore.models.wordllama import WordLlamaEmbedder

# A kilobyte each.
_MOST_KEPT = 20_000


class WordVectors:
    def __init__(self) -> None:
        self._embedder = WordLlamaEmbedder()
        self._kept: dict[str, Matrix] = {}
        self._lock = threading.Lock()

    def of(self, words: Sequence[str]) -> Matrix:
        """One row of length 1 per word; all zero for one in which there is nothing to read."""
        if not words:
            return np.zeros((0, 1), dtype=np.float32)
        with self._lock:
            if len(self._kept) + len(words) > _MOST_KEPT:
                self._kept.clear()
            if fresh := [word for word in dict.fromkeys(words) if word not in self._kept]:
                self._kept |= dict(zip(fresh, self._embedder.embed_now(fresh), strict=True))
            return np.stack([self._kept[word] for word in words])
