"""Runs what a page tells its reader to do: saves the files it shows, runs its commands, and compares what they print.

A block that begins with ```` ```python title="bot.py" ```` (or another language) is a file. In a `console` block, `$ `
begins a command, and the lines below it are in its output, in this order; `…` stands for anything.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import EVERLORE, Command

_FENCE = re.compile(r'^ *```(\w+)(?: title="([^"]+)")?\n(.*?)^ *```$', re.DOTALL | re.MULTILINE)
_SERVE = "everlore serve"
_ADDRESS = re.compile(r"(?:localhost|127\.0\.0\.1):8420")
_END = "== end of the command =="


@dataclass(frozen=True)
class Step:
    """A command, and the lines that its output contains."""

    command: str
    promised: tuple[str, ...]


def steps_of(page: str) -> list[Step]:
    steps: list[Step] = []
    for language, _, text in _FENCE.findall(page):
        for line in text.splitlines() if language == "console" else ():
            if line.startswith("$ "):
                steps.append(Step(line.removeprefix("$ "), ()))
            elif line.strip():
                steps[-1] = Step(steps[-1].command, (*steps[-1].promised, line))
    return steps


def files_of(page: str) -> dict[str, str]:
    return {name: text for _, name, text in _FENCE.findall(page) if name}


def follow(page: Path, everlore: Command, folder: Path, *, with_server: bool = False) -> None:
    """In order, in one shell and an empty folder; with a server also if the page starts one."""
    text = page.read_text(encoding="utf-8")
    steps = [each for each in steps_of(text) if each.command != _SERVE]
    assert steps, page
    if not with_server and len(steps) == len(steps_of(text)):
        outputs = _outputs(text, steps, everlore, folder, "127.0.0.1:8420")
    else:
        with everlore.started("serve", "--port", "0") as server:
            outputs = _outputs(text, steps, everlore, folder, server.line().removeprefix("http://"))
    for step, output in zip(steps, outputs, strict=True):
        missing = missing_lines(step.promised, output.splitlines())
        assert not missing, f"{page.name}: {step.command}\ndid not print {missing}, but\n{output}"


def _outputs(text: str, steps: Sequence[Step], everlore: Command, folder: Path, address: str) -> list[str]:
    for name, content in files_of(text).items():
        (folder / name).write_text(_ADDRESS.sub(address, content), encoding="utf-8")
    script = "".join(f"{_ADDRESS.sub(address, each.command)}\nprintf '\\n{_END}\\n'\n" for each in steps)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env=everlore.env | {"PATH": f"{EVERLORE.parent}{os.pathsep}{os.environ['PATH']}"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split(f"\n{_END}\n")[:-1]


def missing_lines(promised: Sequence[str], printed: Sequence[str]) -> list[str]:
    """The first promised line that is not printed after the lines promised before it, or none."""
    left = iter(printed)
    for line in promised:
        pattern = ".*?".join(map(re.escape, line.split("…")))
        if not any(re.fullmatch(pattern, each.rstrip()) for each in left):
            return [line]
    return []
