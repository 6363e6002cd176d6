"""One chat: who plays in it, how it is configured, and what was said (V3, V6, V10, V13)."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Id, Json, Line, Log
from everlore.domain.display import without_thoughts


class ConversationState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    workspace: Id
    id: Id
    title: Line = ""
    icon: Line = ""
    # The messages that the title was made of; none where somebody gave it (V7).
    titled_from: tuple[Id, ...] = ()
    state: ConversationState = ConversationState.OPEN
    system_ids: tuple[Id, ...] = ()
    user_id: Id | None = None
    campaign_id: Id | None = None
    session_id: Id | None = None
    branched_from_id: Id | None = None
    branched_at_id: Id | None = None
    # Of which conversation this is the inner dialogue: what a character thinks to itself there (C7).
    inner_of_id: Id | None = None
    private: bool = False
    # What was set of the config; `config.py` has the rest.
    config: Json = field(default_factory=dict)
    # Which of the config's episodes is being played (V8).
    episode: Annotated[int, Between(0, 10**6)] = 0
    metadata: Json = field(default_factory=dict)
    # Written by the store as messages come in; a message's `seq` is this count when it came.
    message_count: Annotated[int, Between(0, 10**12)] = 0
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


# Under this name the metadata of a conversation says that it stays at the top of the list.
PINNED = "pinned"


def is_pinned(conversation: Conversation) -> bool:
    return conversation.metadata.get(PINNED) is True


class Author(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    NARRATOR = "narrator"
    TOOL = "tool"


class MessageState(StrEnum):
    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    workspace: Id
    id: Id
    conversation_id: Id
    # 0: the store gives the next number of the conversation when the message is saved.
    seq: Annotated[int, Between(0, 10**12)] = 0
    author: Author = Author.USER
    person_id: Id | None = None
    content: Log
    state: MessageState = MessageState.COMPLETE
    error: Line = ""
    # Who was there: only they can remember it (V13).
    present: tuple[Id, ...] = ()
    alternatives: tuple[Log, ...] = ()
    chosen: Annotated[int, Between(0, 10**6)] = 0
    tokens: Annotated[int, Between(0, 10**9)] | None = None
    # How much the message matters later (P10); None where nobody has weighed it.
    weight: Annotated[int, Between(0, 9)] | None = None
    private: bool = False
    # In the log and on the page, but never in a prompt.
    hidden: bool = False
    metadata: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


def spoken_text(message: Message) -> str:
    """What was said, without the thoughts of who said it. What a user writes between such tags was written to be
    read."""
    return message.content if message.author is Author.USER else without_thoughts(message.content)


def spoken(message: Message) -> Message:
    """The same message without the thoughts of who said it, in any of its versions."""
    if message.author is Author.USER:
        return message
    content, versions = spoken_text(message), tuple(map(without_thoughts, message.alternatives))
    if (content, versions) == (message.content, message.alternatives):
        return message
    return replace(message, content=content, alternatives=versions)


# Under this name a message in the user's role keeps who said it, where that is somebody else: another speaker of a
# group, another agent, a tool.
SAID_BY = "said_by"


def said_by(message: Message) -> str:
    """Who said it, where that is nobody whom Everlore knows; else nothing."""
    return str(message.metadata.get(SAID_BY) or "")


def is_users_own(message: Message) -> bool:
    """Whether these are words of the user: not everything in the user's role is."""
    return message.author is Author.USER and SAID_BY not in message.metadata


# Under this name a message keeps its withdrawal.
WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """That a message was taken out of the talk: when, together with which others, and `fork`, the number of the line
    from which the talk took another course; None for lines that were left out of its middle."""

    batch: str
    at: datetime
    fork: int | None

    @property
    def as_json(self) -> Json:
        return {"batch": self.batch, "at": self.at.isoformat(), "fork": self.fork}


def withdrawal_of(message: Message) -> Withdrawal | None:
    """None where the message is part of the talk. A withdrawn one is hidden, and can be restored."""
    mark = message.metadata.get(WITHDRAWN)
    if not message.hidden or not isinstance(mark, dict):
        return None
    fork = mark.get("fork")
    try:
        at = datetime.fromisoformat(str(mark.get("at")))
    except ValueError:
        at = message.updated_at
    return Withdrawal(str(mark.get("batch")), at, fork if isinstance(fork, int) else None)


def is_withdrawn(message: Message) -> bool:
    return withdrawal_of(message) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What stands in a prompt for a run of messages, or for a run of summaries (C7)."""

    workspace: Id
    id: Id
    conversation_id: Id
    level: Annotated[int, Between(0, 100)] = 0
    first_seq: Annotated[int, Between(1, 10**12)]
    last_seq: Annotated[int, Between(1, 10**12)]
    content: Log
    extractive: bool = False
    persons: tuple[Id, ...] = ()
    private: bool = False
    created_at: datetime
