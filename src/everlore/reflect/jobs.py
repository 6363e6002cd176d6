"""The jobs of learning: what is asked of the queue when something was said, closed, or is to be read again.

All that is learnt of one user goes through one lane, in order: "I moved to Portland" is never weighed before
"I live in Seattle", and nothing is formed twice by two who read at once (K6). What a model is asked for has a
lane of its own, so that a model that is away holds up nothing that can be learnt without it.
"""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Json
from everlore.domain.conversation import Conversation, Message
from everlore.domain.job import Job

FACTS = "facts"
THINK = "think"
KEYFRAME = "keyframe"
ANALYSIS = "analysis"
CLOSING = "closing"
LEARNING = frozenset({FACTS, THINK, KEYFRAME, ANALYSIS, CLOSING})
_BY_RULES = frozenset({FACTS, CLOSING})

# Behind the vectors, which the next turn already wants.
_PRIORITY = -10
# About two hours, with the waits between them: a model server that is started again meanwhile is found.
_PATIENT = 20
# What needs no model fails for a reason that waiting does not mend, and must not hold up its lane.
_TRIES = 4


class Trigger(StrEnum):
    """Why a conversation is analysed (W1)."""

    ASKED = "asked"
    CLOSED = "closed"
    TOKENS = "tokens"


def facts_job(
    conversation: Conversation, message: Message, at: datetime, new_id: Callable[[], str], *, again: bool = False
) -> Job:
    """Read a user message for facts, by rules. `again`: also if it was read before."""
    return _job(conversation, FACTS, _of_message(message, again=again), at, new_id, subject=f"messages/{message.id}")


def think_job(
    conversation: Conversation, message: Message, at: datetime, new_id: Callable[[], str], *, again: bool = False
) -> Job:
    """Have a model read it too."""
    return _job(conversation, THINK, _of_message(message, again=again), at, new_id, subject=f"messages/{message.id}")


def keyframe_job(
    conversation: Conversation, at: datetime, new_id: Callable[[], str], *, number: int | None = None
) -> Job:
    """Form what is due of a conversation's segments. `number`: the one that has just ended, asked for once.
    Without it, whatever was said since the last keyframe is a segment."""
    payload: Json = {"conversation_id": conversation.id, "now": number is None}
    key = None if number is None else f"{conversation.id}:{number}"
    return _job(conversation, KEYFRAME, payload, at, new_id, key=key)


def rewritten_job(
    conversation: Conversation, first_seq: int, last_seq: int, at: datetime, new_id: Callable[[], str]
) -> Job:
    """Form a segment anew, one of whose messages was changed or deleted (M15)."""
    payload: Json = {"conversation_id": conversation.id, "first_seq": first_seq, "last_seq": last_seq}
    return _job(conversation, KEYFRAME, payload, at, new_id)


def analysis_job(
    conversation: Conversation,
    at: datetime,
    new_id: Callable[[], str],
    *,
    trigger: Trigger,
    key: str | None = None,
    again: bool = False,
) -> Job:
    payload: Json = {"conversation_id": conversation.id, "trigger": trigger.value, "again": again}
    return _job(conversation, ANALYSIS, payload, at, new_id, key=key)


def closing_job(conversation: Conversation, at: datetime, new_id: Callable[[], str]) -> Job:
    return _job(conversation, CLOSING, {"conversation_id": conversation.id}, at, new_id)


def _of_message(message: Message, *, again: bool) -> Json:
    return {"conversation_id": message.conversation_id, "message_id": message.id, "again": again}


def _job(
    conversation: Conversation,
    kind: str,
    payload: Json,
    at: datetime,
    new_id: Callable[[], str],
    *,
    key: str | None = None,
    subject: str = "",
) -> Job:
    who = conversation.user_id or conversation.id
    return Job(
        workspace=conversation.workspace,
        id=new_id(),
        kind=kind,
        payload=payload,
        lane=f"{'learning' if kind in _BY_RULES else 'thinking'}-{who}",
        key=key,
        subject=subject or f"conversations/{conversation.id}",
        priority=_PRIORITY,
        max_attempts=_TRIES if kind in _BY_RULES else _PATIENT,
        run_at=at,
        created_at=at,
    )
