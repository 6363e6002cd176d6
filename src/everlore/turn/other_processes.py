"""Replies that another process on the same database is writing: found, followed, and ended (V2, V12).

That process saves the reply about once a second, and a follower reads what was saved. Start at `Elsewhere.follow`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from everlore.domain.conversation import Message, MessageState
from everlore.domain.scope import Scope
from everlore.errors import NotFound, StoreUnavailable
from everlore.store.port import Store
from everlore.turn import replies
from everlore.turn.reply_writer import Writing

log = structlog.get_logger(__name__)

_LOOK_S = 0.1
# How long a process has to stop a reply on request. After that the reply is taken over.
_STOPPING_S = 5.0

Mend = Callable[[Scope, Sequence[Message]], Awaitable[list[Message]]]


class Elsewhere:
    def __init__(self, store: Store, clock: Callable[[], datetime], mend: Mend) -> None:
        """`mend` marks replies whose writer is gone."""
        self._store = store
        self._clock = clock
        self._mend = mend
        self._following: dict[tuple[str, str], tuple[Writing, asyncio.Task[None]]] = {}

    async def find(self, scope: Scope, conversation_id: str) -> Message | None:
        where = {"conversation_id": conversation_id, "state": MessageState.STREAMING.value}
        page = await self._store.find(scope, Message, where, limit=10)
        found = await self._mend(scope, page.items)
        return next((each for each in found if each.state is MessageState.STREAMING), None)

    async def follow(self, scope: Scope, conversation_id: str) -> Writing | None:
        """The reply as it grows, from its first word."""
        message = await self.find(scope, conversation_id)
        if message is None:
            return None
        place = (scope.workspace, message.id)
        if place not in self._following:
            writing = Writing(replace(message, content=""))
            task = asyncio.create_task(self._watch(scope, message, writing))
            self._following[place] = writing, task
            task.add_done_callback(lambda _: self._following.pop(place, None))
        return self._following[place][0]

    async def _watch(self, scope: Scope, message: Message, writing: Writing) -> None:
        try:
            while message.state is MessageState.STREAMING:
                _grow(writing, message)
                await asyncio.sleep(_LOOK_S)
                (message,) = await self._mend(scope, [await self._store.get(scope, Message, message.id)])
            _grow(writing, message)
        except NotFound:
            log.info("turn.deleted", conversation=message.conversation_id)
        except StoreUnavailable as error:
            log.warning("turn.not_followed", conversation=message.conversation_id, error=str(error))
        finally:
            writing.end()
            writing.finish(message)

    async def wait_or_take_over(self, scope: Scope, message: Message) -> Message | None:
        """The reply when its process has ended it; None if it was deleted."""
        deadline = asyncio.get_running_loop().time() + _STOPPING_S
        try:
            while message.state is MessageState.STREAMING:
                if asyncio.get_running_loop().time() > deadline:
                    stopped = replies.stopped(message, message.content, self._clock())
                    change = replies.kept_if(stopped, {"metadata": message.metadata})
                    (message,) = await self._store.apply(scope, [change])
                    log.warning("turn.taken_over", conversation=message.conversation_id, message=message.id)
                    return message
                await asyncio.sleep(_LOOK_S)
                (message,) = await self._mend(scope, [await self._store.get(scope, Message, message.id)])
        except NotFound:
            return None
        return message

    async def close(self) -> None:
        tasks = [task for _, task in self._following.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _grow(writing: Writing, message: Message) -> None:
    if message.content.startswith(writing.content):
        writing.add(message.content[len(writing.content) :])
