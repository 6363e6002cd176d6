"""A bar for work that takes long: on standard error, and only where somebody is looking."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(what: str, total: int, *, hidden: bool) -> Iterator[Callable[[], None]]:
    """Gives what is to be called after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)
        yield lambda: progress.advance(bar)
