"""Routes for the world of a campaign: entities, relationships, and proposals to review (G4 to G8)."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime

from everlore.campaign.roles import speaker_names
from everlore.domain.campaign import EntityKind
from everlore.domain.proposal import Decision, ProposalKind
from everlore.server.access import Lore
from everlore.server.campaigns import Limit, Player
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_conversations import message_out
from everlore.server.wire_memories import MemoryOut, memory_out
from everlore.server.wire_world import (
    Approval,
    ConflictList,
    DecidedList,
    EntityChanges,
    EntityOut,
    GraphOut,
    ManyDecisions,
    MentionsOut,
    MergeInto,
    Merging,
    NewEntity,
    NewRuling,
    NewTie,
    ProposalOut,
    TieChanges,
    TieOut,
    conflict_out,
    decided_out,
)

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
