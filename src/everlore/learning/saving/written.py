"""Saves memories that people wrote or imported by the same rules as all others (M7, M8, M11).

In: memories as given, all of the same people and place. Out: the changes, and the result for each. A repeated statement
reinforces the known one; a contradicting one closes what it contradicts, or waits for review if neither is clearly
newer. Claims and words decide, not vectors, so that writing a memory does not wait for an embedding model (M14).
Nothing is written here.

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
    """`force`: saves each one unchanged, without comparison."""
    if force or any(each.status is not Status.ACTIVE for each in records):
        return _as_given(records, by)
    if not records:
        return Saved()
    batch = await _batch(store, scope, records, now, by=by)
    return await saved(store, None, scope, batch, now, new_id, chosen=chosen)


async def outdated_by(store: Store, scope: Scope, right: Memory, wrong: Memory, now: datetime) -> tuple[Memory, ...]:
    """The memories that a person's correction ends, in any conversation of theirs."""
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
    """The default durability of a written memory: identity if it says who the person is (M17), otherwise long-term."""
    found = durability_of(content, None, MemoryType.FACT) if isinstance(content, str) else None
    return Durability.IDENTITY if found is Durability.IDENTITY else Durability.LONG_TERM


def reclaimed(memory: Memory) -> Memory:
    """With the claim parsed from its new text."""
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
