"""Routes for the world of a campaign: entities, relationships, and proposals to review (G4 to G8)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, Field

from everlore.campaign.canon.disputes import Dispute, DisputeSide
from everlore.campaign.review import Decided
from everlore.campaign.roles import speaker_names
from everlore.domain.campaign import Entity, EntityKind, Relationship
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.server.access import Lore
from everlore.server.campaigns import Limit, Player
from everlore.server.routing import Router
from everlore.server.wire import Given, ListOf, RecordModel
from everlore.server.wire_campaigns import Ids, Name, Names, Prose
from everlore.server.wire_conversations import MessageOut, message_out
from everlore.server.wire_memories import Id, Line, MemoryOut, Share, memory_out
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


of_campaign = Router(prefix="/api/campaigns/{id}", tags=["campaigns"])
entities = Router(prefix="/api/entities", tags=["campaigns"])
ties = Router(prefix="/api/ties", tags=["campaigns"])
proposals = Router(prefix="/api/proposals", tags=["campaigns"])
# For these, null is a value.
_MAY_BE_NONE = frozenset({"person_id", "valid_from", "valid_to"})


# ── entities ─────────────────────────────────────────────────────────────────────────────────────


@of_campaign.get("/entities")
async def list_entities(
    lore: Lore,
    id: str,
    kind: EntityKind | None = None,
    named: Annotated[str, Query(max_length=1_000, description="Only entities that this name or alias matches.")] = "",
    player: Player = None,
) -> ListOf[EntityOut]:
    """Lists the entities that the caller may see, by name."""
    found = await lore.world.entities(id, kind=kind, named=named, player=player)
    return ListOf[EntityOut](items=[EntityOut.of(each) for each in found], next=None)


@of_campaign.post("/entities", status_code=201)
async def add_entity(lore: Lore, id: str, new: NewEntity) -> EntityOut:
    made = await lore.world.add(
        id,
        new.name,
        kind=new.kind,
        aliases=new.aliases,
        hidden_aliases=new.hidden_aliases,
        description=new.description,
        attributes=new.attributes,
        spoiler=new.is_spoiler,
        person=new.person_id,
    )
    return EntityOut.of(made)


@entities.get("/{id}")
async def get_entity(lore: Lore, id: str, player: Player = None) -> EntityOut:
    return EntityOut.of(await lore.world.entity(id, player=player))


@entities.patch("/{id}")
async def change_entity(lore: Lore, id: str, changes: EntityChanges) -> EntityOut:
    return EntityOut.of(await lore.world.change(id, **_given(changes.model_dump(exclude_unset=True))))


@entities.delete("/{id}", status_code=204)
async def delete_entity(lore: Lore, id: str) -> None:
    """Deletes an entity with its ties. Messages and memories that mention it stay."""
    await lore.world.delete(id)


@entities.post("/{id}/merge")
async def merge_entity(lore: Lore, id: str, merging: Merging) -> EntityOut:
    """Merges this entity into another one, with its names, ties and mentions."""
    return EntityOut.of(await lore.world.merge(id, merging.into, hidden_aliases=merging.hidden_aliases))


@entities.get("/{id}/mentions")
async def list_mentions(lore: Lore, id: str, player: Player = None) -> MentionsOut:
    """Lists where an entity is mentioned."""
    found = await lore.world.mentions(id, player=player)
    campaign = (await lore.campaigns.get((await lore.world.entity(id, player=player)).campaign_id or "")).campaign
    names = await speaker_names(lore.store, lore.scope, campaign, found.messages)
    return MentionsOut(
        memories=[memory_out(each) for each in found.memories],
        messages=[message_out(each, names) for each in found.messages],
    )


# ── relationships ────────────────────────────────────────────────────────────────────────────────


@of_campaign.get("/graph")
async def draw_graph(lore: Lore, id: str, at: AwareDatetime | None = None, player: Player = None) -> GraphOut:
    """Returns the relationship graph of the campaign's world, now or at the time `at`."""
    graph = await lore.world.graph(id, at=at, player=player)
    return GraphOut(
        entities=[EntityOut.of(each) for each in graph.entities], ties=[TieOut.of(each) for each in graph.ties]
    )


@of_campaign.get("/ties")
async def list_ties(
    lore: Lore, id: str, entity_id: str | None = None, at: AwareDatetime | None = None, player: Player = None
) -> ListOf[TieOut]:
    found = await lore.world.ties(id, entity=entity_id, at=at, player=player)
    return ListOf[TieOut](items=[TieOut.of(each) for each in found], next=None)


@ties.post("", status_code=201)
async def add_tie(lore: Lore, new: NewTie) -> TieOut:
    made = await lore.world.tie(
        new.source_id,
        new.type,
        new.target_id,
        evidence=new.evidence,
        valid_from=new.valid_from,
        valid_to=new.valid_to,
        spoiler=new.is_spoiler,
    )
    return TieOut.of(made)


@ties.patch("/{id}")
async def change_tie(lore: Lore, id: str, changes: TieChanges) -> TieOut:
    return TieOut.of(await lore.world.change_tie(id, **_given(changes.model_dump(exclude_unset=True))))


@ties.delete("/{id}", status_code=204)
async def delete_tie(lore: Lore, id: str) -> None:
    await lore.world.untie(id)


# ── proposals for the game master ────────────────────────────────────────────────────────────────


@of_campaign.get("/proposals")
async def list_proposals(
    lore: Lore,
    id: str,
    status: Annotated[Decision, Query()] = Decision.PENDING,
    kind: ProposalKind | None = None,
    session_id: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> ListOf[ProposalOut]:
    """Lists pending or decided proposals: names, ties, contradictions and chapters that could end."""
    page = await lore.review.list(id, status=status, kind=kind, session=session_id, limit=limit, cursor=cursor)
    return ListOf[ProposalOut](items=[ProposalOut.of(each) for each in page.items], next=page.cursor)


@of_campaign.post("/proposals/decide")
async def decide_many(lore: Lore, id: str, many: ManyDecisions) -> DecidedList:
    """Applies the same decision to several proposals, each independently. To undo it, send their ids as `pending`."""
    sure = await lore.review.sure(id, 1.0 if many.min_confidence is None else many.min_confidence)
    ids = many.ids if many.min_confidence is None else (*many.ids, *sure)
    return decided_out(await lore.review.decide_many(ids, many.decision, into=many.into))


@of_campaign.get("/conflicts")
async def list_conflicts(
    lore: Lore, id: str, open: Annotated[bool, Query(description="`false` lists those with a ruling.")] = True
) -> ConflictList:
    """Lists contradictions of canon, with both texts and their sources."""
    return ConflictList(items=[conflict_out(each) for each in await lore.canon.conflicts(id, open=open)])


@proposals.post("/{id}/rule", status_code=201)
async def rule_conflict(lore: Lore, id: str, new: NewRuling) -> MemoryOut:
    """Rules which of the two statements holds. The ruling becomes a memory that takes precedence from now on."""
    return memory_out(await lore.canon.rule(id, new.ruling, new.note))


@proposals.get("/{id}")
async def get_proposal(lore: Lore, id: str) -> ProposalOut:
    return ProposalOut.of(await lore.review.get(id))


@proposals.post("/{id}/approve")
async def approve_proposal(lore: Lore, id: str, approval: Approval) -> ProposalOut:
    """Approves a proposal, with changes if any are sent."""
    edits = {name: value for name, value in approval.model_dump(exclude_unset=True).items() if value is not None}
    return ProposalOut.of(await lore.review.approve(id, **edits))


@proposals.post("/{id}/merge")
async def merge_proposal(lore: Lore, id: str, merge: MergeInto) -> ProposalOut:
    """Merges the proposed name into a known entity as another of its names."""
    return ProposalOut.of(await lore.review.merge(id, merge.into, hidden_aliases=merge.hidden_aliases))


@proposals.post("/{id}/reject")
async def reject_proposal(lore: Lore, id: str) -> ProposalOut:
    """Rejects a proposal. It is not proposed again."""
    return ProposalOut.of(await lore.review.reject(id))


@proposals.post("/{id}/undo")
async def undo_proposal(lore: Lore, id: str) -> ProposalOut:
    """Undoes a decision: its results are removed, and the proposal is pending again."""
    return ProposalOut.of(await lore.review.undo(id))


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None or name in _MAY_BE_NONE}
