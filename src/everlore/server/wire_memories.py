"""Requests and answers for memories and learning, and how records become answers."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from everlore.domain.analysis import Analysis
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction, Tone, tone_of
from everlore.domain.memory import Category, Durability, Memory, MemoryLink, MemoryType, Status, Visible
from everlore.domain.person import USER_ID
from everlore.domain.reading import Filter, Reading, refusals_of, refused_counts
from everlore.domain.revision import Revision
from everlore.domain.scope import Scope
from everlore.models.voice.second_person import to_second_person
from everlore.models.voice.text import without_end
from everlore.server.wire import Given, ListOf, RecordModel
from everlore.server.wire_conversations import MessageOut
from everlore.services.memory_writes import SavedMemory
from everlore.store.answers import Cleanup

Statement = Annotated[str, Field(min_length=1, max_length=20_000)]
Line = Annotated[str, Field(max_length=1_000)]
Id = Annotated[str, Field(min_length=1, max_length=128)]
Share = Annotated[float, Field(ge=0, le=1)]
Importance = Annotated[int, Field(ge=1, le=10)]
Priority = Annotated[int, Field(ge=-100, le=100)]
Tags = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=100)]
# The outcome of a statement, spelt out: a schema may have one `Outcome`, which interactions use.
SavedAs = Literal["formed", "reinforced", "superseded", "pending", "rejected"]
# The origins of domain/memory.py, spelt out: a schema may have one `Origin`, which models use.
MadeBy = Literal["extractor", "keyframe", "analysis", "digest", "user", "gm", "import"]

# ── memories ─────────────────────────────────────────────────────────────────────────────────────


class MemoryOut(RecordModel, record=Memory):
    """`persons` are its owners. `source_message_ids` are the messages that it came from; `source_uri` links to the
    first of them, or is the source given on saving. `valid_from` and `valid_to` say when it holds, `superseded_by` what
    replaced it. `shown` is `content` addressed to the caller: "You live in Porto" for "User lives in Porto". Edit
    `content`."""

    id: str
    shown: str
    importance: int
    origin: MadeBy


class MemorySaved(MemoryOut):
    """The memory that was saved or found. `outcome`: new (`formed`), known before (`reinforced`), new and replacing
    what it contradicts (`superseded`), or contradicting a person's statement and waiting for a decision (`pending`).
    `against` are the memories that it replaces or contradicts."""

    outcome: SavedAs
    against: tuple[str, ...]


class MemoryList(BaseModel):
    items: list[MemoryOut]
    next: str | None
    total: int | None = None


class NewMemory(Given):
    """A memory of a person or of a pair; of the user if no one is named."""

    content: Statement
    person_id: Id | None = None
    partner_id: Id | None = Field(None, description="The second person of a pair; needs person_id.")
    conversation_id: Id | None = None
    summary: Line = ""
    type: MemoryType = MemoryType.FACT
    category: Category | None = None
    importance: Importance = 5
    confidence: Share = 1.0
    priority: Priority = 0
    emotional_weight: Share = 0.0
    visibility: Visible = Visible.NORMAL
    is_spoiler: bool = False
    durability: Durability | None = Field(None, description="Default: identity if it says who someone is.")
    tags: Tags = ()
    source_uri: Line = ""
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    force: bool = Field(False, description="Save it even if it contradicts what is known.")


class MemoryChanges(Given):
    """Only what is sent is changed. Null clears `category`, `valid_from` and `valid_to`; elsewhere it changes
    nothing."""

    content: Statement | None = None
    summary: Line | None = None
    type: MemoryType | None = None
    category: Category | None = None
    importance: Importance | None = None
    confidence: Share | None = None
    priority: Priority | None = None
    emotional_weight: Share | None = None
    visibility: Visible | None = None
    is_spoiler: bool | None = None
    durability: Durability | None = None
    tags: Tags | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    note: Line = Field("", description="The reason for the change, for the history.")


class Verdict(Given):
    note: Line = Field("", description="The reason, for the history.")


class Correction(Given):
    content: Statement | None = Field(None, description="The right statement; null: only mark it as wrong.")
    note: Line = Field("", description="The reason, for the history.")


class MergedMemories(Given):
    other_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=50)]
    content: Statement | None = Field(None, description="The merged text; null: the text of this memory.")


class MergeAsked(Given):
    ids: Annotated[tuple[Id, ...], Field(min_length=2, max_length=50)]


class MergeProposalOut(BaseModel):
    """`content` is one statement for all of them, written by `model`; null if they were joined by rule."""

    content: str
    model: str | None


class ForgottenOut(BaseModel):
    """The number of memories about the caller, by status; with `dry_run` nothing was deleted."""

    dry_run: bool
    total: int
    by_status: dict[Status, int]


class RevisionOut(RecordModel, record=Revision, without=("memory_id",)):
    """What was believed from `since` until `until`, who changed it then, and why. `content` is the earlier text."""

    content: str
    before: MemoryOut


class SourceList(ListOf[MessageOut]):
    """The messages that a memory came from, in order."""


class LinkOut(RecordModel, record=MemoryLink):
    """A link from one memory to another; `linked` is the other one in its current state."""

    linked: MemoryOut


def reader_of(scope: Scope) -> str:
    """The person whom pages address as "you"."""
    return scope.confined_to or scope.person_id or USER_ID


def address(statement: str, persons: Collection[str], reader: str) -> str:
    """The statement as `reader` reads it, if it is about them: "User lives in Porto." is "You live in Porto."."""
    if reader not in persons:
        return statement
    said = statement.strip()
    addressed = to_second_person(said)
    return statement if addressed is None else addressed + said[len(without_end(said)) :]


def memory_out(memory: Memory, reader: str = "") -> MemoryOut:
    """`reader`: see `reader_of`. Canon and other texts that address nobody have none."""
    return MemoryOut.of(memory, **_read_by(memory, reader))


def saved_out(kept: SavedMemory, reader: str) -> MemorySaved:
    against = tuple(each.id for each in kept.against)
    return MemorySaved.of(kept.memory, **_read_by(kept.memory, reader), outcome=kept.outcome.value, against=against)


def _read_by(memory: Memory, reader: str) -> dict[str, str]:
    return {"origin": memory.origin.value, "shown": address(memory.content, memory.persons, reader)}


def revision_out(revision: Revision, reader: str) -> RevisionOut:
    before = revision.before
    return RevisionOut.of(revision, content=before.content, before=memory_out(before, reader))


def link_out(link: MemoryLink, linked: Memory, reader: str) -> LinkOut:
    return LinkOut.of(link, linked=memory_out(linked, reader))


# ── learning ─────────────────────────────────────────────────────────────────────────────────────


class Asked(BaseModel):
    """The queued jobs; `formed` has the resulting memories if the request waited for them."""

    jobs: list[str]
    formed: list[MemoryOut]


class RefusalOut(RecordModel):
    content: str
    filter: Filter
    note: str


class ReadingOut(RecordModel, record=Reading, without=("digest", "has_refused")):
    """What was read, by which reader (`rules`, or a model), and the result. `refused` has the first rejected
    candidates, `refused_counts` counts all of them."""

    refused: list[RefusalOut]
    refused_counts: dict[str, int]


class FilterCount(BaseModel):
    filter: Filter
    count: int


class FilterCounts(BaseModel):
    """How often each filter stopped a candidate, including filters that never did."""

    items: list[FilterCount]
    next: str | None
    total: int


class AnalysisOut(RecordModel, record=Analysis, without=("digest",)):
    """`trigger` is why it was made; `memory_ids` are the memories that it formed or confirmed, `memories` those
    left."""

    memories: list[MemoryOut]


class InteractionOut(RecordModel, record=Interaction):
    """An interaction of two persons, and how it turned out for each of them."""

    tone: Tone


class EventOut(RecordModel, record=Event, without=("is_spoiler",)):
    """`ended_at` is null while the event goes on, and for events without a duration."""


class CleanupOut(RecordModel, record=Cleanup):
    """The number of orphans of each kind; with `dry_run` nothing was removed."""

    dry_run: bool
    total: int


def reading_out(reading: Reading) -> ReadingOut:
    return ReadingOut.of(reading, refused=refusals_of(reading), refused_counts=refused_counts(reading))


def counts_out(counts: Mapping[Filter, int]) -> FilterCounts:
    items = [FilterCount(filter=filter, count=count) for filter, count in counts.items()]
    return FilterCounts(items=items, next=None, total=sum(counts.values()))


def analysis_out(analysis: Analysis, memories: Mapping[str, Memory], reader: str) -> AnalysisOut:
    formed = [memory_out(memories[id], reader) for id in analysis.memory_ids if id in memories]
    return AnalysisOut.of(analysis, memories=formed)


def interaction_out(interaction: Interaction) -> InteractionOut:
    return InteractionOut.of(interaction, tone=tone_of(interaction.type))
