"""The state of one transaction."""

from dataclasses import dataclass, field

from everlore.domain.records import Record
from everlore.store.audit import AuditRow, ChangeContext
from everlore.store.sql.flow import Dialect


@dataclass(slots=True)
class Work:
    """One transaction: where it writes, and what must be checked before it ends."""

    sql: Dialect
    occasion: ChangeContext
    workspace: str
    entries: list[AuditRow] = field(default_factory=list)
    named: dict[type[Record], set[str]] = field(default_factory=dict)
    rows_to_embed: list[int] = field(default_factory=list)
