"""Live events: what happened just now, for whoever listens (the WebSocket, mostly).

Told, not kept: a listener that was away reads the log. One that is too slow to keep up is let go, so that
it can neither hold up a reply nor fill the memory; it comes back and reads the log.

Start at `Live`.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from everlore.domain.conversation import Conversation
from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.store.port import Amend, Change, Delete, Finish, Put, Retry

_MOST_WAITING = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """`record` is the message, memory or job that it is about; `text` a piece of a reply, a title, an icon."""

    type: str
    conversation_id: str | None = None
    id: str | None = None
    text: str = ""
    record: Any = None


@dataclass(slots=True)
class Listener:
    workspace: str
    _waiting: "asyncio.Queue[News | None]" = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING + 1))

    def tell(self, news: News) -> bool:
        """Whether it still keeps up."""
        if self._waiting.qsize() >= _MOST_WAITING:
            self._waiting.put_nowait(None)
            return False
        self._waiting.put_nowait(news)
        return True

    async def news(self) -> AsyncIterator[News]:
        while (each := await self._waiting.get()) is not None:
            yield each


class Live:
    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    @contextmanager
    def listening(self, workspace: str) -> Iterator[Listener]:
        listener = Listener(workspace)
        self._listeners.append(listener)
        try:
            yield listener
        finally:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def tell(self, scope: Scope, news: Iterable[News]) -> None:
        ours = [listener for listener in self._listeners if listener.workspace == scope.workspace]
        if not ours:
            return
        for each in news:
            for listener in list(ours):
                if not listener.tell(each):
                    ours.remove(listener)
                    self._listeners.remove(listener)

    def applied(self, scope: Scope, changes: Sequence[Change], results: Sequence[Any]) -> None:
        """Tell of changes that a store has kept."""
        self.tell(scope, news_of(changes, results))

    def started(self, scope: Scope, jobs: Sequence[Job]) -> None:
        self.tell(scope, [_of_job("job.started", job) for job in jobs])


def news_of(changes: Sequence[Change], results: Sequence[Any]) -> list[News]:
    return [news for change, result in zip(changes, results, strict=True) for news in _news(change, result)]


def _news(change: Change, result: Any) -> Iterator[News]:
    match change:
        case Amend(kind, id, fields) if kind is Conversation:
            # Only what was really taken over: a title that somebody else set stays, and is no news.
            for name in ("title", "icon"):
                if name in fields and fields[name] == getattr(result, name):
                    yield News(type=f"conversation.{name}", conversation_id=id, id=id, text=fields[name])
        case Put(record=Memory() as memory):
            type = "memory.created" if memory.revision == 1 else "memory.updated"
            yield News(type=type, conversation_id=memory.conversation_id, id=memory.id, record=memory)
        case Delete(kind, id) if kind is Memory:
            yield News(type="memory.deleted", id=id)
        case Finish(job):
            yield _of_job("job.finished", job)
        case Retry(job):
            yield _of_job("job.failed", job)


def _of_job(type: str, job: Job) -> News:
    conversation_id = job.payload.get("conversation_id")
    return News(type=type, conversation_id=str(conversation_id) if conversation_id else None, id=job.id, record=job)
