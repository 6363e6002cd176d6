"""The real command in a real terminal: what somebody sees and types."""

import codecs
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.process import EVERLORE, Command
from tests.waiting import PATIENCE_S, eventually

CTRL_C = "\x03"
CTRL_D = "\x04"
# Longer than a thread waits for its turn among the others before it looks again.
_MOMENT_S = 0.05


class Terminal:
    """`sees` waits for a text behind all that was seen before."""

    def __init__(self, cli: Command, *args: str) -> None:
        self._here, there = pty.openpty()
        self._unseen = ""
        # A character may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.screen = ""
        self._process = subprocess.Popen(
            [EVERLORE, *args],
            stdin=there,
            stdout=there,
            stderr=there,
            env=cli.env | {"TERM": "dumb", "COLUMNS": "200"},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(there)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(PATIENCE_S)
        os.close(self._here)

    def types(self, text: str) -> None:
        os.write(self._here, text.encode())

    def presses(self, key: str) -> None:
        """A key that ends or stops something, once the command waits for one.

        Nobody's fingers are faster than that; tests are. A signal that comes between the last character and the
        waiting for the next one is only heard after that one.
        """
        eventually(lambda: _sleeps(self._process.pid))
        self.types(key)

    def says(self, line: str) -> None:
        self.types(f"{line}\n")

    def sees(self, text: str) -> str:
        """What came up to and with the text."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self._unseen:
            assert time.monotonic() < deadline, f"{text!r} never came; the screen: {self.screen!r}"
            assert self._read(), f"{text!r} never came before the end; the screen: {self.screen!r}"
        before, _, self._unseen = self._unseen.partition(text)
        return before + text

    def ends(self) -> int:
        """Wait for the end; the exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE_S)

    @property
    def echoes(self) -> bool:
        """Whether the terminal shows what is typed, as it does for a shell."""
        return bool(termios.tcgetattr(self._here)[3] & termios.ECHO)

    def _read(self) -> bool:
        """Whether there is, or may be, more to come."""
        ready, _, _ = select.select([self._here], [], [], PATIENCE_S)
        assert ready, f"nothing came within {PATIENCE_S} s; the screen: {self.screen!r}"
        try:
            data = os.read(self._here, 65_536)
        except OSError:
            return False  # the other end is closed
        text = self._decoder.decode(data)
        self.screen += text
        self._unseen += text
        return bool(data)


def _sleeps(pid: int) -> bool:
    """Whether the main thread sleeps until something comes, and not for a moment between two steps of its own."""
    before = _state(pid)
    time.sleep(_MOMENT_S)
    return before[0] == "S" and before == _state(pid)


def _state(pid: int) -> tuple[str, str]:
    """Of the main thread: what it does, and how often it has gone to sleep."""
    lines = Path(f"/proc/{pid}/task/{pid}/status").read_text().splitlines()
    told = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return told["State"][0], told["voluntary_ctxt_switches"]


def _take_terminal() -> None:
    # Ours alone: Ctrl-C on it is heard by the command, and not by the tests.
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
