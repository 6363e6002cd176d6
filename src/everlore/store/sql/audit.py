"""The audit log goes down with what it is about, in the same transaction (C10)."""

from collections.abc import Sequence

from everlore.domain.audit_entry import Deed
from everlore.store.audit import Entry, Occasion, columns_of
from everlore.store.sql.flow import Flow, add
from everlore.store.tables import TABLES


def log(occasion: Occasion, entries: Sequence[Entry]) -> Flow[None]:
    yield from add(TABLES[Deed].name, columns_of(occasion, entries))
