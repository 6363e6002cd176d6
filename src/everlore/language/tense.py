"""Guesses whether an English sentence is about the past, the present or the future.

Looks at a few marker words, without a parse; used only if a sentence leaves the question open otherwise.
"""

import re
from enum import StrEnum

from everlore.language.lists import listed
from everlore.language.verbs import is_irregular_past

_MOST_CHARS = 2_000
_WORD = re.compile(r"[^\W\d_]{1,40}(?:['’][^\W\d_]{1,40})?")
_WILL = listed("time.to_come")
# Past forms that look like the base form, and words that mark a past time.
_WAS = frozenset({"quit", "read", "ago"})
_NOT_PAST = listed("verbs.in_ed") | listed("verbs.not_past")


class Tense(StrEnum):
    NOW = "now"
    PAST = "past"
    FUTURE = "future"


def leaning(text: str) -> Tense:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text[:_MOST_CHARS])]
    if not _WILL.isdisjoint(words) or _is_going_to(words):
        return Tense.FUTURE
    return Tense.PAST if any(is_past_form(word) for word in words) else Tense.NOW


def _is_going_to(words: list[str]) -> bool:
    """ "Is moving", "are probably leaving"."""
    return any(
        word in ("is", "are", "am", "i'm", "we're") and any(each.endswith("ing") for each in words[at + 1 : at + 3])
        for at, word in enumerate(words)
    )


def is_past_form(word: str) -> bool:
    return word in _WAS or is_irregular_past(word) or (word.endswith("ed") and len(word) > 3 and word not in _NOT_PAST)
