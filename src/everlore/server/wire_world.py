"""Requests and answers for the world of a campaign and its proposals, and how records become answers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from everlore.campaign.canon.disputes import Dispute, DisputeSide
from everlore.campaign.review import Decided
from everlore.domain.campaign import Entity, EntityKind, Relationship
from everlore.domain.proposal import Decision, Proposal
from everlore.server.wire import Given, RecordModel
from everlore.server.wire_campaigns import Ids, Name, Names, Prose
from everlore.server.wire_conversations import MessageOut
from everlore.server.wire_memories import Id, Line, MemoryOut, Share
from everlore.server.wire_recall import BondOut

Ruling = Literal["old", "new", "both", "none"]


# ── the world ────────────────────────────────────────────────────────────────────────────────────


class EntityOut(RecordModel, record=Entity):
    hidden_aliases: tuple[str, ...] = Field((), description="Names that players must not know; empty for players.")


class NewEntity(Given):
    name: Name
    kind: EntityKind = EntityKind.OTHER
    aliases: Names = ()
    hidden_aliases: Names = Field((), description="Names that players must not know.")
    description: Prose = ""
    attributes: dict[str, Any] = Field(default_factory=dict)
    is_spoiler: bool = False
    person_id: Id | None = Field(None, description="The character that plays it, if any.")


class EntityChanges(Given):
    """Only what is sent is changed. Null means none for `person_id`."""

    name: Name | None = None
    kind: EntityKind | None = None
    aliases: Names | None = None
    hidden_aliases: Names | None = None
    description: Prose | None = None
    attributes: dict[str, Any] | None = None
    is_spoiler: bool | None = None
    person_id: Id | None = None


Hidden = Annotated[Names | None, Field(description="Those of its names that stay hidden from players.")]


class Merging(Given):
    into: Id
    hidden_aliases: Hidden = None


class MentionsOut(BaseModel):
    """The mentions of an entity that the caller may see, newest first."""

    memories: list[MemoryOut]
    messages: list[MessageOut]


class TieOut(RecordModel, record=Relationship):
    """A directed tie between two entities: source, type, target."""


class NewTie(Given):
    source_id: Id
    type: Annotated[str, Field(min_length=1, max_length=1_000)]
    target_id: Id
    evidence: Prose = ""
    is_spoiler: bool = False
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None


class TieChanges(Given):
    """Only what is sent is changed. Null means none for `valid_from` and `valid_to`."""

    type: Annotated[str, Field(min_length=1, max_length=1_000)] | None = None
    evidence: Prose | None = None
    confidence: Share | None = None
    is_spoiler: bool | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None


class GraphOut(BaseModel):
    entities: list[EntityOut]
    ties: list[TieOut]


class GraphOfAll(GraphOut):
    """The complete graph: `bonds` are between persons, `ties` between entities, some of which are persons."""

    bonds: list[BondOut]


# ── proposals for the game master ────────────────────────────────────────────────────────────────


class ProposalOut(RecordModel, record=Proposal):
    """A suggestion of a name, a tie, a contradiction, a chapter that could end, or a secret said in front of the
    players. `evidence` has the words behind it, `match_id` the known entity that a name may belong to."""


class Approval(Given):
    """Changes to the proposal: for an entity any of these, for a tie its type, for a chapter its name and goals."""

    name: Name | None = None
    kind: EntityKind | None = None
    aliases: Names | None = None
    hidden_aliases: Names | None = None
    description: Prose | None = None
    is_spoiler: bool | None = None
    type: Annotated[str, Field(min_length=1, max_length=1_000)] | None = None
    goals: Annotated[tuple[Line, ...], Field(max_length=100)] | None = None


class MergeInto(Given):
    into: Id | None = Field(None, description="Default: the suggested entity.")
    hidden_aliases: Hidden = None


class NewRuling(Given):
    """Which of two statements holds: the old one, the new one, both at their time, or there is no conflict."""

    ruling: Ruling
    note: Line = ""


class SideOut(RecordModel, record=DisputeSide, without=("origin", "is_spoiler")):
    """One of two statements, and where it comes from."""


class ConflictOut(RecordModel, record=Dispute, without=("proposal",)):
    """The canon, the statement against it, why they cannot both be true, and the ruling."""

    id: str
    status: Decision
    old: SideOut
    new: SideOut
    is_spoiler: bool
    ruling: Ruling | None
    created_at: datetime


class ConflictList(BaseModel):
    items: list[ConflictOut]


class ManyDecisions(Given):
    ids: Ids = ()
    min_confidence: Share | None = Field(None, description="Also all names and relationships that are as certain.")
    decision: Decision = Field(description="`pending` undoes decisions.")
    into: Id | None = None


class DecidedOut(RecordModel, record=Decided):
    proposal: ProposalOut | None


class DecidedList(BaseModel):
    items: list[DecidedOut]


def conflict_out(dispute: Dispute) -> ConflictOut:
    ruling = dispute.ruling.value if dispute.ruling else None
    return ConflictOut.of(dispute.proposal, old=dispute.old, new=dispute.new, reason=dispute.reason, ruling=ruling)


def decided_out(decided: Iterable[Decided]) -> DecidedList:
    return DecidedList(items=[DecidedOut.of(each) for each in decided])
