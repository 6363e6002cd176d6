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
SUMMARY = "summary"
PROBE = "probe"
LEARNING = frozenset({FACTS, THINK, KEYFRAME, ANALYSIS, CLOSING, SUMMARY, PROBE})
_BY_MODEL = frozenset({THINK, KEYFRAME, ANALYSIS, PROBE})

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


def summary_job(
    conversation: Conversation,
    at: datetime,
    new_id: Callable[[], str],
    *,
    key: str | None = None,
    by_hand: bool = False,
    touched: tuple[int, int] | None = None,
    up_to: int = 0,
    again: str = "",
) -> Job:
    """Sum up what is due of a conversation (C7): one summary, and asked for anew while there is more.

    `by_hand`: also if it is not due yet. `touched`: the first and last of messages that were changed or deleted, of
    which nothing may be left; `up_to`: everything to this message is to have a summary, as it had before. `again`: the
    summary that was only quoted, and is to be said better.
    """
    payload: Json = {"conversation_id": conversation.id, "by_hand": by_hand, "up_to": up_to, "again": again}
    if touched is not None:
        payload["touched"] = [*touched]
    return _job(conversation, SUMMARY, payload, at, new_id, key=key)


def probe_job(conversation: Conversation, at: datetime, new_id: Callable[[], str], *, key: str) -> Job:
    """Find out what the model that reads this conversation is worth; asked for once, however many messages wait."""
    return _job(conversation, PROBE, {"conversation_id": conversation.id}, at, new_id, key=key)


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
    return Job(
        workspace=conversation.workspace,
        id=new_id(),
        kind=kind,
        payload=payload,
        lane=_lane(conversation, kind),
        key=key,
        subject=subject or f"conversations/{conversation.id}",
        priority=_PRIORITY,
        max_attempts=_PATIENT if kind in _BY_MODEL else _TRIES,
        run_at=at,
        created_at=at,
    )


def _lane(conversation: Conversation, kind: str) -> str:
    """One summariser for each conversation at a time (C7), and one model probed; all else in the lanes of its user."""
    if kind == SUMMARY:
        return f"summary-{conversation.id}"
    if kind == PROBE:
        return PROBE
    return f"{'thinking' if kind in _BY_MODEL else 'learning'}-{conversation.user_id or conversation.id}"
