"""`Memory`: the verbs of `AsyncMemory` without `await`, on an event loop in a thread of its own.

Start at `Memory`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import update_wrapper
from pathlib import Path
from threading import Thread
from typing import Any

from everlore.compat.mem0.async_memory import WORKSPACE, AsyncMemory
from everlore.compat.mem0.config import settings_of
from everlore.settings import Settings


def _verb(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    def call(self: "Memory", *given: Any, **named: Any) -> Any:
        return self._run(method(self._memory, *given, **named))

    update_wrapper(call, method)
    return call


class Memory:
    """mem0's `Memory`. `close` closes the database, and so does `with`; a program may also end without either."""

    def __init__(
        self, url: str | Path | None = None, *, workspace: str = WORKSPACE, settings: Settings | None = None
    ) -> None:
        self._memory = AsyncMemory(url, workspace=workspace, settings=settings)
        self._loop = asyncio.new_event_loop()
        # A daemon, unlike a blocking portal: the program can end while it is open.
        self._thread = Thread(target=self._loop.run_forever, name="everlore-mem0", daemon=True)
        self._thread.start()

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any], **given: Any) -> "Memory":
        """With the `llm` and the `embedder` of mem0's configuration."""
        return cls(settings=settings_of(config_dict), **given)

    add = _verb(AsyncMemory.add)
    search = _verb(AsyncMemory.search)
    get = _verb(AsyncMemory.get)
    get_all = _verb(AsyncMemory.get_all)
    update = _verb(AsyncMemory.update)
    delete = _verb(AsyncMemory.delete)
    delete_all = _verb(AsyncMemory.delete_all)
    history = _verb(AsyncMemory.history)
    reset = _verb(AsyncMemory.reset)

    def close(self) -> None:
        if self._loop.is_closed():
            return
        self._run(self._memory.close())
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
