"""Who thinks in the background: a port, for the models are chosen elsewhere."""

from typing import Protocol

from everlore.domain.config import ConversationConfig
from everlore.domain.scope import Scope
from everlore.models.chat import Purpose
from everlore.reflect.candidate import Asker


class Mind(Protocol):
    """A model, or None where there is none."""

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None: ...
