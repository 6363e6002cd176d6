"""The interface for measuring texts in the tokens of a model.

Prompts are filled to a budget of tokens. `o200k_base` and `cl100k_base` count as the model does; `bytes` is an
estimate, and its module says how wrong it can be. Counting never waits for anything, so it is not async; the first
count may take a third of a second because it loads the vocabulary.
"""

import hashlib
from collections import OrderedDict
from functools import lru_cache
from typing import Protocol

# Longer texts are cached by their digest, to save memory.
_SHORT = 1_000
_MOST_KEPT = 16_384


class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of the text, to within a token, that costs at most `tokens`."""


class CountedOnce:
    """Caches counts: the messages of a conversation and the start of a prompt are counted again in every turn."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._count = lru_cache(maxsize=_MOST_KEPT)(tokenizer.count)
        self._long: OrderedDict[bytes, int] = OrderedDict()

    @property
    def name(self) -> str:
        return self._tokenizer.name

    def count(self, text: str) -> int:
        return self._count(text) if len(text) <= _SHORT else self._count_long(text)

    def _count_long(self, text: str) -> int:
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in self._long:
            self._long[digest] = self._tokenizer.count(text)
        self._long.move_to_end(digest)
        if len(self._long) > _MOST_KEPT:
            self._long.popitem(last=False)
        return self._long[digest]

    def cut(self, text: str, tokens: int) -> str:
        return text if self.count(text) <= tokens else self._tokenizer.cut(text, tokens)
