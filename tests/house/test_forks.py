"""The processes that need not load Everlore first are like those that do."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import Command, Installed
from tests.forks import Forked


def _told(command: Command) -> list[tuple[int, str, str]]:
    story = (
        ("remember", "Rex barks"),
        ("stats", "--json"),
        ("recall", "Rex"),
        ("recall", "--as-of", "nonsense", "Rex"),
        ("forget", "nobody-knows-this-id", "--json"),
    )
    done = [command(*each) for each in story]
    # Each makes its own id, and measures the file that it lies in.
    return [(each.code, "".join(c for c in each.out if not c.isalnum()), each.err) for each in done]


def test_a_forked_command_answers_as_the_installed_one(tmp_path: Path) -> None:
    assert _told(Command(tmp_path / "forked")) == _told(Installed(tmp_path / "installed"))


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Forked]:
    def start(text: str) -> Forked:
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        return Forked([path, "one", "two"], os.environ | {"GIVEN": "here"})

    return start


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("raise SystemExit(7)", 7), ("raise SystemExit('no')", 1), ("1 / 0", 1), ("import os; os._exit(3)", 3)],
)
def test_it_ends_as_a_process_does(script: Callable[[str], Forked], text: str, code: int) -> None:
    with script(text) as process:
        assert process.wait() == code
        assert (b"ZeroDivisionError" in process.stderr.read()) is ("/" in text)


def test_it_has_its_own_arguments_environment_and_input(script: Callable[[str], Forked]) -> None:
    with script("import os, sys; print(sys.argv[1:], os.environ['GIVEN'], sys.stdin.read(), os.getpid())") as process:
        process.stdin.write(b"said")
        process.stdin.close()
        assert process.stdout.read().decode() == f"['one', 'two'] here said {process.pid}\n"


def test_its_threads_and_what_is_to_be_done_at_the_end_are_waited_for(script: Callable[[str], Forked]) -> None:
    late = "import atexit, threading; atexit.register(print, 'last'); threading.Timer(0.01, print, ['late']).start()"
    with script(late) as process:
        assert process.stdout.read() == b"late\nlast\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_signal_ends_it(script: Callable[[str], Forked], number: signal.Signals) -> None:
    with script("import time; print('up', flush=True); time.sleep(600)") as process:
        assert process.stdout.readline() == b"up\n"
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait() == -number


def test_ctrl_c_is_heard(script: Callable[[str], Forked]) -> None:
    waiting = "import time\ntry:\n  print('up', flush=True); time.sleep(600)\nexcept KeyboardInterrupt: print('heard')"
    with script(waiting) as process:
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"heard\n"
