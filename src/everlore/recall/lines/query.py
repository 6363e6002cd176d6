"""What a question needs from a line (R3, R4): words, a kind of answer, a time, a speaker. Pure.

Start at `wanted_by`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from everlore.domain.conversation import Author
from everlore.domain.dates import When, when
from everlore.domain.words import stemmed, stems_of, telling_words
from everlore.recall.topic import topic_of

_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)|\bhow long\b", re.I)
_NUMBER = re.compile(r"\bhow (?:many|much|often|old)\b", re.I)
_PLACE = re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|place|town)\b", re.I)
_PERSON = re.compile(r"\bwho(?:se|m)?\b", re.I)
_YOU = re.compile(
    r"\b(?:did|have|had) you\b|\byou(?:['’]ve)? (?:recommend|suggest|said|say|told|tell|mention|advise|propose|explain|"
    r"offer)",
    re.I,
)
_SELF = re.compile(r"\b(?:i|my|me|mine|i['’]m|i['’]ve|we|our|us)\b", re.I)


class AnswerKind(StrEnum):
    """The kind of answer that is asked for."""

    WHEN = "when"
    NUMBER = "number"
    PLACE = "place"
    PERSON = "person"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineQuery:
    """`weights`: the weight of each word (as a stem) in the scope; they add up to 1. `speaker_id`, or else `author`:
    whose lines the question is about."""

    words: tuple[str, ...]
    word_stems: tuple[str, ...]
    stems: tuple[str, ...]
    weights: Mapping[str, float] = field(hash=False)
    kind: AnswerKind
    period: When | None
    speaker_id: str | None
    author: Author | None


def wanted_by(text: str, *, weights: Mapping[str, float], now: datetime, named_ids: frozenset[str]) -> LineQuery:
    """`text` without the names of those in `named_ids`. If two are named, neither counts as the speaker. The words are
    those of the topic; the rest of the question may tell the speaker and the time: "did you say …"."""
    topic = topic_of(text)
    words = telling_words(topic)
    return LineQuery(
        words=words,
        word_stems=tuple(stemmed(words)),
        stems=stems_of(topic),
        weights=weights,
        kind=_kind(text),
        period=when(text, now),
        speaker_id=next(iter(named_ids)) if len(named_ids) == 1 else None,
        author=None if named_ids else _author(text),
    )


def _kind(text: str) -> AnswerKind:
    for kind, pattern in (
        (AnswerKind.WHEN, _WHEN),
        (AnswerKind.NUMBER, _NUMBER),
        (AnswerKind.PLACE, _PLACE),
        (AnswerKind.PERSON, _PERSON),
    ):
        if pattern.search(text):
            return kind
    return AnswerKind.OTHER


def _author(text: str) -> Author | None:
    """Questions about oneself are about the user's lines; "you said" refers to the character's."""
    if _YOU.search(text):
        return Author.ASSISTANT
    return Author.USER if _SELF.search(text) else None
