"""The record of what was read for memories, and the result: formed, or refused and why (F4, M16).

A message or a segment is read once, and its reading remembers that even after everything else is deleted. If the
message has changed since, `digest` differs, and it is read again. A reading is deleted with its last message.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Id, Json, Line


class Extractor(StrEnum):
    """What reads: one user message for facts, a segment for its keyframe, or a whole conversation."""

    FACTS = "facts"
    KEYFRAME = "keyframe"
    ANALYSIS = "analysis"


class Filter(StrEnum):
    """Why a candidate did not become a memory. The first six are those of F4."""

    CONVERSATION_ACTION = "conversation_action"
    ASSISTANT_FACT = "assistant_fact"
    PROMPT_LEAK = "prompt_leak"
    DEMOGRAPHIC_GUESS = "demographic_guess"
    UNKNOWN = "unknown"
    NOT_ABOUT_USER = "not_about_user"
    LOW_CONFIDENCE = "low_confidence"
    NOT_STATED = "not_stated"
    UNGROUNDED = "ungrounded"
    WRONG_PERSON = "wrong_person"
    WRONG_TYPE = "wrong_type"
    OVER_THE_CAP = "over_the_cap"
    QUOTED_BACK = "quoted_back"
    CORRECTED = "corrected"
    BAD_SHAPE = "bad_shape"
    # Used by readings of earlier versions.
    PASSING = "passing"
    UNRELIABLE = "unreliable_answer"
    SECRET = "secret"
    TAKEN_BACK = "taken_back"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate that was not saved, and the filter that stopped it."""

    content: str
    filter: Filter
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    workspace: Id
    id: Id
    conversation_id: Id
    # The message that was read, or the last one of a segment.
    message_id: Id
    extractor: Extractor
    first_seq: Annotated[int, Between(0, 10**12)] = 0
    last_seq: Annotated[int, Between(0, 10**12)] = 0
    digest: Line = ""
    # The extractor: a model's name, or "rules".
    model: Line = ""
    formed: Annotated[int, Between(0, 10**6)] = 0
    # Whether `refused` is not empty, as a column to filter by.
    has_refused: bool = False
    # {"items": [{"content", "filter", "note"} …], "counts": {filter: how often}}
    refused: Json = field(default_factory=dict)
    created_at: datetime


_MOST_REFUSED = 20
_MOST_CHARS = 500


def reading_id(extractor: Extractor, conversation_id: str, last_seq_or_message: str) -> str:
    """Equal for the same text and extractor, so that only the latest reading of it is kept."""
    key = f"{extractor.value}\n{conversation_id}\n{last_seq_or_message}"
    return f"{extractor.value}-{hashlib.sha256(key.encode()).hexdigest()[:32]}"


def digest_of(*texts: str) -> str:
    whole = hashlib.sha256()
    for text in texts:
        whole.update(f"{len(text)}\n".encode())
        whole.update(text.encode(errors="replace"))
    return whole.hexdigest()[:32]


def refused_json(refusals: Sequence[Refusal]) -> Json:
    """The JSON of refusals: all are counted, the first ones are included in full."""
    if not refusals:
        return {}
    counts: dict[str, int] = {}
    for each in refusals:
        counts[each.filter.value] = counts.get(each.filter.value, 0) + 1
    items = [
        {"content": each.content[:_MOST_CHARS], "filter": each.filter.value, "note": each.note[:_MOST_CHARS]}
        for each in refusals[:_MOST_REFUSED]
    ]
    return {"items": items, "counts": counts}


def refused_counts(reading: Reading) -> dict[str, int]:
    counts = reading.refused.get("counts", {})
    return dict(counts) if isinstance(counts, dict) else {}


def refusals_of(reading: Reading) -> list[Refusal]:
    items = reading.refused.get("items", [])
    assert isinstance(items, list)
    return [Refusal(each["content"], Filter(each["filter"]), each.get("note", "")) for each in items]
