"""One background slot per backend: replies come first (V14).

A local server does one thing at a time, so background calls wait while a reply is being generated on the same backend,
and run one after the other in order of arrival. Replies never wait here. A background call that is already running when
a reply begins is not interrupted: it has a time limit.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from everlore.errors import ModelUnavailable


@dataclass(slots=True)
class _Backend:
    replies: int = 0
    busy: bool = False
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    def hand_on(self) -> None:
        """Give the slot, if it is free, to the first one waiting."""
        if self.waiting and not self.replies and not self.busy:
            self.busy = True
            self.waiting.popleft().set_result(None)

    def idle(self) -> bool:
        return not (self.replies or self.busy or self.waiting)


class Slots:
    def __init__(self, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._backends: dict[str, _Backend] = {}
        self._now_s = monotonic_s
        self._turns = 0
        self._last_turn_s = float("-inf")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Surrounds a whole turn, from recall to the last word."""
        self._turns += 1
        try:
            yield
        finally:
            self._turns -= 1
            self._last_turn_s = self._now_s()

    def is_quiet(self, for_s: float) -> bool:
        """Whether no turn is running, and none was in the last seconds."""
        return not self._turns and self._now_s() - self._last_turn_s >= for_s

    @asynccontextmanager
    async def replying(self, backend: str) -> AsyncIterator[None]:
        """Surrounds the generation of a reply."""
        slot = self._slot(backend)
        slot.replies += 1
        try:
            yield
        finally:
            slot.replies -= 1
            self._hand_on(backend)

    @asynccontextmanager
    async def background(self, backend: str, timeout_s: float) -> AsyncIterator[None]:
        """Surrounds a background call; `ModelUnavailable` if its turn does not come within `timeout_s`."""
        slot = self._slot(backend)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        slot.waiting.append(turn)
        slot.hand_on()
        try:
            await self._wait(turn, backend, timeout_s)
            yield
        finally:
            # The turn may come at the moment in which the wait is cancelled.
            if turn.done():
                slot.busy = False
            else:
                slot.waiting.remove(turn)
            self._hand_on(backend)

    async def _wait(self, turn: asyncio.Future[None], backend: str, timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                # Shielded, so that the future is only done when the turn has come.
                await asyncio.shield(turn)
        except TimeoutError:
            raise ModelUnavailable(
                f"Background work found {backend} busy with replies or other work for {timeout_s:g} s, and gave way. "
                "It is tried again later; give it a model server of its own if that happens often."
            ) from None

    def _slot(self, backend: str) -> _Backend:
        return self._backends.setdefault(backend, _Backend())

    def _hand_on(self, backend: str) -> None:
        slot = self._backends[backend]
        slot.hand_on()
        if slot.idle():
            del self._backends[backend]
