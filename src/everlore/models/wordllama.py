"""The offline default: WordLlama's static word vectors, 256 dimensions, 16 MB, read from its wheel.

The vector of a text is the mean of its token vectors, scaled to unit length: equal to WordLlama's own
`embed(norm=True)` for every text within the limits below. The package itself is never imported, because its loader
downloads its files.

Only the first `READ_CHARS` characters and `READ_TOKENS` tokens of a text are read. A mean over more says little about
any part, and an endless text would cost endless time.

Loading happens once, at the first `embed`, in a worker thread. The weights stay memory-mapped 16-bit floats on disk,
shared between processes; only the rows of one text at a time are widened.
"""

import asyncio
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from everlore.models.embedder import Matrix, unit_rows
from everlore.models.unicode import refuse_surrogates
from everlore.models.wheels import require_file, require_package

if TYPE_CHECKING:
    from tokenizers import Tokenizer

READ_CHARS = 8_192
READ_TOKENS = 2_048

# One text this short takes half a millisecond: too little for a call to a thread.
INLINE_CHARS = 500

# Texts tokenized at a time: enough for every core, few enough that their token lists stay small.
CHUNK = 64

_OTHERWISE = "set EVERLORE_EMBEDDING__PROVIDER to `openai`, or to `none` for full text only"


@dataclass(frozen=True)
class _Tables:
    tokenizer: "Tokenizer"
    weights: NDArray[np.float16]


class WordLlamaEmbedder:
    name = "wordllama-l2-256"

    def __init__(self) -> None:
        require_package("tokenizers", otherwise=_OTHERWISE)
        self._weights_path = _wheel_file("weights/l2_supercat_256.safetensors")
        self._tokenizer_path = _wheel_file("tokenizers/l2_supercat_tokenizer_config.json")
        self._loading = threading.Lock()
        self._loaded: _Tables | None = None

    async def embed(self, texts: Sequence[str]) -> Matrix:
        if self._loaded and len(texts) == 1 and len(texts[0]) <= INLINE_CHARS:
            return self.embed_now(texts)
        return await asyncio.to_thread(self.embed_now, texts)

    async def close(self) -> None:
        self._loaded = None

    def embed_now(self, texts: Sequence[str]) -> Matrix:
        """Synchronous; loads the tables if necessary."""
        tables = self._load_once()
        sums = np.zeros((len(texts), tables.weights.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), CHUNK):
            _sum_tokens(tables, texts[start : start + CHUNK], sums[start : start + CHUNK])
        # The mean and the sum have the same direction.
        return unit_rows(sums)

    def _load_once(self) -> _Tables:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._tokenizer_path, self._weights_path)
            return self._loaded


def _wheel_file(relative: str) -> Path:
    return require_file("wordllama", relative, otherwise=_OTHERWISE)


@lru_cache(maxsize=1)
def _load(tokenizer_path: Path, weights_path: Path) -> _Tables:
    """Cached for all users."""
    from tokenizers import Tokenizer

    return _Tables(Tokenizer.from_file(str(tokenizer_path)), _map_weights(weights_path))


def _map_weights(path: Path) -> NDArray[np.float16]:
    """A safetensors file is eight bytes of header length, the header as JSON, then the bare numbers."""
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        table = json.loads(file.read(header_bytes))["embedding.weight"]
    start = 8 + header_bytes + table["data_offsets"][0]
    # As a plain array: every slice of a memmap object has a costly overhead.
    return np.asarray(np.memmap(path, dtype="<f2", mode="r", offset=start, shape=tuple(table["shape"])))


def _sum_tokens(tables: _Tables, texts: Sequence[str], sums: Matrix) -> None:
    for row, ids in enumerate(_token_ids(tables.tokenizer, texts)):
        # Text by text: measured no slower than one gather for 64 texts and 2 to 6 times as fast for more, with little
        # memory, and a batch equals its texts one by one to the bit.
        sums[row] = tables.weights.take(ids, axis=0).sum(axis=0, dtype=np.float32)


def _token_ids(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[NDArray[np.intp]]:
    for text in texts:
        refuse_surrogates(text)
    # Without special tokens, as in WordLlama's own inference.
    encodings = tokenizer.encode_batch_fast([text[:READ_CHARS] for text in texts], add_special_tokens=False)
    return [np.asarray(encoding.ids[:READ_TOKENS], dtype=np.intp) for encoding in encodings]
