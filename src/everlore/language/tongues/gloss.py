"""A question in another language with our words beside it: what is known is kept in English. Pure.

Start at `glossed`.
"""

import re
from functools import lru_cache

from everlore.language.clauses import lows, tokens_of
from everlore.language.tongues.telling import spoken
from everlore.language.tongues.tongue import words_of

# "j'habite", "l'età".
_ELIDED = re.compile(r"^[a-z]{1,2}['’](?=\w)")
# What says nothing of what is asked: "a", "two", "years".
_BESIDE_THE_POINT = frozenset({"number", "unit"})


@lru_cache(maxsize=64)
def glossed(text: str) -> str:
    """As it is, where it is in English or none of its words is known."""
    known: dict[str, str] = {}
    for code in spoken(text):
        for kind, words in words_of(code).items():
            known |= {} if kind in _BESIDE_THE_POINT else words
    said = (_ELIDED.sub("", word) for word in lows(tokens_of(text)))
    found = dict.fromkeys(known[word] for word in said if word in known)
    return f"{text} ({' '.join(found)})" if found else text
