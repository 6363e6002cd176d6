"""Reads lines from the terminal while the chat runs in an event loop of its own.

The keyboard belongs to the main thread: only there does Ctrl-C interrupt `input`, so that half a line can be discarded.
The loop runs in another thread, with the workers in it, and asks for a line when it needs one.

Ctrl-C on an empty line ends the chat, as Ctrl-D does. While no line is read, the first Ctrl-C notifies the chat, and a
second one ends the process as usual.

Start at `with_keyboard`.
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from everlore.cli.output import write
from everlore.cli.session import CommandOptions, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.settings import Settings

T = TypeVar("T")


class Keyboard:
    """`line` and `interrupted` are for the loop; the rest runs in the main thread."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty()
        # For a pipe only: at a terminal, Ctrl-C is normal input.
        self.was_interrupted = False
        self._asked: SimpleQueue[tuple[str, Future[str | None]] | None] = SimpleQueue()
        self._interrupt = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_reading = False
        self._is_half = False

    async def line(self, prompt: str) -> str | None:
        """The next line, without its end; None at the end of input."""
        if self.was_interrupted:
            return None
        self._loop = asyncio.get_running_loop()
        self._interrupt.clear()
        answer: Future[str | None] = Future()
        self._asked.put((prompt, answer))
        return await asyncio.wrap_future(answer)

    async def interrupted(self) -> None:
        """Waits for a Ctrl-C while no line is read."""
        await self._interrupt.wait()

    def serve(self) -> None:
        """Read lines on request, until `leave`."""
        with self._hearing():
            while (asked := self._asked.get()) is not None:
                prompt, answer = asked
                try:
                    line = self._read(prompt)
                except BadAsk as error:
                    answer.set_exception(error)
                    continue
                if line is None:
                    self._loop = None
                answer.set_result(line)

    def leave(self) -> None:
        self._asked.put(None)

    def _read(self, prompt: str) -> str | None:
        while True:
            try:
                self._is_reading = True
                return input(prompt) if self.is_terminal else _piped()
            except EOFError:
                return None
            except UnicodeDecodeError as error:
                raise BadAsk(f"Standard input is not UTF-8 (byte {error.start}). Convert it first.") from None
            except KeyboardInterrupt:
                self.was_interrupted = not self.is_terminal
                if not self._is_half:
                    return None
                write("\n")
            finally:
                self._is_reading = False

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        if self.is_terminal:
            _edit_lines()
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(encoding="utf-8", errors="replace" if self.is_terminal else "strict")
        before = signal.signal(signal.SIGINT, self._hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _hear(self, *_: object) -> None:
        if self._is_reading:
            self._is_half = self.is_terminal and bool(_typed())
            raise KeyboardInterrupt
        if self._loop is None or self._interrupt.is_set():
            raise KeyboardInterrupt
        self.was_interrupted = not self.is_terminal
        self._loop.call_soon_threadsafe(self._interrupt.set)


def with_keyboard(asked: CommandOptions, work: "Callable[[Settings, Keyboard], Coroutine[Any, Any, T]]") -> T:
    """Run the work in a loop in another thread, and the keyboard in this one."""
    keyboard = Keyboard()
    done: Future[T] = Future()

    def run() -> None:
        try:
            result = with_settings(asked, lambda settings: work(settings, keyboard), talking=keyboard.is_terminal)
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(result)
        keyboard.leave()

    # A daemon thread: a second Ctrl-C ends the process without waiting for it.
    threading.Thread(target=run, name="chat", daemon=True).start()
    keyboard.serve()
    result = done.result()
    if keyboard.was_interrupted:
        raise KeyboardInterrupt
    return result


def _piped() -> str | None:
    # Not `input`: it would flush standard output in this thread.
    line = sys.stdin.readline() if sys.stdin is not None else ""
    return line.removesuffix("\n") if line else None


def _edit_lines() -> None:
    """Enables arrow keys and a history, if the platform has them."""
    try:
        import readline  # noqa: F401 - `input` uses it once it is there
    except ImportError:
        return


def _typed() -> str:
    """The text on the line that is being typed."""
    readline = sys.modules.get("readline")
    return readline.get_line_buffer() if readline is not None else ""
