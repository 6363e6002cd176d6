"""Real processes that need not load Everlore first.

Loading it takes a second of a core, and the tests start it a thousand times. So one process for each worker loads it
once, and forks for each command: what runs then is a process of its own, with its own environment, pipes, signals and
end, that has only been spared the imports. What it is to load them is told by the tests that start the installed
command itself.

Start at `Forked` for the tests' side, and at `serve` for the other.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

ROOT = Path(__file__).resolve().parents[1]
EVERLORE = Path(sys.executable).parent / "everlore"
_LENGTH = struct.Struct("!Q")
_NUMBER = struct.Struct("!q")


class Forked:
    """As a `subprocess.Popen` with three pipes. `args` begins with the installed command or with a script."""

    def __init__(self, args: Sequence[str | Path], env: Mapping[str, str]) -> None:
        self.args = [str(each) for each in args]
        self.returncode: int | None = None
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = os.pipe(), os.pipe(), os.pipe()
        self.stdin: BinaryIO = os.fdopen(ours_in, "wb")
        self.stdout: BinaryIO = os.fdopen(ours_out, "rb")
        self.stderr: BinaryIO = os.fdopen(ours_err, "rb")
        self._waiting = threading.Lock()
        self._line = _called()
        asked = json.dumps([self.args, dict(env), str(Path.cwd())]).encode("utf-8", "surrogateescape")
        given = [theirs_in, theirs_out, theirs_err]
        socket.send_fds(self._line, [_LENGTH.pack(len(asked))], given)
        self._line.sendall(asked)
        for each in given:
            os.close(each)
        self.pid: int = _NUMBER.unpack(_exactly(self._line, _NUMBER.size))[0]

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        # One thread may wait while another wants to know whether there is still somebody to kill.
        if not self._waiting.acquire(timeout=-1 if timeout is None else timeout):
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        try:
            if self.returncode is None:
                self.returncode = self._told(timeout)
            return self.returncode
        finally:
            self._waiting.release()

    def _told(self, timeout: float | None) -> int:
        self._line.settimeout(timeout)
        try:
            code: int = _NUMBER.unpack(_exactly(self._line, _NUMBER.size))[0]
        except (TimeoutError, BlockingIOError):
            raise subprocess.TimeoutExpired(self.args, timeout or 0) from None
        self._line.close()
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            # It may have ended since it was looked at.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Ends it, if it still runs."""
        self.kill()
        self.wait()
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _parent() -> socket.socket:
    """The line to the process that forks. It ends when this one does."""
    here, there = socket.socketpair()
    command = [sys.executable, "-m", "tests.forks", str(there.fileno())]
    process = subprocess.Popen(command, pass_fds=[there.fileno()], cwd=ROOT, stdin=subprocess.DEVNULL)
    there.close()

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here


def _called() -> socket.socket:
    """A line of its own for one command."""
    here, there = socket.socketpair()
    with there:
        socket.send_fds(_parent(), [b"!"], [there.fileno()])
    return here


def _exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = line.recv(size - len(data))
        assert more, "the process that forks is gone"
        data += more
    return data


# ── in the process that forks ────────────────────────────────────────────────────────────────────


def serve(calls: socket.socket) -> None:
    """For each call a fork, which minds the command that it forks in turn."""
    load_everything()
    # Whoever is forked shares these pages as long as its garbage collector does not count them.
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nobody waits for those who mind.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Nothing of ours runs in those threads: they are of libraries that see to it themselves.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    while True:
        _, lines, _, _ = socket.recv_fds(calls, 1, 1)
        if not lines:
            return
        if os.fork() == 0:
            calls.close()
            _end(partial(_become, *_minded(socket.socket(fileno=lines[0]))))
        os.close(lines[0])


def load_everything() -> None:
    import benchmarks
    import everlore
    from everlore.cli.main import verbs
    from everlore.models.build import build_tokenizer
    from everlore.models.wordllama import WordLlamaEmbedder
    from everlore.settings import TokenizerSettings

    for package in (everlore, benchmarks):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            # Frameworks take long to load, and no command uses them.
            if not module.name.startswith("everlore.integrations."):
                importlib.import_module(module.name)
    # The vocabulary of the usual tokenizer takes as long as all of them; the tables of the usual embedder and the verbs
    # as long as most commands.
    build_tokenizer(TokenizerSettings()).count("once")
    WordLlamaEmbedder()._load_once()
    verbs()


def _minded(line: socket.socket) -> tuple[Any, ...]:
    """In the process of the command: what it is to be. Whoever minds it tells its id and how it ended, and is done."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    (length, fds, _, _) = socket.recv_fds(line, _LENGTH.size, 3)
    asked = json.loads(_exactly(line, _LENGTH.unpack(length)[0]).decode("utf-8", "surrogateescape"))
    pid = os.fork()
    if pid == 0:
        line.close()
        return (*asked, fds)
    for each in fds:
        os.close(each)
    try:
        line.sendall(_NUMBER.pack(pid))
        _, status = os.waitpid(pid, 0)
        line.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(status)))
    except OSError:
        # Whoever asked is gone, and does not want to know.
        os.kill(pid, signal.SIGKILL)
    os._exit(0)


def _become(args: list[str], env: dict[str, str], folder: str, fds: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for place, fd in enumerate(fds):
        os.dup2(fd, place)
        os.close(fd)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = args
    if Path(args[0]) != EVERLORE:
        runpy.run_path(args[0], run_name="__main__")
        return
    from everlore.cli.main import run

    run()


def _end(work: Callable[[], None]) -> NoReturn:
    """As Python ends by itself, and as `multiprocessing` ends a fork: but for taking every module apart, which takes
    longer than most of what is tested."""
    code: Any = 0
    try:
        work()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
