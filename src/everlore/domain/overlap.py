"""Whether a text uses a memory: by the significant words that the two have in common (R5).

Pure, and strict: a reply that only shares a name with a memory did not use it. Start at `is_used`.
"""

from everlore.domain.words import query_terms, terms_of

# At least this share of the memory's words, and at least this many of them.
_SHARE = 0.5
_LEAST = 2


def is_used(memory: str, reply: str) -> bool:
    telling = set(query_terms(memory))
    shared = telling.intersection(terms_of(reply))
    return len(shared) >= min(_LEAST, len(telling)) and len(shared) >= _SHARE * len(telling) and bool(shared)
