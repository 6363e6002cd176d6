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
