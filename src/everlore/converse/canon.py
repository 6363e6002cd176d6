"""What a campaign has to say for one turn, without what the asker must not know (P11, G2, G9).

Start at `canon_of`.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from everlore.compose.context import Canon
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory, MemoryType, Status, Visible
from everlore.domain.scope import Scope
from everlore.store.port import Store

_MOST_MEMORIES = 300
_MOST_SESSIONS = 5
_MOST_ENTITIES = 500
_MENTIONED = 12
# What belongs to the campaign or to a chapter as a whole; the rest is recalled when it is asked for.
_TIERS = frozenset(
    {
        MemoryType.PREMISE,
        MemoryType.SETTING,
        MemoryType.TONE,
        MemoryType.FACTION,
        MemoryType.THEME,
        MemoryType.CANON_RULING,
        MemoryType.PLOT_THREAD,
        MemoryType.SUMMARY,
        MemoryType.GOAL,
        MemoryType.DECISION,
        MemoryType.DECISION_POINT,
        MemoryType.DISCOVERY,
        MemoryType.MOMENT,
        MemoryType.SCENE,
        MemoryType.OUTCOME,
    }
)
_WORD = re.compile(r"\w+")
_Hidden = TypeVar("_Hidden", Memory, Entity)


async def campaign_of(store: Store, scope: Scope, conversation: Conversation) -> Campaign | None:
    found = await store.get_many(scope, Campaign, [conversation.campaign_id]) if conversation.campaign_id else []
    return found[0] if found else None


def runs_the_game(campaign: Campaign | None, conversation: Conversation) -> bool:
    """Whether the user of the conversation is the game master, who may know everything (G9)."""
    return campaign is not None and campaign.gm_id is not None and campaign.gm_id == conversation.user_id


async def canon_of(
    store: Store,
    scope: Scope,
    campaign: Campaign | None,
    conversation: Conversation,
    said: str,
    *,
    speaker_id: str,
) -> Canon | None:
    """What the speaker may know of it. `said`: the latest words; whom they mention comes first."""
    if campaign is None:
        return None
    of = {"campaign_id": campaign.id}
    chapters, sessions, memories, entities = await asyncio.gather(
        store.find(scope, Chapter, of, limit=50, newest_first=True),
        store.find(scope, Session, of, limit=50, newest_first=True),
        store.find(
            scope,
            Memory,
            {**of, "status": Status.ACTIVE.value, "type": [each.value for each in _TIERS]},
            limit=_MOST_MEMORIES,
            newest_first=True,
        ),
        store.find(scope, Entity, of, limit=_MOST_ENTITIES),
    )
    sees_all = runs_the_game(campaign, conversation)
    mentioned = _mentioned(_visible(entities.items, sees_all=sees_all), said)
    return Canon(
        campaign=campaign,
        chapter=_being_played(chapters.items, sessions.items, conversation),
        sessions=_latest_first(sessions.items, conversation.session_id)[:_MOST_SESSIONS],
        memories=[
            each for each in _visible(memories.items, sees_all=sees_all) if is_open_to(speaker_id, each, conversation)
        ],
        entities=mentioned,
        relationships=await _between(store, scope, mentioned),
    )


async def world_of(store: Store, scope: Scope, conversation: Conversation, *, with_spoilers: bool) -> Sequence[Entity]:
    """Places, people and creatures of the campaign, or of the workspace where there is none."""
    page = await store.find(scope, Entity, {"campaign_id": conversation.campaign_id}, limit=_MOST_ENTITIES)
    return _visible(page.items, sees_all=with_spoilers)


def is_open_to(speaker_id: str, memory: Memory, conversation: Conversation) -> bool:
    """A secret is for those who share it, and what is private for the conversation it is of (R11)."""
    if memory.visibility is Visible.PRIVATE:
        return memory.conversation_id == conversation.id
    return memory.visibility is Visible.NORMAL or speaker_id in memory.persons


def _visible(items: Iterable[_Hidden], *, sees_all: bool) -> list[_Hidden]:
    return [each for each in items if sees_all or not each.is_spoiler]


def _being_played(
    chapters: Sequence[Chapter], sessions: Sequence[Session], conversation: Conversation
) -> Chapter | None:
    """The chapter of the conversation's session, or else the latest that is not closed."""
    of_session = next((each.chapter_id for each in sessions if each.id == conversation.session_id), None)
    by_id = {each.id: each for each in chapters}
    if of_session in by_id:
        return by_id[of_session]
    return next((each for each in chapters if each.closed_at is None), None)


def _latest_first(sessions: Sequence[Session], present_id: str | None) -> list[Session]:
    present = [each for each in sessions if each.id == present_id]
    return [*present, *(each for each in sessions if each.id != present_id)]


def _mentioned(entities: Sequence[Entity], said: str) -> list[Entity]:
    """Those whose name, or another name of theirs, is among the words, first mentioned first."""
    text = f" {' '.join(_words(said))} "
    places = {each.id: _first_place(each, text) for each in entities}
    named = [each for each in entities if places[each.id] is not None]
    return sorted(named, key=lambda each: (places[each.id] or 0, each.id))[:_MENTIONED]


def _first_place(entity: Entity, text: str) -> int | None:
    names = (" ".join(_words(name)) for name in (entity.name, *entity.aliases))
    found = [text.find(f" {name} ") for name in names if name]
    return min((place for place in found if place >= 0), default=None)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


async def _between(store: Store, scope: Scope, entities: Sequence[Entity]) -> list[Relationship]:
    if not entities:
        return []
    ids = [each.id for each in entities]
    page = await store.find(scope, Relationship, {"source_id": ids}, limit=200)
    return list(page.items)
