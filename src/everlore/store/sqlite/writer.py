"""The one writer: a thread that takes all waiting writes and commits them together.

Each write runs in a savepoint of its own, so that a failed one does not affect the others. A write is reported as
successful only when the common commit is on disk. Sharing one `fsync` makes many writers fast and still durable.
"""

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from everlore.errors import StoreUnavailable
from everlore.store.sqlite.connection import connect, translated

T = TypeVar("T")
_MOST_TOGETHER = 64


@dataclass(slots=True)
class _Write:
    """`work` is None to only empty the log, after all earlier writes."""

    work: Callable[[sqlite3.Connection], Any] | None
    future: "Future[Any]"
    result: Any = None


class Writer:
    def __init__(self, path: Path, busy_timeout_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._connection = connect(path, busy_timeout_s)
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._loop, name="everlore-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> "Future[T]":
        if self._closed:
            raise StoreUnavailable("The store is closed. Open it again before writing.")
        future: Future[T] = Future()
        self._waiting.put(_Write(work, future))
        return future

    def wipe(self) -> "Future[None]":
        """Empty the log if nobody is reading from it at the moment; otherwise the next call does."""
        future: Future[None] = Future()
        if self._closed:
            future.set_result(None)
        else:
            self._waiting.put(_Write(None, future))
        return future

    def close(self) -> None:
        """Finish the waiting writes, then stop."""
        if not self._closed:
            self._closed = True
            self._waiting.put(None)
            self._thread.join()
            self._connection.close()

    def _loop(self) -> None:
        while True:
            taken, last = self._take()
            writes = [each for each in taken if each.work is not None]
            if writes:
                self._commit(writes)
            if len(writes) < len(taken):
                self._empty_log([each for each in taken if each.work is None])
            if last:
                return

    def _take(self) -> tuple[list[_Write], bool]:
        writes: list[_Write] = []
        write = self._waiting.get()
        while write is not None:
            writes.append(write)
            if len(writes) == _MOST_TOGETHER or self._waiting.empty():
                return writes, False
            write = self._waiting.get()
        return writes, True

    def _empty_log(self, asked: list[_Write]) -> None:
        # Do not wait for readers: the log is emptied on close at the latest.
        with suppress(sqlite3.DatabaseError):
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with suppress(sqlite3.DatabaseError):
            self._connection.execute(f"PRAGMA busy_timeout = {round(self._busy_timeout_s * 1000)}")
        for each in asked:
            if each.future.set_running_or_notify_cancel():
                each.future.set_result(None)

    def _commit(self, writes: list[_Write]) -> None:
        try:
            with translated(self._path):
                self._connection.execute("BEGIN IMMEDIATE")
                done = [write for write in writes if self._run(write)]
                self._connection.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            for write in writes:
                if not write.future.done():
                    write.future.set_exception(error)
            return
        for write in done:
            write.future.set_result(write.result)

    def _run(self, write: _Write) -> bool:
        """Run one write in its savepoint. False if it failed and its caller was informed."""
        if not write.future.set_running_or_notify_cancel():
            return False
        self._connection.execute("SAVEPOINT one")
        try:
            assert write.work is not None
            with translated(self._path):
                write.result = write.work(self._connection)
        except Exception as error:
            # A full disk ends the whole transaction, including the savepoint.
            if not self._connection.in_transaction:
                raise
            self._connection.execute("ROLLBACK TO one")
            self._connection.execute("RELEASE one")
            write.future.set_exception(error)
            return False
        self._connection.execute("RELEASE one")
        return True

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
