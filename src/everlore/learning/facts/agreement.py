"""Whether a model agrees with itself: its sentence with what it says of it apart (F5). Pure.

In: a candidate with whom it is about and when it holds, beside the statement. Out: where the two part, or nothing. Who
calls something over, and writes that it is so, has misread one of them.

Start at `contradiction_in`.
"""

from everlore.language.lists import listed
from everlore.language.tense import Tense, leaning
from everlore.learning.candidate import Candidate
from everlore.learning.facts.prompt import Holds
from everlore.learning.facts.words import words_of

_SELF = frozenset({"", "user", "self", "me", "themselves", "the user"})
_AHEAD = listed("time.ahead")
_DENYING = listed("grammar.denying")
_LEAST_WORD = 3


def contradiction_in(candidate: Candidate) -> str:
    if not is_of_user(candidate.about) and not _is_named(candidate):
        return f"it is said to be about {candidate.about!r}"
    match candidate.holds:
        case Holds.BEFORE if leaning(candidate.content) is not Tense.PAST and not denies(candidate.content):
            return "it is said to be over"
        case Holds.PLANNED if _AHEAD.isdisjoint(words_of(candidate.content)):
            return "it is said to be planned"
        case Holds.NOT if not denies(candidate.content):
            return "it is said not to be so"
    return ""


def is_of_user(about: str) -> bool:
    return about.strip().lower() in _SELF


def denies(content: str) -> bool:
    words = set(words_of(content))
    return not words.isdisjoint(_DENYING) or any(word.endswith("n't") for word in words)


def _is_named(candidate: Candidate) -> bool:
    named = [word for word in words_of(candidate.about) if len(word) >= _LEAST_WORD and word != "user"]
    said = set(words_of(candidate.content))
    return not named or any(word in said for word in named)
