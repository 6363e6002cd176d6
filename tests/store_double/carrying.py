"""A whole workspace out of the double, and into it (M13)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from everlore.domain.conversation import Conversation, Message
from everlore.domain.counters import Counted
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.setting import Setting, with_keys_of
from everlore.store.answers import ImportOutcome
from everlore.store.audit import of_put
from everlore.store.export_order import CARRIED, LOCAL_SETTING, is_same, travelling
from everlore.store.port import ImportRecord, Put
from everlore.store.tables import TABLES
from tests.store_double import room as rooms
from tests.store_double.room import Room, own_copy


class DoubleSnapshot:
    """A room that was shown to somebody is never changed: holding it is a snapshot."""

    schema = 0

    def __init__(self, workspace: str, room: Room) -> None:
        self._workspace = workspace
        self._room = room

    async def counts(self) -> dict[type[Any], int]:
        return {kind: len(self._all(kind)) for kind in CARRIED}

    async def pages(self, kind: type[Any]) -> AsyncIterator[Sequence[ImportRecord]]:
        if found := self._all(kind):
            yield found

    def _all(self, kind: type[Any]) -> list[ImportRecord]:
        if kind is Counted:
            counts = sorted((name, hour, number) for (name, hour), number in self._room.counts.items() if number)
            return [
                ImportRecord(Counted(workspace=self._workspace, name=name, hour=hour, number=n))
                for name, hour, n in counts
            ]
        shelf = self._room.records[kind]
        ids = sorted(id for id in shelf if kind is not Setting or id != LOCAL_SETTING)
        return [ImportRecord(travelling(own_copy(shelf[id])), self._room.revisions.get(id, ())) for id in ids]


def weigh(room: Room, change: ImportRecord) -> ImportOutcome:
    record = change.record
    if isinstance(record, Counted):
        known = room.counts.get((record.name, record.hour)) or None
        same = known == record.number
    elif isinstance(record, Message) and _is_taken(room, record):
        return ImportOutcome.DIFFERENT
    else:
        known = room.records[type(record)].get(record.id)
        same = known is not None and is_same(record, known)
        same = same and change.history == (room.revisions.get(record.id, ()) if type(record) is Memory else ())
    if known is None:
        return ImportOutcome.NEW
    if same:
        return ImportOutcome.SAME
    return ImportOutcome.REPLACED if change.replace else ImportOutcome.DIFFERENT


def bring(room: Room, change: ImportRecord) -> ImportOutcome:
    verdict = weigh(room, change)
    if verdict in (ImportOutcome.SAME, ImportOutcome.DIFFERENT):
        return verdict
    if isinstance(change.record, Counted):
        room.counts[change.record.name, change.record.hour] = change.record.number
        return verdict
    record = own_copy(travelling(change.record))
    before = room.records[type(record)].get(record.id)
    if before is not None:
        record = _over(room, before, record)
    room.records[type(record)][record.id] = record
    if isinstance(record, Memory):
        _live_again(room, replace(change, record=record))
    else:
        rooms.index(room, record)
    if isinstance(record, Message):
        _count(room, record)
    return verdict


def _is_taken(room: Room, message: Message) -> bool:
    place = message.conversation_id, message.seq
    others = (each for each in room.records[Message].values() if each.id != message.id)
    return any((each.conversation_id, each.seq) == place for each in others)


def _over(room: Room, before: Any, record: Any) -> Any:
    """In the place of what is there: what the store counts stays, and so do keys."""
    table = TABLES[type(record)]
    record = replace(record, **{name: getattr(before, name) for name in table.counted})
    entry = of_put(Put(record), before, record)
    if entry is not None:
        room.entries.append(entry)
    return with_keys_of(record, before) if isinstance(record, Setting) else record


def _live_again(room: Room, change: ImportRecord) -> None:
    """Every state in its order, so that the index knows what was believed when."""
    memory = change.record
    assert isinstance(memory, Memory)
    for row in room.rows.pop((PassageKind.MEMORY, memory.id), ()):
        del room.passages[row]
    room.revisions.pop(memory.id, None)
    if change.history:
        room.revisions[memory.id] = change.history
    for state in (*(revision.before for revision in change.history), memory):
        rooms.index(room, state)


def _count(room: Room, message: Message) -> None:
    chats = room.records[Conversation]
    chat = chats.get(message.conversation_id)
    if chat is not None:
        chats[chat.id] = replace(chat, message_count=max(chat.message_count, message.seq))
