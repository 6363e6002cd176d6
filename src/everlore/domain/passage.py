"""The unit of search: one text with its scope, for each searchable record.

Memories, messages, summaries, events and entities all become passages, so there is one index, one way to scope it and
one way to score it. Start at `passage_of`.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache, singledispatch

from everlore.domain.campaign import Entity
from everlore.domain.conversation import Message, MessageState, Summary, spoken_text
from everlore.domain.event import Event
from everlore.domain.memory import Memory, Status, Visible
from everlore.domain.scope import pair_among


class PassageKind(StrEnum):
    MEMORY = "memory"
    MESSAGE = "message"
    SUMMARY = "summary"
    EVENT = "event"
    ENTITY = "entity"


# Not frozen: every saved text has one, and frozen fields take three times as long to fill.
@dataclass(slots=True, kw_only=True)
class Ties:
    """The persons of a passage, and the records it belongs to."""

    persons: tuple[str, ...] = ()
    conversation_id: str | None = None
    campaign_id: str | None = None

    @property
    def pair(self) -> str | None:
        """The pair as one word in canonical order, if exactly two persons share it (M4)."""
        return _pair(self.persons)


@dataclass(slots=True, kw_only=True)
class Passage(Ties):
    """`at` is when it happened; `valid_from` and `valid_to` say when a fact holds."""

    kind: PassageKind
    ref: str
    text: str
    at: datetime
    type: str = ""
    status: str = Status.ACTIVE.value
    visibility: str = Visible.NORMAL.value
    is_spoiler: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def pair_key(low: str, high: str) -> str:
    # With the length: ids may contain any character, and "a|b" with "c" is not "a" with "b|c".
    return f"{len(low)}|{low}|{high}"


@lru_cache(maxsize=4096)
def _pair(persons: tuple[str, ...]) -> str | None:
    pair = pair_among(persons)
    return pair_key(*pair) if pair else None


@singledispatch
def passage_of(record: object) -> Passage | None:  # noqa: ARG001 - the kinds below read it
    """The passage of a record, or None for a record that is not searched."""
    return None


@passage_of.register
def _(memory: Memory) -> Passage | None:
    if memory.status is Status.DELETED:
        return None
    return Passage(
        kind=PassageKind.MEMORY,
        ref=memory.id,
        text=memory.content,
        at=memory.valid_from or memory.created_at,
        persons=memory.persons,
        conversation_id=memory.conversation_id,
        campaign_id=memory.campaign_id,
        type=str(memory.type),
        status=str(memory.status),
        visibility=str(memory.visibility),
        is_spoiler=memory.is_spoiler,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )


@passage_of.register
def _(message: Message) -> Passage | None:
    # A reply is searchable when it is complete; thoughts never are.
    if message.private or message.state is MessageState.STREAMING:
        return None
    text = spoken_text(message)
    if not text.strip():
        return None
    return Passage(
        kind=PassageKind.MESSAGE,
        ref=message.id,
        text=text,
        at=message.created_at,
        persons=message.present,
        conversation_id=message.conversation_id,
        type=message.author.value,
    )


@passage_of.register
def _(summary: Summary) -> Passage | None:
    if summary.private:
        return None
    return Passage(
        kind=PassageKind.SUMMARY,
        ref=summary.id,
        text=summary.content,
        at=summary.created_at,
        persons=summary.persons,
        conversation_id=summary.conversation_id,
    )


@passage_of.register
def _(event: Event) -> Passage | None:
    if not event.content.strip():
        return None
    return Passage(
        kind=PassageKind.EVENT,
        ref=event.id,
        text=event.content,
        at=event.at,
        persons=tuple(dict.fromkeys(event.actors + event.participants)),
        conversation_id=event.conversation_id,
        campaign_id=event.campaign_id,
        type=event.type.value,
        is_spoiler=event.is_spoiler,
    )


@passage_of.register
def _(entity: Entity) -> Passage | None:
    names = " ".join((entity.name, *entity.aliases))
    return Passage(
        kind=PassageKind.ENTITY,
        ref=entity.id,
        text=f"{names}\n{entity.description}".strip(),
        at=entity.created_at,
        persons=(entity.person_id,) if entity.person_id else (),
        campaign_id=entity.campaign_id,
        type=entity.kind.value,
        is_spoiler=entity.is_spoiler,
    )
