"""The audit log is only ever added to: no statement of the store changes what is in it (C10)."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.sqlite.store import SqliteStore
from tests.contract.drivers import CHANGES, WRITES, inhabit

_LOG = "deeds"
_NAMES = {sqlite3.SQLITE_INSERT: "insert", sqlite3.SQLITE_UPDATE: "update", sqlite3.SQLITE_DELETE: "delete"}


class _Watch:
    """Hears from SQLite itself what each statement of a connection does to the log, before it runs."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.seen: set[str] = set()
        connection.set_authorizer(self._note)

    def _note(self, action: int, table: str | None, *_: str | None) -> int:
        if table == _LOG and action in _NAMES:
            self.seen.add(_NAMES[action])
        return sqlite3.SQLITE_OK

    def take(self) -> set[str]:
        seen, self.seen = self.seen, set()
        return seen


async def test_no_change_and_no_method_rewrites_the_audit_log(tmp_path: Path) -> None:
    """C10: each change and each writing method of the store adds lines or leaves the log alone. Only deleting a whole
    workspace takes its log along."""
    store = await SqliteStore.open(tmp_path / "everlore.db", StoreSettings(), clock=lambda: datetime.now(UTC))
    watch = _Watch(store._writer._connection)

    for kind, make in CHANGES.items():
        scope = Scope(f"change {kind.__name__}")
        there = await inhabit(store, scope)
        await store.apply(scope, [make(scope, there)])
    for name, drive in WRITES.items():
        if name != "forget_workspace":
            scope = Scope(f"method {name}")
            await drive(store, scope, await inhabit(store, scope))
    before = watch.take()
    await store.forget_workspace(Scope("method apply"))
    await store.close()

    assert before == {"insert"}
    assert watch.take() == {"delete"}
