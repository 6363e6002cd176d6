"""The jobs of learning: what is asked of the queue when something was said, closed, or is to be read again.

All that is learnt of one user goes through one lane, in order: "I moved to Portland" is never weighed before
"I live in Seattle", and nothing is formed twice by two who read at once (K6). What a model is asked for has a
lane of its own, so that a model that is away holds up nothing that can be learnt without it.
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

# Behind the vectors, which the next turn already wants.
_PRIORITY = -10
# About two hours, with the waits between them: a model server that is started again meanwhile is found.
_PATIENT = 20
# What needs no model fails for a reason that waiting does not mend, and must not hold up its lane.
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
    """Read a user message for facts by rules, or with THINK by a model. `again`: also if it was read before."""
    subject = f"messages/{message.id}"
    return _job(conversation, kind, at, new_id, subject=subject, message_id=message.id, again=again)


def keyframe_job(conversation: Conversation, at: datetime, new_id: NewId, *, number: int | None = None) -> Job:
    """Form what is due of a conversation's segments. `number`: the one that has just ended, asked for once.
    Without it, whatever was said since the last keyframe is a segment."""
    key = None if number is None else f"{conversation.id}:{number}"
    return _job(conversation, KEYFRAME, at, new_id, key=key, now=number is None)


def rewritten_job(conversation: Conversation, first_seq: int, last_seq: int, at: datetime, new_id: NewId) -> Job:
    """Form a segment anew, one of whose messages was changed or deleted (M15)."""
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
    """Sum up what is due of a conversation (C7): one summary, and asked for anew while there is more.

    `by_hand`: also if it is not due yet. `better`: by a model also what was only quoted. `touched`: the first and last
    of messages that were changed or deleted, of which nothing may be left; `up_to`: everything to this message is to
    have a summary, as it had before.
    """
    stale = None if touched is None else [*touched]
    return _job(conversation, SUMMARY, at, new_id, key=key, by_hand=by_hand, better=better, up_to=up_to, touched=stale)


def probe_job(conversation: Conversation, at: datetime, new_id: NewId, *, key: str) -> Job:
    """Find out what the model that reads this conversation is worth; asked for once, however many messages wait."""
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
    """One summariser for each conversation at a time (C7), and one model probed; all else in the lanes of its user."""
    if kind == SUMMARY:
        return f"summary-{conversation.id}"
    if kind == PROBE:
        return PROBE
    return f"{'thinking' if kind in _BY_MODEL else 'learning'}-{conversation.user_id or conversation.id}"
