"""Routes for gossip: what a person knows from others, suggestions for a conversation, and the rolls (R7, R9)."""

from typing import Annotated

from fastapi import Query

from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_memories import reader_of
from everlore.server.wire_recall import (
    GossipAsk,
    GossipList,
    NewGossip,
    RollList,
    RollOut,
    SuggestedGossip,
    hit_out,
    suggested_out,
)

router = Router(prefix="/api/memories", tags=["gossip"])
of_conversation = Router(prefix="/api/conversations/{id}", tags=["gossip"])
Limit = Annotated[int, Query(ge=1, le=500)]


@router.post("/gossip")
async def search_gossip(lore: Lore, asked: GossipAsk) -> GossipList:
    """Returns what a person heard from others about the query and the excluded person does not know."""
    found = await lore.gossip.search(
        asked.person_id,
        asked.query,
        exclude=asked.exclude_person_id,
        limit=asked.limit,
        threshold=asked.threshold,
    )
    return GossipList(items=[hit_out(each, reader_of(lore.scope)) for each in found], next=None)


@of_conversation.post("/gossip")
async def suggest_gossip(lore: Lore, id: str, new: NewGossip) -> SuggestedGossip:
    """Returns what the user's character could pass on with the message the user is writing, and whether it slips out
    (R9). Empty unless `gossip_enabled` is set in the conversation's config."""
    return suggested_out(await lore.gossip.suggest(id, new.content, roll=new.roll), reader_of(lore.scope))


@of_conversation.get("/rolls")
async def list_rolls(lore: Lore, id: str, limit: Limit = 50, cursor: str | None = None) -> RollList:
    """Lists the gossip rolls of a conversation, in order."""
    await lore.conversations.get(id)
    page = await lore.gossip.rolls(id, limit=limit, cursor=cursor)
    return RollList(items=[RollOut.of(each) for each in page.items], next=page.cursor)
