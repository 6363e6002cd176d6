"""What was captured where nobody can wait for it: by plain functions, in threads, on the way out of an error (C2).

One for all callers of a process, so that whoever closes the store can let it be written first. In the order in which it
came, many at a time where many came; what cannot be written is logged, and never raised: capturing must not break the
tool. Start at `Backlog.add`.
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
        """The loop that runs now is the one that the store lives on: threads bring their work there."""
        self._loop = running_loop() or self._loop

    def is_home(self) -> bool:
        """Whether the store can be spoken to from here, and not from another loop than its own."""
        return self._loop is None or self._loop is running_loop() or self._loop.is_closed()

    def add(self, work: Work) -> None:
        """From wherever: what is added is written soon, or with `settle`."""
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
        """Until nothing waits."""
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
            except Exception as error:  # the outermost edge of a capture that nobody waits for
                log.warning("capture.failed", error=str(error), type=type(error).__name__)

    def _rest(self, _: "asyncio.Task[None]") -> None:
        self._writing = None
        # Something may have come after the last look.
        self._wake()


def running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
