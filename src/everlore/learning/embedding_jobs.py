"""Background jobs that give passages their vectors (M14), and move all of them to another model (M12).

`embed` is asked for by the store whenever it adds passages. `reindex` is a chain: each link embeds a
batch, keeps it, and in the same transaction asks for the next link, so that it goes on where it was
after any interruption. Search answers meanwhile: by vectors for what has them, by words for the rest.
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
# Behind everything that somebody waits for.
_REINDEX_PRIORITY = -50


class EmbedPassages:
    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def __call__(self, scope: Scope, jobs: Sequence[Job], _now: datetime) -> list[Change]:
        if self._embedder is None:
            return []
        # Together: their passages stand one after the other, and a model takes many texts as fast as one.
        after = min(_number(job, "after") for job in jobs)
        # Jobs of earlier versions name their last row.
        is_bounded = all("until" in job.payload for job in jobs)
        until = max(_number(job, "until") for job in jobs) if is_bounded else None
        return await self._fill(scope, self._embedder, after, until)

    async def _fill(self, scope: Scope, embedder: Embedder, after: int, until: int | None) -> list[Change]:
        """Each batch is kept at once, so that a job that is interrupted finds less to do the next time; the last one
        with the end of the job."""
        while True:
            batch = await self._store.unembedded(scope, embedder.name, after=after, until=until, limit=_BATCH)
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
        # Changed again meanwhile: the newer change brought a chain of its own.
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
        # Without the model: its name may be longer than an id.
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
