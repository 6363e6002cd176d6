"""A store that answers writes without saving them: for turns in a mode that may not write (C3).

Reads go to the real store. Unsaved records are visible only to the caller who wrote them, in this process, while the
conversation lasts: a reply can be stopped and finished as usual and the next turn knows the messages before it, but
nothing remains. Conversations without a new message for hours are dropped, and so are the oldest if there are too many.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.scope import Scope
from everlore.errors import NotFound
from everlore.store.answers import Page
from everlore.store.checks import amended, check_record
from everlore.store.port import Amend, Change, Enqueue, Put, Store

_MOST_HELD = 1_000
_IDLE = timedelta(hours=2)


def unkept(behind: Store) -> Store:
    # `__getattr__` forwards the other reads, which a type checker cannot see.
    return cast(Store, _Unkept(behind))


class _Unkept:
    def __init__(self, behind: Store) -> None:
        self._behind = behind
        # By caller: unsaved records are visible to their caller alone, in that mode.
        self._held: OrderedDict[tuple[Scope, type[Any], str], Any] = OrderedDict()

    def __getattr__(self, name: str) -> Any:
        """Forwards every other read to the real store."""
        return getattr(self._behind, name)

    async def get(self, scope: Scope, kind: type[Any], id: str) -> Any:
        held = self._held.get((scope, kind, id)) if kind is Message else None
        return held or await self._behind.get(scope, kind, id)

    async def find(
        self,
        scope: Scope,
        kind: type[Any],
        where: Mapping[str, Any] | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        newest_first: bool = False,
    ) -> Page:
        page = await self._behind.find(scope, kind, where, limit=limit, cursor=cursor, newest_first=newest_first)
        said = self._said(scope, where or {}) if kind is Message and newest_first and cursor is None else []
        if not said:
            return page
        # The latest messages of a conversation: unsaved ones come after the saved ones.
        return Page((*reversed(said), *page.items)[:limit], page.cursor)

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        """What the changes would have returned."""
        return [await self._answer(scope, change) for change in changes]

    async def _answer(self, scope: Scope, change: Change) -> Any:
        match change:
            case Put(record=record):
                check_record(record)
                return self._hold(scope, await self._numbered(scope, record))
            case Amend(kind=kind, id=id):
                stored = self._held.get((scope, kind, id)) or await self._behind.get(scope, kind, id)
                changed = amended(change, stored)
                return stored if changed is None else self._hold(scope, changed)
            case Enqueue(job=job):
                return job
        return None

    def _hold(self, scope: Scope, record: Any) -> Any:
        if isinstance(record, Message):
            self._forget_idle(record.updated_at)
        self._held[scope, type(record), record.id] = record
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)
        return record

    def _forget_idle(self, now: datetime) -> None:
        last: dict[tuple[Scope, str], datetime] = {}
        for (scope, _, _), each in self._held.items():
            if isinstance(each, Message):
                talk = (scope, each.conversation_id)
                last[talk] = max(each.updated_at, last.get(talk, each.updated_at))
        idle = {talk for talk, at in last.items() if at < now - _IDLE}
        if idle:
            gone = [key for key, each in self._held.items() if (key[0], _talk_of(each)) in idle]
            for key in gone:
                del self._held[key]

    def _said(self, scope: Scope, where: Mapping[str, Any]) -> list[Message]:
        """The unsaved messages of this caller in a conversation, oldest first."""
        if "conversation_id" not in where or not set(where) <= {"conversation_id", "hidden"}:
            return []
        ours = [each for (who, _, _), each in self._held.items() if who == scope and isinstance(each, Message)]
        said = [each for each in ours if all(getattr(each, name) == value for name, value in where.items())]
        return sorted((each for each in said if each.state is not MessageState.STREAMING), key=lambda each: each.seq)

    async def _numbered(self, scope: Scope, record: Any) -> Any:
        """A message gets the next number of its conversation, counting unsaved messages."""
        if not isinstance(record, Message) or record.seq:
            return record
        (conversation,) = await self._behind.get_many(scope, Conversation, [record.conversation_id]) or (None,)
        if conversation is None:
            raise NotFound(f"There is no Conversation {record.conversation_id!r} in this workspace.")
        others = [
            each.seq for (who, _, _), each in self._held.items() if who == scope and _is_of(each, conversation.id)
        ]
        return replace(record, seq=max((conversation.message_count, *others)) + 1)


def _talk_of(record: Any) -> str:
    return record.id if isinstance(record, Conversation) else getattr(record, "conversation_id", None) or ""


def _is_of(record: Any, conversation_id: str) -> bool:
    return isinstance(record, Message) and record.conversation_id == conversation_id
