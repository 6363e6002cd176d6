"""Background jobs that compute vectors for passages (M14), and recompute all of them for another model (M12).

The store queues `embed` whenever it adds passages. `reindex` is a chain of jobs: each embeds a batch, saves it, and
queues the next job in the same transaction, so that it resumes after any interruption. Meanwhile search uses vectors
for passages that have them, and words for the rest.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from everlore.domain.job import PATIENT, Job
from everlore.domain.scope import Scope
from everlore.models.embedder import Embedder
from everlore.store.answers import Unembedded
from everlore.store.port import Change, DropVectors, Embed, Enqueue, Store

REINDEX = "reindex"
_BATCH = 256
# After all work that someone waits for.
_REINDEX_PRIORITY = -50


class EmbedPassages:
    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def __call__(self, scope: Scope, jobs: Sequence[Job], _now: datetime) -> list[Change]:
        if self._embedder is None:
            return []
        # All jobs in one run: their passages are adjacent, and a model embeds many texts as fast as one.
        return await self._fill(scope, self._embedder, min(_number(job, "after") for job in jobs))

    async def _fill(self, scope: Scope, embedder: Embedder, after: int) -> list[Change]:
        """Saves each batch at once, so that an interrupted job has less to do the next time; the last one is saved with
        the end of the job."""
        while True:
            batch = await self._store.unembedded(scope, embedder.name, after=after, limit=_BATCH)
            vectors: list[Change] = [await vectors_of(embedder, batch)] if batch else []
            if len(batch) < _BATCH:
                return vectors
            await self._store.apply(scope, vectors)
            after = batch[-1].row


class ReindexPassages:
    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes: list[Change] = []
        for job in jobs:
            changes += await self._link(scope, job, now)
        return changes

    async def _link(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        embedder = self._embedder
        # The model changed again meanwhile, and that change started a chain of its own.
        if embedder is None or embedder.name != job.payload.get("model"):
            return []
        batch = await self._store.unembedded(scope, embedder.name, after=_number(job, "after"), limit=_BATCH)
        if not batch:
            return [DropVectors(embedder.name)]
        following = reindex_job(scope, embedder.name, now, after=batch[-1].row)
        return [await vectors_of(embedder, batch), Enqueue(following)]


def reindex_job(scope: Scope, model: str, now: datetime, *, after: int = 0) -> Job:
    return Job(
        workspace=scope.workspace,
        # Without the model's name, which may be longer than an id allows.
        id=f"reindex-{after}-{now.timestamp():.6f}",
        kind=REINDEX,
        payload={"model": model, "after": after},
        lane=f"reindex-{model}",
        priority=_REINDEX_PRIORITY,
        max_attempts=PATIENT,
        run_at=now,
        created_at=now,
    )


async def vectors_of(embedder: Embedder, batch: Sequence[Unembedded]) -> Embed:
    vectors = await embedder.embed([each.text for each in batch])
    return Embed(embedder.name, tuple(each.row for each in batch), vectors)


def _number(job: Job, name: str) -> int:
    value: Any = job.payload.get(name, 0)
    return int(value)
