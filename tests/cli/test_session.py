"""Ctrl-C ends a command, whatever the libraries below make of it."""

import asyncio

import pytest

from everlore.cli import session


async def test_a_lost_cancellation_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_CANCEL_AGAIN_S", 0.01)
    heard = 0

    async def hard_of_hearing() -> None:
        nonlocal heard
        while heard < 3:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                heard += 1

    command = asyncio.create_task(session._interruptible(hard_of_hearing()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    command.cancel()

    with pytest.raises(asyncio.CancelledError):
        await command
    assert heard == 3


async def test_what_a_command_raises_comes_through() -> None:
    async def fails() -> None:
        raise ValueError("as it was")

    with pytest.raises(ValueError, match="as it was"):
        await session._interruptible(fails())
