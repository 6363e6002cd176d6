"""Every kind of record that a store keeps, and how deleting one affects the others.

All three stores use these tables, so cascades cannot differ between them.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

from everlore.domain.analysis import Analysis
from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.claim import with_claim
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.knowledge import Telling
from everlore.domain.media import Media
from everlore.domain.memory import BY_MESSAGE, Memory, MemoryLink, is_persons
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.proposal import Proposal
from everlore.domain.reading import Reading
from everlore.domain.roll import Roll
from everlore.domain.setting import Setting
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.domain.xray import XRay

Record = (
    Person
    | Conversation
    | Message
    | Summary
    | Event
    | Interaction
    | Memory
    | MemoryLink
    | Campaign
    | Chapter
    | Session
    | Entity
    | Relationship
    | Proposal
    | Media
    | Setting
    | Template
    | TemplateVersion
    | XRay
    | Reading
    | Analysis
    | Telling
    | Roll
    | Miss
    | Attachment
    | Token
    | Webhook
    | AuditEntry
)
KINDS: tuple[type[Record], ...] = (
    Person,
    Campaign,
    Chapter,
    Session,
    Conversation,
    Message,
    Summary,
    Event,
    Interaction,
    Entity,
    Relationship,
    Proposal,
    Memory,
    MemoryLink,
    Media,
    Setting,
    Template,
    TemplateVersion,
    XRay,
    Reading,
    Analysis,
    Telling,
    Roll,
    Miss,
    Attachment,
    Token,
    Webhook,
    AuditEntry,
)


class ForeignKey(NamedTuple):
    """`child.column` holds the id of a `parent`."""

    child: type[Record]
    column: str
    parent: type[Record]


# Children that are deleted with their parent.
OWNED = (
    ForeignKey(Message, "conversation_id", Conversation),
    ForeignKey(Summary, "conversation_id", Conversation),
    ForeignKey(Event, "conversation_id", Conversation),
    ForeignKey(Interaction, "conversation_id", Conversation),
    ForeignKey(MemoryLink, "memory_id", Memory),
    ForeignKey(MemoryLink, "other_id", Memory),
    ForeignKey(Relationship, "source_id", Entity),
    ForeignKey(Relationship, "target_id", Entity),
    ForeignKey(Relationship, "message_id", Message),
    ForeignKey(Relationship, "campaign_id", Campaign),
    ForeignKey(Proposal, "campaign_id", Campaign),
    ForeignKey(Proposal, "message_id", Message),
    ForeignKey(Chapter, "campaign_id", Campaign),
    ForeignKey(Session, "campaign_id", Campaign),
    ForeignKey(Entity, "campaign_id", Campaign),
    ForeignKey(Memory, "campaign_id", Campaign),
    ForeignKey(Media, "person_id", Person),
    ForeignKey(TemplateVersion, "template_id", Template),
    ForeignKey(XRay, "message_id", Message),
    ForeignKey(XRay, "conversation_id", Conversation),
    ForeignKey(Reading, "message_id", Message),
    ForeignKey(Reading, "conversation_id", Conversation),
    ForeignKey(Analysis, "conversation_id", Conversation),
    ForeignKey(Telling, "memory_id", Memory),
    ForeignKey(Telling, "teller_id", Person),
    ForeignKey(Telling, "listener_id", Person),
    ForeignKey(Telling, "message_id", Message),
    ForeignKey(Telling, "conversation_id", Conversation),
    ForeignKey(Roll, "conversation_id", Conversation),
    ForeignKey(Roll, "person_id", Person),
    ForeignKey(Miss, "conversation_id", Conversation),
    ForeignKey(Miss, "message_id", Message),
    ForeignKey(Attachment, "event_id", Event),
    ForeignKey(Token, "user_id", Person),
    ForeignKey(Conversation, "inner_of_id", Conversation),
)
# Children that stay and lose the reference. `without` handles those of a memory.
LOOSENED = (
    ForeignKey(Conversation, "campaign_id", Campaign),
    ForeignKey(Conversation, "session_id", Session),
    ForeignKey(Session, "chapter_id", Chapter),
    ForeignKey(Interaction, "event_id", Event),
    ForeignKey(Event, "campaign_id", Campaign),
    ForeignKey(Event, "parent_id", Event),
    ForeignKey(Entity, "person_id", Person),
    ForeignKey(Proposal, "session_id", Session),
    ForeignKey(Proposal, "match_id", Entity),
    ForeignKey(Roll, "memory_id", Memory),
    ForeignKey(Miss, "person_id", Person),
)
# References of a memory that do not own it: the store indexes them, so that the memories of a record can be found (M5)
# and no id outlives its record (M9).
MENTIONS: dict[str, type[Record]] = {
    "persons": Person,
    "source_message_ids": Message,
    "entity_ids": Entity,
    "conversation_id": Conversation,
    "chapter_id": Chapter,
    "session_id": Session,
    "interaction_id": Interaction,
    "superseded_by": Memory,
}


def mentions_of(memory: Memory) -> list[tuple[str, str]]:
    """The (field, id) pairs of everything that a memory mentions."""
    return [(name, target) for name in MENTIONS for target in targets_of(getattr(memory, name))]


def targets_of(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """The ids in one such field."""
    return (value,) if isinstance(value, str) else value or ()


def without(memory: Memory, gone: dict[type[Record], set[str]]) -> Memory:
    """The memory without any mention of deleted records."""
    changes: dict[str, object] = {}
    for name, kind in MENTIONS.items():
        ids = gone.get(kind, set())
        value = getattr(memory, name)
        if isinstance(value, tuple) and ids.intersection(value):
            changes[name] = tuple(target for target in value if target not in ids)
        elif isinstance(value, str) and value in ids:
            changes[name] = None
    lost = gone.get(Message, set())
    if lost and any(_is_told_by(memory, name, lost) for name in BY_MESSAGE):
        left = {name: _not_of(value, lost) if name in BY_MESSAGE else value for name, value in memory.extra.items()}
        # The claim may quote a deleted message; one that a person wrote has their own words.
        changes["extra"] = left if is_persons(memory) else with_claim(left, None)
    return replace(memory, **changes) if changes else memory  # type: ignore[arg-type]  # names come from MENTIONS


def wordless(memory: Memory, gone: dict[type[Record], set[str]]) -> Memory:
    """The memory without any mention of deleted records, and without its quotes of deleted messages."""
    left = without(memory, gone)
    quoted = memory.extra.get("quoted_from", memory.source_message_ids)
    lost = gone.get(Message, set())
    if not memory.extra.get("quote") or not (isinstance(quoted, list | tuple) and lost.intersection(quoted)):
        return left
    return replace(left, key_moments=(), extra={**left.extra, "quote": "", "quoted_from": []})


def past_without(state: Memory, gone: dict[type[Record], set[str]]) -> Memory | None:
    """An earlier state of a memory without any mention of deleted records. None if its words came from deleted
    messages: they must not remain in its history (M9, M15). Words that a person wrote by hand are kept."""
    lost = gone.get(Message, set()).intersection(state.source_message_ids)
    if lost and not is_persons(state) and state.content not in _told_by_others(state, lost):
        return None
    return wordless(state, gone)


def _told_by_others(state: Memory, lost: Collection[str]) -> Collection[object]:
    wordings = state.extra.get("wordings")
    return list(_not_of(wordings, lost).values()) if isinstance(wordings, dict) else ()


def _is_told_by(memory: Memory, name: str, messages: Collection[str]) -> bool:
    told = memory.extra.get(name)
    return isinstance(told, dict) and any(id in told for id in messages)


def _not_of(told: Any, messages: Collection[str]) -> Any:
    return {id: value for id, value in told.items() if id not in messages} if isinstance(told, dict) else told


def persons_of(event: Event) -> tuple[str, ...]:
    """Everybody who was in it, without duplicates. The store indexes them for the timeline of a person (K5)."""
    return tuple(dict.fromkeys(event.actors + event.participants))


def without_persons(event: Event, gone: Collection[str]) -> Event:
    """The event without any mention of deleted persons."""
    return replace(
        event,
        actors=tuple(id for id in event.actors if id not in gone),
        participants=tuple(id for id in event.participants if id not in gone),
    )
