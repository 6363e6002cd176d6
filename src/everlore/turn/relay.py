"""Carries live events and requests between the processes that work on one database.

Events of this process are sent to the others as notices (`store.port.Notice`), in batches, and only while another
process has a socket open. While this process has a socket open or writes a reply, it polls the notices of the others
several times a second. A notice names the record concerned; the receiver reads that record from the store, so that it
is shown as it is now, or not at all once it is gone. Requests, such as to stop a reply, are always sent.

Start at `Relay.send`.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import structlog

from everlore.domain.conversation import Message
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.errors import EverloreError, StoreUnavailable
from everlore.store.answers import Notice
from everlore.store.port import Store
from everlore.turn.news import News

log = structlog.get_logger(__name__)

_POLL_S = 0.2
_FLUSH_S = 0.1
# Notices are for processes that poll several times a second; a listener that was away longer reads the log.
_KEPT = timedelta(seconds=30)
_LISTENING = timedelta(seconds=30)
_RENEW_S = 10.0

Receive = Callable[[str, News], None]


@dataclass(slots=True)
class _Followed:
    """A workspace whose notices are read: how many followers it has, how many of them have sockets, and the last notice
    read."""

    followers: int = 0
    sockets: int = 0
    after: dict[str, int] = field(default_factory=dict)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    renewed_at: float = 0.0
    has_old_notices: bool = False


class Relay:
    """`process` names this process among the others; names must be unique."""

    def __init__(self, store: Store, process: str, clock: Callable[[], datetime], receive: Receive) -> None:
        self._store = store
        self._process = process
        self._clock = clock
        self._receive = receive
        self._number = 0
        self._outbox: list[tuple[str, News]] = []
        self._sending: asyncio.Task[None] | None = None
        self._followed: dict[str, _Followed] = {}
        self._following: asyncio.Task[None] | None = None
        self._tidying: asyncio.Task[None] | None = None

    # ── out ──────────────────────────────────────────────────────────────────────────────────────

    def send(self, workspace: str, news: Iterable[News]) -> None:
        """Tell the other processes soon."""
        self._outbox += [(workspace, each) for each in news]
        if self._outbox and (self._sending is None or self._sending.done()):
            self._sending = asyncio.get_running_loop().create_task(self._send_soon())

    async def request(self, scope: Scope, news: News) -> None:
        """Tell the other processes now, whether or not any of them has a socket open."""
        await self._publish(scope.workspace, [news])

    async def _send_soon(self) -> None:
        while self._outbox:
            # Pieces of a reply come many times a second: send those of one interval together.
            await asyncio.sleep(_FLUSH_S)
            await self._flush()

    async def _flush(self) -> None:
        outbox, self._outbox = self._outbox, []
        for workspace in dict.fromkeys(workspace for workspace, _ in outbox):
            news = [each for place, each in outbox if place == workspace]
            try:
                if await self._store.is_listened_to(Scope(workspace), besides=self._process, at=self._clock()):
                    await self._publish(workspace, _joined(news))
            except EverloreError as error:
                # Events are a convenience: a listener that misses some reads the log.
                log.warning("live.not_sent", error=str(error))

    async def _publish(self, workspace: str, news: Sequence[News]) -> None:
        now = self._clock()
        notices = [
            Notice(self._process, self._number + place, each.conversation_id, _body(each), now)
            for place, each in enumerate(news, 1)
        ]
        self._number += len(news)
        await self._store.publish(Scope(workspace), notices, before=now - _KEPT)
        if self._tidying is None or self._tidying.done():
            self._tidying = asyncio.get_running_loop().create_task(self._tidy_later(workspace))

    async def _tidy_later(self, workspace: str) -> None:
        """Notices contain words of replies, so they are removed even if nothing more happens."""
        await asyncio.sleep(2 * _KEPT.total_seconds())
        try:
            await self._store.publish(Scope(workspace), [], before=self._clock() - _KEPT)
        except EverloreError as error:
            log.warning("live.not_tidied", error=str(error))

    # ── in ───────────────────────────────────────────────────────────────────────────────────────

    async def follow(self, workspace: str, *, has_socket: bool = False) -> None:
        """From the return of this, events of other processes in the workspace arrive here."""
        followed = self._followed.setdefault(workspace, _Followed())
        # Before the first await: others may start to follow meanwhile, and wait for the first of them.
        is_first, is_first_socket = not followed.followers, has_socket and not followed.sockets
        followed.followers += 1
        followed.sockets += has_socket
        try:
            if is_first_socket:
                await self._announce(workspace, followed)
            if is_first:
                followed.after = _latest(await self._store.notices(Scope(workspace), self._process, {}))
                followed.ready.set()
            await followed.ready.wait()
        except StoreUnavailable as error:
            # The database is unavailable or full: events of this process still arrive.
            log.warning("live.not_followed", error=str(error))
            followed.ready.set()
        except BaseException:
            followed.ready.set()
            self.leave(workspace, has_socket=has_socket)
            raise
        if self._following is None or self._following.done():
            self._following = asyncio.get_running_loop().create_task(self._poll())

    def leave(self, workspace: str, *, has_socket: bool = False) -> None:
        followed = self._followed[workspace]
        followed.followers -= 1
        followed.sockets -= has_socket
        if not followed.followers:
            # The announcement expires by itself: a reloaded page reconnects at once.
            del self._followed[workspace]

    @asynccontextmanager
    async def following(self, workspace: str) -> AsyncIterator[None]:
        """While a socket is open."""
        await self.follow(workspace, has_socket=True)
        try:
            yield
        finally:
            self.leave(workspace, has_socket=True)

    async def _announce(self, workspace: str, followed: _Followed) -> None:
        followed.renewed_at = asyncio.get_running_loop().time()
        await self._store.listen(Scope(workspace), self._process, until=self._clock() + _LISTENING)

    async def _poll(self) -> None:
        now = asyncio.get_running_loop().time
        while self._followed:
            await asyncio.sleep(_POLL_S)
            for workspace, followed in list(self._followed.items()):
                try:
                    if followed.sockets and now() - followed.renewed_at >= _RENEW_S:
                        await self._announce(workspace, followed)
                        await self._drop_old(workspace, followed)
                    await self._read(workspace, followed)
                except EverloreError as error:
                    log.warning("live.not_read", error=str(error))

    async def _drop_old(self, workspace: str, followed: _Followed) -> None:
        if followed.has_old_notices:
            followed.has_old_notices = False
            await self._store.publish(Scope(workspace), [], before=self._clock() - _KEPT)

    async def tidy(self, workspaces: Iterable[str]) -> None:
        """Remove what processes that have died left for others."""
        for workspace in workspaces:
            if await self._store.notices(Scope(workspace), self._process, {}):
                await self._store.publish(Scope(workspace), [], before=self._clock() - _KEPT)

    async def _read(self, workspace: str, followed: _Followed) -> None:
        scope = Scope(workspace)
        notices = await self._store.notices(scope, self._process, followed.after)
        followed.after |= _latest(notices)
        followed.has_old_notices |= bool(notices)
        for news in await _loaded(self._store, scope, [_news(each) for each in notices]):
            self._receive(workspace, news)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────

    async def close(self) -> None:
        """Send what is queued, and remove what the others no longer need."""
        for task in (self._sending, self._following, self._tidying):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._flush()
        for workspace, followed in list(self._followed.items()):
            if not followed.sockets:
                continue
            try:
                await self._store.listen(Scope(workspace), self._process, until=None)
            except EverloreError as error:
                log.warning("live.not_left", error=str(error))


def _joined(news: Sequence[News]) -> list[News]:
    """Joins consecutive pieces of the same reply."""
    joined: list[News] = []
    for (type, id), group in groupby(news, key=lambda each: (each.type, each.id)):
        same = list(group)
        if type == "message.delta" and id is not None:
            joined.append(replace(same[0], text="".join(each.text for each in same)))
        else:
            joined += same
    return joined


def _latest(notices: Iterable[Notice]) -> dict[str, int]:
    # Sorted by number, so the last one of each origin remains.
    return {each.origin: each.number for each in notices}


# Records that the receiver reads from the store.
_RECORDS: Mapping[str, type[Any]] = {"message": Message, "memory": Memory}


def _body(news: News) -> str:
    record = next((name for name, kind in _RECORDS.items() if isinstance(news.record, kind)), None)
    count = len(news.record) if isinstance(news.record, tuple) else None
    body = {"type": news.type, "id": news.id, "text": news.text, "record": record, "count": count}
    return json.dumps({name: value for name, value in body.items() if value is not None})


def _news(notice: Notice) -> tuple[News, str | None]:
    """The event, and the kind of record to read for it."""
    body = json.loads(notice.body)
    # The number of records only; clients that may see them ask for their contents.
    record = (None,) * body["count"] if "count" in body else None
    news = News(
        type=body["type"],
        conversation_id=notice.conversation_id,
        id=body.get("id"),
        text=body.get("text", ""),
        record=record,
    )
    return news, body.get("record")


async def _loaded(store: Store, scope: Scope, news: Sequence[tuple[News, str | None]]) -> list[News]:
    """The events with their records, without those whose record is gone."""
    found: dict[tuple[str, str], Any] = {}
    for name, kind in _RECORDS.items():
        ids = {each.id for each, record in news if record == name and each.id}
        if ids:
            found |= {(name, record.id): record for record in await store.get_many(scope, kind, ids)}
    loaded = []
    for each, wanted in news:
        if wanted is None:
            loaded.append(each)
        elif (record := found.get((wanted, each.id or ""))) is not None:
            loaded.append(replace(each, record=record))
    return loaded
