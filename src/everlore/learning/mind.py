"""Who thinks in the background: a port, for the models are chosen elsewhere."""

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
    config = config_of(conversation.config)
    return preferring(found[0], config) if found else config
