"""Requests and answers for events and the context package (C1, C6)."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from everlore.compose.package import (
    BUDGET,
    LEAST_BUDGET,
    MOST_BUDGET,
    ContextPackage,
    PackageMemory,
    PackagePersona,
    ToolUse,
)
from everlore.domain.attachment import Attachment
from everlore.domain.event import EventState, EventType
from everlore.server.wire import Given, RecordModel, Text
from everlore.server.wire_memories import EventOut, Id, Line, Share, Tags
from everlore.server.wire_recall import Included
from everlore.services.capture import CaptureOutcome, EventChanges, EventTarget

Json = dict[str, Any]

# ── events ───────────────────────────────────────────────────────────────────────────────────────


class NewEvent(Given):
    """An event. For a tool, a file or a decision the fields are enough, and `content` is generated; other types need
    `content`. Secrets are redacted before anything is stored; `metadata` holds further fields."""

    type: EventType
    content: Text = ""
    conversation_id: Id | None = None
    message_id: Id | None = Field(None, description="The message that led to it; needs conversation_id.")
    parent_id: Id | None = Field(None, description="The event that it is part of.")
    importance: Share | None = Field(None, description="From 0 to 1; null: the default of the type.")
    tags: Tags = ()
    entities: Tags = ()
    links: Annotated[tuple[Id, ...], Field(max_length=100)] = ()
    at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    in_progress: bool = False
    tool_name: Line | None = None
    tool_inputs: Json | None = None
    tool_outputs: Json | None = None
    success: bool | None = None
    error: str | None = Field(None, max_length=100_000)
    exception: Line | None = Field(None, description="The class name of the exception, if one was raised.")
    execution_ms: float | None = Field(None, ge=0, le=10**12)
    path: str | None = Field(None, max_length=4_000)
    size: int | None = Field(None, ge=0, le=10**15, description="Size of the file in bytes.")
    snippet: Text | None = Field(None, description="The beginning of the file; 300 characters are stored.")
    overwrite: bool | None = None
    approval_id: Id | None = None
    reason: str | None = Field(None, max_length=20_000)
    trust_level: Line | None = None
    facet: Line | None = None
    metadata: Json = Field(default_factory=dict)

    def place(self) -> EventTarget:
        return EventTarget(
            conversation=self.conversation_id,
            parent=self.parent_id,
            message=self.message_id,
            importance=self.importance,
            tags=self.tags,
            links=self.links,
            at=self.at,
            ended_at=self.ended_at,
            in_progress=self.in_progress,
        )

    def told(self) -> Json:
        """Everything for the metadata; a field with a name of its own is not overwritten."""
        named = {name: getattr(self, name) for name in _METADATA}
        return self.metadata | {name: value for name, value in named.items() if value is not None}


_METADATA = (
    "tool_name tool_inputs tool_outputs success error exception execution_ms path size snippet overwrite approval_id "
    "reason trust_level facet"
).split()


class ChangedEvent(Given):
    """Fields that are left out or null stay as they are. Secrets are redacted."""

    content: Annotated[Text, Field(min_length=1)] | None = None
    state: EventState | None = None
    ended_at: AwareDatetime | None = None
    importance: Share | None = None
    tags: Tags | None = None
    entities: Tags | None = Field(None, description="Names of the persons and things that it is about.")

    def changes(self) -> EventChanges:
        return EventChanges(**{name: getattr(self, name) for name in type(self).model_fields})


class CapturedOut(BaseModel):
    """`why` is the reason why it was not captured: the mode does not allow it, or the conversation is private."""

    captured: bool
    why: str
    event: EventOut | None


class AttachmentOut(RecordModel, record=Attachment, without=("event_id",)):
    """A text that was too long for the event: `name` is its field in the metadata, `content` the complete text."""


class EventDetail(EventOut):
    attachments: list[AttachmentOut]


def captured_out(outcome: CaptureOutcome) -> CapturedOut:
    event = EventOut.of(outcome.event) if outcome.event is not None else None
    return CapturedOut(captured=event is not None, why=outcome.why, event=event)


def detail_out(event: EventOut, attachments: tuple[Attachment, ...]) -> EventDetail:
    beside = [AttachmentOut.model_validate(each) for each in attachments]
    return EventDetail(**event.model_dump(), attachments=beside)


# ── context ──────────────────────────────────────────────────────────────────────────────────────


class NewContext(Given):
    """`person_id`: from whose point of view. With `format` text, the answer is plain text."""

    query: str = Field("", max_length=100_000)
    conversation_id: Id | None = None
    person_id: Id | None = None
    budget_tokens: int = Field(BUDGET, ge=LEAST_BUDGET, le=MOST_BUDGET)
    include: tuple[Included, ...] = Field((Included.MEMORIES,), min_length=1, max_length=10)
    format: Literal["json", "text"] = "json"


class PersonaOut(RecordModel, record=PackagePersona):
    """Who the agent is."""


class RememberedOut(RecordModel, record=PackageMemory):
    """`id` and `why` are empty for callers who may not see them; `summary` is the short form, if there is one."""


class ToolUseOut(RecordModel, record=ToolUse):
    """A call of a tool."""


class ContextOut(RecordModel, record=ContextPackage, without=("query", "user_name")):
    """`fallback_used`: nothing matched the question, and `memories` are the most important ones instead. `recent_tools`
    are in the order of time; `text` is the complete prompt text, within the budget."""

    memories: list[RememberedOut]
    persona: PersonaOut | None
    recent_tools: list[ToolUseOut]
    text: str
