"""What one workspace of the double holds, in dictionaries, and how records go in and out of it.

A room is changed only while it is a copy that its store has not shown to anybody yet.
Start at `put` and `delete`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.job import Bucket, Job
from everlore.domain.memory import Memory
from everlore.domain.passage import Passage, PassageKind, passage_of
from everlore.domain.person import Person
from everlore.domain.records import (
    KINDS,
    LOOSENED,
    OWNED,
    past_without,
    without,
    without_persons,
    wordless,
)
from everlore.domain.revision import Revision, may_become
from everlore.domain.words import terms_of
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store.answers import Notice
from everlore.store.audit import AuditRow, ChangeContext, columns_of, of_gone, of_put
from everlore.store.checks import amended
from everlore.store.export_order import names_of
from everlore.store.port import Amend, Delete, Embed, ImportRecord, Put, Touch, Vector
from everlore.store.tables import TABLES

Gone = dict[type[Any], set[str]]


@dataclass(slots=True)
class Counters:
    """The last numbers given, over all workspaces."""

    row: int = 0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Indexed:
    """A passage in the index, and from when until when it was what we believed."""

    row: int
    passage: Passage
    terms: frozenset[str]
    since: datetime
    until: datetime | None = None


@dataclass(slots=True)
class Room:
    counters: Counters
    records: dict[type[Any], dict[str, Any]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    revisions: dict[str, tuple[Revision, ...]] = field(default_factory=dict)
    passages: dict[int, Indexed] = field(default_factory=dict)
    # Where the passages of a record are: its present one last, those of its past before it.
    rows: dict[tuple[PassageKind, str], tuple[int, ...]] = field(default_factory=dict)
    vectors: dict[str, dict[int, Vector]] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    paused: bool = False
    bucket: Bucket | None = None
    # What was counted that is no record, by its name and the hour.
    counts: dict[tuple[str, int], int] = field(default_factory=dict)
    # What processes tell each other, by origin and number; and which of them listen, until when.
    notices: dict[tuple[str, int], Notice] = field(default_factory=dict)
    listeners: dict[str, datetime] = field(default_factory=dict)
    # What the audit log will say of the changes under way.
    entries: list[AuditRow] = field(default_factory=list)

    def copy(self) -> "Room":
        return replace(
            self,
            records={kind: dict(shelf) for kind, shelf in self.records.items()},
            revisions=dict(self.revisions),
            passages=dict(self.passages),
            rows=dict(self.rows),
            vectors={model: dict(vectors) for model, vectors in self.vectors.items()},
            jobs=dict(self.jobs),
            counts=dict(self.counts),
            notices=dict(self.notices),
            listeners=dict(self.listeners),
            entries=[],
        )

    @property
    def holds_anything(self) -> bool:
        return bool(self.jobs) or bool(self.counts) or any(self.records.values())


def own_copy(record: Any) -> Any:
    """Nobody shares a JSON field with the store, and what comes back is what a database would give."""
    table = TABLES[type(record)]
    return table.record_of(table.row_of(record))


# ── putting ──────────────────────────────────────────────────────────────────────────────────────


def put(room: Room, change: Put) -> Any:
    record = own_copy(change.record)
    table = TABLES[type(record)]
    before = room.records[table.kind].get(record.id)
    if before is not None:
        record = replace(record, **{name: getattr(before, name) for name in table.counted})
    if isinstance(record, Memory):
        _keep_revision(room, before, record, change)
    if isinstance(record, Message):
        record = _numbered(room, before, record)
    room.records[table.kind][record.id] = record
    index(room, record)
    entry = of_put(change, before, record)
    if entry is not None:
        room.entries.append(entry)
    return record


def amend(room: Room, change: Amend) -> Any:
    stored = room.records[change.kind].get(change.id)
    if stored is None:
        raise NotFound(f"There is no {change.kind.__name__} {change.id!r} in this workspace. Nothing was amended.")
    record = amended(change, stored)
    return stored if record is None else put(room, Put(record))


def _keep_revision(room: Room, before: Memory | None, after: Memory, change: Put) -> None:
    stored = before.revision if before else 0
    if after.revision != stored + 1:
        raise Conflict(
            f"Memory {after.id!r} is stored at revision {stored}, so the next is {stored + 1} and not "
            f"{after.revision}. Read it again and repeat the change."
        )
    if before is None:
        return
    if not may_become(before.status, after.status):
        raise BadAsk(
            f"Memory {after.id!r} is {before.status}, and cannot become {after.status} from there. "
            "Bring it back to active first."
        )
    revision = Revision(
        workspace=after.workspace,
        memory_id=after.id,
        number=before.revision,
        since=before.updated_at,
        until=after.updated_at,
        by=change.by,
        why=change.why,
        note=change.note,
        before=before,
    )
    room.revisions[after.id] = (*room.revisions.get(after.id, ()), revision)


def _numbered(room: Room, before: Message | None, message: Message) -> Message:
    """The message with its place in the conversation, which now counts it."""
    conversation: Conversation | None = room.records[Conversation].get(message.conversation_id)
    if conversation is None:
        raise _missing(Conversation, message.conversation_id, message)
    given = message.seq or (before.seq if before else 0)
    seq = given or conversation.message_count + 1
    for other in room.records[Message].values():
        if (other.conversation_id, other.seq) == (message.conversation_id, seq) and other.id != message.id:
            raise Conflict(
                f"Message {other.id!r} is already number {seq} of conversation {message.conversation_id!r}. "
                "Give the message seq 0 to have it numbered."
            )
    count = max(conversation.message_count, seq)
    room.records[Conversation][conversation.id] = replace(conversation, message_count=count)
    return replace(message, seq=seq)


def check_references(room: Room, records: list[Any]) -> None:
    """All that these records name must be there, as they stand after the whole list of changes."""
    for put_in in records:
        record = room.records[type(put_in)].get(put_in.id)
        for kind, id in names_of(record):
            if id not in room.records[kind]:
                raise _missing(kind, id, record)


def check_brought(room: Room, changes: Iterable[ImportRecord]) -> None:
    """The same of what was brought, but for what is of its own kind: that may come later."""
    for change in changes:
        record: Any = change.record
        for state in (record, *(revision.before for revision in change.history)):
            for kind, id in names_of(state):
                if kind is not type(record) and id not in room.records[kind]:
                    raise _missing(kind, id, record)


def _missing(kind: type[Any], id: str, record: Any) -> NotFound:
    return NotFound(
        f"{type(record).__name__} {record.id!r} names the {kind.__name__} {id!r}, which is not in this "
        f"workspace. Save the {kind.__name__} first, or leave it out."
    )


# ── the index ────────────────────────────────────────────────────────────────────────────────────


def index(room: Room, record: Any) -> None:
    kind = PassageKind.__members__.get(type(record).__name__.upper())
    if kind is None:
        return
    passage = passage_of(record)
    old = _present(room, kind, record.id)
    if old is not None and old.passage == passage:
        return
    if old is not None:
        _retire(room, old, record)
    if passage is not None:
        _add(room, passage, record.updated_at if isinstance(record, Memory) else passage.at, old)


def _present(room: Room, kind: PassageKind, ref: str) -> Indexed | None:
    rows = room.rows.get((kind, ref))
    last = room.passages[rows[-1]] if rows else None
    return last if last and last.until is None else None


def _retire(room: Room, old: Indexed, record: Any) -> None:
    """Only memories have a past that can be asked about."""
    if isinstance(record, Memory):
        room.passages[old.row] = replace(old, until=record.updated_at)
    else:
        key = (old.passage.kind, old.passage.ref)
        room.rows[key] = tuple(row for row in room.rows[key] if row != old.row)
        del room.passages[old.row]


def _add(room: Room, passage: Passage, since: datetime, old: Indexed | None) -> None:
    room.counters.row += 1
    row = room.counters.row
    key = (passage.kind, passage.ref)
    room.passages[row] = Indexed(row, passage, frozenset(terms_of(passage.text)), since)
    room.rows[key] = (*room.rows.get(key, ()), row)
    for vectors in room.vectors.values():
        if old is not None and old.passage.text == passage.text and old.row in vectors:
            vectors[row] = vectors[old.row]


def drop_orphans(room: Room) -> None:
    """The vectors of passages that are gone, at the end of every list of changes."""
    for vectors in room.vectors.values():
        for row in [row for row in vectors if row not in room.passages]:
            del vectors[row]


def unembedded_since(room: Room, row: int) -> list[int]:
    """The present passages that came after this row and have no vector at all."""
    embedded = {each for vectors in room.vectors.values() for each in vectors}
    new = (each for each in room.passages.values() if each.row > row and each.until is None)
    return sorted(each.row for each in new if each.row not in embedded)


def embed(room: Room, change: Embed) -> None:
    if len(change.vectors):
        check_dims(room, change.model, change.vectors.shape[1])
    vectors = room.vectors.setdefault(change.model, {})
    for row, vector in zip(change.rows, change.vectors, strict=True):
        if row in room.passages:
            vectors[row] = vector.astype("float16").astype("float32")


def check_dims(room: Room, model: str | None, dims: int) -> None:
    for stored in room.vectors.get(model or "", {}).values():
        if len(stored) != dims:
            raise BadAsk(
                f"The vectors of model {model!r} have {len(stored)} numbers here, and this one has {dims}. "
                "Use the model that made the others, or give the new one a name of its own."
            )
        return


def touch(room: Room, change: Touch) -> None:
    memories = room.records[Memory]
    for id in change.memory_ids:
        if id in memories:
            count = memories[id].recall_count + 1
            memories[id] = replace(memories[id], recall_count=count, last_recalled_at=change.at)
    for id in change.used_ids:
        if id in memories:
            memories[id] = replace(memories[id], reinforcement_count=memories[id].reinforcement_count + 1)


# ── deleting ─────────────────────────────────────────────────────────────────────────────────────


def delete(room: Room, change: Delete, note: str = "") -> None:
    if change.id not in room.records[change.kind]:
        raise NotFound(
            f"There is no {change.kind.__name__} {change.id!r} in this workspace. It may be gone already; "
            "look for it with find."
        )
    gone: Gone = {}
    _gather(room, change.kind, change.id, gone)
    _forget_notices(room, gone)
    for kind, ids in gone.items():
        for id in ids:
            _remove(room, kind, id)
    _loosen(room, gone)
    _forget_mentions(room, gone, keeps_past=change.keeps_past)
    _forget_persons(room, gone)
    room.entries += of_gone(gone, change, note)


def _forget_notices(room: Room, gone: Gone) -> None:
    """They carry words of a reply, and go with its conversation, and when a message of it goes."""
    messages = room.records[Message]
    conversations = gone.get(Conversation, set()) | {
        messages[id].conversation_id for id in gone.get(Message, set()) if id in messages
    }
    room.notices = {key: each for key, each in room.notices.items() if each.conversation_id not in conversations}


def log(room: Room, occasion: ChangeContext) -> None:
    rows = zip(*columns_of(occasion, room.entries).values(), strict=True)
    deeds = map(TABLES[AuditEntry].record_of, rows)
    room.records[AuditEntry] |= {deed.id: deed for deed in deeds}
    room.entries.clear()


def _gather(room: Room, kind: type[Any], id: str, gone: Gone) -> None:
    """The record and, in turn, all that belongs to it."""
    gone.setdefault(kind, set()).add(id)
    for tie in OWNED:
        if tie.parent is kind:
            for child in room.records[tie.child].values():
                if getattr(child, tie.column) == id and child.id not in gone.get(tie.child, ()):
                    _gather(room, tie.child, child.id, gone)


def _remove(room: Room, kind: type[Any], id: str) -> None:
    del room.records[kind][id]
    if kind is Memory:
        room.revisions.pop(id, None)
    searched = PassageKind.__members__.get(kind.__name__.upper())
    for row in room.rows.pop((searched, id), ()) if searched else ():
        del room.passages[row]
    subject = f"{TABLES[kind].name}/{id}"
    for job in list(room.jobs.values()):
        if job.subject == subject or (kind is Conversation and job.lane == id):
            del room.jobs[job.id]


def _loosen(room: Room, gone: Gone) -> None:
    for tie in LOOSENED:
        shelf = room.records[tie.child]
        for child in list(shelf.values()):
            if getattr(child, tie.column) in gone.get(tie.parent, ()):
                shelf[child.id] = replace(child, **{tie.column: None})
                index(room, shelf[child.id])


def _forget_mentions(room: Room, gone: Gone, *, keeps_past: bool) -> None:
    memories = room.records[Memory]
    left_of, past_of = (without, without) if keeps_past else (wordless, past_without)
    for memory in list(memories.values()):
        memories[memory.id] = left_of(memory, gone)
        past = [(each, past_of(each.before, gone)) for each in room.revisions.get(memory.id, ())]
        if past:
            room.revisions[memory.id] = tuple(replace(each, before=left) for each, left in past if left is not None)
            for each, left in past:
                if left is None:
                    _forget_past(room, each)
        for row in room.rows.get((PassageKind.MEMORY, memory.id), ()):
            _forget_in_passage(room, row, gone)


def _forget_past(room: Room, revision: Revision) -> None:
    """What the memory said at any of that time, and says no longer."""
    key = (PassageKind.MEMORY, revision.memory_id)
    for row in room.rows.get(key, ()):
        each = room.passages[row]
        if each.until is not None and each.since < revision.until and each.until > revision.since:
            room.rows[key] = tuple(other for other in room.rows[key] if other != row)
            del room.passages[row]


def _forget_persons(room: Room, gone: Gone) -> None:
    """What happened happened without them, as far as anybody can tell."""
    events = room.records[Event]
    for event in list(events.values()):
        events[event.id] = without_persons(event, gone.get(Person, ()))
        for row in room.rows.get((PassageKind.EVENT, event.id), ()):
            _forget_in_passage(room, row, gone)


def _forget_in_passage(room: Room, row: int, gone: Gone) -> None:
    """In its place: what was believed when does not change because somebody is gone."""
    indexed = room.passages[row]
    passage = indexed.passage
    persons = tuple(id for id in passage.persons if id not in gone.get(Person, ()))
    strayed = passage.conversation_id in gone.get(Conversation, ())
    conversation_id = None if strayed else passage.conversation_id
    if persons != passage.persons or strayed:
        kept = replace(passage, persons=persons, conversation_id=conversation_id)
        room.passages[row] = replace(indexed, passage=kept)
