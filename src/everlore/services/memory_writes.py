"""Saves memories that are written by hand, from any interface, in one transaction (M8).

Start at `save`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.errors import Conflict
from everlore.learning.saving.draft import SaveResult
from everlore.learning.saving.flow import Saved, written
from everlore.services.idempotency import IdempotencyKey, load_receipts
from everlore.store.checks import check_changes
from everlore.store.port import Put
from everlore.turn.resources import Resources

# How often another writer may change the same memories meanwhile.
_TRIES = 3


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """`memory` is the new one, or the one that said so already. `against`: what it closed, or, while it is pending,
    what it contradicts."""

    memory: Memory
    outcome: SaveResult
    against: tuple[Memory, ...] = ()


async def save(
    resources: Resources,
    scope: Scope,
    records: Sequence[Memory],
    *,
    by: str,
    force: bool = False,
    request: IdempotencyKey | None = None,
) -> list[SavedMemory]:
    """All of them, or none; each with its outcome. A `request` that was answered before gets the same answer, and
    nothing is saved again."""
    # Invalid statements are refused even if they are already known.
    check_changes(scope, [Put(each, by=by) for each in records])
    for left in reversed(range(_TRIES)):
        try:
            return await _save(resources, scope, records, by=by, force=force, request=request)
        except Conflict:
            if not left:
                raise
    raise AssertionError("unreachable")


async def _save(
    resources: Resources,
    scope: Scope,
    records: Sequence[Memory],
    *,
    by: str,
    force: bool,
    request: IdempotencyKey | None,
) -> list[SavedMemory]:
    async with resources.saving:
        receipts = (
            await load_receipts(resources.store, scope, request, resources.clock()) if request is not None else None
        )
        if receipts is not None and receipts.found is not None:
            return await _kept_before(resources, scope, receipts.found)
        result = await written(
            resources.store,
            scope,
            records,
            resources.clock(),
            resources.new_id,
            by=by,
            force=force,
            chosen=resources.settings.saving,
        )
        signed = [receipts.signed(_receipt_of(result), resources.clock())] if receipts is not None else []
        stored = await resources.store.apply(scope, [*result.changes, *signed])
    resources.live.applied(scope, result.changes, stored[: len(result.changes)])
    return await _kept(resources, scope, result, stored)


def _receipt_of(result: Saved) -> list[dict[str, Any]]:
    return [
        {"id": each.memory_id, "outcome": each.outcome.value, "against": [*each.against]} for each in result.outcomes
    ]


async def _kept_before(resources: Resources, scope: Scope, done: Sequence[Mapping[str, Any]]) -> list[SavedMemory]:
    """The answer of an earlier request, with the memories as they are now."""
    named = dict.fromkeys(id for each in done for id in (each["id"], *each["against"]))
    memories = {each.id: each for each in await resources.store.get_many(scope, Memory, named)}
    if any(each["id"] not in memories for each in done):
        raise Conflict(
            "This request was answered before, and what it saved was deleted since. To save it again, send it with "
            "another Idempotency-Key."
        )
    return [
        SavedMemory(
            memories[each["id"]],
            SaveResult(each["outcome"]),
            tuple(memories[id] for id in each["against"] if id in memories),
        )
        for each in done
    ]


async def _kept(resources: Resources, scope: Scope, result: Saved, stored: Iterable[Any]) -> list[SavedMemory]:
    memories = {each.id: each for each in stored if isinstance(each, Memory)}
    named = {id for fate in result.outcomes for id in (fate.memory_id, *fate.against)}
    others = await resources.store.get_many(scope, Memory, sorted(named - memories.keys()))
    memories |= {each.id: each for each in others}
    return [
        SavedMemory(
            memories[fate.memory_id], fate.outcome, tuple(memories[id] for id in fate.against if id in memories)
        )
        for fate in result.outcomes
    ]
