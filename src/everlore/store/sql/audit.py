"""The audit log goes down with what it is about, in the same transaction (C10)."""

from collections.abc import Sequence

from everlore.domain.deed import Deed
from everlore.store.deeds import Entry, Occasion, rows_of
from everlore.store.sql.flow import Flow, add
from everlore.store.tables import TABLES


def log(occasion: Occasion, entries: Sequence[Entry]) -> Flow[None]:
    table = TABLES[Deed]
    if entries:
        yield from add(table.name, table.names, rows_of(occasion, entries))
