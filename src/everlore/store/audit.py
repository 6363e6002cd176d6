"""Makes audit log entries: who did what to which record, without any of its contents (C10).

In: the record before and after a change. Out: entries, and the rows they become. All stores use this module, so they
log the same. Start at `of_put` and `of_gone`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from everlore.domain.audit_entry import AuditEntry, Verb
from everlore.domain.bounds import Line
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Summary
from everlore.domain.ids import make_id
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.proposal import Proposal
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.setting import RECEIPTS, Setting
from everlore.domain.template import Template
from everlore.domain.token import Token
from everlore.domain.webhook import Happening, Webhook
from everlore.store.port import Delete, Put
from everlore.store.tables import TABLES, Cell, seconds

# In the order of their entries when one deletion removes several kinds.
AUDITED: tuple[type[Record], ...] = (
    Memory,
    Conversation,
    Summary,
    Person,
    Setting,
    Token,
    Webhook,
    Template,
    Campaign,
    Chapter,
    Session,
    Entity,
    Relationship,
    Proposal,
)
# Fields that change with every turn or request: logging each change would bury the other entries.
_UNREMARKED: Mapping[type[Any], frozenset[str]] = {
    Conversation: frozenset({"updated_at", "message_count", "episode"}),
    Token: frozenset({"last_used_at", "allowance_full_at"}),
    Webhook: frozenset({"failures", "updated_at"}),
}
_COMPARED: Mapping[type[Any], tuple[str, ...]] = {
    kind: tuple(name for name in TABLES[kind].names if name not in _UNREMARKED.get(kind, ())) for kind in AUDITED
}
_NAMES: Mapping[type[Any], str] = {kind: kind.__name__.lower() for kind in AUDITED}
# The kinds of records that webhooks are told about.
_TOLD = frozenset(_NAMES[kind] for kind in (Memory, Conversation))
_CREATED, _CHANGED = Verb.CREATED.value, Verb.CHANGED.value
_MOST_NOTE_CHARS: int = Line.__metadata__[0].most  # type: ignore[attr-defined]  # mypy takes an Annotated for its type

assert TABLES[AuditEntry].names == ("workspace", "id", "at", "actor", "role", "verb", "kind", "ref", "note")


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """Who changes something, and when. `entropy` is ten random bytes, from which the ids of the entries are made."""

    scope: Scope
    at: datetime
    entropy: bytes


class AuditRow(NamedTuple):
    verb: str
    kind: str
    ref: str
    note: str = ""


def of_put(put: Put, before: Any, after: Any) -> AuditRow | None:
    """None for kinds that are not audited, and where nothing changed."""
    kind = type(after)
    name = _NAMES.get(kind)
    if name is None or (kind is Setting and after.id.startswith(RECEIPTS)):
        return None
    if before is None:
        return AuditRow(_CREATED, name, after.id, _note(put.by, "") if kind is Memory else "")
    if all(getattr(before, each) == getattr(after, each) for each in _COMPARED[kind]):
        return None
    return AuditRow(_CHANGED, name, after.id, _note(put.by, f"{put.why.value} ") if kind is Memory else "")


def of_gone(gone: Mapping[type[Any], Collection[str]], named: Delete | None = None, note: str = "") -> list[AuditRow]:
    """One entry for each deleted record. The `named` one comes first: the others were deleted because of it."""
    first = (_NAMES.get(named.kind), named.id) if named else None
    entries = [
        AuditRow(Verb.DELETED.value, name, id, note)
        for kind, name in _NAMES.items()
        for id in sorted(gone.get(kind, ()))
    ]
    return sorted(entries, key=lambda entry: (entry.kind, entry.ref) != first)


def columns_of(occasion: ChangeContext, entries: Sequence[AuditRow]) -> dict[str, Sequence[Cell]]:
    """The entries as columns of their table: a batch has thousands. Their ids sort in the order of the entries."""
    scope, many = occasion.scope, len(entries)
    own = [scope.workspace], [seconds(occasion.at)], [scope.actor], [scope.role.value]
    workspace, at, actor, role = (each * many for each in own)
    ids = _ids(occasion, many)
    verbs, kinds, refs, notes = zip(*entries, strict=True) if entries else ((),) * 4
    return dict(
        zip(TABLES[AuditEntry].names, (workspace, ids, at, actor, role, verbs, kinds, refs, notes), strict=True)
    )


def happenings(occasion: ChangeContext, entries: Sequence[AuditRow]) -> list[Happening]:
    """What webhooks are told of these entries; each event has the id of its entry."""
    return [
        Happening(id, f"{entry.kind}.{entry.verb}", entry.ref)
        for id, entry in zip(_ids(occasion, len(entries)), entries, strict=True)
        if entry.kind in _TOLD
    ]


def _ids(occasion: ChangeContext, many: int) -> list[str]:
    stem = make_id(occasion.at, occasion.entropy)
    return [f"{stem}{number:06}" for number in range(many)]


@lru_cache(maxsize=128)
def _note(by: str, why: str) -> str:
    """Leaves out the note of the change itself: it is in the history of the memory, and is deleted with it."""
    return f"{why}by {by}"[:_MOST_NOTE_CHARS]
