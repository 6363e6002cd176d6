"""A store whose writes are answered and not kept: for a turn in a mode that may not write one (C3).

What is asked for comes from the store behind it. What was put is there for as long as that turn needs it, and is seen
by nobody else: a reply can be stopped, ended and marked as ever, and leaves no trace.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from everlore.domain.conversation import Conversation, Message
from everlore.domain.scope import Scope
from everlore.errors import NotFound
from everlore.store.checks import amended, check_record
from everlore.store.port import Amend, Change, Enqueue, Put, Store

_MOST_HELD = 1_000


def unkept(behind: Store) -> Store:
    # The reads are given on by name, which a type checker does not see.
    return cast(Store, _Unkept(behind))


class _Unkept:
    def __init__(self, behind: Store) -> None:
        self._behind = behind
        self._held: OrderedDict[tuple[str, type[Any], str], Any] = OrderedDict()

    def __getattr__(self, name: str) -> Any:
        """Every read is the other store's."""
        return getattr(self._behind, name)

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        """What the changes would have come to."""
        return [await self._answer(scope, change) for change in changes]

    async def _answer(self, scope: Scope, change: Change) -> Any:
        match change:
            case Put(record=record):
                check_record(record)
                return self._hold(scope, await self._numbered(scope, record))
            case Amend(kind=kind, id=id):
                stored = self._held.get((scope.workspace, kind, id)) or await self._behind.get(scope, kind, id)
                changed = amended(change, stored)
                return stored if changed is None else self._hold(scope, changed)
            case Enqueue(job=job):
                return job
        return None

    def _hold(self, scope: Scope, record: Any) -> Any:
        self._held[scope.workspace, type(record), record.id] = record
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)
        return record

    async def _numbered(self, scope: Scope, record: Any) -> Any:
        """A message has the next number of its conversation, after those that were not kept either."""
        if not isinstance(record, Message) or record.seq:
            return record
        (conversation,) = await self._behind.get_many(scope, Conversation, [record.conversation_id]) or (None,)
        if conversation is None:
            raise NotFound(f"There is no Conversation {record.conversation_id!r} in this workspace.")
        others = [each for each in self._held.values() if _is_of(each, conversation.id)]
        return replace(record, seq=max((conversation.message_count, *(each.seq for each in others))) + 1)


def _is_of(record: Any, conversation_id: str) -> bool:
    return isinstance(record, Message) and record.conversation_id == conversation_id
