"""Why something came back, in a sentence (R5)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from everlore.domain.layer import Layer
from everlore.domain.memory import Durability, Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.records import Record
from everlore.domain.scope import pair_among
from everlore.domain.visibility import Line, hidden_by
from everlore.recall.lines.ranking import Ranked
from everlore.recall.question import Question
from everlore.store.port import Hit, Parts

_IN_DOUBT = "It is doubtful whether this is meant."


def recalled_of(
    hit: Hit,
    *,
    score: float | None = None,
    layer: Layer = Layer.SEMANTIC,
    weights: Mapping[str, float] | None = None,
) -> Recalled:
    """A hit as it is told: with its parts, and why."""
    return told(weighed_of(hit, score=hit.score if score is None else score, layer=layer, weights=weights or {}))


def weighed_of(hit: Hit, *, score: float, weights: Mapping[str, float], layer: Layer = Layer.SEMANTIC) -> Recalled:
    """A hit that may come back: few of those that are weighed are ever told."""
    parts = {"vector": hit.parts.vector, "text": hit.parts.text, "example": hit.parts.example or None, **weights}
    return Recalled(
        hit.record,
        score=round(score, 4),
        parts={name: part for name, part in parts.items() if part is not None},
        kind=hit.kind,
        layer=layer,
    )


def told(weighed: Recalled) -> Recalled:
    """As whoever asked sees it; lines of a talk were told when they were ranked."""
    if weighed.why:
        return weighed
    parts = weighed.parts
    reason = why(Parts(parts.get("vector"), parts.get("text"), parts.get("example", 0.0)))
    return replace(
        weighed,
        parts={name: round(part, 4) for name, part in parts.items()},
        why=f"{reason} {_IN_DOUBT}" if weighed.is_doubtful else reason,
        at=time_of(weighed.record),
    )


def doubted(recalled: Recalled) -> Recalled:
    """Marked as perhaps not meant, which its reason says too (R2b)."""
    why = f"{recalled.why} {_IN_DOUBT}" if recalled.why else ""
    return recalled if recalled.is_doubtful else replace(recalled, is_doubtful=True, why=why)


def line_of(line: Ranked, hit: Hit | None) -> Recalled:
    """A line of a talk as it is told; one that stands beside a hit may share nothing with the question itself."""
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
    """The three things that speak most for it."""
    best = sorted((name for name in line.parts if line.parts[name] > 0), key=lambda name: -line.parts[name])[:3]
    told = dict.fromkeys(_SPEAKS[name] for name in best)
    return f"For it speaks: {', '.join(told)}." if told else "It stands beside what was asked for."


_SPEAKS = {
    "meaning": "what it means",
    "words": "words of the question, or like them",
    "words_around": "words of the question in the lines around it",
    "phrases": "words of the question in their order",
    "talk": "that its talk is about it",
    "answers": "that it answers such a question",
    "speaker": "who said it",
    "asker": "who said it",
    "asking": "that it tells and does not ask",
    "kind": "that it has the kind of thing that is asked for",
    "example": "that it names an example of what is asked for",
    "date": "when it was, or was said",
    "opening": "that it opens a talk",
}


def due_of(memory: Memory) -> Recalled:
    """One that is offered whatever was said (M17)."""
    return Recalled(memory, why=_always(memory), layer=Layer.PAIR, is_due=True)


def shared_of(memory: Memory) -> Recalled:
    """One that a talk of the two begins with (M3)."""
    why = "It is among what weighs most of all that the two have shared, and they have just begun to talk."
    return Recalled(memory, why=why, layer=Layer.PAIR, is_due=True)


def also_due(recalled: Recalled) -> Recalled:
    found = told(recalled)
    return replace(found, is_due=True, why=f"{found.why} {_always(found.memory)}")


def _always(memory: Memory) -> str:
    is_identity = memory.durability is Durability.IDENTITY
    told = "It says who somebody is" if is_identity else f"It matters most (importance {memory.importance})"
    return f"{told}, and is always offered."


def outside(memory: Memory, question: Question) -> str:
    """Why a memory is not even looked at."""
    closed = hidden_by(question.viewer, memory, question.seen_from)
    if closed is Line.INACTIVE:
        return f"It is {memory.status.value}."
    if question.types and memory.type.value not in question.types:
        return f"It is a {memory.type.value}, and others were asked for."
    if question.pair is not None and pair_among(memory.persons) != question.pair:
        return "It is not of these two."
    if closed in (Line.PRIVATE, Line.SPOILER):
        return f"{closed.value[0].upper()}{closed.value[1:]}."
    if question.conversation_id not in (None, memory.conversation_id):
        return "It is of another conversation."
    if question.campaign_id not in (None, memory.campaign_id):
        return "It is of another campaign."
    if question.as_of is not None:
        return "It was not known then, or did not hold."
    if not question.viewer.sees_all:
        return "The person who asks does not know it: they were not there, and nobody has told them."
    return "Nothing in it is like the question: no word, and no vector yet."


def why(parts: Parts) -> str:
    vector, text = parts.vector, parts.text
    reasons = [
        f"its nearness in meaning to what was said is {vector:.2f}" if vector is not None and vector > 0 else "",
        f"it has {text:.0%} of the telling words of what was said" if text else "",
        "it names an example of what was said" if parts.example else "",
    ]
    told = " and ".join(reason for reason in reasons if reason)
    return f"{told[0].upper()}{told[1:]}." if told else "It was among the memories of the two."


def time_of(record: Record) -> datetime | None:
    at = getattr(record, "valid_from", None) or getattr(record, "at", None) or getattr(record, "created_at", None)
    return at if isinstance(at, datetime) else None
