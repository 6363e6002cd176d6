"""One line of the audit log: who did what to which record, and when (C10).

The store writes it together with the change, and nobody can change it afterwards. It has the ids of records, but none
of their contents, so deleted contents do not remain here.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Id, Line


class Verb(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """`actor`: the token that was used, `local` for the user of this machine, `background` for a worker. `kind` is that
    of the record, such as memory, and `ref` its id. `note`: for a memory, why it changed, and by whom."""

    workspace: Id
    id: Id
    at: datetime
    actor: Id
    role: Line
    verb: Verb
    kind: Line
    ref: Id
    note: Line = ""
