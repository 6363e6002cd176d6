"""Something that happened at a time: a message, a tool call, a file read, a whole conversation (C1, K5)."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Id, Json, Log, Share


class EventType(StrEnum):
    CONVERSATION = "conversation"
    INTERACT = "interact"
    TOOL_INVOCATION = "tool_invocation"
    FILE_READ = "file_read"
    FILE_WRITE = "file_write"
    CODE_APPROVAL = "code_approval"
    CODE_REJECTION = "code_rejection"
    OBSERVATION = "observation"
    REFLECTION = "reflection"
    DREAM = "dream"
    TASK = "task"
    SUMMARY = "summary"


class EventState(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    workspace: Id
    id: Id
    type: EventType
    content: Log
    at: datetime
    ended_at: datetime | None = None
    state: EventState = EventState.COMPLETE
    importance: Share = 0.6
    user_id: Id | None = None
    conversation_id: Id | None = None
    campaign_id: Id | None = None
    parent_id: Id | None = None
    actors: tuple[Id, ...] = ()
    participants: tuple[Id, ...] = ()
    entity_ids: tuple[Id, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    # Based on something that players must not know (G9).
    is_spoiler: bool = False
    metadata: Json = field(default_factory=dict)
    created_at: datetime
