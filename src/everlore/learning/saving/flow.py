"""Saves a batch of extracted statements: fetches known memories, decides, and returns the changes (M6–M8, M16).

In: candidates from the same messages, about the same people. Out: changes for the store to apply together, and
refusals. Nothing is written here. Saving the same batch again changes nothing, because a memory that cites these
messages already is recognized.

Memories that people wrote or imported are saved by the same rules. Claims and words decide about those, not vectors, so
that writing a memory does not wait for an embedding model (M14).

Start at `saved`, and for written memories at `written`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

import numpy as np

from everlore.domain.claim import with_claim
from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Durability, Memory, MemoryType, Origin, Status, Visible
from everlore.domain.reading import Refusal
from everlore.domain.scope import Scope
from everlore.errors import ModelMisbehaved
from everlore.learning.candidate import Candidate, Written
from everlore.learning.claims import resolved
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.draft import Batch, SaveDraft, SaveOutcome, SaveResult, fitted
from everlore.learning.saving.durability import durability_of
from everlore.learning.saving.likeness import jaccard, read, says_same, stated
from everlore.learning.saving.neighbour_index import NeighbourIndex, NeighbourIndexes
from everlore.learning.saving.verdict import (
    DEFAULTS,
    Neighbour,
    SaveVerdict,
    Thresholds,
    VerdictKind,
    across,
    decide,
    thresholds_for,
)
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Put, Store, Vector


@dataclass(frozen=True, slots=True)
class Saved:
    """`memory_ids`: the new memories; `outcomes`: the result for each valid candidate, in order."""

    changes: list[Change] = field(default_factory=list)
    refused: tuple[Refusal, ...] = ()
    memory_ids: tuple[str, ...] = ()
    outcomes: tuple[SaveOutcome, ...] = ()

    @property
    def formed(self) -> int:
        return len(self.memory_ids)

    def __add__(self, other: "Saved") -> "Saved":
        return Saved(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


async def saved(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    batch: Batch,
    now: datetime,
    new_id: Callable[[], str],
    *,
    chosen: SavingSettings | None = None,
    after: Sequence[Change] = (),
    indexes: NeighbourIndexes | None = None,
) -> Saved:
    """`after`: changes that will be applied first and are not in the store yet. `indexes`: data fetched for earlier
    batches, whose changes `after` begins with."""
    draft = SaveDraft(scope.workspace, batch, now, new_id)
    candidates = [_read(each, batch.said_at) for each in map(fitted, batch.candidates) if draft.accepts(each)]
    if not candidates:
        return Saved(refused=tuple(draft.refused))
    vectors = await _vectors(embedder, [each.content for each in candidates])
    model = embedder.name if embedder else None
    limits = thresholds_for(model, chosen)
    index = (indexes or NeighbourIndexes(store, scope)).of(batch)
    await index.fill(batch, candidates, after, can_search_by_meaning=model is not None)
    for candidate, vector in zip(candidates, vectors, strict=True):
        await index.look(candidate.content, vector, model, with_elsewhere=_is_open(candidate))
        candidate = resolved(candidate, index.kin(candidate.claim.subject) if candidate.claim else "")
        statement = read(candidate.content, candidate.claim)
        neighbours = [
            Neighbour(memory, _cosine(memory, vector, draft, index), jaccard(statement, other), other)
            for memory, other in index.around(statement)
        ]
        verdict = _verdict(batch, candidate, neighbours, limits)
        if _is_open(candidate):
            others = [Neighbour(memory, None, 0.0, other) for memory, other in await index.elsewhere(statement)]
            verdict = across(verdict, _verdict(batch, candidate, others, limits))
        draft.take(candidate, vector, verdict)
        index.put(draft.touched())
    return Saved(
        changes=draft.changes(),
        refused=tuple(draft.refused),
        memory_ids=tuple(draft.fresh),
        outcomes=tuple(draft.outcomes),
    )


async def contradicted(store: Store, scope: Scope, batch: Batch, wrong: Memory) -> tuple[Memory, ...]:
    """The memories that the batch's candidate ends, even those the user told to others, including others' versions of
    the `wrong` memory that it corrects."""
    (candidate,) = (_read(each, batch.said_at) for each in batch.candidates)
    index = NeighbourIndexes(store, scope).of(batch)
    await index.fill(batch, [candidate], (), can_search_by_meaning=False)
    for content in (candidate.content, wrong.content):
        await index.look(content, None, None, with_elsewhere=_is_open(candidate))
    statement = read(candidate.content, candidate.claim)
    around = index.around(statement) + (await index.elsewhere(statement) if _is_open(candidate) else [])
    neighbours = [Neighbour(memory, None, jaccard(statement, other), other) for memory, other in around]
    verdict = _verdict(batch, candidate, neighbours, DEFAULTS)
    over = verdict.memories if verdict.kind in (VerdictKind.CONTRADICTS, VerdictKind.ENDS) else ()
    said = stated(wrong)
    told = await index.elsewhere(said) if _is_open(candidate) else []
    same = (memory for memory, other in told if says_same(said, other))
    found = {each.id: each for each in (*over, *same) if each.id != wrong.id}
    return tuple(found.values())


def _is_open(candidate: Candidate) -> bool:
    """Whether everyone may know it: closing another memory because of a secret would reveal it."""
    if not isinstance(candidate, Written):
        return True
    return candidate.record.visibility is Visible.NORMAL and not candidate.record.is_spoiler


def _read(candidate: Candidate, said_at: datetime) -> Candidate:
    """Adds the claim once, so that no later step parses the sentence again."""
    return replace(candidate, claim=claimed(candidate.content, candidate.claim, said_at))


def _cosine(memory: Memory, vector: Vector | None, draft: SaveDraft, index: NeighbourIndex) -> float | None:
    if memory.id not in draft.fresh:
        return index.cosines.get(memory.id)
    other = draft.fresh[memory.id]
    return None if other is None or vector is None else float(np.dot(other, vector))


def _verdict(batch: Batch, candidate: Candidate, neighbours: Sequence[Neighbour], limits: Thresholds) -> SaveVerdict:
    record = candidate.record if isinstance(candidate, Written) else None
    return decide(
        candidate,
        neighbours,
        limits,
        said_at=batch.said_at,
        source_ids=frozenset(batch.source_message_ids),
        by_hand=batch.by_hand,
        holds=(record.valid_from, record.valid_to) if record else (None, None),
    )


async def _vectors(embedder: Embedder | None, texts: Sequence[str]) -> list[Vector | None]:
    """None for each text without a model or if it is unreachable: then words decide, and no memory waits for it."""
    if embedder is None or not texts:
        return [None] * len(texts)
    try:
        return list(await embedder.embed(texts))
    except ModelMisbehaved:
        return [None] * len(texts)


def batch_of(
    conversation: Conversation,
    sources: Sequence[Message],
    candidates: Sequence[Candidate],
    persons: tuple[str, ...],
    origin: Origin,
    **more: Any,
) -> Batch:
    """A batch from these messages, with their campaign and session (G1), and the branch if any."""
    return Batch(
        candidates=candidates,
        persons=persons,
        conversation_id=conversation.id,
        source_message_ids=tuple(each.id for each in sources),
        said_at=max(each.created_at for each in sources),
        origin=origin,
        campaign_id=conversation.campaign_id,
        session_id=conversation.session_id,
        branched_from_id=conversation.branched_from_id,
        **more,
    )


# ── memories written by people ───────────────────────────────────────────────────────────────────


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
