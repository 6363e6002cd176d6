"""The interface for turning texts into vectors.

In: texts. Out: one row of length 1 per text, in the same order, so that a dot product is the cosine. Vectors of two
embedders may be compared only if they have the same `name`. The length of the rows is not part of the interface: a
server reveals it only with its first answer.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """The identity of the vector space, stored with every vector, e.g. `wordllama-l2-256`."""

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """One row per text; all zero for a text without words, such as an empty one."""

    async def close(self) -> None:
        """Release connections and weights."""


def unit_rows(rows: NDArray[np.floating]) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    # A row of zeros has no direction: it stays zero instead of becoming NaN.
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
