"""Everlore without `async`, for scripts and notebooks.

    with everlore.sync.open("everlore.db") as lore:
        lore.remember("The user is allergic to peanuts", importance=9)
        found = lore.recall("what can't they eat?")

`lore` has the methods of the `Everlore` that `everlore.open` gives, with the same arguments. They run on an event loop
in a thread of their own, and return when they are done; async iterators become iterators.
"""

import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

import everlore
from everlore.settings import Settings

_END = object()


@contextmanager
def open(
    url: str | Path | None = None, *, workspace: str | None = None, settings: Settings | None = None
) -> "Iterator[Synchronous]":
    """Like `everlore.open`, but without `await`."""
    with start_blocking_portal() as portal:
        opened = everlore.open(url, workspace=workspace, settings=settings)
        with portal.wrap_async_context_manager(opened) as lore:
            yield Synchronous(lore, portal)


class Synchronous:
    """An object whose methods wait for their results: an Everlore, one of its services, or a reply as it is written."""

    def __init__(self, target: object, portal: BlockingPortal) -> None:
        self._target = target
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        # On the thread of the loop, where services are created on first use.
        value = self._portal.call(getattr, self._target, name)
        return self._synchronous_call(value) if callable(value) else self._synchronous(value)

    def __dir__(self) -> list[str]:
        return dir(self._target)

    def __repr__(self) -> str:
        return f"<synchronous {self._target!r}>"

    def _synchronous_call(self, function: Any) -> Any:
        async def awaited(*given: Any, **named: Any) -> Any:
            result = function(*given, **named)
            return await result if inspect.isawaitable(result) else result

        def call(*given: Any, **named: Any) -> Any:
            return self._synchronous(self._portal.call(lambda: awaited(*given, **named)))

        call.__doc__ = function.__doc__
        return call

    def _synchronous(self, value: Any) -> Any:
        if isinstance(value, AsyncIterator):
            return self._iterated(value)
        return Synchronous(value, self._portal) if _has_async_methods(value) else value

    def _iterated(self, items: AsyncIterator[Any]) -> Iterator[Any]:
        """All in one task, which async generators need: they may hold a timeout while they wait."""
        queue: SimpleQueue[Any] = SimpleQueue()

        async def pump() -> None:
            try:
                async for item in items:
                    queue.put(item)
            finally:
                queue.put(_END)

        task = self._portal.start_task_soon(pump)
        try:
            while (item := queue.get()) is not _END:
                yield item
            task.result()
        finally:
            task.cancel()


def parts_of(synchronous: Synchronous) -> tuple[object, BlockingPortal]:
    """The object behind it, and the portal to its event loop."""
    return synchronous._target, synchronous._portal


def _has_async_methods(value: object) -> bool:
    kind = type(value)
    members = [*vars(kind).values(), *getattr(value, "__dict__", {}).values()]
    members += (each for base in kind.__mro__[1:] for each in vars(base).values())
    return any(inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in members)
