"""The job loop: claims jobs, passes them to their handlers, and saves the results.

A handler returns the result of a job as a list of changes. The worker applies these together with the end of the job,
in one transaction, and only while it still holds the job's lease: however often a job is started, it takes effect once
(C5).

Start at `Worker.run`.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from everlore.domain.job import Backoff, Job, retry_at
from everlore.domain.scope import Scope
from everlore.errors import LeaseLost, StoreUnavailable
from everlore.settings import QueueSettings
from everlore.store.port import Change, Finish, Release, Retry, Store
from everlore.turn.live import Live

log = structlog.get_logger(__name__)


class Handler(Protocol):
    def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime, /) -> Awaitable[list[Change]]:
        """The result of these jobs, all of one kind. May be called again for the same job."""


class Worker:
    def __init__(
        self,
        store: Store,
        handlers: Mapping[str, Handler],
        settings: QueueSettings,
        *,
        name: str,
        clock: Callable[[], datetime],
        dice: random.Random,
        live: Live,
        unhurried: frozenset[str] = frozenset(),
        together: frozenset[str] = frozenset(),
        is_quiet: Callable[[], bool] = lambda: True,
    ) -> None:
        """Jobs of `unhurried` kinds wait until `is_quiet`: turns have priority in this process. For kinds in
        `together`, the handler gets several jobs of one lane at once."""
        self._store = store
        self._handlers = handlers
        self._settings = settings
        self._name = name
        self._clock = clock
        self._dice = dice
        self._live = live
        self._turn = 0
        self._claims = 0
        self._was_unhurried = False
        self._unhurried = unhurried
        self._together = together
        self._is_quiet = is_quiet
        self._behind_since: datetime | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then finish what is running, within `drain_s`."""
        while not stop.is_set():
            try:
                worked = await self._step_or_stop(stop)
            except Exception as error:
                # The outermost handler of the loop: a database that is unavailable for a while must not end it.
                log.warning("queue.step_failed", worker=self._name, error=f"{type(error).__name__}: {error}")
                worked = False
            if not worked:
                await _wait(stop, self._settings.poll_s)

    async def _step_or_stop(self, stop: asyncio.Event) -> bool:
        step = asyncio.ensure_future(self.step())
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({step, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                await asyncio.wait({step}, timeout=self._settings.drain_s)
            await _end(step)
            return not step.cancelled() and step.result()
        except asyncio.CancelledError:
            await _end(step)
            raise
        finally:
            stopping.cancel()

    async def step(self) -> bool:
        """Run one batch, if any workspace has one. Workspaces take turns."""
        kinds = self._kinds()
        waiting = await self._store.workspaces(with_work_at=self._clock())
        for place in range(len(waiting)):
            scope = Scope(waiting[(self._turn + place) % len(waiting)], actor="background")
            jobs = await self._next_jobs(scope, kinds)
            if jobs:
                self._turn += place + 1
                await self._work(scope, jobs)
                return True
        if kinds == frozenset(self._handlers):
            # Nothing is left to do.
            self._behind_since = None
        return False

    async def _next_jobs(self, scope: Scope, kinds: frozenset[str]) -> list[Job]:
        """Every other turn is for an unhurried kind: during conversations there is always something to embed, which
        would come first."""
        unhurried = kinds & self._unhurried
        jobs = await self._claim(scope, unhurried) if unhurried and not self._was_unhurried else []
        jobs = jobs or await self._claim(scope, kinds)
        self._was_unhurried = bool(jobs) and jobs[0].kind in self._unhurried
        return jobs

    async def _claim(self, scope: Scope, kinds: frozenset[str]) -> list[Job]:
        self._claims += 1
        claiming = asyncio.ensure_future(
            self._store.claim(
                scope,
                lease=f"{self._name}-{self._claims}",
                now=self._clock(),
                lease_s=self._settings.lease_s,
                limit=self._settings.batch,
                rate_per_s=self._settings.rate_per_s,
                kinds=kinds,
                together=self._together,
            )
        )
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            # Otherwise the claimed jobs would stay leased until the lease expires.
            await self._give_back(scope, await claiming)
            raise

    def _kinds(self) -> frozenset[str]:
        """The kinds that may run now. If people chat without a pause, learning that has waited too long runs until it
        has caught up: short pauses in between would not be enough."""
        kinds, now = frozenset(self._handlers), self._clock()
        if self._is_quiet():
            return kinds
        # Not in the future, if the clock was set back.
        self._behind_since = min(self._behind_since or now, now)
        is_patient = (now - self._behind_since).total_seconds() < self._settings.patience_s
        return kinds - self._unhurried if is_patient else kinds

    async def _work(self, scope: Scope, jobs: list[Job]) -> bool:
        """Whether all of them were done."""
        try:
            async with self._holding(scope, jobs):
                await self._finish(scope, jobs)
            return True
        except asyncio.CancelledError:
            await asyncio.shield(self._give_back(scope, jobs))
            raise
        except LeaseLost as error:
            log.warning("job.lease_lost", worker=self._name, kind=jobs[0].kind, error=str(error))
            if len(jobs) > 1:
                await self._one_by_one(scope, jobs)
        except Exception as error:
            # The outermost handler of a job: every error is saved with the job, where it can be seen.
            await self._failed(scope, jobs, error)
        return False

    async def _finish(self, scope: Scope, jobs: list[Job]) -> None:
        self._live.started(scope, jobs)
        changes = await self._handlers[jobs[0].kind](scope, jobs, self._clock())
        now = self._clock()
        await self._apply(scope, [*changes, *(Finish(job, now) for job in jobs)])

    async def _apply(self, scope: Scope, changes: list[Change]) -> None:
        self._live.applied(scope, changes, await self._store.apply(scope, changes))

    async def _failed(self, scope: Scope, jobs: list[Job], error: Exception) -> None:
        if len(jobs) > 1:
            await self._one_by_one(scope, jobs)
            return
        (job,) = jobs
        log.warning("job.failed", kind=job.kind, id=job.id, attempt=job.attempts, error=str(error))
        now = self._clock()
        backoff = Backoff(self._settings.backoff_s, self._settings.backoff_max_s)
        when = retry_at(job.attempts, now, backoff, self._dice.random())
        # Any message of a model or a driver must fit into a column.
        reason = f"{type(error).__name__}: {error}".replace("\x00", "")[:4000].encode(errors="replace").decode()
        try:
            await self._apply(scope, [Retry(job, reason, now, when)])
        except LeaseLost as lost:
            log.warning("job.lease_lost", worker=self._name, kind=job.kind, error=str(lost))

    async def _one_by_one(self, scope: Scope, jobs: list[Job]) -> None:
        """One of them failed the batch: run each on its own, as far as they are still leased."""
        waiting = jobs
        try:
            until = self._clock() + timedelta(seconds=self._settings.lease_s)
            waiting = await self._store.renew(scope, jobs, until=until)
            # All of them: the lease of the last one must not expire while it waits for the first.
            async with self._holding(scope, jobs):
                while waiting:
                    job, *waiting = waiting
                    if not await self._work(scope, [job]) and job.lane:
                        # Later jobs in its lane wait for it.
                        behind = [each for each in waiting if each.lane == job.lane]
                        waiting = [each for each in waiting if each.lane != job.lane]
                        await self._give_back(scope, behind)
        except asyncio.CancelledError:
            await asyncio.shield(self._give_back(scope, waiting))
            raise

    async def _give_back(self, scope: Scope, jobs: list[Job]) -> None:
        for job in jobs:
            try:
                await self._store.apply(scope, [Release(job)])
            except (LeaseLost, StoreUnavailable) as error:
                log.warning("job.not_released", id=job.id, error=str(error))

    @asynccontextmanager
    async def _holding(self, scope: Scope, jobs: list[Job]) -> AsyncIterator[None]:
        """Renew the leases while the work takes place."""
        renewing = asyncio.create_task(self._renew(scope, jobs))
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _renew(self, scope: Scope, jobs: list[Job]) -> None:
        while True:
            await asyncio.sleep(self._settings.lease_s / 3)
            until = self._clock() + timedelta(seconds=self._settings.lease_s)
            try:
                await self._store.renew(scope, jobs, until=until)
            except StoreUnavailable as error:
                # The database may be back before the lease expires.
                log.warning("job.not_renewed", worker=self._name, kind=jobs[0].kind, error=str(error))


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def _end(step: "asyncio.Future[bool]") -> None:
    """Cancel it if it still runs, and wait until it has given its jobs back."""
    if not step.done():
        step.cancel()
        await asyncio.wait({step})
