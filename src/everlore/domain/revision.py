"""How a memory changes: the next state, and the record of the previous one (M6, M7, M10)."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from everlore.domain.bounds import Id, Line
from everlore.domain.claim import with_claim
from everlore.domain.memory import Memory, Status


class Why(StrEnum):
    EDIT = "edit"
    MERGE = "merge"
    REINFORCEMENT = "reinforcement"
    CORRECTION = "correction"
    SUPERSESSION = "supersession"
    APPROVAL = "approval"
    REJECTION = "rejection"
    WITHDRAWAL = "withdrawal"
    RESCORING = "rescoring"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """An earlier state of a memory: what was believed from `since` until `until`, and who changed it then."""

    workspace: Id
    memory_id: Id
    number: int
    since: datetime
    until: datetime
    by: Id
    why: Why
    note: Line = ""
    before: Memory


# pending → active → superseded / rejected / deleted; a person may restore a closed one, and undo a decision.
_NEXT: dict[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.ACTIVE, Status.REJECTED, Status.DELETED}),
    Status.ACTIVE: frozenset({Status.PENDING, Status.SUPERSEDED, Status.REJECTED, Status.DELETED}),
    Status.SUPERSEDED: frozenset({Status.ACTIVE, Status.DELETED}),
    Status.REJECTED: frozenset({Status.PENDING, Status.ACTIVE, Status.DELETED}),
    Status.DELETED: frozenset({Status.ACTIVE}),
}


def may_become(status: Status, other: Status) -> bool:
    return status is other or other in _NEXT[status]


def revise(memory: Memory, at: datetime, **changes: Any) -> Memory:
    """The next state of a memory. Saving it leaves a `Revision` with the state before."""
    return replace(reworded(memory, **changes), revision=memory.revision + 1, updated_at=at)


def reworded(memory: Memory, **changes: Any) -> Memory:
    """With these changes. Summary and claim are removed if only the words change, because they were made from them."""
    if changes.get("content", memory.content) != memory.content:
        changes = {"summary": "", "extra": with_claim(memory.extra, None)} | changes
    return replace(memory, **changes)


def supersede(memory: Memory, successor: Memory, at: datetime, since: datetime) -> Memory:
    """Close a fact that `successor` contradicts: it held until `since` and refers to its successor (M7)."""
    return revise(memory, at, status=Status.SUPERSEDED, valid_to=since, superseded_by=successor.id)


def holds_at(memory: Memory, at: datetime) -> bool:
    """Whether the fact is true at that time, by its own dates."""
    begun = memory.valid_from is None or memory.valid_from <= at
    return begun and (memory.valid_to is None or at < memory.valid_to)
