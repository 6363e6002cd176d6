"""Tests wait for a state, not for seconds: how long at most, on a machine that has other things to do."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE_S = 30


def eventually(claim: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < deadline, f"still not so after {PATIENCE_S} s"
        time.sleep(0.02)


async def until(claim: Callable[[], Awaitable[bool]]) -> float:
    """Wait for a claim to come true; how long it took. Fails when it does not."""
    started = time.monotonic()
    while not await claim():
        assert time.monotonic() - started < PATIENCE_S, f"not true after {PATIENCE_S} s"
        await asyncio.sleep(0.005)
    return time.monotonic() - started
