"""Live events: what just happened, for its subscribers (mostly WebSockets).

Events are sent and not stored: a listener that was away reads the log. A listener that is too slow is dropped, so that
it neither delays a reply nor fills the memory; it can reconnect and read the log. Events of other processes on the same
database arrive through the relay (`relay.py`) and are sent like those of this one.

Start at `Live`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from everlore.domain.conversation import Conversation, is_pinned
from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.token import Token
from everlore.store.port import Amend, Change, Delete, Finish, Put, Retry
from everlore.turn.news import ACCESS_CHANGED, News
from everlore.turn.relay import Receive, Relay

_MOST_WAITING = 10_000


@dataclass(slots=True)
class Listener:
    workspace: str
    _waiting: "asyncio.Queue[News | None]" = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING + 1))

    def tell(self, news: News) -> bool:
        """Whether the listener still keeps up."""
        if self._waiting.qsize() >= _MOST_WAITING:
            self._waiting.put_nowait(None)
            return False
        self._waiting.put_nowait(news)
        return True

    async def news(self) -> AsyncIterator[News]:
        while (each := await self._waiting.get()) is not None:
            yield each


class Live:
    def __init__(self, connect: Callable[[Receive], Relay] | None = None) -> None:
        """`connect` makes the relay to the other processes; without one, events stay in this process."""
        self._listeners: list[Listener] = []
        self._relay = connect(self._receive) if connect is not None else None
        self._handlers: dict[str, Receive] = {}

    def on(self, type: str, handler: Receive) -> None:
        """Register the handler for requests of other processes."""
        self._handlers[type] = handler

    @asynccontextmanager
    async def subscribed(self, workspace: str) -> AsyncIterator[Listener]:
        """Listens to this process and to the others on the same database."""
        await self.follow(workspace, has_socket=True)
        try:
            with self.listening(workspace) as listener:
                yield listener
        finally:
            self.leave(workspace, has_socket=True)

    async def follow(self, workspace: str, *, has_socket: bool = False) -> None:
        """From the return of this until `leave`, events of other processes in the workspace arrive here."""
        if self._relay is not None:
            await self._relay.follow(workspace, has_socket=has_socket)

    def leave(self, workspace: str, *, has_socket: bool = False) -> None:
        if self._relay is not None:
            self._relay.leave(workspace, has_socket=has_socket)

    async def request(self, scope: Scope, news: News) -> None:
        """Ask the other processes for something."""
        if self._relay is not None:
            await self._relay.request(scope, news)

    async def tidy(self, workspaces: Iterable[str]) -> None:
        """Remove what processes that have died left for others."""
        if self._relay is not None:
            await self._relay.tidy(workspaces)

    async def close(self) -> None:
        """Send what is still queued."""
        if self._relay is not None:
            await self._relay.close()

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
        news = list(news)
        if self._relay is not None:
            self._relay.send(scope.workspace, news)
        self._tell_here(scope.workspace, news)

    def _receive(self, workspace: str, news: News) -> None:
        if handler := self._handlers.get(news.type):
            handler(workspace, news)
        else:
            self._tell_here(workspace, [news])

    def _tell_here(self, workspace: str, news: Sequence[News]) -> None:
        ours = [listener for listener in self._listeners if listener.workspace == workspace]
        for each in news:
            for listener in list(ours):
                if not listener.tell(each):
                    ours.remove(listener)
                    self._listeners.remove(listener)

    def applied(self, scope: Scope, changes: Sequence[Change], results: Sequence[Any]) -> None:
        """Announce changes that a store has applied."""
        self.tell(scope, news_of(changes, results))

    def started(self, scope: Scope, jobs: Sequence[Job]) -> None:
        self.tell(scope, [_of_job("job.started", job) for job in jobs])


def news_of(changes: Sequence[Change], results: Sequence[Any]) -> list[News]:
    return [news for change, result in zip(changes, results, strict=True) for news in _news(change, result)]


def _news(change: Change, result: Any) -> Iterator[News]:
    match change:
        case Amend(kind, id, fields) if kind is Conversation:
            # Only what was applied: a title that somebody else has set stays, and is not announced.
            for name in ("title", "icon"):
                if name in fields and fields[name] == getattr(result, name):
                    yield News(type=f"conversation.{name}", conversation_id=id, id=id, text=fields[name])
            if "state" in fields:
                yield News(type="conversation.state", conversation_id=id, id=id, text=result.state.value)
            if "metadata" in fields:
                pinned = "true" if is_pinned(result) else "false"
                yield News(type="conversation.pinned", conversation_id=id, id=id, text=pinned)
        case Delete(kind, id) if kind is Conversation:
            yield News(type="conversation.deleted", conversation_id=id, id=id, text="true")
        case Put(record=Memory() as memory):
            type = "memory.created" if memory.revision == 1 else "memory.updated"
            yield News(type=type, conversation_id=memory.conversation_id, id=memory.id, record=memory)
        case Delete(kind, id) if kind is Memory:
            yield News(type="memory.deleted", id=id)
        case Amend(kind, id, fields) if kind is Token and "revoked_at" in fields:
            yield News(type=ACCESS_CHANGED, id=id)
        case Delete(kind, id) if kind in (Person, Token):
            yield News(type=ACCESS_CHANGED, id=id)
        case Finish(job):
            yield _of_job("job.finished", job)
        case Retry(job):
            yield _of_job("job.failed", job)


def _of_job(type: str, job: Job) -> News:
    conversation_id = job.payload.get("conversation_id")
    return News(type=type, conversation_id=str(conversation_id) if conversation_id else None, id=job.id, text=job.kind)
