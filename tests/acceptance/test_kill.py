"""What was acknowledged survives SIGKILL at any point, and no job takes effect twice (R-1, C5, V12)."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.settings import Settings
from everlore.store.port import Store
from everlore.wiring import now, open_store
from tests.acceptance.victim import SCOPE, worker
from tests.forks import Forked
from tests.soak import SEED, look

ROUNDS = look(8, 80)
VICTIM = Path(__file__).with_name("victim.py")


@dataclass
class Acknowledged:
    kept: set[str] = field(default_factory=set)
    revised: set[str] = field(default_factory=set)
    # Said before a deletion is asked for: from then on it may be there or not, until it is `deleted`.
    deleting: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)

    def take(self, lines: list[str]) -> None:
        for line in lines:
            # The last line may be cut in the middle: then nobody was told. Others are warnings that it is slow.
            what, _, id = line.rstrip("\n").partition(" ")
            if line.endswith("\n") and what in self.__dataclass_fields__:
                getattr(self, what).add(id)


@pytest.mark.soak
async def test_kill_after_kill_loses_nothing_and_doubles_nothing(database: str) -> None:
    told = Acknowledged()
    dice = random.Random(SEED)

    for _ in range(ROUNDS):
        told.take(await asyncio.to_thread(_run_and_kill, database, dice.randrange(1, 60)))
        await _check_what_was_told(database, told)
    await _finish_all_work(database)

    async with _opened(database) as store:
        effects = Counter(tag for event in await _all(store, Event) for tag in event.tags)
        assert len(told.kept) > ROUNDS
        assert told.kept - set(effects) == set()
        assert {id: count for id, count in effects.items() if count > 1} == {}
        assert (await store.coverage(SCOPE, "hashing-64")).share == 1.0


def _run_and_kill(database: str, after: int) -> list[str]:
    """Let a victim work until it has said so many lines; those and what else it got out."""
    with Forked([VICTIM, database], os.environ) as process:
        assert process.stdout.readline() == b"ready -\n"
        lines = list(islice(process.stdout, after))
        process.kill()
        lines += process.stdout.readlines()
        assert process.wait() == -9
        return [line.decode() for line in lines]


async def _check_what_was_told(database: str, told: Acknowledged) -> None:
    async with _opened(database) as store:
        memories = {memory.id: memory for memory in await _all(store, Memory)}
        assert told.kept - told.deleting - set(memories) == set()
        assert told.deleted & set(memories) == set()
        assert {id for id in told.revised if memories[id].revision != 2} == set()
        report = await store.cleanup(SCOPE, dry_run=True, keys_before=now())
        assert (report.orphaned_passages, report.orphaned_vectors, report.memories_without_person) == (0, 0, 0)
        assert (await store.health()).problems == ()


async def _finish_all_work(database: str) -> None:
    """The leases of the killed run out, and whoever comes next takes their jobs up."""
    async with _opened(database) as store:
        last = worker(store, "last")
        while (await store.queue(SCOPE)).pending:
            if not await last.step():
                await asyncio.sleep(0.05)


@asynccontextmanager
async def _opened(database: str) -> AsyncIterator[Store]:
    store = await open_store(Settings(database_url=database))
    try:
        yield store
    finally:
        await store.close()


async def _all(store: Store, kind: type[Any]) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = await store.find(SCOPE, kind, limit=5000, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
