"""The real command in real processes: forks that have been spared the imports, or the installed one."""

import json
import os
import queue
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.forks import EVERLORE, ROOT, Forked
from tests.waiting import PATIENCE_S

__all__ = ["EVERLORE", "Command", "Done", "Installed", "Running", "SilentServer", "installed"]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error of a verb with --json: the only line on standard error."""
        error: dict[str, str] = json.loads(self.err)["error"]
        return error


class Command:
    """`everlore` with a data folder of its own and nothing else from the environment of the tests."""

    # Whether it is `.venv/bin/everlore`, which loads what it needs by itself.
    is_installed = False
    program: Path = EVERLORE

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        clean = {name: value for name, value in os.environ.items() if not name.startswith("EVERLORE_")}
        # Nobody's model server or key is used, whatever runs on the machine of the tests.
        self.env = clean | {"EVERLORE_DATA_DIR": str(folder), "EVERLORE_CHAT__PROVIDER": "voice"} | settings

    @property
    def database(self) -> Path:
        return self.folder / "everlore.db"

    def having(self, **settings: str) -> "Command":
        given = {name: value for name, value in self.env.items() if name.startswith("EVERLORE_")}
        return type(self)(self.folder, **given | settings)

    def __call__(self, *args: str, stdin: str | bytes = b"") -> Done:
        running = self._start(*args, stdin=stdin.encode() if isinstance(stdin, str) else stdin)
        try:
            return running.ends()
        finally:
            running.close()

    def ok(self, *args: str, stdin: str | bytes = b"") -> Done:
        done = self(*args, stdin=stdin)
        assert done.code == 0, done
        return done

    @contextmanager
    def started(self, *args: str) -> Iterator["Running"]:
        running = self._start(*args)
        try:
            yield running
        finally:
            running.close()

    def _start(self, *args: str, stdin: bytes = b"") -> "Running":
        command = [str(self.program), *args]
        start = installed if self.is_installed else Forked
        return Running(start(command, self.env), stdin)


class Installed(Command):
    is_installed = True


class RecallBenchmark(Command):
    program = ROOT / "benchmarks" / "recall" / "__main__.py"


class ExtractBenchmark(Command):
    program = ROOT / "benchmarks" / "extract" / "__main__.py"


class EntitiesBenchmark(Command):
    program = ROOT / "benchmarks" / "entities" / "__main__.py"


def installed(args: Sequence[str], env: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Any program, by itself."""
    return subprocess.Popen(
        args,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(env),
        # A shell starts what runs in its background deaf to Ctrl-C, and whoever runs the tests there hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


class Running:
    """A process that goes on: its output as it comes, line by line if one likes, and its end."""

    def __init__(self, process: "Forked | subprocess.Popen[bytes]", stdin: bytes = b"") -> None:
        self.process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._err: list[bytes] = []
        work = (partial(self._write, stdin), self._read_lines, self._read_errors)
        self._pipers = [threading.Thread(target=each) for each in work]
        for piper in self._pipers:
            piper.start()

    def line(self) -> str:
        """The next line of its standard output."""
        try:
            return self._lines.get(timeout=PATIENCE_S).decode().rstrip("\n")
        except queue.Empty:
            raise AssertionError(f"said nothing within {PATIENCE_S} s") from None

    def ends_after(self, number: signal.Signals) -> Done:
        self.process.send_signal(number)
        return self.ends()

    def ends(self) -> Done:
        code = self.process.wait(PATIENCE_S)
        for piper in self._pipers:
            piper.join(PATIENCE_S)
        rest = []
        while not self._lines.empty():
            rest.append(self._lines.get_nowait())
        return Done(code, b"".join(rest).decode(), b"".join(self._err).decode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.ends()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        # It may end without reading all.
        with suppress(BrokenPipeError), self.process.stdin as stdin:
            stdin.write(data)

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._err.append(self.process.stderr.read())


class SilentServer(ExitStack):
    """An embedding server that takes requests and never answers them."""

    def __init__(self) -> None:
        super().__init__()
        self._listener = self.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._listener.settimeout(PATIENCE_S)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def is_asked(self) -> None:
        """Wait until somebody asks."""
        connection, _ = self._listener.accept()
        self.enter_context(connection)
