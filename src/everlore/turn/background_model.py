"""The model that background jobs ask for JSON: the one that forms memories, or the one for analyses.

A call waits for its backend's slot, so that it never delays a reply (V14). Start at `Thinking`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import structlog

from everlore.domain.config import ConversationConfig
from everlore.domain.scope import Scope
from everlore.errors import Misconfigured
from everlore.models.chat import Ask, Purpose
from everlore.models.complaints import public_address
from everlore.models.slots import Slots
from everlore.turn.backends import Backends, ChosenModel
from everlore.turn.structured import Troubles, ask_json

log = structlog.get_logger(__name__)

T = TypeVar("T")

_WAIT_S = 60.0


class Thinking:
    def __init__(self, backends: Backends, slots: Slots, troubles: Troubles) -> None:
        self._backends = backends
        self._slots = slots
        self._troubles = troubles

    async def asker(
        self, scope: Scope, purpose: Purpose, config: ConversationConfig, *, in_background: bool = True
    ) -> "Thinker | None":
        """None if no model is connected: the built-in voice cannot do this."""
        try:
            chosen = await self._backends.model_for(scope, purpose, config)
        except Misconfigured as error:
            # The rules still learn. Once the settings are corrected, running the analysis again finds the rest.
            log.warning("learning.no_model", purpose=purpose.value, error=str(error))
            return None
        if chosen.endpoint.built_in:
            return None
        return Thinker(scope, chosen, self._slots, self._troubles, in_background=in_background)


class Thinker:
    def __init__(
        self, scope: Scope, chosen: ChosenModel, slots: Slots, troubles: Troubles, *, in_background: bool
    ) -> None:
        self.name = chosen.model.name
        self.address = public_address(chosen.endpoint.base_url)
        self._scope = scope
        self._model = chosen.model
        self._slots = slots
        self._troubles = troubles
        self._in_background = in_background

    async def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        ask = replace(ask, in_background=self._in_background)
        async with self._slots.background(self._model.backend, _WAIT_S):
            return await ask_json(self._model, ask, parse, troubles=self._troubles, scope=self._scope)
