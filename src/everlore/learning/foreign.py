"""Whether a message is in another language than English, by its small words. Pure."""

from everlore.language.lists import listed
from everlore.learning.clauses import lows, tokens_of

_MOST_CHARS = 4_000
_FOREIGN = listed("foreign.small")
ENGLISH = listed("foreign.english")


def is_foreign(text: str) -> bool:
    """At least two small words of other languages, and clearly more of them than of ours."""
    words = lows(tokens_of(text[:_MOST_CHARS]))
    foreign = sum(word in _FOREIGN for word in words)
    return foreign > 1 and foreign > 2 * sum(word in ENGLISH for word in words)
