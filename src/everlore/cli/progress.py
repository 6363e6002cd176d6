"""A bar for work that takes long: on standard error, and only where somebody is looking."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[str, int, int], None]


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


@contextmanager
def telling_bar(*, hidden: bool) -> Iterator[Tell]:
    """Gives what hears what is being done, how much of it is done, and of how much; 0 where that is not known yet."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as progress:
        bar = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total or None)

        yield tell
