"""Finding readings: what was read of a conversation so far, and whether it is still what stands there."""

from everlore.domain.conversation import Conversation, Message
from everlore.domain.reading import Extractor, Reading, digest_of
from everlore.domain.scope import Scope
from everlore.store.all_pages import all_of
from everlore.store.port import Store

# How many earlier messages tell who "she" is when one is read for facts (F8).
BEFORE = 6


def is_of(reading: Reading, message: Message) -> bool:
    """Whether it is of what the message says now."""
    return reading.digest == digest_of(message.content)


async def readings_of(store: Store, scope: Scope, conversation_id: str, extractor: Extractor) -> list[Reading]:
    where = {"conversation_id": conversation_id, "extractor": extractor.value}
    return await all_of(store, scope, Reading, where)


async def keyframe_readings(store: Store, scope: Scope, conversation: Conversation) -> list[Reading]:
    return await readings_of(store, scope, conversation.id, Extractor.KEYFRAME)
