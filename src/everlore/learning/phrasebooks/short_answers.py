"""Completes a short answer to a sentence: "I live in Ghent." for "Ghent" after "Where do you live?". Pure.

In: a message and the turns before it. Out: the sentence, or "". The question is no evidence; it only tells which
sentence to complete (F1, F8). Questions are data: `[[asked]]` in `english.toml`.

Start at `sentence_answered`.
"""

import re
from collections.abc import Sequence

from everlore.learning.candidate import EarlierMessage
from everlore.learning.clauses.moods import is_other_world
from everlore.learning.phrasebooks.phrases import questions

_MOST_CHARS = 200
_MOST_WORDS = 6
_LEAD = re.compile(
    r"(?:(?:oh|well|um|hmm|so|just|it's|its|that's|that would be|i'd say|probably)\b[ ,]*)+", re.IGNORECASE
)
_ENDS = re.compile(r"[.!\n…]|,? (?:lol|haha|btw|because|but|and you)\b", re.IGNORECASE)
# Words that show a whole sentence, or no answer at all.
_NO_ANSWER = re.compile(
    r"\b(?:i|i'm|i've|you|we|is|are|was|it|am|have|has|had|do|did|can|could|will|would|should|must|may|might)\b|"
    r"^(?:yes|yeah|yep|sure|no|nope|nah|not|never|none|nothing|nobody|anything|everything|idk|dunno|maybe|guess|why|"
    r"who|what|how|that|this|hello|hi|thanks|ok|okay|please|sorry|a secret|secret|somewhere|someone)\b",
    re.IGNORECASE,
)


def sentence_answered(message: str, before: Sequence[EarlierMessage]) -> str:
    if not before or before[-1].is_user or len(message) > _MOST_CHARS or "?" in message:
        return ""
    asked = before[-1].content[-_MOST_CHARS:].replace("’", "'")
    if asked.count("?") != 1 or "*" in asked or is_other_world(asked):
        return ""
    question = re.split(r"[.!\n:]", asked.partition("?")[0])[-1].strip()
    answer = _ENDS.split(_LEAD.sub("", message.replace("’", "'").strip(), count=1))[0].strip(" ,\"'")
    if not answer or len(answer.split()) > _MOST_WORDS or _NO_ANSWER.search(answer):
        return ""
    for asking, answering, says in questions():
        found, fits = asking.search(question), answering.fullmatch(answer)
        if found and fits:
            said = fits.groupdict().get("a") or answer
            return says.format(a=said, x=found.groupdict().get("x", "")).replace(" a a", " an a")
    return ""
