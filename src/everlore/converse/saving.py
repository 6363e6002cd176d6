"""Memories that are written by hand, from whichever door they come: fetched, decided and kept as one (M8).

Start at `save`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.converse.desk import Desk
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.errors import Conflict
from everlore.reflect.saving.draft import Outcome
from everlore.reflect.saving.flow import Saved
from everlore.reflect.saving.written import written
from everlore.store.checks import check_changes
from everlore.store.port import Put

# How often somebody else may change the same memories meanwhile.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Kept:
    """`memory` is the one that was formed, or the one that said so already. `against`: what it closed, or, while it
    waits, what it contradicts."""

    memory: Memory
    outcome: Outcome
    against: tuple[Memory, ...] = ()


async def save(desk: Desk, scope: Scope, records: Sequence[Memory], *, by: str, force: bool = False) -> list[Kept]:
    """All of them, or none; each with what became of it."""
    # What could not be kept as it is given is refused, whether it is known already or not.
    check_changes(scope, [Put(each, by=by) for each in records])
    for left in reversed(range(_TRIES)):
        try:
            return await _save(desk, scope, records, by=by, force=force)
        except Conflict:
            if not left:
                raise
    raise AssertionError("unreachable")


async def _save(desk: Desk, scope: Scope, records: Sequence[Memory], *, by: str, force: bool) -> list[Kept]:
    async with desk.saving:
        result = await written(
            desk.store,
            scope,
            records,
            desk.clock(),
            desk.new_id,
            by=by,
            force=force,
            chosen=desk.settings.saving,
        )
        stored = await desk.store.apply(scope, result.changes)
    desk.live.applied(scope, result.changes, stored)
    return await _kept(desk, scope, result, stored)


async def _kept(desk: Desk, scope: Scope, result: Saved, stored: Iterable[Any]) -> list[Kept]:
    memories = {each.id: each for each in stored if isinstance(each, Memory)}
    named = {id for fate in result.fates for id in (fate.memory_id, *fate.against)}
    others = await desk.store.get_many(scope, Memory, sorted(named - memories.keys()))
    memories |= {each.id: each for each in others}
    return [
        Kept(memories[fate.memory_id], fate.outcome, tuple(memories[id] for id in fate.against if id in memories))
        for fate in result.fates
    ]
