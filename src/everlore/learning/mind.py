"""Who thinks in the background: a port, for the models are chosen elsewhere."""

from collections.abc import Mapping
from typing import Protocol

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Conversation
from everlore.domain.person import Person, preferring
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.models.chat import Purpose
from everlore.store.port import Store


class Mind(Protocol):
    """A model, or None where there is none."""

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None: ...


async def config_for(store: Store, scope: Scope, conversation: Conversation) -> ConversationConfig:
    """The config of a conversation with the models of its first character, where it names none itself (V9)."""
    found = await store.get_many(scope, Person, conversation.system_ids[:1])
    return config_with(conversation, {each.id: each for each in found})


def config_with(conversation: Conversation, persons: Mapping[str, Person]) -> ConversationConfig:
    """The same, where the first character has been read already."""
    config = config_of(conversation.config)
    first = next((persons[id] for id in conversation.system_ids[:1] if id in persons), None)
    return preferring(first, config) if first else config
