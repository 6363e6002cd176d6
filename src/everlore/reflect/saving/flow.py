"""From what was extracted to what is kept: fetches what is known, decides, and says what changes (M6–M8, M16).

In: a batch of candidates that come from the same messages, of the same persons. Out: changes for the store to apply
together, and what was refused. Nothing is written here. The same batch again changes nothing: whatever matches a
memory that already cites these messages is known.

Start at `saved`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from everlore.domain.memory import Memory, Origin, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.reading import Refusal
from everlore.domain.scope import Scope
from everlore.errors import ModelMisbehaved
from everlore.models.embedder import Embedder
from everlore.reflect.saving.draft import Batch, Draft, fitted
from everlore.reflect.saving.likeness import jaccard, read
from everlore.reflect.saving.verdict import Neighbour, decide, said_of, thresholds_for
from everlore.settings import SavingSettings
from everlore.store.port import Change, Delete, Put, Search, Store, Vector

__all__ = ["Batch", "Saved", "is_in_scope", "saved"]

_KNOWN = frozenset(status.value for status in Status if status is not Status.DELETED)
# Marks of a memory that a branch formed, or took along.
_FORKED = frozenset({"in_branch", "carried_from"})
_LIMIT = 60
_POOL = 120
# Who somebody is, and what persons said by hand: few, and to be weighed whatever their words are.
_MOST_KEPT = 500
_MOST_QUERY_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Saved:
    """`memory_ids` are those of the memories that were formed, `known_ids` of those that said it already."""

    changes: list[Change] = field(default_factory=list)
    refused: tuple[Refusal, ...] = ()
    formed: int = 0
    memory_ids: tuple[str, ...] = ()
    known_ids: tuple[str, ...] = ()


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
) -> Saved:
    """`after`: changes that will be applied before these, and are not in the store yet."""
    draft = Draft(scope.workspace, batch, now, new_id)
    candidates = [each for each in map(fitted, batch.candidates) if draft.accepts(each)]
    vectors = await _vectors(embedder, [each.content for each in candidates])
    model = embedder.name if embedder else None
    limits = thresholds_for(model, chosen)
    shelf = _Shelf(store, scope, batch, _Ahead(after))
    await shelf.fill()
    for candidate, vector in zip(candidates, vectors, strict=True):
        await shelf.look(candidate.content, vector, model)
        neighbours = _neighbours(draft, shelf, candidate.content, vector)
        verdict = decide(
            candidate,
            neighbours,
            limits,
            said_at=batch.said_at,
            source_ids=frozenset(batch.source_message_ids),
        )
        draft.take(candidate, vector, verdict)
    return Saved(draft.changes(), tuple(draft.refused), len(draft.fresh), tuple(draft.fresh), tuple(draft.recognised))


async def _vectors(embedder: Embedder | None, texts: Sequence[str]) -> list[Vector | None]:
    """None each where there is no model, or it is away: then words decide, and no memory has to wait for it."""
    if embedder is None or not texts:
        return [None] * len(texts)
    try:
        return list(await embedder.embed(texts))
    except ModelMisbehaved:
        return [None] * len(texts)


# ── what is known ────────────────────────────────────────────────────────────────────────────────


class _Ahead:
    """Memories as changes that are not applied yet will leave them."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._states: dict[str, Memory | None] = {}
        for change in changes:
            if isinstance(change, Put) and isinstance(change.record, Memory):
                self._states[change.record.id] = change.record
            elif isinstance(change, Delete) and change.kind is Memory:
                self._states[change.id] = None

    def state(self, memory: Memory) -> Memory | None:
        return self._states.get(memory.id, memory)

    def states(self) -> list[Memory]:
        return [memory for memory in self._states.values() if memory is not None]


class _Shelf:
    """The memories of the same scope that a batch may touch, with the cosine to the latest question."""

    def __init__(self, store: Store, scope: Scope, batch: Batch, ahead: _Ahead) -> None:
        self._store = store
        self._scope = scope
        self._batch = batch
        self._ahead = ahead
        self.memories: dict[str, Memory] = {}
        self.cosines: dict[str, float] = {}

    async def fill(self) -> None:
        """What must be weighed whatever the candidates say."""
        batch = self._batch
        self._put(self._ahead.states())
        if batch.source_message_ids:
            await self._find({"source_message_ids": batch.source_message_ids})
        if batch.persons:
            person = await self._least_known()
            await self._find({"persons": person, "durability": "identity"})
            await self._find({"persons": person, "origin": (Origin.USER.value, Origin.GM.value)})

    async def _least_known(self) -> str:
        """Whoever has the fewest memories: what they all share is among those, and is found soonest there."""
        first, *others = self._batch.persons
        if not others:
            return first
        counts = {id: await self._store.count(self._scope, Memory, {"persons": id}) for id in self._batch.persons}
        return min(self._batch.persons, key=counts.__getitem__)

    async def look(self, content: str, vector: Vector | None, model: str | None) -> None:
        found = await self._store.search(
            self._scope,
            Search(
                text=content[:_MOST_QUERY_CHARS],
                vector=vector,
                model=model if vector is not None else None,
                kinds=frozenset({PassageKind.MEMORY}),
                persons=frozenset(self._batch.persons) or None,
                campaign_id=self._batch.campaign_id,
                statuses=_KNOWN,
                limit=_LIMIT,
                pool=_POOL,
            ),
        )
        self._put(hit.memory for hit in found.hits)
        self.cosines = {hit.memory.id: hit.parts.vector for hit in found.hits if hit.parts.vector is not None}

    async def _find(self, where: dict[str, object]) -> None:
        page = await self._store.find(self._scope, Memory, where, limit=_MOST_KEPT, newest_first=True)
        self._put(page.items)

    def _put(self, memories: Iterable[Memory]) -> None:
        for stored in memories:
            memory = self._ahead.state(stored)
            if memory is not None and memory.status is not Status.DELETED and is_in_scope(memory, self._batch):
                self.memories[memory.id] = memory


def is_in_scope(memory: Memory, batch: Batch) -> bool:
    """Exactly the same persons, in the same campaign, and visible from this conversation (M8, M15)."""
    if set(memory.persons) != set(batch.persons) or memory.campaign_id != batch.campaign_id:
        return False
    if memory.conversation_id == batch.conversation_id:
        return True
    # What a fork learnt stays in the fork, and what is private in its conversation.
    if not _FORKED.isdisjoint(memory.extra) or memory.visibility is Visible.PRIVATE:
        return False
    is_parents = batch.branched_from_id is not None and memory.conversation_id == batch.branched_from_id
    return not (is_parents and batch.branched_at is not None and said_of(memory) > batch.branched_at)


def _neighbours(draft: Draft, shelf: _Shelf, content: str, vector: Vector | None) -> list[Neighbour]:
    """As the batch has left them so far: its candidates see each other."""
    statement = read(content)
    around = {**shelf.memories, **draft.current}
    return [
        Neighbour(
            memory,
            _cosine(draft.fresh.get(memory.id), vector) if memory.id in draft.fresh else shelf.cosines.get(memory.id),
            jaccard(statement, read(memory.content)),
        )
        for memory in around.values()
    ]


def _cosine(one: Vector | None, other: Vector | None) -> float | None:
    return None if one is None or other is None else float(np.dot(one, other))
