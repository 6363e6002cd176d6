"""What people write and imports hold, saved the way of all memories (M7, M8, M11).

In: memories as they were given, all of the same persons and the same place. Out: the changes, and what became of each.
The same statement is known already and counts more; one that contradicts closes what it contradicts, or waits for a
person where neither is plainly newer. By what they claim and by their words, not by their vectors: whoever writes a
memory down does not wait for an embedding model (M14). Nothing is written here.

Start at `written`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from everlore.domain.claim import with_claim
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Durability, Memory, MemoryType, Status, Visible
from everlore.domain.scope import Scope
from everlore.learning.candidate import Written
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.draft import SaveOutcome, SaveResult
from everlore.learning.saving.durability import durability_of
from everlore.learning.saving.flow import Batch, Saved, contradicted, saved
from everlore.settings import SavingSettings
from everlore.store.port import Put, Store


async def written(
    store: Store,
    scope: Scope,
    records: Sequence[Memory],
    now: datetime,
    new_id: Callable[[], str],
    *,
    by: str,
    force: bool = False,
    chosen: SavingSettings | None = None,
) -> Saved:
    """`force`: each is kept as it is, whatever is known."""
    if force or any(each.status is not Status.ACTIVE for each in records):
        return _as_given(records, by)
    if not records:
        return Saved()
    batch = await _batch(store, scope, records, now, by=by)
    return await saved(store, None, scope, batch, now, new_id, chosen=chosen)


async def outdated_by(store: Store, scope: Scope, right: Memory, wrong: Memory, now: datetime) -> tuple[Memory, ...]:
    """What is over beside the one that was wrong, now that a person has set it right: whomever they told it."""
    return await contradicted(store, scope, await _batch(store, scope, [right], now, by=""), wrong)


async def _batch(store: Store, scope: Scope, records: Sequence[Memory], now: datetime, *, by: str) -> Batch:
    first = records[0]
    found = await store.get_many(scope, Conversation, [first.conversation_id]) if first.conversation_id else []
    return Batch(
        candidates=[_candidate(each) for each in records],
        persons=first.persons,
        conversation_id=first.conversation_id,
        source_message_ids=first.source_message_ids,
        said_at=now,
        origin=first.origin,
        campaign_id=first.campaign_id,
        by=by,
        is_private=first.visibility is Visible.PRIVATE,
        branched_from_id=found[0].branched_from_id if found else None,
    )


def lasting(content: object) -> Durability:
    """How long what somebody wrote is worth keeping, where they did not say: for good if it says who they are (M17)."""
    found = durability_of(content, None, MemoryType.FACT) if isinstance(content, str) else None
    return Durability.IDENTITY if found is Durability.IDENTITY else Durability.LONG_TERM


def reclaimed(memory: Memory) -> Memory:
    """With what its words claim, which somebody wrote anew."""
    return replace(memory, extra=with_claim(memory.extra, claimed(memory.content, None, memory.updated_at)))


def _as_given(records: Sequence[Memory], by: str) -> Saved:
    ids = tuple(each.id for each in records)
    outcomes = tuple(SaveOutcome(id, SaveResult.FORMED) for id in ids)
    return Saved([Put(reclaimed(each), by=by) for each in records], memory_ids=ids, outcomes=outcomes)


def _candidate(record: Memory) -> Written:
    return Written(
        content=record.content,
        category=record.category,
        type=record.type,
        confidence=record.confidence,
        importance=record.importance,
        record=record,
    )
