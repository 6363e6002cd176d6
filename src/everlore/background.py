"""The background work of an Everlore: its workers, its queue of jobs, and re-embedding.

Start at `BackgroundWork.start`.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from everlore.domain.job import Job, JobState
from everlore.domain.scope import Scope
from everlore.domain.setting import INDEX, Setting
from everlore.errors import BadAsk, ModelMisbehaved, StoreUnavailable
from everlore.facade import BackgroundTasks, Services
from everlore.learning.embedding_jobs import REINDEX, reindex_job
from everlore.store.all_pages import items_of
from everlore.store.answers import Coverage, Page
from everlore.store.port import Change, Enqueue, PauseQueue, Put, Revive
from everlore.turn.import_lock import take_back_unfinished
from everlore.turn.resources import Resources

_PAGE = 500


class BackgroundWork(Services):
    """The services of a scope, with the queue of its workspace."""

    def __init__(self, scope: Scope, resources: Resources, staff: BackgroundTasks) -> None:
        super().__init__(scope, resources, staff)
        self._clock = resources.clock
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Detect a model, repair what a dead process left, and start the configured workers."""
        await self.backends.look()
        await self.staff.turns.mend_all()
        workspaces = await self.store.workspaces()
        await self.live.tidy(workspaces)
        await take_back_unfinished(self.store, workspaces, self.resources.holder)
        await self._follow_model()
        count = self.settings.queue.workers
        self._tasks = [asyncio.create_task(worker.run(self._stop)) for worker in self.staff.workers[:count]]

    async def stop(self) -> None:
        """Stop the replies, let the workers finish their current jobs, then close everything."""
        self._stop.set()
        try:
            await self.staff.close()
            await self.resources.backlog.settle()
            await asyncio.gather(*self._tasks)
            await self.live.close()
        finally:
            await self.backends.close()
            if self.embedder is not None:
                await self.embedder.close()
            await self.store.close()

    async def work(self, stop: asyncio.Event) -> None:
        """Work through the queue until told to stop: the loop of `everlore worker`."""
        await self._follow_model()
        await asyncio.gather(*(worker.run(stop) for worker in self.staff.workers))

    async def settle(self, timeout_s: float = 60) -> None:
        """Wait until no background work of this workspace is left. Dead letters do not count."""
        deadline = self._clock() + timedelta(seconds=timeout_s)
        await self.resources.backlog.settle()
        while (state := await self.store.queue(self.scope)).pending:
            if state.paused:
                raise BadAsk(f"The queue is paused with {state.pending} jobs waiting. Resume it, then settle.")
            _refuse_late(self._clock(), deadline, timeout_s, state.pending)
            if self._tasks or not await self.staff.workers[0].step():
                await asyncio.sleep(0.02)

    async def finished(self, jobs: Iterable[Job], timeout_s: float = 300) -> None:
        """Wait until these jobs are done, and only these. Raises for a job that was given up."""
        deadline = self._clock() + timedelta(seconds=timeout_s)
        waiting = {job.id for job in jobs}
        while waiting:
            left = await self._still_there(sorted(waiting))
            _refuse_dead(left)
            waiting = {job.id for job in left if job.state is not JobState.DONE}
            if waiting:
                await self._refuse_paused("what was asked for waits in it")
                _refuse_late(self._clock(), deadline, timeout_s, len(waiting))
                if self._tasks or not await self.staff.workers[0].step():
                    await asyncio.sleep(0.02)

    async def _still_there(self, ids: Sequence[str]) -> list[Job]:
        found: list[Job] = []
        for first in range(0, len(ids), _PAGE):
            page = await self.store.jobs(self.scope, ids=ids[first : first + _PAGE], limit=_PAGE)
            found += page.items
        return found

    async def pause(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(True)])

    async def resume(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(False)])

    async def jobs(self, state: JobState | None = None, *, limit: int = 50, cursor: str | None = None) -> Page:
        return await self.store.jobs(self.scope, state=state, limit=limit, cursor=cursor)

    async def retry(self, job_id: str) -> Job:
        """Try a dead letter again."""
        (job,) = await self._apply([Revive(job_id, self._clock())])
        assert isinstance(job, Job)
        return job

    async def _follow_model(self) -> None:
        """Starts embedding a workspace again, in the background, if another model embedded it (M12)."""
        for workspace in await self.store.workspaces():
            scope = replace(self.scope, workspace=workspace)
            await BackgroundWork(scope, self.resources, self.staff).ask_for_reindex(only_if_changed=True)

    async def ask_for_reindex(self, *, only_if_changed: bool = False) -> bool:
        """Start embedding every record that lacks a vector of the configured model. False if there is no need."""
        if self.embedder is None:
            return False
        name = self.embedder.name
        kept = await self.store.get_many(self.scope, Setting, [INDEX])
        if only_if_changed and kept and kept[0].value.get("model") == name:
            return False
        now = self._clock()
        setting = Setting(workspace=self.scope.workspace, id=INDEX, value={"model": name}, updated_at=now)
        await self.store.apply(self.scope, [Put(setting), Enqueue(reindex_job(self.scope, name, now))])
        return True

    async def reindex(self) -> AsyncIterator[Coverage]:
        """Embed every record that lacks a vector of the configured model, and report progress."""
        if self.embedder is None:
            raise BadAsk("No embedder is configured, so there is nothing to reindex. Set EVERLORE_EMBEDDING__PROVIDER.")
        # An endpoint that does not answer is reported at once, not after all retries of the queue.
        await self.embedder.embed(["Everlore"])
        asked_at = self._clock()
        await self._refuse_paused()
        await self.ask_for_reindex()
        while await self._reindexing():
            await self._refuse_paused()
            yield await self.store.coverage(self.scope, self.embedder.name)
            if self._tasks or not await self.staff.workers[0].step():
                await asyncio.sleep(0.05)
        for job in await self._jobs_of(REINDEX, JobState.DEAD):
            if job.created_at >= asked_at:
                raise ModelMisbehaved(f"The reindex stopped: {job.error}. Mend that, then reindex again.")
        yield await self.store.coverage(self.scope, self.embedder.name)

    async def _reindexing(self) -> bool:
        for state in (JobState.READY, JobState.RUNNING):
            if await self._jobs_of(REINDEX, state):
                return True
        return False

    async def _jobs_of(self, kind: str, state: JobState) -> list[Job]:
        """Page by page: the wanted job may come after thousands of others."""
        jobs = items_of(partial(self.store.jobs, self.scope, state=state, limit=1000))
        return [job async for job in jobs if job.kind == kind]

    async def _refuse_paused(self, what: str = "nothing is embedded") -> None:
        if (await self.store.queue(self.scope)).paused:
            raise BadAsk(f"The queue is paused, and {what}. Run `everlore jobs resume` first.")

    async def _apply(self, changes: Sequence[Change]) -> list[Any]:
        results = await self.store.apply(self.scope, changes)
        self.live.applied(self.scope, changes, results)
        return results


def _refuse_late(now: datetime, deadline: datetime, timeout_s: float, pending: int) -> None:
    if now > deadline:
        raise StoreUnavailable(
            f"After {timeout_s:g} s {pending} jobs are still waiting. Look at them with `everlore jobs`, or wait "
            "longer."
        )


def _refuse_dead(jobs: Iterable[Job]) -> None:
    for job in jobs:
        if job.state is JobState.DEAD:
            raise ModelMisbehaved(f"A {job.kind} job was given up: {job.error} Mend that, then retry it: {job.id}.")
