"""Routes for events: capture, list, show with attachments, change, delete (C1, C2, K5)."""

from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import AwareDatetime

from everlore.domain.event import EventType
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_events import CapturedOut, ChangedEvent, EventDetail, NewEvent, captured_out, detail_out
from everlore.server.wire_memories import EventOut
from everlore.turn.ownership import person_of

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
