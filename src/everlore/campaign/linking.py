"""Links campaign memories to the entities they mention (G5).

Code that forms memories need not know about campaigns: `Linked` wraps a queue handler and fills in the entities that
its memories mention. Start at `Linked`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from everlore.campaign.naming import mentioned_in
from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.store.port import Change, Put, Store
from everlore.turn.campaign_context import sharing_a_word

Handler = Callable[[Scope, Sequence[Job], datetime], Awaitable[list[Change]]]
_MOST_LINKED = 50


class Linked:
    def __init__(self, store: Store, handler: Handler) -> None:
        self._store = store
        self._handler = handler

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes = await self._handler(scope, jobs, now)
        return [await self._linked(scope, each) for each in changes]

    async def _linked(self, scope: Scope, change: Change) -> Change:
        if not isinstance(change, Put) or not isinstance(change.record, Memory):
            return change
        memory = change.record
        if memory.campaign_id is None or memory.entity_ids:
            return change
        ids = await mentioned_by(self._store, scope, memory.campaign_id, memory.content)
        return replace(change, record=replace(memory, entity_ids=ids)) if ids else change


async def mentioned_by(store: Store, scope: Scope, campaign_id: str, text: str) -> tuple[str, ...]:
    """The campaign entities that a text mentions, in order; searches only entities whose names share a word with it."""
    near = await sharing_a_word(store, scope, campaign_id, text)
    return tuple(each.id for each in mentioned_in(text, near, _MOST_LINKED))
