"""The background jobs of learning, queued when something was said, closed, or must be read again.

All jobs of one user run in one lane, in order: "I moved to Portland" is never saved before "I live in Seattle", and
nothing is formed twice by two workers (K6). Jobs that need a model have a lane of their own, so that an unreachable
model does not delay the others.
"""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

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

# After the vectors, which the next turn already needs.
_PRIORITY = -10
# About two hours of retries, enough for a model server to be restarted.
_PATIENT = 20
# A job without a model fails for reasons that time does not fix, and must not block its lane.
_TRIES = 4

NewId = Callable[[], str]


class Trigger(StrEnum):
    """Why a conversation is analysed (W1)."""

    ASKED = "asked"
    CLOSED = "closed"
    TOKENS = "tokens"


def facts_job(
    conversation: Conversation, message: Message, at: datetime, new_id: NewId, *, again: bool = False, kind: str = FACTS
) -> Job:
    """Read a user message for facts by rules, or with THINK by a model. `again`: even if it was read before."""
    subject = f"messages/{message.id}"
    return _job(conversation, kind, at, new_id, subject=subject, message_id=message.id, again=again)


def keyframe_job(conversation: Conversation, at: datetime, new_id: NewId, *, number: int | None = None) -> Job:
    """Form a conversation's due segments. `number`: the segment that has just ended, queued once. Without it, all
    messages since the last keyframe form a segment."""
    key = None if number is None else f"{conversation.id}:{number}"
    return _job(conversation, KEYFRAME, at, new_id, key=key, now=number is None)


def rewritten_job(conversation: Conversation, first_seq: int, last_seq: int, at: datetime, new_id: NewId) -> Job:
    """Form a segment again because one of its messages was changed or deleted (M15)."""
    return _job(conversation, KEYFRAME, at, new_id, first_seq=first_seq, last_seq=last_seq)


def analysis_job(
    conversation: Conversation,
    at: datetime,
    new_id: NewId,
    *,
    trigger: Trigger,
    key: str | None = None,
    again: bool = False,
) -> Job:
    return _job(conversation, ANALYSIS, at, new_id, key=key, trigger=trigger.value, again=again)


def closing_job(conversation: Conversation, at: datetime, new_id: NewId) -> Job:
    return _job(conversation, CLOSING, at, new_id)


def summary_job(
    conversation: Conversation,
    at: datetime,
    new_id: NewId,
    *,
    key: str | None = None,
    by_hand: bool = False,
    better: bool = False,
    touched: tuple[int, int] | None = None,
    up_to: int = 0,
) -> Job:
    """Summarize what is due in a conversation (C7): one summary per job, which queues the next one if needed.

    `by_hand`: even if nothing is due yet. `better`: replace quotations by a model's summaries. `touched`: the first and
    last number of changed or deleted messages, whose summaries must go; `up_to`: all messages up to this one need a
    summary, as before.
    """
    stale = None if touched is None else [*touched]
    return _job(conversation, SUMMARY, at, new_id, key=key, by_hand=by_hand, better=better, up_to=up_to, touched=stale)


def probe_job(conversation: Conversation, at: datetime, new_id: NewId, *, key: str) -> Job:
    """Measure the model that reads this conversation; queued once, however many messages wait."""
    return _job(conversation, PROBE, at, new_id, key=key)


def _job(
    conversation: Conversation,
    kind: str,
    at: datetime,
    new_id: NewId,
    *,
    key: str | None = None,
    subject: str = "",
    **payload: object,
) -> Job:
    return Job(
        workspace=conversation.workspace,
        id=new_id(),
        kind=kind,
        payload={"conversation_id": conversation.id, **payload},
        lane=_lane(conversation, kind),
        key=key,
        subject=subject or f"conversations/{conversation.id}",
        priority=_PRIORITY,
        max_attempts=_PATIENT if kind in _BY_MODEL else _TRIES,
        run_at=at,
        created_at=at,
    )


def _lane(conversation: Conversation, kind: str) -> str:
    """One summary job per conversation at a time (C7), and one probe; all others in the user's lanes."""
    if kind == SUMMARY:
        return f"summary-{conversation.id}"
    if kind == PROBE:
        return PROBE
    return f"{'thinking' if kind in _BY_MODEL else 'learning'}-{conversation.user_id or conversation.id}"
