"""Runs asynchronous work for frameworks that call from any thread: on the event loop where the Everlore was opened.

Start at `LoreLoop`.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

from everlore.app import Everlore
from everlore.errors import BadAsk
from everlore.sync import Synchronous, parts_of

T = TypeVar("T")


class LoreLoop:
    """`lore` is what `everlore.open` or `everlore.sync.open` gives."""

    def __init__(self, lore: Everlore | Synchronous) -> None:
        if isinstance(lore, Synchronous):
            target, portal = parts_of(lore)
            self.lore, self._loop = cast(Everlore, target), portal.call(asyncio.get_running_loop)
        else:
            self.lore, self._loop = lore, asyncio.get_running_loop()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work, for callers without `await`."""
        if _running_loop() is self._loop:
            work.close()
            raise BadAsk("This would block the event loop that it waits for. Use the method with `await`.")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        if _running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
