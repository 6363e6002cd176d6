"""What is asked for in every turn is read from an index and in its order (P1, P10, P12).

So a page of a long conversation costs what a page costs, however long the conversation is.
"""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from everlore.domain.conversation import Message
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.xray import XRay
from everlore.settings import StoreSettings
from everlore.store.postgres.connection import numbered
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.postgres.store import PostgresStore
from everlore.store.sql import reads
from everlore.store.sql.flow import Dialect, Statement
from everlore.store.sqlite.connection import prepare
from everlore.store.sqlite.dialect import SqliteDialect
from everlore.store.tables import TABLES
from tests.contract.builders import WORKSPACE, conversation, message, save, template, template_version, xray
from tests.postgres import Server

FINDS: list[tuple[type[Any], dict[str, Any], str]] = [
    (Message, {"conversation_id": "chat"}, "messages_conversation_id"),
    (Message, {"conversation_id": "chat", "weight": (5, 6, 7, 8, 9)}, "messages_weight"),
    (XRay, {"conversation_id": "chat"}, "xrays_conversation_id"),
    (XRay, {"message_id": "chat-7"}, "xrays_message_id"),
    (Template, {"name": "T7"}, "templates_name"),
    (TemplateVersion, {"template_id": "t7"}, "template_versions_template_id"),
]
# As long as many replies are; a database reads a small table as a whole.
LONG = "word " * 200
every_find = pytest.mark.parametrize(
    ("kind", "where", "index"), FINDS, ids=[f"{kind.__name__} by {' and '.join(where)}" for kind, where, _ in FINDS]
)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Empty: it keeps no statistics, so its plans are the same when it is full."""
    file = tmp_path / "everlore.db"
    prepare(file, busy_timeout_s=15)
    with closing(sqlite3.connect(file)) as database:
        yield database


@pytest.fixture
async def postgresql(postgres: Server) -> AsyncIterator[Any]:
    """With enough rows for an index to be worth it, and with statistics."""
    async with postgres.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: datetime.now(UTC))
        for chat in ("chat", "elsewhere"):
            await save(store, conversation(chat))
            said = [(f"{chat}-{number}", number % 10) for number in range(500)]
            await save(store, *(message(id, LONG, conversation_id=chat, weight=weight) for id, weight in said))
            await save(store, *(xray(id, conversation_id=chat) for id, _ in said))
        names = [f"t{number}" for number in range(500)]
        await save(
            store, *map(template, names), *(template_version(f"{name}-1", 1, template_id=name) for name in names)
        )
        await store.close()
        database = await asyncpg.connect(url)
        await database.execute("ANALYZE")
        yield database
        await database.close()


@every_find
def test_sqlite_reads_a_page_in_the_order_of_its_index(
    sqlite: sqlite3.Connection, kind: type[Any], where: dict[str, Any], index: str
) -> None:
    ask = _page(SqliteDialect(), kind, where)

    [plan] = [row[3] for row in sqlite.execute(f"EXPLAIN QUERY PLAN {ask.sql}", ask.values)]

    assert f"USING INDEX {index} (" in plan


@pytest.mark.postgres
async def test_postgresql_reads_a_page_in_the_order_of_its_index(postgresql: Any) -> None:
    for kind, where, index in FINDS:
        ask = _page(PostgresDialect(), kind, where)

        plan = [row[0] for row in await postgresql.fetch(f"EXPLAIN (COSTS OFF) {numbered(ask.sql)}", *ask.values)]

        assert any(f"using {index} on" in line for line in plan), plan
        # One that is incremental only settles ties, and no two messages have one number.
        assert not any(line.strip(" ->") == "Sort" for line in plan), plan


def _page(sql: Dialect, kind: type[Any], where: dict[str, Any]) -> Statement:
    """How a store asks for the newest of these."""
    ask = next(reads.find(sql, TABLES[kind], WORKSPACE, where, limit=50, cursor=None, newest_first=True))
    assert isinstance(ask, Statement)
    return ask
