"""One chat: its participants, its config, and its messages (V3, V6, V10, V13)."""

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
    # The messages that the title was made from; empty if a user wrote it (V7).
    titled_from: tuple[Id, ...] = ()
    state: ConversationState = ConversationState.OPEN
    system_ids: tuple[Id, ...] = ()
    user_id: Id | None = None
    campaign_id: Id | None = None
    session_id: Id | None = None
    branched_from_id: Id | None = None
    branched_at_id: Id | None = None
    # The conversation whose inner dialogue this is: the thoughts of a character there (C7).
    inner_of_id: Id | None = None
    private: bool = False
    # The config fields that were set; `config.py` has the defaults.
    config: Json = field(default_factory=dict)
    # The current one of the config's episodes (V8).
    episode: Annotated[int, Between(0, 10**6)] = 0
    metadata: Json = field(default_factory=dict)
    # Counted by the store; a message's `seq` is this count when it was added.
    message_count: Annotated[int, Between(0, 10**12)] = 0
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


# The key in the metadata of a conversation that pins it to the top of the list.
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
    # 0: the store assigns the next number of the conversation.
    seq: Annotated[int, Between(0, 10**12)] = 0
    author: Author = Author.USER
    person_id: Id | None = None
    content: Log
    state: MessageState = MessageState.COMPLETE
    error: Line = ""
    # The persons who were present: only they can remember it (V13).
    present: tuple[Id, ...] = ()
    alternatives: tuple[Log, ...] = ()
    chosen: Annotated[int, Between(0, 10**6)] = 0
    tokens: Annotated[int, Between(0, 10**9)] | None = None
    # How much the message matters later (P10); None if it was not weighed.
    weight: Annotated[int, Between(0, 9)] | None = None
    private: bool = False
    # In the log and on the page, but never in a prompt.
    hidden: bool = False
    metadata: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


def spoken_text(message: Message) -> str:
    """The content without the thoughts of its author. Users' messages keep text in such tags, which they wrote to be
    read."""
    return message.content if message.author is Author.USER else without_thoughts(message.content)


def spoken(message: Message) -> Message:
    """The same message without the thoughts of its author, in any of its versions."""
    if message.author is Author.USER:
        return message
    content, versions = spoken_text(message), tuple(map(without_thoughts, message.alternatives))
    if (content, versions) == (message.content, message.alternatives):
        return message
    return replace(message, content=content, alternatives=versions)


# The key for the author of a message in the user's role that is not by the user: another speaker of a group, another
# agent, a tool.
SAID_BY = "said_by"


def said_by(message: Message) -> str:
    """The author, if it is nobody whom Everlore knows; otherwise empty."""
    return str(message.metadata.get(SAID_BY) or "")


def is_users_own(message: Message) -> bool:
    """Whether the user wrote this: not every message in the user's role is theirs."""
    return message.author is Author.USER and SAID_BY not in message.metadata


# The key of a withdrawal in a message.
WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A message was removed from the conversation: when, together with which others, and `fork`, the number of the line
    from which the conversation was changed; None for lines that were left out in the middle."""

    batch: str
    at: datetime
    fork: int | None

    @property
    def as_json(self) -> Json:
        return {"batch": self.batch, "at": self.at.isoformat(), "fork": self.fork}


def withdrawal_of(message: Message) -> Withdrawal | None:
    """None if the message is part of the conversation. A withdrawn one is hidden, and can be restored."""
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
    """A summary that replaces messages, or other summaries, in prompts (C7)."""

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
