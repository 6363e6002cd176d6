"""A load balancer without stickiness: each connection goes to the next server, and one that refuses is passed over."""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, Self

from tests.waiting import PATIENCE_S

# A host and a port, or the path of a socket.
Address = tuple[str, int] | str


class Balancer:
    """Passes bytes between clients and servers. `cut` closes what is open, in both directions,
    and `let_in` says whether new connections get further than that."""

    def __init__(self, targets: Sequence[Address]) -> None:
        self.targets = list(targets)
        self.let_in = True
        self.port = 0
        self._next = itertools.count()
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._server: asyncio.Server | None = None

    def cut(self) -> int:
        """How many connections there were."""

        async def cut() -> int:
            open, self._open = self._open, set()
            for writer in open:
                writer.transport.abort()
            return len(open) // 2

        closed: int = self._run(cut())
        return closed

    def __enter__(self) -> Self:
        self._thread.start()

        async def start() -> None:
            self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
            self.port = self._server.sockets[0].getsockname()[1]

        self._run(start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async def stop() -> None:
            if self._server is not None:
                self._server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self._run(stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await self._dialled() if self.let_in else None
            if there is not None:
                await self._pass_on((reader, writer), there)
        except asyncio.CancelledError:
            # The end of the test: the server's callback would report it.
            return
        finally:
            writer.close()

    async def _dialled(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for _ in self.targets:
            target = self.targets[next(self._next) % len(self.targets)]
            with contextlib.suppress(OSError):
                if isinstance(target, str):
                    return await asyncio.open_unix_connection(target)
                return await asyncio.open_connection(*target)
        return None

    async def _pass_on(self, here: Any, there: Any) -> None:
        ours, both = {here[1], there[1]}, list[asyncio.Future[None]]()
        self._open |= ours
        try:
            both = [asyncio.ensure_future(_copied(*each)) for each in ((here[0], there[1]), (there[0], here[1]))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open -= ours
            # If one side has closed its connection, close the other.
            for task in both:
                task.cancel()
            for writer in ours:
                writer.close()


async def _copied(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """All that comes, until one of them ends."""
    with contextlib.suppress(OSError):
        while data := await source.read(2**16):
            sink.write(data)
            await sink.drain()
