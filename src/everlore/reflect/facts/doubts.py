"""Why what a rule found is not believed at once: signs that it was read well and may not be meant, or not be so. Pure.

In: a statement of the rules, and whether its message is in English. Out: the doubt in plain words, or nothing. What is
doubted waits for a person, or for being said again, as a model's doubtful statements do.
"""

import re

from everlore.reflect.candidate import Candidate

_LIKENESS = re.compile(r"\b(?<!feels )like an? \w")
_BEING_DONE_TO = re.compile(r"^User (?:\w{3,9}ly )?gets \w{2,}ed\b")


def doubt_of(candidate: Candidate, *, is_foreign: bool) -> str:
    if is_foreign:
        return "the message does not look like English"
    if _LIKENESS.search(candidate.content):
        return "it may be a figure of speech"
    return "it may be of one day only" if _BEING_DONE_TO.match(candidate.content) else ""
