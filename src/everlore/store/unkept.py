"""A store whose writes are answered and not kept: for turns in a mode that may not write them (C3).

What is asked for comes from the store behind it. What was put is there for as long as the talk goes on in this process,
and is seen by nobody but whoever put it: a reply can be stopped, ended and marked as ever, the next turn knows what was
said before, and nothing is left of it. A talk in which nobody has said anything for hours is forgotten, and so are the
oldest where there are too many.
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
    # The other reads are given on by name, which a type checker does not see.
    return cast(Store, _Unkept(behind))


class _Unkept:
    def __init__(self, behind: Store) -> None:
        self._behind = behind
        # By who put it: what is not kept is theirs alone, in that mode.
        self._held: OrderedDict[tuple[Scope, type[Any], str], Any] = OrderedDict()

    def __getattr__(self, name: str) -> Any:
        """Every read but these is the other store's."""
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
        # The latest of a talk: those that are kept, and those that are not, which came after.
        return Page((*reversed(said), *page.items)[:limit], page.cursor)

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        """What the changes would have come to."""
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
        """What this caller and the model said in a talk, without it being kept; oldest first."""
        if "conversation_id" not in where or not set(where) <= {"conversation_id", "hidden"}:
            return []
        ours = [each for (who, _, _), each in self._held.items() if who == scope and isinstance(each, Message)]
        said = [each for each in ours if all(getattr(each, name) == value for name, value in where.items())]
        return sorted((each for each in said if each.state is not MessageState.STREAMING), key=lambda each: each.seq)

    async def _numbered(self, scope: Scope, record: Any) -> Any:
        """A message has the next number of its conversation, after those that were not kept either."""
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
