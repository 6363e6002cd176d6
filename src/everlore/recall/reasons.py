"""Why something was found: short reasons, separated by " · ", which the page shows as chips (R5)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from everlore.domain.layer import Layer
from everlore.domain.memory import Durability, Memory, Status
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.records import Record
from everlore.domain.scope import pair_among
from everlore.domain.visibility import VisibilityRule, hidden_by
from everlore.recall.lines.ranking import Ranked
from everlore.recall.question import RecallQuery
from everlore.store.answers import Hit, Parts

_SEPARATOR = " · "
_IN_DOUBT = "Weak match"


def recalled_of(
    hit: Hit,
    *,
    score: float | None = None,
    layer: Layer = Layer.SEMANTIC,
    weights: Mapping[str, float] | None = None,
) -> Recalled:
    """A hit as the caller gets it: with its parts, and why."""
    return told(weighed_of(hit, score=hit.score if score is None else score, layer=layer, weights=weights or {}))


def weighed_of(hit: Hit, *, score: float, weights: Mapping[str, float], layer: Layer = Layer.SEMANTIC) -> Recalled:
    """A hit that may be returned, still without reasons: most of those that are scored are dropped."""
    parts = {"vector": hit.parts.vector, "text": hit.parts.text, "example": hit.parts.example or None, **weights}
    return Recalled(
        hit.record,
        score=round(score, 4),
        parts={name: part for name, part in parts.items() if part is not None},
        kind=hit.kind,
        layer=layer,
    )


def told(weighed: Recalled) -> Recalled:
    """Adds the reasons; lines of conversations got theirs when they were ranked."""
    if weighed.why:
        return weighed
    parts = weighed.parts
    reason = why(Parts(parts.get("vector"), parts.get("text"), parts.get("example", 0.0)))
    return replace(
        weighed,
        parts={name: round(part, 4) for name, part in parts.items()},
        why=_joined(reason, _IN_DOUBT) if weighed.is_doubtful else reason,
        at=time_of(weighed.record),
    )


def doubted(recalled: Recalled) -> Recalled:
    """Marked as doubtful, also in its reason (R2b)."""
    why = _joined(recalled.why, _IN_DOUBT) if recalled.why else ""
    return recalled if recalled.is_doubtful else replace(recalled, is_doubtful=True, why=why)


def line_of(line: Ranked, hit: Hit | None) -> Recalled:
    """A line as the caller gets it; a neighbour of a hit may share nothing with the question itself."""
    parts = Parts(None, None) if hit is None else hit.parts
    found = {"vector": parts.vector, "text": parts.text, "relevance": line.relevance}
    return Recalled(
        line.message,
        score=line.relevance,
        parts={name: round(part, 4) for name, part in found.items() if part is not None} | dict(line.parts),
        why=_why_line(line),
        kind=PassageKind.MESSAGE,
        at=line.message.created_at,
    )


def _why_line(line: Ranked) -> str:
    """The three features that count most for it."""
    best = sorted((name for name in line.parts if line.parts[name] > 0), key=lambda name: -line.parts[name])[:3]
    told = dict.fromkeys(_SPEAKS[name] for name in best)
    return _joined(*told) if told else "Next to a match"


_SPEAKS = {
    "meaning": "Similar in meaning",
    "words": "Matches the words",
    "words_around": "Words match nearby",
    "phrases": "Same phrase",
    "talk": "From a chat on this topic",
    "answers": "Answers this kind of question",
    "speaker": "Said by the right person",
    "asker": "Said by the right person",
    "asking": "A statement",
    "kind": "Right kind of answer",
    "example": "Example match",
    "date": "Date match",
    "opening": "Start of a chat",
}


def due_of(memory: Memory) -> Recalled:
    """A memory that is always included (M17)."""
    return Recalled(memory, why=_always(memory), layer=Layer.PAIR, is_due=True)


def shared_of(memory: Memory) -> Recalled:
    """A memory that a conversation of the two starts with (M3)."""
    why = "Important shared memory, included at the start of a chat"
    return Recalled(memory, why=why, layer=Layer.PAIR, is_due=True)


def also_due(recalled: Recalled) -> Recalled:
    found = told(recalled)
    return replace(found, is_due=True, why=_joined(found.why, _always(found.memory)))


def _always(memory: Memory) -> str:
    is_identity = memory.durability is Durability.IDENTITY
    return f"{'Core fact' if is_identity else f'Importance {memory.importance}'}, always included"


_STATUSES = {
    Status.PENDING: "waiting for review",
    Status.SUPERSEDED: "outdated",
    Status.REJECTED: "marked as wrong",
    Status.DELETED: "forgotten",
}
_CLOSED = {VisibilityRule.PRIVATE: "It is private to another chat.", VisibilityRule.SPOILER: "It is a spoiler."}


def outside(memory: Memory, question: RecallQuery) -> str:
    """Why a memory is not even searched."""
    closed = hidden_by(question.viewer, memory, question.seen_from)
    if closed is VisibilityRule.INACTIVE and memory.status in _STATUSES:
        return f"This memory is {_STATUSES[memory.status]}."
    if question.types and memory.type.value not in question.types:
        return f"The search is limited to other types. This memory is of type {memory.type.value}."
    if question.pair is not None and pair_among(memory.persons) != question.pair:
        return "It is not about these two people."
    if closed in (VisibilityRule.PRIVATE, VisibilityRule.SPOILER):
        return _CLOSED[closed]
    if question.conversation_id not in (None, memory.conversation_id):
        return "It belongs to another chat."
    if question.campaign_id not in (None, memory.campaign_id):
        return "It belongs to another campaign."
    if question.as_of is not None:
        return "It was not known, or not true, on that date."
    if not question.viewer.sees_all:
        return "The person who asks doesn't know it: they were not present, and nobody told them."
    return "It shares no keyword with the question, and is not indexed by meaning yet."


def why(parts: Parts) -> str:
    vector, text = parts.vector, parts.text
    reasons = [
        f"Similarity {vector:.2f}" if vector is not None and vector > 0 else "",
        f"{text:.0%} of keywords match" if text else "",
        "Example match" if parts.example else "",
    ]
    return _joined(*filter(None, reasons)) or "Shared memory"


def _joined(*reasons: str) -> str:
    return _SEPARATOR.join(reasons)


def time_of(record: Record) -> datetime | None:
    at = getattr(record, "valid_from", None) or getattr(record, "at", None) or getattr(record, "created_at", None)
    return at if isinstance(at, datetime) else None
