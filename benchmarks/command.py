"""A benchmark as a program of its own, with the options, errors and exit codes of the command line."""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import typer

from everlore.cli.main import answer
from everlore.cli.output import speak_utf8


def run(benchmark: Callable[..., None]) -> None:
    """The entry point of `python -m benchmarks.NAME`."""
    speak_utf8()
    sys.exit(measure(benchmark, sys.argv[1:]))


def measure(benchmark: Callable[..., None], args: Sequence[str]) -> int:
    """Run the benchmark with these arguments; its exit code."""
    return answer(args, lambda: parser_of(benchmark), f"python -m benchmarks.{benchmark.__name__}")


@cache
def parser_of(benchmark: Callable[..., None]) -> Any:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(benchmark)
    return typer.main.get_command(app)
