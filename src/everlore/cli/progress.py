"""A progress bar for long work: on standard error, and only at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[str, int, int], None]


@contextmanager
def progress_bar(what: str, total: int, *, hidden: bool) -> Iterator[Callable[[], None]]:
    """Yields the function to call after each step."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)
        yield lambda: progress.advance(bar)


@contextmanager
def telling_bar(*, hidden: bool) -> Iterator[Tell]:
    """Yields the function that takes the current step, how much of it is done, and its total; 0 if that is unknown."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as progress:
        bar = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total or None)

        yield tell
