"""Writes the audit log in the same transaction as the change (C10)."""

from collections.abc import Sequence

from everlore.domain.audit_entry import AuditEntry
from everlore.store.audit import AuditRow, ChangeContext, columns_of
from everlore.store.sql.flow import Flow, add
from everlore.store.tables import TABLES


def log(occasion: ChangeContext, entries: Sequence[AuditRow]) -> Flow[None]:
    yield from add(TABLES[AuditEntry].name, columns_of(occasion, entries))
