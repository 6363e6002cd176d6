"""Writes the audit log, and queues what webhooks are told of it, in the transaction of the change."""

from collections.abc import Sequence

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.webhook import Webhook, deliveries
from everlore.store.audit import AuditRow, ChangeContext, columns_of, happenings
from everlore.store.sql import queue
from everlore.store.sql.flow import Dialect, Flow, add, ask
from everlore.store.sql.rows import columns
from everlore.store.tables import TABLES


def log(sql: Dialect, occasion: ChangeContext, entries: Sequence[AuditRow]) -> Flow[None]:
    yield from add(TABLES[AuditEntry].name, columns_of(occasion, entries))
    told = happenings(occasion, entries)
    if not told:
        return
    table = TABLES[Webhook]
    workspace = occasion.scope.workspace
    rows = yield from ask(f"SELECT {columns(table)} FROM {table.name} WHERE workspace = ?", workspace)
    for job in deliveries(map(table.record_of, rows), told, occasion.at):
        yield from queue.enqueue(sql, job)
