"""The answers of the tools: short, because a model reads every word of them."""

from datetime import datetime

from pydantic import BaseModel

from everlore.domain.event import EventState
from everlore.domain.memory import Memory
from everlore.server.context import ContextOut
from everlore.server.wire import RecordModel


class SearchHit(BaseModel):
    """`why` is the reason for the match, `doubtful` marks a weak one; `persons` are its owners; `uri` has the complete
    memory, if it is one."""

    id: str
    kind: str
    type: str
    content: str
    at: datetime
    score: float
    doubtful: bool
    why: str
    persons: list[str]
    importance: int | None = None
    conversation_id: str | None = None
    uri: str = ""


class Hits(BaseModel):
    """The best match first."""

    items: list[SearchHit]


class MemoryResult(RecordModel):
    """A memory in its current state."""

    id: str
    content: str
    type: str
    importance: int
    status: str
    persons: list[str]
    uri: str


class RememberResult(MemoryResult):
    """`outcome`: new (formed), known before (reinforced), new and replacing what it contradicts (superseded), or
    contradicting a person's statement and waiting for a decision (pending). `against`: the statements that it replaces
    or contradicts."""

    outcome: str
    against: list[str]


class Forgotten(BaseModel):
    memory_id: str
    forgotten: bool = True


class ExtractionResult(BaseModel):
    """`formed` are the new or changed memories; empty while `done` is false, because the job is still queued."""

    conversation_id: str
    done: bool
    formed: list[MemoryResult]


class CapturedEvent(BaseModel):
    """`why` is the reason if nothing was stored."""

    captured: bool
    event_id: str | None = None
    why: str = ""


class EventChange(BaseModel):
    event_id: str
    content: str
    state: EventState


class DeletedEvent(BaseModel):
    event_id: str
    deleted: bool = True


class CharacterBrief(RecordModel):
    id: str
    name: str
    description: str
    personality: str


class CharacterBriefs(BaseModel):
    """`next` is the cursor of the next page; null on the last one."""

    items: list[CharacterBrief]
    next: str | None


class RecapText(BaseModel):
    campaign_id: str
    name: str
    text: str


# Answers whose `text` is for the model; the rest of them is for programs.
InWords = ContextOut | RecapText


def memory_uri(id: str) -> str:
    return f"everlore://memory/{id}"


def kept_of(memory: Memory, persons: list[str]) -> MemoryResult:
    return MemoryResult.of(memory, persons=persons, uri=memory_uri(memory.id))
