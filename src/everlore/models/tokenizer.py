"""The port through which texts are measured in the tokens of a model.

Prompts are filled to a budget of tokens. `o200k_base` and `cl100k_base` count as the model does;
`bytes` is an estimate, and its page says how wrong it can be. Counting is plain work without waiting,
hence not async; the first count may take a third of a second because it loads the vocabulary.
"""

from typing import Protocol


class Tokenizer(Protocol):
    """Says how many tokens a text costs."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def cut(self, text: str, tokens: int) -> str:
        """The longest beginning of the text, to within a token, that costs at most `tokens`."""
