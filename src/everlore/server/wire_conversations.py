"""Requests and answers for conversations and their messages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from everlore.domain.conversation import (
    Author,
    Conversation,
    ConversationState,
    Message,
    MessageState,
    is_pinned,
    said_by,
    withdrawal_of,
)
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.domain.tokens import told_with, unresolved_in
from everlore.models.choice import Endpoint
from everlore.server.characters import avatar_url
from everlore.server.models import ModelChoice, choice_out
from everlore.server.wire import Given, ImportReport, ListOf, RecordModel, Text
from everlore.turn.replies import NOTICE

_SHORT = 120


class MediaToken(BaseModel):
    kind: Literal["image", "audio"]
    text: str


class MessageOut(RecordModel, record=Message, without=("tokens", "weight", "private", "metadata")):
    """`display_content` is the text for readers, `content` the complete text for editing. `notice`: a hint for the
    reader about a reply; `unresolved`: ids of `${memory.<id>}` references that were not found."""

    name: str
    state: MessageState
    error: str
    display_content: str
    has_thoughts: bool
    has_metrics: bool
    has_keyframe: bool
    has_media: bool
    thoughts: str
    media: list[MediaToken]
    model: str
    built_in: bool
    notice: str
    unresolved: list[str]
    reply_tokens: int | None
    finish: str
    withdrawn: datetime | None = Field(
        None, description="When a `/v1` client stopped sending it; it is hidden until `…/restore`."
    )


class MessageList(BaseModel):
    """`summary` covers the messages before the page; null if there is none or the caller may not see it."""

    items: list[MessageOut]
    next: str | None
    summary: str | None = None


class NewMessage(Given):
    content: Text
    stream: bool | None = Field(
        None, description="Answer as server-sent events; null: as the conversation's config says."
    )
    speaker_id: str | None = Field(
        None, description="The character that replies; null: the mentioned one, or the next."
    )
    person_id: str | None = Field(None, description="Who says it; default: the user of the conversation.")
    as_narrator: bool = Field(False, description="Send it as the narrator.")
    reply: bool = Field(True, description="Whether a character replies.")


class HowToAnswer(Given):
    stream: bool | None = None


class MessageChanges(Given):
    content: Text | None = None
    hidden: bool | None = None


class Choice(Given):
    index: int


class Turn(BaseModel):
    """`user_message` is null if a reply was regenerated or continued; `reply` is null if none was requested."""

    user_message: MessageOut | None
    reply: MessageOut | None


class Deleted(BaseModel):
    deleted: list[str]


class Restored(BaseModel):
    restored: list[str]


class Stopped(BaseModel):
    stopped: bool
    reply: MessageOut | None


class NewPin(Given):
    message_ids: list[str] = Field(min_length=1, max_length=20)
    what: str = Field(min_length=1, max_length=20_000)
    why: str = Field("", max_length=20_000)
    quote: str = Field("", max_length=20_000)
    force: bool = Field(False, description="Save it even if it contradicts what is known.")


def _unnamed(message: Message) -> str:
    """The name of a speaker who is no known person: imported logs have names of their own."""
    speaker = message.metadata.get("speaker")
    return str(speaker) if speaker else "Narrator" if message.author is Author.NARRATOR else ""


def message_out(message: Message, names: Mapping[str, str], told_texts: Mapping[str, str] | None = None) -> MessageOut:
    """`names`: of speakers, by the id of the message or the person. `told_texts`: texts of memories, for those that the
    message tells."""
    told = message.metadata
    shown = display(message.content, {id: (told_texts or {})[id] for id in told_with(told) if id in (told_texts or {})})
    displayed = ("has_thoughts", "has_metrics", "has_keyframe", "has_media", "thoughts")
    return MessageOut.of(
        message,
        name=said_by(message) or names.get(message.id) or names.get(message.person_id or "", _unnamed(message)),
        display_content=shown.text,
        **{name: getattr(shown, name) for name in displayed},
        media=[MediaToken(kind=each.kind.value, text=each.text) for each in shown.media],
        alternatives=[display(each).text for each in message.alternatives],
        model=str(told.get("model", "")),
        built_in=bool(told.get("built_in", False)),
        notice=str(told.get(NOTICE, "")),
        unresolved=[*unresolved_in(told)],
        reply_tokens=message.tokens,
        finish=str(told.get("finish", "")),
        withdrawn=withdrawal.at if (withdrawal := withdrawal_of(message)) else None,
    )


# ── conversations ────────────────────────────────────────────────────────────────────────────────


class Face(RecordModel):
    id: str
    name: str
    avatar_url: str | None


class LastMessage(BaseModel):
    display_content: str
    at: datetime


class NewConversation(Given):
    character_id: str | None = None
    character_ids: list[str] | None = None
    user_id: str | None = None
    id: str | None = None
    title: str = ""
    session_id: str | None = Field(None, description="The campaign session that it belongs to.")
    config: dict[str, Any] = Field(default_factory=dict)


class ConversationChanges(Given):
    """`config` changes only the fields that are sent; `present` lists who is in the scene, null: everyone;
    `character_ids` lists who plays from now on."""

    title: str | None = None
    icon: str | None = None
    state: ConversationState | None = None
    config: dict[str, Any] | None = None
    present: list[str] | None = None
    character_ids: list[str] | None = None
    pinned: bool | None = None


class NewBranch(Given):
    message_id: str
    title: str | None = None


class RestingOut(BaseModel):
    """`by_hand`: how many of the `memories` a person made, edited or corrected."""

    memories: int
    by_hand: int


class ConversationOut(RecordModel, record=Conversation, without=("titled_from", "metadata")):
    """`config` has the fields that were set; `writing`: a reply is being written; `present`: null for everyone;
    `session_id`: the campaign session that its messages belong to now; `inner_of_id`: the conversation that this inner
    dialogue belongs to; `pinned`: kept at the top of lists."""

    pinned: bool
    present: list[str] | None
    model: ModelChoice
    characters: list[Face]
    last_message: LastMessage | None
    writing: bool


class MessageHit(BaseModel):
    """A message that matches the search. `excerpt`: the text around the first match, on one line."""

    conversation_id: str
    conversation_title: str
    conversation_icon: str
    conversation_state: ConversationState
    message_id: str
    seq: int
    author: Author
    name: str
    excerpt: str
    created_at: datetime


class MessageHits(ListOf[MessageHit]):
    """The messages that match the search."""


class ImportedConversation(BaseModel):
    conversation: ConversationOut
    report: ImportReport


def face_of(person: Person) -> Face:
    return Face.of(person, avatar_url=avatar_url(person))


def conversation_out(
    conversation: Conversation,
    persons: Mapping[str, Person],
    last: Message | None,
    endpoint: Endpoint,
    *,
    message_count: int,
    writing: bool,
) -> ConversationOut:
    here = conversation.metadata.get("present")
    return ConversationOut.of(
        conversation,
        present=here if isinstance(here, list) else None,
        pinned=is_pinned(conversation),
        model=choice_out(endpoint),
        characters=[face_of(persons[id]) for id in conversation.system_ids if id in persons],
        last_message=_last_out(last),
        message_count=message_count,
        writing=writing,
    )


def _last_out(last: Message | None) -> LastMessage | None:
    if last is None:
        return None
    text = " ".join(display(last.content).text.split())
    return LastMessage(display_content=text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…", at=last.created_at)
