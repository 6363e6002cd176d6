"""The answers of the tools: short, because a model reads every word of them."""

from datetime import datetime

from pydantic import BaseModel

from everlore.domain.event import EventState
from everlore.domain.memory import Memory
from everlore.server.wire import RecordModel
from everlore.server.wire_events import ContextOut


class SearchHit(BaseModel):
    """`why` is the reason why it came back, `doubtful` that it is perhaps not meant; `persons` whose it is; `uri` has
    the whole of it, where it is a memory."""

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
    """The best first."""

    items: list[SearchHit]


class MemoryResult(RecordModel):
    """A memory as it stands now."""

    id: str
    content: str
    type: str
    importance: int
    status: str
    persons: list[str]
    uri: str


class RememberResult(MemoryResult):
    """`outcome`: it is new (formed), was known and counts more now (reinforced), is new and closed what it contradicts
    (superseded), or contradicts what a person said and waits for one to decide (pending). `against`: the statements
    that it closed or contradicts."""

    outcome: str
    against: list[str]


class Forgotten(BaseModel):
    memory_id: str
    forgotten: bool = True


class ExtractionResult(BaseModel):
    """`formed` are the memories that are new or changed; empty also while `done` is false: then it is still queued."""

    conversation_id: str
    done: bool
    formed: list[MemoryResult]


class CapturedEvent(BaseModel):
    """`why` says why nothing was kept, where nothing was."""

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
    """`next` goes on where this list ends; null at its end."""

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
