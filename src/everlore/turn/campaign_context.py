"""What a campaign adds to the prompt of one turn, without what the speaker must not know (P11, G2, G9).

Start at `canon_of`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from everlore.compose.context import Canon
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.passage import PassageKind
from everlore.domain.scope import Scope
from everlore.domain.sessions import is_at_table
from everlore.domain.visibility import (
    Place,
    Viewer,
    as_player,
    as_read_by,
    is_of_their_game,
    may_see,
    place_of,
    runs_the_game,
)
from everlore.recall.tellable import strangers_among
from everlore.store.port import Search, Store
from everlore.turn.viewers import seen_among

_MOST_WIDE = 300
_MOST_OF_CHAPTER = 150
_MOST_OF_SESSIONS = 250
_MOST_SESSIONS = 5
_MOST_ENTITIES = 500
_MENTIONED = 12
_MOST_TIES = 60
_ENTITIES = frozenset({PassageKind.ENTITY})
_CANDIDATES = 60


async def campaign_of(store: Store, scope: Scope, conversation: Conversation) -> Campaign | None:
    found = await store.get_many(scope, Campaign, [conversation.campaign_id]) if conversation.campaign_id else []
    return found[0] if found else None


async def canon_of(
    store: Store,
    scope: Scope,
    campaign: Campaign | None,
    conversation: Conversation,
    said: str,
    speaker: Viewer,
    mentioned_in: Callable[[str, Sequence[Entity], int], list[Entity]],
) -> Canon | None:
    """What the speaker may know of the campaign. `said`: the latest words; entities mentioned in them come first."""
    if campaign is None:
        return None
    of = {"campaign_id": campaign.id}
    chapters, sessions, spoken_of = await asyncio.gather(
        store.find(scope, Chapter, of, limit=50, newest_first=True),
        store.find(scope, Session, of, limit=50, newest_first=True),
        sharing_a_word(store, scope, campaign.id, said),
    )
    place = place_of(conversation)
    chapter = _being_played(chapters.items, sessions.items, conversation)
    played = [each for each in sessions.items if is_at_table(each) or runs_the_game(speaker, campaign.id, place)]
    latest = _latest_first(played, conversation.session_id)[:_MOST_SESSIONS]
    if runs_the_game(speaker, campaign.id, place):
        spoken_of += await _with_hidden_names(store, scope, campaign)
    seen = [as_read_by(speaker, each, place) for each in spoken_of if may_see(speaker, each, place)]
    mentioned = mentioned_in(said, seen, _MENTIONED)
    memories, ties = await asyncio.gather(
        _told(store, scope, campaign, chapter, latest), _ties_of(store, scope, mentioned)
    )
    tied = await _other_ends(store, scope, mentioned, ties)
    return Canon(
        campaign=campaign,
        chapter=chapter,
        sessions=latest,
        memories=await _told_to(speaker, store, scope, memories, place),
        entities=[*mentioned, *(as_read_by(speaker, each, place) for each in tied if may_see(speaker, each, place))][
            :_MENTIONED
        ],
        relationships=await seen_among(store, scope, speaker, ties, place),
    )


async def _told(
    store: Store, scope: Scope, campaign: Campaign, chapter: Chapter | None, sessions: Sequence[Session]
) -> list[Memory]:
    """By tier (G1, G2): canon of the whole campaign, of the present chapter, and of the latest sessions. Recall finds
    what belongs to earlier ones."""
    of = {"campaign_id": campaign.id, "status": Status.ACTIVE.value}
    pages = await asyncio.gather(
        _page(store, scope, {**of, "chapter_id": None, "session_id": None}, _MOST_WIDE),
        _page(store, scope, {**of, "chapter_id": chapter.id, "session_id": None}, _MOST_OF_CHAPTER)
        if chapter
        else _nothing(),
        _of_sessions(store, scope, campaign, sessions),
        # A thread that was opened in an earlier session of the chapter is still open.
        _page(store, scope, {**of, "type": _WIDE}, _MOST_WIDE),
    )
    found = {each.id: each for page in pages for each in page}
    # Closed threads and facts that no longer hold are not part of the present.
    return [each for each in found.values() if each.valid_to is None]


_WIDE = [each.value for each in (MemoryType.CANON_RULING, MemoryType.PLOT_THREAD, MemoryType.PREMISE)]


async def _page(store: Store, scope: Scope, where: Mapping[str, Any], limit: int) -> Sequence[Memory]:
    return (await store.find(scope, Memory, where, limit=limit, newest_first=True)).items


async def _of_sessions(store: Store, scope: Scope, campaign: Campaign, sessions: Sequence[Session]) -> Sequence[Memory]:
    """The latest of these few sessions. One query per session: the store answers each from its index, but scans the
    whole campaign for several at once."""
    active = {"status": Status.ACTIVE.value}
    pages = await asyncio.gather(
        *(_page(store, scope, {**active, "session_id": each.id}, _MOST_OF_SESSIONS) for each in sessions)
    )
    own = [each for page in pages for each in page if each.campaign_id == campaign.id]
    return sorted(own, key=lambda each: (each.created_at, each.id), reverse=True)[:_MOST_OF_SESSIONS]


async def _nothing() -> Sequence[Memory]:
    return ()


async def _told_to(
    speaker: Viewer, store: Store, scope: Scope, memories: Sequence[Memory], place: Place
) -> list[Memory]:
    """What the speaker may see of it, without what they have from other users."""
    seen = await seen_among(store, scope, speaker, memories, place)
    strangers = await strangers_among(scope, store, place.user_id, (each.persons for each in seen))
    return [each for each in seen if strangers.isdisjoint(each.persons) or is_of_their_game(speaker, each)]


async def sharing_a_word(
    store: Store, scope: Scope, campaign_id: str, text: str, most: int = _CANDIDATES
) -> list[Entity]:
    """Entities of a campaign whose names share a word with a text, the most similar first."""
    ask = Search(text=text, kinds=_ENTITIES, campaign_id=campaign_id, limit=most, pool=most)
    return [hit.record for hit in (await store.search(scope, ask)).hits if isinstance(hit.record, Entity)]


async def world_of(store: Store, scope: Scope, speaker: Viewer, place: Place) -> Sequence[Entity]:
    """Places, people and creatures of the campaign, or of the workspace if there is none. They are the scenery, which
    is stored with each reply, so it contains only what players may see."""
    page = await store.find(scope, Entity, {"campaign_id": place.campaign_id}, limit=_MOST_ENTITIES)
    player = as_player(speaker)
    return [as_read_by(player, each, place) for each in page.items if may_see(player, each, place)]


async def _with_hidden_names(store: Store, scope: Scope, campaign: Campaign) -> list[Entity]:
    """Hidden names are not in the index, because players search it too."""
    page = await store.find(scope, Entity, {"campaign_id": campaign.id}, limit=_MOST_ENTITIES)
    return [each for each in page.items if each.hidden_aliases]


def _being_played(
    chapters: Sequence[Chapter], sessions: Sequence[Session], conversation: Conversation
) -> Chapter | None:
    """The chapter of the conversation's session, or else the latest one that is not closed."""
    of_session = next((each.chapter_id for each in sessions if each.id == conversation.session_id), None)
    by_id = {each.id: each for each in chapters}
    if of_session in by_id:
        return by_id[of_session]
    return next((each for each in chapters if each.closed_at is None), None)


def _latest_first(sessions: Sequence[Session], present_id: str | None) -> list[Session]:
    present = [each for each in sessions if each.id == present_id]
    return [*present, *(each for each in sessions if each.id != present_id)]


async def _ties_of(store: Store, scope: Scope, entities: Sequence[Entity]) -> list[Relationship]:
    """Relationships from or to one of the entities: a mentioned person brings those they are related to (G6)."""
    if not entities:
        return []
    ids = [each.id for each in entities]
    pages = await asyncio.gather(
        *(store.find(scope, Relationship, {end: ids}, limit=_MOST_TIES) for end in ("source_id", "target_id"))
    )
    return list({tie.id: tie for page in pages for tie in page.items}.values())


async def _other_ends(
    store: Store, scope: Scope, entities: Sequence[Entity], ties: Sequence[Relationship]
) -> Sequence[Entity]:
    known = {each.id for each in entities}
    ends = dict.fromkeys(id for tie in ties for id in (tie.source_id, tie.target_id) if id not in known)
    return await store.get_many(scope, Entity, ends) if ends else ()
