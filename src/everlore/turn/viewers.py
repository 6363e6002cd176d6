"""Fetches what the visibility rule needs: who the viewer is, and what they were told (R11, G9).

The rule itself is `domain/visibility.py`. Start at `viewer_of` and `seen_among`.
"""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from everlore.domain.campaign import Campaign, Entity, Relationship
from everlore.domain.conversation import Conversation, Message
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory
from everlore.domain.proposal import Proposal
from everlore.domain.scope import NOBODY, Scope
from everlore.domain.visibility import NOWHERE, Place, Seen, Viewer, VisibilityContext, as_read_by, caller_in, may_see
from everlore.store.all_pages import all_of
from everlore.store.port import Store

_PAGE = 500
S = TypeVar("S", bound=Seen)


async def viewer_of(
    store: Store,
    scope: Scope,
    campaign: Campaign | None = None,
    as_person: str | None = None,
    *,
    conversation: Conversation | None = None,
) -> Viewer:
    """The caller, or the person as whom the owner looks. Without `campaign`, all campaigns that they may be in count.
    `conversation`: the one that is shown; if a player speaks in it, the owner sees what players may."""
    speaking_id = conversation.user_id if conversation is not None else None
    is_anybody = scope.confined_to != NOBODY and (scope.confined_to or as_person or scope.person_id or speaking_id)
    campaigns = [campaign] if campaign is not None else await all_campaigns(store, scope) if is_anybody else []
    return caller_in(scope, campaigns, as_person=as_person, speaking_id=speaking_id)


async def seen_from(
    store: Store, scope: Scope, as_person: str | None, conversation_id: str | None
) -> tuple[Viewer, Place]:
    """The caller and the place: that conversation, if there is one of that name."""
    found = await store.get_many(scope, Conversation, [conversation_id]) if conversation_id is not None else []
    talk = found[0] if found else None
    viewer = await viewer_of(store, scope, as_person=as_person, conversation=talk)
    return viewer, Place(conversation_id=conversation_id, campaign_id=talk.campaign_id if talk else None)


async def all_campaigns(store: Store, scope: Scope) -> list[Campaign]:
    return await all_of(store, scope, Campaign)


async def seen_among(
    store: Store,
    scope: Scope,
    viewer: Viewer,
    records: Iterable[S],
    place: Place = NOWHERE,
    *,
    at: datetime | None = None,
) -> list[S]:
    """Those that the viewer may see, in their order and as they may read them."""
    wanted = list(records)
    beside = await beside_of(store, scope, viewer, wanted, at=at)
    return [as_read_by(viewer, each, place) for each in wanted if may_see(viewer, each, place, at, beside=beside)]


async def beside_of(
    store: Store, scope: Scope, viewer: Viewer, records: Sequence[Seen], *, at: datetime | None = None
) -> VisibilityContext:
    """What the rule needs besides these records: which of them the viewer was told, and their sources."""
    told, entities, messages = await asyncio.gather(
        _told(store, scope, viewer, [each.id for each in records if isinstance(each, Memory)], at),
        _fetched(store, scope, Entity, [id for each in records for id in _ends(each)]),
        _fetched(
            store, scope, Message, [each.message_id for each in records if isinstance(each, Relationship | Proposal)]
        ),
    )
    sources: list[Entity | Message] = [*entities, *messages]
    return VisibilityContext(told=told, sources={each.id: each for each in sources})


async def _told(
    store: Store, scope: Scope, viewer: Viewer, memory_ids: Sequence[str], at: datetime | None
) -> frozenset[str]:
    """Those of the memories that the viewer had been told by then; not needed if they see everything."""
    found: set[str] = set()
    if viewer.person_id is None or viewer.sees_all:
        return frozenset()
    for first in range(0, len(memory_ids), _PAGE):
        where = {"memory_id": tuple(memory_ids[first : first + _PAGE]), "listener_id": viewer.person_id}
        tellings = await all_of(store, scope, Telling, where)
        found |= {each.memory_id for each in tellings if at is None or each.told_at <= at}
    return frozenset(found)


R = TypeVar("R", Entity, Message)


async def _fetched(store: Store, scope: Scope, kind: type[R], ids: Iterable[str | None]) -> Sequence[R]:
    wanted = list(dict.fromkeys(id for id in ids if id is not None))
    return await store.get_many(scope, kind, wanted) if wanted else ()


def _ends(record: Seen) -> tuple[str, ...]:
    return (record.source_id, record.target_id) if isinstance(record, Relationship) else ()
