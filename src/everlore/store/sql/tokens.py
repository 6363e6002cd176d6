"""Words as the full-text indexes store them: each with a prefix for its workspace.

One index serves all workspaces, and yet the data of others neither slows this one down nor changes the weights of its
words. The prefix is short: should two workspaces ever share one, every search still checks the workspace of each row.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

# No word can contain it, so a word of a text is never mistaken for another kind of token.
MARK = "§"


def word_tokens(workspace: str, words: Iterable[str]) -> list[str]:
    house = _house(workspace)
    return [house + word for word in words]


def joined_tokens(workspace: str, words: Iterable[str]) -> str:
    """The tokens as one text, separated by spaces."""
    house = _house(workspace)
    return house + f" {house}".join(words)


def word_of(token: str) -> str:
    return token.partition(MARK)[2]


@lru_cache(maxsize=4096)
def _house(workspace: str) -> str:
    return blake2b(workspace.encode(), digest_size=3).hexdigest() + MARK
