"""The port through which texts are measured in the tokens of a model.

Prompts are filled to a budget of tokens. `o200k_base` and `cl100k_base` count as the model does;
`bytes` is an estimate, and its page says how wrong it can be. Counting is plain work without waiting,
hence not async; the first count may take a third of a second because it loads the vocabulary.
"""

from functools import lru_cache
from typing import Protocol

# A few megabytes at most, even if every text is as long as it may be.
_SHORT = 4_000
_MOST_KEPT = 4_096


class Tokenizer(Protocol):
    """Says how many tokens a text costs."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of the text, to within a token, that costs at most `tokens`."""


class CountedOnce:
    """Remembers the counts of short texts: the messages of a talk are counted again with every turn."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._count = lru_cache(maxsize=_MOST_KEPT)(tokenizer.count)

    @property
    def name(self) -> str:
        return self._tokenizer.name

    def count(self, text: str) -> int:
        return self._count(text) if len(text) <= _SHORT else self._tokenizer.count(text)

    def cut(self, text: str, tokens: int) -> str:
        return text if self.count(text) <= tokens else self._tokenizer.cut(text, tokens)
