"""Turns drafts into events with typed metadata, and attachments for long values (C1).

In: a draft, and where and when it happened. Out: the event and its attachments; nothing here writes.

Start at `captured`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from everlore.capture.drafts import MOST_NAME, SHORT_LIST, EventDraft
from everlore.capture.plain import Plain, readable, to_json
from everlore.capture.redaction import redacted_text
from everlore.domain.attachment import Attachment
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.outline import one_line

# Longer fields (as JSON) become an attachment, with a short version in the event.
MOST_INSIDE = 4_000
# Longer attachments are cut: they are files rather than events.
MOST_ASIDE = 1_900_000
MOST_CONTENT = 8_000
_SHORT_TEXT = 300
_SHORT_DICT = 20
_SHORT_DEPTH = 4
_MOST_TAGS = 50

_IMPORTANCE: Mapping[EventType, float] = {
    EventType.CONVERSATION: 0.6,
    EventType.TOOL_INVOCATION: 0.6,
    EventType.FILE_READ: 0.5,
    EventType.FILE_WRITE: 0.7,
    EventType.CODE_APPROVAL: 0.8,
    EventType.CODE_REJECTION: 0.9,
}
_OTHER_IMPORTANCE = 0.6
_FAILED = 0.8
_RAISED = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class EventContext:
    """Where, when and with whom it happened."""

    workspace: str
    id: str
    at: datetime
    created_at: datetime
    mode: str
    ended_at: datetime | None = None
    state: EventState = EventState.COMPLETE
    importance: float | None = None
    user_id: str | None = None
    conversation_id: str | None = None
    campaign_id: str | None = None
    parent_id: str | None = None
    message_id: str | None = None
    actors: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Captured:
    """An event and its attachments: both are written in one transaction."""

    event: Event
    attachments: tuple[Attachment, ...] = ()


# ── kinds of events ──────────────────────────────────────────────────────────────────────────────


# ── making events ────────────────────────────────────────────────────────────────────────────────


def captured(draft: EventDraft, frame: EventContext, new_id: Callable[[], str]) -> Captured:
    metadata, aside = _parted(_framed(draft, frame))
    if len(draft.content) > MOST_CONTENT:
        aside["content"] = draft.content
    if aside:
        metadata["attached"] = [*sorted(aside)]
    event = Event(
        workspace=frame.workspace,
        id=frame.id,
        type=draft.type,
        content=within(draft.content),
        at=frame.at,
        ended_at=frame.ended_at,
        state=frame.state,
        importance=importance_of(draft) if frame.importance is None else frame.importance,
        user_id=frame.user_id,
        conversation_id=frame.conversation_id,
        campaign_id=frame.campaign_id,
        parent_id=frame.parent_id,
        actors=frame.actors,
        participants=frame.participants,
        entity_ids=frame.entity_ids,
        tags=tags_of((*draft.tags, *frame.tags)),
        links=frame.links,
        metadata=cast("dict[str, object]", metadata),
        created_at=frame.created_at,
    )
    beside = (attachment_of(event, new_id(), name, aside[name], frame.created_at) for name in sorted(aside))
    return Captured(event, tuple(beside))


def importance_of(draft: EventDraft) -> float:
    """The default importance: failures matter more than successes (C1)."""
    if draft.type is EventType.TOOL_INVOCATION and draft.metadata.get("success") is False:
        return _RAISED if draft.metadata.get("exception") else _FAILED
    return _IMPORTANCE.get(draft.type, _OTHER_IMPORTANCE)


def _framed(draft: EventDraft, frame: EventContext) -> dict[str, Plain]:
    found: dict[str, Plain] = dict(draft.metadata)
    if draft.entities:
        found["entities"] = list(draft.entities)
    ties = {
        "conversation_id": frame.conversation_id,
        "parent_event_id": frame.parent_id,
        "message_id": frame.message_id,
        "mode": frame.mode,
    }
    return found | {name: value for name, value in ties.items() if value is not None}


def tags_of(told: Sequence[str]) -> tuple[str, ...]:
    tags = (redacted_text(readable(one_line(tag, MOST_NAME))) for tag in told)
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_TAGS]


def within(content: str) -> str:
    return content if len(content) <= MOST_CONTENT else f"{content[: MOST_CONTENT - 1]}…"


def _parted(metadata: Mapping[str, Plain]) -> tuple[dict[str, Plain], dict[str, str]]:
    """The fields for the event, and by name the texts of attachments."""
    inside: dict[str, Plain] = {}
    aside: dict[str, str] = {}
    for name, value in metadata.items():
        text = value if isinstance(value, str) else to_json(value)
        if len(text) <= MOST_INSIDE:
            inside[name] = value
        else:
            inside[name] = shortened(value)
            aside[name] = text
    return inside, aside


def shortened(value: Plain) -> Plain:
    """The same shape, shortened: the start of a long list, and how many items follow."""
    for depth in range(_SHORT_DEPTH, 0, -1):
        short = _shortened(value, depth)
        if len(to_json(short)) <= 2 * MOST_INSIDE:
            return short
    return _shortened(value, 0)


def _shortened(value: Plain, depth: int) -> Plain:
    match value:
        case str() if len(value) > _SHORT_TEXT:
            return f"{value[:_SHORT_TEXT]}… [{len(value):,} characters]"
        case list() if not depth:
            return f"[{len(value):,} items]"
        case list():
            kept = [_shortened(each, depth - 1) for each in value[:SHORT_LIST]]
            return kept if len(value) <= SHORT_LIST else [*kept, f"… [{len(value):,} items in all]"]
        case dict() if not depth:
            return f"{{{len(value):,} fields}}"
        case dict():
            some = {key: _shortened(each, depth - 1) for key, each in list(value.items())[:_SHORT_DICT]}
            return some if len(value) <= _SHORT_DICT else some | {"…": f"{len(value):,} fields in all"}
    return value


def attachment_of(event: Event, id: str, name: str, content: str, at: datetime) -> Attachment:
    if len(content) > MOST_ASIDE:
        content = f"{content[:MOST_ASIDE]}… [cut: {len(content):,} characters in all]"
    return Attachment(
        workspace=event.workspace,
        id=id,
        event_id=event.id,
        name=name[:MOST_NAME] or "value",
        content=content,
        created_at=at,
    )
