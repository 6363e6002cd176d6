"""Opens and closes Everlore for one command: the only `asyncio.run` of the command line."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.settings import Settings

T = TypeVar("T")
# Options before the command, as in `everlore --db lore.db recall …`: those after the command override them.
_before_the_verb: ContextVar[tuple[str | None, str | None]] = ContextVar("before_the_verb", default=(None, None))


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """The options that every command has."""

    db: str | None
    workspace: str | None
    as_json: bool


def told_before_the_verb(db: str | None, workspace: str | None) -> None:
    _before_the_verb.set((db, workspace))


def with_settings(
    asked: CommandOptions, work: "Callable[[Settings], Coroutine[Any, Any, T]]", *, talking: bool = False
) -> T:
    """`talking`: somebody types in the terminal, where log lines would get in between."""
    from everlore.cli.logs import configure_logs
    from everlore.wiring import read_settings

    db, workspace = _before_the_verb.get()
    settings = read_settings(database_url=asked.db or db, workspace=asked.workspace or workspace)
    level = "error" if talking and settings.log_level != "debug" else settings.log_level
    configure_logs(level, as_json=asked.as_json)
    return asyncio.run(work(settings))


def with_lore(asked: CommandOptions, work: "Callable[[Everlore], Awaitable[T]]") -> T:
    """Opens Everlore, does the work, and closes it.

    Without workers: background jobs wait in the queue for the server or for `everlore worker`, so that the command
    returns at once.
    """

    async def opened_for(settings: "Settings") -> T:
        from everlore.wiring import opened

        async with opened(settings, working=False) as lore:
            return await work(lore)

    return with_settings(asked, opened_for)


@contextmanager
def stop_on_signals() -> Iterator[asyncio.Event]:
    """An event that the first SIGTERM or SIGINT sets. The second one ends the process as usual."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    before: dict[int, Any] = {}

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    def asked_to_stop(*_: object) -> None:
        restore()
        loop.call_soon_threadsafe(stop.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        before[number] = signal.signal(number, asked_to_stop)
    try:
        yield stop
    finally:
        restore()
