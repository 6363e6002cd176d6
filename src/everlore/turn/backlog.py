"""Events that were captured where nobody can wait: by plain functions, in threads, while an error propagates (C2).

All callers of a process share one backlog, so that it can be written before the store is closed. Events are written in
order and in batches; what cannot be written is logged and never raised: capturing must not break the tool. Start at
`Backlog.add`.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

import structlog

log = structlog.get_logger(__name__)

Work = Callable[[], Awaitable[None]]


class Backlog:
    def __init__(self) -> None:
        self._waiting: deque[Work] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def at_home(self) -> None:
        """Use the running event loop as the one that the store belongs to: threads send their work there."""
        self._loop = running_loop() or self._loop

    def is_home(self) -> bool:
        """Whether the running event loop is the one of the store."""
        return self._loop is None or self._loop is running_loop() or self._loop.is_closed()

    def add(self, work: Work) -> None:
        """Callable from any thread: what is added is written soon, or by `settle`."""
        here = running_loop()
        home = self._loop or here
        if home is None or home.is_closed():
            log.warning("capture.lost", error="There is no event loop on which it could be written.")
            return
        self._waiting.append(work)
        if home is here:
            self._wake()
        else:
            home.call_soon_threadsafe(self._wake)

    async def settle(self) -> None:
        """Wait until everything is written."""
        while self._waiting or self._writing is not None:
            self._wake()
            if self._writing is not None:
                await asyncio.wait([self._writing])

    def _wake(self) -> None:
        if self._waiting and self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write())
            self._writing.add_done_callback(self._rest)

    async def _write(self) -> None:
        while self._waiting:
            work = self._waiting.popleft()
            try:
                await work()
            except Exception as error:  # nobody waits for this capture
                log.warning("capture.failed", error=str(error), type=type(error).__name__)

    def _rest(self, _: "asyncio.Task[None]") -> None:
        self._writing = None
        # Something may have been added after the last check.
        self._wake()


def running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
