"""Whether a text speaks of a memory: by the telling words that the two have in common (R5).

Pure, and careful: a reply that only shares a name with a memory did not use it. Start at `is_used`.
"""

from everlore.domain.words import query_terms, terms_of

# At least so much of what the memory says, and at least so many words of it.
_SHARE = 0.5
_LEAST = 2


def is_used(memory: str, reply: str) -> bool:
    telling = set(query_terms(memory))
    shared = telling.intersection(terms_of(reply))
    return len(shared) >= min(_LEAST, len(telling)) and len(shared) >= _SHARE * len(telling) and bool(shared)
