"""What goes over the wire of the world of a campaign, and of what waits for its game master: the shapes of requests and
answers, and how records become them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from everlore.campaign.canon.disputes import Dispute
from everlore.campaign.review import Decided
from everlore.domain.campaign import Entity, EntityKind, Relationship
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.server.wire import Given, MessageOut, shaped
from everlore.server.wire_campaigns import Ids, Name, Names, Prose
from everlore.server.wire_memories import Id, Line, MemoryOut, Share
from everlore.server.wire_recall import BondOut

Ruling = Literal["old", "new", "both", "none"]


# ── the world ────────────────────────────────────────────────────────────────────────────────────


class EntityOut(BaseModel):
    id: str
    kind: EntityKind
    name: str
    aliases: tuple[str, ...]
    hidden_aliases: tuple[str, ...] = Field((), description="Names that players must not know; empty for players.")
    description: str
    attributes: dict[str, Any]
    campaign_id: str | None
    person_id: str | None
    is_spoiler: bool
    gm_edited: bool
    created_at: datetime
    updated_at: datetime


class EntityList(BaseModel):
    items: list[EntityOut]
    next: str | None


class NewEntity(Given):
    name: Name
    kind: EntityKind = EntityKind.OTHER
    aliases: Names = ()
    hidden_aliases: Names = Field((), description="Names that players must not know.")
    description: Prose = ""
    attributes: dict[str, Any] = Field(default_factory=dict)
    is_spoiler: bool = False
    person_id: Id | None = Field(None, description="The character that plays it, where there is one.")


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


class Merging(Given):
    into: Id


class MentionsOut(BaseModel):
    """Where an entity is spoken of, as far as whoever asks may see it; the latest first."""

    memories: list[MemoryOut]
    messages: list[MessageOut]


class TieOut(BaseModel):
    """A directed tie between two entities: source, type, target."""

    id: str
    campaign_id: str | None
    source_id: str
    target_id: str
    type: str
    evidence: str
    message_id: str | None
    confidence: float
    is_spoiler: bool
    gm_edited: bool
    valid_from: datetime | None
    valid_to: datetime | None
    created_at: datetime


class TieList(BaseModel):
    items: list[TieOut]
    next: str | None


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
    """Everybody and everything: `bonds` are between persons, `ties` between entities, some of which are persons."""

    bonds: list[BondOut]


def entity_out(entity: Entity) -> EntityOut:
    return shaped(EntityOut, entity)


def tie_out(tie: Relationship) -> TieOut:
    return shaped(TieOut, tie)


# ── what waits for the game master ───────────────────────────────────────────────────────────────


class ProposalOut(BaseModel):
    """What the machine suggests: a name, a tie, a contradiction, a chapter that could end, something hidden that was
    said at the table. `evidence` are the words that it rests on, `match_id` the entity that a name may be already."""

    id: str
    campaign_id: str
    session_id: str | None
    kind: ProposalKind
    title: str
    evidence: str
    message_id: str | None
    match_id: str | None
    confidence: float
    detail: dict[str, Any]
    is_spoiler: bool
    status: Decision
    decided_by: str
    decided_at: datetime | None
    outcome: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class ProposalList(BaseModel):
    items: list[ProposalOut]
    next: str | None


class Approval(Given):
    """What is different from what was proposed: of an entity any of these, of a tie its type, of a chapter its name and
    goals."""

    name: Name | None = None
    kind: EntityKind | None = None
    aliases: Names | None = None
    hidden_aliases: Names | None = None
    description: Prose | None = None
    is_spoiler: bool | None = None
    type: Annotated[str, Field(min_length=1, max_length=1_000)] | None = None
    goals: Annotated[tuple[Line, ...], Field(max_length=100)] | None = None


class MergeInto(Given):
    into: Id | None = Field(None, description="Left out: the entity that was suggested.")


class NewRuling(Given):
    """Which of two statements holds: the old one, the new one, both in their time, or there is no conflict."""

    ruling: Ruling
    note: Line = ""


class SideOut(BaseModel):
    """One of two statements, and where it comes from."""

    memory_id: str
    text: str
    session_id: str | None
    session: str
    message_ids: tuple[str, ...]


class ConflictOut(BaseModel):
    """What is canon, what was said against it, why they cannot both be true, and what was ruled."""

    id: str
    status: Decision
    old: SideOut
    new: SideOut
    reason: str
    is_spoiler: bool
    ruling: Ruling | None
    created_at: datetime


class ConflictList(BaseModel):
    items: list[ConflictOut]


class ManyDecisions(Given):
    ids: Annotated[Ids, Field(min_length=1)]
    decision: Decision = Field(description="`pending` takes decisions back.")
    into: Id | None = None


class DecidedOut(BaseModel):
    id: str
    proposal: ProposalOut | None
    error: str


class DecidedList(BaseModel):
    items: list[DecidedOut]


def proposal_out(proposal: Proposal) -> ProposalOut:
    return shaped(ProposalOut, proposal)


def conflict_out(dispute: Dispute) -> ConflictOut:
    proposal = dispute.proposal
    return ConflictOut(
        id=proposal.id,
        status=proposal.status,
        old=shaped(SideOut, dispute.old),
        new=shaped(SideOut, dispute.new),
        reason=dispute.reason,
        is_spoiler=proposal.is_spoiler,
        ruling=dispute.ruling.value if dispute.ruling else None,
        created_at=proposal.created_at,
    )


def decided_out(decided: Iterable[Decided]) -> DecidedList:
    items = [
        DecidedOut(id=each.id, proposal=proposal_out(each.proposal) if each.proposal else None, error=each.error)
        for each in decided
    ]
    return DecidedList(items=items)
