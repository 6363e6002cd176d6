"""Words as the full-text indexes keep them: each behind its workspace.

One index serves all workspaces, and still what others hold neither costs this one time nor changes what
its words weigh. The prefix is short: should two workspaces ever share one, the workspace of each row, which
every search checks, keeps them apart.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

# No word can hold it, so a word of a text never acts as another kind of token.
MARK = "§"


def word_tokens(workspace: str, words: Iterable[str]) -> list[str]:
    house = _house(workspace)
    return [house + word for word in words]


def joined_tokens(workspace: str, words: Iterable[str]) -> str:
    """The same as one text, with a space between two."""
    house = _house(workspace)
    return house + f" {house}".join(words)


def word_of(token: str) -> str:
    return token.partition(MARK)[2]


@lru_cache(maxsize=4096)
def _house(workspace: str) -> str:
    return blake2b(workspace.encode(), digest_size=3).hexdigest() + MARK
