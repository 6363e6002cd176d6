"""Routes for events: capture, list, show with attachments, change, delete (C1, C2, K5)."""

from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import AwareDatetime, BaseModel, Field

from everlore.domain.attachment import Attachment
from everlore.domain.event import EventState, EventType
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, ListOf, RecordModel, Text
from everlore.server.wire_memories import EventOut, Id, Line, Share, Tags
from everlore.services.capture import CaptureOutcome, EventChanges, EventTarget
from everlore.turn.ownership import person_of

Json = dict[str, Any]


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


router = Router(prefix="/api/events", tags=["events"])
Limit = Annotated[int, Query(ge=1, le=500)]
_CAPTURED: dict[int | str, dict[str, Any]] = {
    200: {"model": CapturedOut, "description": "Not captured; `why` is the reason."},
    201: {"model": CapturedOut, "description": "Stored; keyword search finds it at once."},
}


@router.post("", status_code=201, responses=_CAPTURED)
async def capture_event(lore: Lore, new: NewEvent, response: Response) -> CapturedOut:
    """Records an event: a tool call, a file, a decision or an observation. If the mode of the request
    (`X-Cognitive-Mode`) does not allow writing it, nothing is stored, and that is not an error."""
    outcome = await lore.events.tell(new.type, new.content, new.place(), entities=new.entities, metadata=new.told())
    response.status_code = 201 if outcome.event is not None else 200
    return captured_out(outcome)


@router.get("")
async def list_events(
    lore: Lore,
    person_id: str | None = None,
    conversation_id: str | None = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    type: Annotated[list[EventType] | None, Query(description="Any of these types.")] = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> ListOf[EventOut]:
    """Lists events by when they began, newest first; of one conversation, or with one participant."""
    if person_id is not None:
        await person_of(lore.store, lore.scope, person_id)
    page = await lore.events.list(
        types=type or (),
        conversation=conversation_id,
        person=person_id,
        since=since,
        until=until,
        limit=limit,
        cursor=cursor,
    )
    return ListOf[EventOut](items=[EventOut.of(each) for each in page.items], next=page.cursor)


@router.get("/{id}")
async def get_event_by_id(lore: Lore, id: str) -> EventDetail:
    """Returns an event with its attachments: fields that were too long for the event itself."""
    return detail_out(EventOut.of(await lore.events.get(id)), await lore.events.attachments(id))


@router.patch("/{id}")
async def change_event(lore: Lore, id: str, changes: ChangedEvent) -> EventOut:
    """Changes only the fields that are sent. Setting an event to complete ends it now, unless `ended_at` is sent."""
    return EventOut.of(await lore.events.change(id, changes.changes()))


@router.delete("/{id}", status_code=204)
async def delete_event(lore: Lore, id: str) -> None:
    """Deletes an event for good, with its attachments. Events that were part of it stay."""
    await lore.events.delete(id)
