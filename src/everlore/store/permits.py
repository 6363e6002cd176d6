"""Checks what the mode of a caller may write. Every write to the store goes through this check (C3, C12).

Most records belong to an event, and may be written where events of that type may be. All others, such as persons and
settings, may be written only in a mode that writes everything.
"""

from collections.abc import Sequence
from typing import Any

from everlore.domain.analysis import Analysis
from everlore.domain.attachment import Attachment
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event, EventType
from everlore.domain.interaction import Interaction
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, MemoryLink
from everlore.domain.miss import Miss
from everlore.domain.policy import can_write, writes_all
from everlore.domain.reading import Reading
from everlore.domain.roll import Roll
from everlore.domain.scope import Scope
from everlore.domain.xray import XRay
from everlore.errors import Forbidden
from everlore.store.port import Amend, Change, Count, Delete, Enqueue, Expect, Put, Touch

_PART_OF: dict[type[Any], EventType] = {
    Conversation: EventType.CONVERSATION,
    Message: EventType.CONVERSATION,
    XRay: EventType.CONVERSATION,
    Roll: EventType.CONVERSATION,
    Telling: EventType.CONVERSATION,
    Miss: EventType.CONVERSATION,
    Event: EventType.INTERACT,
    Summary: EventType.SUMMARY,
    Memory: EventType.REFLECTION,
    MemoryLink: EventType.REFLECTION,
    Interaction: EventType.REFLECTION,
    Reading: EventType.REFLECTION,
    Analysis: EventType.REFLECTION,
}


def check_permits(scope: Scope, changes: Sequence[Change]) -> None:
    """Refuse the changes if the mode may not write one of them."""
    if writes_all(scope.mode):
        return
    for change in changes:
        if not _is_permitted(scope, change):
            raise Forbidden(
                f"In {scope.mode.value} mode {_named(change)} is not written. Ask again in dual mode to keep it; "
                "docs/policy.md has what each mode writes."
            )


def _is_permitted(scope: Scope, change: Change) -> bool:
    match change:
        case Put(record=Event(type=event_type)):
            return can_write(scope.mode, event_type)
        case Put(record=Attachment()):
            # Allowed if any type of event may be written.
            return any(can_write(scope.mode, each) for each in EventType)
        case Put(record=record):
            return _is_part_of_what_is_written(scope, type(record))
        case Amend(kind=kind) | Delete(kind=kind):
            return _is_part_of_what_is_written(scope, kind)
        case Touch():
            return can_write(scope.mode, EventType.REFLECTION)
        case Expect():
            return True
        case Enqueue() | Count():
            # Written along with a turn, and useless without one.
            return can_write(scope.mode, EventType.CONVERSATION)
    return False


def _is_part_of_what_is_written(scope: Scope, kind: type[Any]) -> bool:
    part_of = _PART_OF.get(kind)
    return part_of is not None and can_write(scope.mode, part_of)


def _named(change: Change) -> str:
    match change:
        case Put(record=Event(type=event_type)):
            return f"an event of type {event_type.value}"
        case Put(record=record):
            return f"a {type(record).__name__.lower()}"
        case Amend(kind=kind) | Delete(kind=kind):
            return f"a {kind.__name__.lower()}"
    return f"a {type(change).__name__.lower()}"
