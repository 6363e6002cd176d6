"""The event of a conversation on the timeline (K5): created with its first message, completed when it is closed.

In: a conversation and the names of its participants. Out: the event, or its changed fields. The event's id is derived
from the conversation's, so creating it twice has no effect. Nothing here writes.

Start at `opened`.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventState, EventType

_MOST_CHARS = 1_000
_MOST_NAMES = 6
_UNNAMED = "untitled"


def event_id_of(conversation_id: str) -> str:
    # A hash, because clients name conversations, and a prefix could exceed the maximum length of an id.
    return f"talk-{hashlib.sha256(conversation_id.encode()).hexdigest()[:32]}"


def is_whole(event: Event) -> bool:
    """Whether the event is a whole conversation, and not something that happened in one."""
    return event.conversation_id is not None and event.id == event_id_of(event.conversation_id)


def has_event(conversation: Conversation) -> bool:
    """A private conversation gets no event (F6), not even that it took place."""
    return not conversation.private


def opened(conversation: Conversation, names: Mapping[str, str], at: datetime) -> Event:
    """`names`: of the people, by id; used until there is a title."""
    return Event(
        workspace=conversation.workspace,
        id=event_id_of(conversation.id),
        type=EventType.INTERACT,
        content=_content(conversation.title or _who(conversation, names)),
        at=at,
        state=EventState.IN_PROGRESS,
        user_id=conversation.user_id,
        conversation_id=conversation.id,
        campaign_id=conversation.campaign_id,
        actors=conversation.system_ids,
        participants=(conversation.user_id,) if conversation.user_id else (),
        created_at=at,
    )


def completed(at: datetime) -> dict[str, Any]:
    """The fields to change when the conversation is closed or archived."""
    return {"state": EventState.COMPLETE, "ended_at": at}


def reopened() -> dict[str, Any]:
    return {"state": EventState.IN_PROGRESS, "ended_at": None}


def titled(conversation: Conversation, title: str, names: Mapping[str, str]) -> dict[str, Any]:
    """The fields to change when the title is set, changed or removed; without one `names` are used."""
    return {"content": _content(title or _who(conversation, names))}


def _content(title: str) -> str:
    line = " ".join(title[: 2 * _MOST_CHARS].split())[:_MOST_CHARS]
    return f"Conversation: {line or _UNNAMED}"


def _who(conversation: Conversation, names: Mapping[str, str]) -> str:
    ids = (*conversation.system_ids, *([conversation.user_id] if conversation.user_id else []))
    known = [names[id].strip() for id in dict.fromkeys(ids) if names.get(id, "").strip()]
    if len(known) <= 1:
        return "".join(known)
    return f"{', '.join(known[:-1][: _MOST_NAMES - 1])} and {known[-1]}"
