"""Readings: records of which messages were read, in which form, and with which result."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from everlore.domain.conversation import Conversation, Message
from everlore.domain.counters import FILTERED, READ
from everlore.domain.reading import Extractor, Reading, Refusal, digest_of, reading_id, refused_counts, refused_json
from everlore.domain.scope import Scope
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Count, Put, Store

log = structlog.get_logger(__name__)

# How many earlier messages give context when one is read for facts (F8).
BEFORE = 6


def is_of(reading: Reading, message: Message) -> bool:
    """Whether it is a reading of the message's current text."""
    return reading.digest == digest_of(message.content)


async def readings_of(store: Store, scope: Scope, conversation_id: str, extractor: Extractor) -> list[Reading]:
    where = {"conversation_id": conversation_id, "extractor": extractor.value}
    return await all_of(store, scope, Reading, where)


async def keyframe_readings(store: Store, scope: Scope, conversation: Conversation) -> list[Reading]:
    return await readings_of(store, scope, conversation.id, Extractor.KEYFRAME)


def reading_changes(
    extractor: Extractor,
    last: Message,
    span: tuple[int, int],
    now: datetime,
    *,
    digest: str,
    model: str,
    formed: int,
    refused: Sequence[Refusal],
) -> list[Change]:
    """Saves a reading, and counts it and its refusals (C9). `last`: the last message of the `span`."""
    place = last.id if extractor is Extractor.FACTS else str(span[1])
    reading = Reading(
        workspace=last.workspace,
        id=reading_id(extractor, last.conversation_id, place),
        conversation_id=last.conversation_id,
        message_id=last.id,
        extractor=extractor,
        first_seq=span[0],
        last_seq=span[1],
        digest=digest,
        model=model,
        formed=formed,
        has_refused=bool(refused),
        refused=refused_json(refused),
        created_at=now,
    )
    counts = sorted(refused_counts(reading).items())
    for name, times in counts:
        # Without the text: messages must not appear in the log.
        log.info("learning.refused", conversation=last.conversation_id, filter=name, times=times)
    return [Put(reading), Count(READ + extractor.value), *(Count(FILTERED + name, times) for name, times in counts)]
