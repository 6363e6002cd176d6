"""What the worker's stories are told with: a store in memory, handlers that follow a script, a clock that obeys."""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.settings import QueueSettings
from everlore.store.port import Change, Enqueue, Put, Store
from everlore.turn.live import Live
from everlore.worker import Handler, Worker
from tests.contract.builders import SCOPE, START, job, memory
from tests.store_double.store import DoubleStore


class FakeClock:
    """Stands still until it is told to move."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def real_clock() -> datetime:
    return datetime.now(UTC)


@dataclass
class Script:
    """A handler that notes what it was given and leaves one memory per job, unless `does` says otherwise."""

    does: Callable[[Sequence[Job]], Awaitable[list[Change] | None]] | None = None
    seen: list[list[str]] = field(default_factory=list)
    workspaces: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, jobs: Sequence[Job], _now: datetime, /) -> list[Change]:
        self.seen.append([each.id for each in jobs])
        self.workspaces.append(scope.workspace)
        changes = await self.does(jobs) if self.does is not None else None
        return outcomes(jobs, scope) if changes is None else changes


def outcomes(jobs: Sequence[Job], scope: Scope = SCOPE, *, by: str = "") -> list[Change]:
    """One memory per job, of the same id."""
    return [Put(memory(f"{each.id}{by}", workspace=scope.workspace)) for each in jobs]


class Crew:
    """A store with a queue, and as many workers as a story needs."""

    def __init__(self, store: Store | None = None, clock: Callable[[], datetime] | None = None) -> None:
        self.fake = FakeClock()
        self.clock = clock or self.fake
        self.store: Store = store or DoubleStore(clock=self.clock)
        self.live = Live()

    def worker(
        self,
        does: Handler | Mapping[str, Handler],
        *,
        name: str = "w",
        unhurried: frozenset[str] = frozenset(),
        together: frozenset[str] = frozenset(),
        is_quiet: Callable[[], bool] = lambda: True,
        **settings: Any,
    ) -> Worker:
        handlers = does if isinstance(does, Mapping) else {"work": does}
        return Worker(
            self.store,
            handlers,
            QueueSettings(**settings),
            name=name,
            clock=self.clock,
            dice=random.Random(7),
            live=self.live,
            unhurried=unhurried,
            together=together,
            is_quiet=is_quiet,
        )

    async def asks_for(self, *ids: str, scope: Scope = SCOPE, **fields: Any) -> None:
        now = self.clock()
        known = {"workspace": scope.workspace, "run_at": now, "created_at": now}
        await self.store.apply(scope, [Enqueue(job(id, **{**known, **fields})) for id in ids])

    async def jobs(self, scope: Scope = SCOPE) -> dict[str, Job]:
        """What is left in the queue; the vectors that new memories ask for are not part of the story."""
        return {each.id: each for each in (await self.store.jobs(scope)).items if each.kind != "embed"}

    async def job(self, id: str = "j") -> Job:
        return (await self.jobs())[id]

    async def states(self) -> dict[str, JobState]:
        return {id: each.state for id, each in (await self.jobs()).items()}

    async def done(self, scope: Scope = SCOPE) -> set[str]:
        """The ids of what the jobs came to."""
        return {each.id for each in (await self.store.find(scope, Memory, limit=1000)).items}
