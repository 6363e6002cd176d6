"""Digests a session again when its messages were changed or deleted (M15, G3)."""

from collections.abc import Callable, Sequence
from datetime import datetime

from everlore.campaign.digest.jobs import digest_job
from everlore.domain.campaign import Session
from everlore.domain.conversation import Conversation, Message
from everlore.domain.scope import Scope
from everlore.domain.sessions import is_merely_read, parts_of
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Enqueue, Store


async def digested_again(
    store: Store,
    scope: Scope,
    conversation: Conversation,
    messages: Sequence[Message],
    now: datetime,
    new_id: Callable[[], str],
) -> list[Change]:
    """Jobs for the ended sessions that contain these messages, one per session."""
    if conversation.campaign_id is None:
        return []
    found = await all_of(store, scope, Session, {"campaign_id": conversation.campaign_id})
    over = [each for each in found if each.ended_at is not None and not is_merely_read(each)]
    return [Enqueue(digest_job(each, now, new_id)) for each in over if _is_of(each, messages)]


def _is_of(session: Session, messages: Sequence[Message]) -> bool:
    return any(part.holds(each) for part in parts_of(session) for each in messages)
