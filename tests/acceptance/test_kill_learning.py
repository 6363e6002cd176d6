"""A process that is killed while it learns learns nothing twice, and forgets nothing (M16, K6, C5, R-1)."""

import asyncio
import os
import random
import threading
from collections import Counter
from pathlib import Path
from typing import TypeVar

import pytest

from everlore.app import Everlore
from everlore.domain.job import JobState
from everlore.domain.memory import Memory
from everlore.domain.reading import Reading
from everlore.settings import QueueSettings, Settings
from everlore.wiring import migrate, opened
from tests.acceptance.learner import settings
from tests.forks import Forked
from tests.soak import SEED, look

R = TypeVar("R", Memory, Reading)
LEARNER = Path(__file__).with_name("learner.py")
TOWNS = ["Oslo", "Lima", "Cairo", "Perth", "Quito", "Turin", "Kyoto", "Dakar", "Malmo", "Porto"]
KILLS = look(4, 24)


@pytest.mark.soak
async def test_kills_in_the_middle_of_learning_add_nothing(database: str) -> None:
    if database.startswith("postgres"):
        await migrate(settings(database))
    said = await _say_it(database)
    dice = random.Random(SEED)

    for _ in range(KILLS):
        await asyncio.to_thread(_run_and_kill, database, dice.uniform(0.0, 0.25))
    await asyncio.to_thread(_run_to_the_end, database)
    # On a slow machine one job may have been at work at each of several kills: it was put aside, and is not lost.
    if await _taken_up_again(database):
        await asyncio.to_thread(_run_to_the_end, database)

    async with opened(_idle(database), working=False) as lore:
        learnt = Counter(each.content for each in await _all(lore, Memory))
        read = Counter(each.message_id for each in await _all(lore, Reading))
    assert {content: count for content, count in learnt.items() if count > 1} == {}
    assert {f"User has a friend named Friend{town}" for town in TOWNS} <= set(learnt)
    assert set(read.values()) == {1}
    assert len(read) == said


async def _say_it(database: str) -> int:
    """Messages with a fact each, some of them said twice."""
    async with opened(_idle(database), working=False) as lore:
        nova = await lore.characters.create(name="Nova")
        talk = await lore.conversations.start(nova, config={"auto_title": False})
        lines = [f"My friend Friend{town} lives in {town}." for town in TOWNS]
        for line in [*lines, *lines[:5]]:
            await lore.turns.note(talk.id, line)
    return len(TOWNS) + 5


def _idle(database: str) -> Settings:
    return settings(database).model_copy(update={"queue": QueueSettings(workers=0, quiet_s=0)})


def _run_and_kill(database: str, after_s: float) -> None:
    with Forked([LEARNER, database], os.environ) as process:
        assert process.stdout.readline() == b"ready\n"
        killer = threading.Timer(after_s, process.kill)
        killer.start()
        process.stdout.readlines()
        process.wait()
        killer.cancel()


def _run_to_the_end(database: str) -> None:
    with Forked([LEARNER, database], os.environ) as process:
        assert process.stdout.read() == b"ready\ndone\n"
        assert process.wait() == 0


async def _taken_up_again(database: str) -> int:
    async with opened(_idle(database), working=False) as lore:
        given_up = (await lore.jobs(JobState.DEAD)).items
        for job in given_up:
            assert "vanished" in job.error
            await lore.retry(job.id)
    return len(given_up)


async def _all(lore: Everlore, kind: type[R]) -> list[R]:
    page = await lore.store.find(lore.scope, kind, limit=1000)
    return list(page.items)
