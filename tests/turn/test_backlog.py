"""What nobody waits for is written in order, and lost only where there is nowhere to write it."""

import asyncio
from functools import partial

from structlog.testing import capture_logs

from everlore.turn.backlog import Backlog


async def test_it_is_written_in_the_order_in_which_it_came() -> None:
    backlog, done = Backlog(), list[int]()

    async def write(number: int) -> None:
        await asyncio.sleep(0)
        done.append(number)

    for number in range(20):
        backlog.add(partial(write, number))
    await backlog.settle()

    assert done == list(range(20))


async def test_one_that_fails_holds_up_no_other() -> None:
    backlog, done = Backlog(), list[int]()

    async def write(number: int) -> None:
        if number == 1:
            raise RuntimeError("no")
        done.append(number)

    for number in range(3):
        backlog.add(partial(write, number))
    await backlog.settle()

    assert done == [0, 2]


async def test_what_comes_while_it_settles_is_written_as_well() -> None:
    backlog, done = Backlog(), list[int]()

    async def write(number: int) -> None:
        done.append(number)
        if number < 5:
            backlog.add(partial(write, number + 1))

    backlog.add(partial(write, 0))
    await backlog.settle()

    assert done == [0, 1, 2, 3, 4, 5]


async def test_a_thread_brings_its_work_home() -> None:
    backlog, loops = Backlog(), set[asyncio.AbstractEventLoop]()
    backlog.at_home()

    async def write() -> None:
        loops.add(asyncio.get_running_loop())

    await asyncio.to_thread(backlog.add, write)
    await backlog.settle()

    assert loops == {asyncio.get_running_loop()}


def test_without_any_loop_it_is_lost_and_said_and_nothing_breaks() -> None:
    async def write() -> None:
        raise AssertionError("nobody can write this")

    with capture_logs() as said:
        Backlog().add(write)

    assert [each["event"] for each in said] == ["capture.lost"]
