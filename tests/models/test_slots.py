"""One background slot per backend (V14)."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import ModelUnavailable
from everlore.models.slots import Slots
from tests.soak import look

LONG_S = 60


async def settle() -> None:
    """Lets everybody run until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


class Background:
    """A background call that works until it is told to end."""

    def __init__(self, slots: Slots, backend: str = "ollama", timeout_s: float = LONG_S) -> None:
        self._working = False
        self.enough = asyncio.Event()
        self.task = asyncio.create_task(self._work(slots, backend, timeout_s))

    async def _work(self, slots: Slots, backend: str, timeout_s: float) -> None:
        async with slots.background(backend, timeout_s):
            self._working = True
            await self.enough.wait()
            self._working = False

    def working(self) -> bool:
        return self._working

    async def end(self) -> None:
        self.enough.set()
        await self.task


async def test_background_work_waits_while_a_reply_is_generated() -> None:
    slots = Slots()
    async with slots.replying("ollama"):
        work = Background(slots)
        await settle()
        assert not work.working()

    await settle()

    assert work.working()
    await work.end()


async def test_background_work_waits_for_the_last_of_several_replies() -> None:
    slots = Slots()
    async with slots.replying("ollama"):
        async with slots.replying("ollama"):
            work = Background(slots)
            await settle()
        await settle()
        assert not work.working()

    await settle()

    assert work.working()
    await work.end()


async def test_replies_wait_for_nobody() -> None:
    slots = Slots()
    work = Background(slots)
    await settle()

    async with asyncio.timeout(LONG_S), slots.replying("ollama"), slots.replying("ollama"):
        assert work.working()

    await work.end()


async def test_background_calls_go_one_after_the_other_in_their_order() -> None:
    slots = Slots()
    calls = [Background(slots) for _ in range(3)]

    for at, call in enumerate(calls):
        await settle()
        assert [each.working() for each in calls] == [each == at for each in range(3)]
        await call.end()


async def test_another_backend_is_nobodys_business() -> None:
    slots = Slots()
    async with slots.replying("ollama"):
        work = Background(slots, "lm studio")
        await settle()

        assert work.working()
        await work.end()


async def test_waiting_is_bounded_and_says_what_to_do() -> None:
    slots = Slots()
    async with slots.replying("ollama"):
        with pytest.raises(ModelUnavailable, match=r"found ollama busy.*for 0.01 s.*tried again later"):
            async with slots.background("ollama", 0.01):
                raise AssertionError("its turn must not come")

    async with asyncio.timeout(LONG_S), slots.background("ollama", LONG_S):
        pass


async def test_a_call_that_was_cancelled_while_it_waited_holds_nobody_up() -> None:
    slots = Slots()
    async with slots.replying("ollama"):
        first, second = Background(slots), Background(slots)
        await settle()
        first.task.cancel()
        await settle()

    await settle()

    assert second.working()
    await second.end()


async def test_a_turn_that_comes_in_the_moment_of_giving_up_goes_to_the_next() -> None:
    slots = Slots()
    async with AsyncExitStack() as reply:
        await reply.enter_async_context(slots.replying("ollama"))
        first, second = Background(slots), Background(slots)
        await settle()
        first.task.cancel()  # takes effect only after the slot was handed to it

    await settle()

    assert first.task.cancelled()
    assert second.working()
    await second.end()


async def test_a_failing_call_gives_its_slot_back() -> None:
    slots = Slots()
    with pytest.raises(ZeroDivisionError):
        async with slots.background("ollama", LONG_S):
            raise ZeroDivisionError

    async with asyncio.timeout(LONG_S), slots.background("ollama", LONG_S):
        pass


@settings(max_examples=look(60, 500), deadline=None)
@given(st.lists(st.sampled_from(["reply", "reply ends", "work", "work ends", "cancel"]), max_size=40))
def test_work_never_begins_beside_a_reply_nor_beside_other_work_and_all_of_it_ends(steps: list[str]) -> None:
    asyncio.run(_play(steps))


async def _play(steps: list[str]) -> None:
    slots = Slots()
    replies: list[AsyncExitStack] = []
    works: list[Background] = []
    for step in steps:
        before = {id(work) for work in works if work.working()}
        match step:
            case "reply":
                replies.append(AsyncExitStack())
                await replies[-1].enter_async_context(slots.replying("ollama"))
            case "reply ends" if replies:
                await replies.pop().aclose()
            case "work":
                works.append(Background(slots))
            case "work ends":
                for work in works:
                    if work.working():
                        work.enough.set()
            case "cancel" if works:
                works.pop(len(works) // 2).task.cancel()
        await settle()
        working = [work for work in works if work.working()]
        assert len(working) <= 1
        assert not replies or all(id(work) in before for work in working)

    for reply in replies:
        await reply.aclose()
    for work in works:
        work.enough.set()
    await asyncio.gather(*(work.task for work in works), return_exceptions=True)
    assert not slots._backends


async def test_it_is_quiet_when_the_last_turn_has_been_over_for_a_while() -> None:
    """V14: what can wait, waits for that."""
    time_s = 100.0
    slots = Slots(lambda: time_s)
    assert slots.is_quiet(0.5)

    with slots.turn():
        with slots.turn():
            assert not slots.is_quiet(0)
        assert not slots.is_quiet(0)
    assert slots.is_quiet(0)
    assert not slots.is_quiet(0.5)

    time_s += 0.5
    assert slots.is_quiet(0.5)
