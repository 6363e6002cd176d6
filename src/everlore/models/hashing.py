"""Vectors without a model: the same text gives the same vector on every machine, forever.

Each word is hashed to 64 odd numbers between -255 and 255; a text is the sum of its words, scaled to unit length. Texts
that share words are near; meaning has no influence. For tests and experiments.
"""

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from everlore.models.embedder import Matrix, unit_rows
from everlore.models.unicode import refuse_surrogates

DIMS = 64

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    name = f"hashing-{DIMS}"

    async def embed(self, texts: Sequence[str]) -> Matrix:
        sums = np.zeros((len(texts), DIMS))
        for row, text in enumerate(texts):
            refuse_surrogates(text)
            for word, times in Counter(_WORD.findall(text.casefold())).items():
                sums[row] += times * _word_vector(word)
        return unit_rows(sums)

    async def close(self) -> None:
        """There is nothing to release."""


def _word_vector(word: str) -> NDArray[np.float64]:
    digest = blake2b(word.encode("utf-8"), digest_size=DIMS).digest()
    # Integers, so that sums are exact on every platform, and odd, so that none is zero and every word counts.
    return 2 * np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 255
