"""The real command in real processes: `.venv/bin/everlore`, beside the Python that runs the tests."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERLORE = Path(sys.executable).parent / "everlore"
PATIENCE_S = 30


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
        return Command(self.folder, **given | settings)

    def __call__(self, *args: str, stdin: str | bytes = b"") -> Done:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run([EVERLORE, *args], input=given, capture_output=True, env=self.env, timeout=PATIENCE_S)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ok(self, *args: str, stdin: str | bytes = b"") -> Done:
        done = self(*args, stdin=stdin)
        assert done.code == 0, done
        return done

    @contextmanager
    def started(self, *args: str) -> Iterator["Running"]:
        running = Running([str(EVERLORE), *args], self.env)
        try:
            yield running
        finally:
            running.close()


class Running:
    """A process that goes on: its lines as they come, and its end."""

    def __init__(self, args: list[str], env: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            args,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            # A shell starts what runs in its background deaf to Ctrl-C, and whoever runs the tests there hands that on.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._err: list[bytes] = []
        self._readers = [threading.Thread(target=self._read_lines), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def line(self) -> str:
        """The next line of its standard output."""
        try:
            return self._lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise AssertionError(f"said nothing within {PATIENCE_S} s") from None

    def ends_after(self, number: signal.Signals) -> Done:
        self.process.send_signal(number)
        return self.ends()

    def ends(self) -> Done:
        code = self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        rest = []
        while not self._lines.empty():
            rest.append(self._lines.get_nowait())
        return Done(code, "".join(f"{line}\n" for line in rest), b"".join(self._err).decode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.ends()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\n"))

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


def eventually(claim: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < deadline, f"still not so after {PATIENCE_S} s"
        time.sleep(0.02)
