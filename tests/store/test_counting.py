"""Writers of one PostgreSQL workspace count without waiting for each other, and without losing anything (C5, C9)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import asyncpg
import numpy as np
import pytest

from everlore.domain.revision import revise
from everlore.settings import StoreSettings
from everlore.store.answers import Coverage, KindCount
from everlore.store.port import Count, Embed, Put, Store
from everlore.store.postgres.connection import prepare_connection, run
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.postgres.store import PostgresStore
from everlore.store.sql import passages
from everlore.store.sql.tallies import counting
from tests.contract.builders import MODEL, SCOPE, WORKSPACE, axis, embed, memory, minute, save
from tests.postgres import Server
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.postgres


@asynccontextmanager
async def _two_writers(postgres: Server) -> AsyncIterator[tuple[Store, Any]]:
    """A store, and a connection beside it for a transaction that takes its time."""
    async with postgres.fresh_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: datetime.now(UTC))
        other = await asyncpg.connect(url)
        await prepare_connection(other)
        yield store, other
        await other.close()
        await store.close()


async def test_nobody_waits_for_the_counts_of_another(postgres: Server) -> None:
    """C9: and what each of them counted adds up."""
    async with _two_writers(postgres) as (store, other):
        slow = other.transaction()
        await slow.start()
        for number in range(3):
            await run(other, PostgresDialect().count([(WORKSPACE, number, "count", "prompts", 1)]))

        for number in range(3):
            await asyncio.wait_for(store.apply(SCOPE, [Put(memory(f"m{number}")), Count("prompts", 10)]), PATIENCE_S)
        await slow.commit()

        shards = await other.fetch("SELECT DISTINCT shard FROM tallies WHERE type = 'prompts' ORDER BY 1")
        hours = [each for each in await store.tallies(SCOPE, since=minute(-(10**8))) if each.type == "prompts"]
        assert [row[0] for row in shards] == [0, 1]
        assert KindCount("count", "prompts", 30) in await store.tallies(SCOPE)
        assert sorted(each.count for each in hours) == [1, 1, 1, 30]


async def test_whoever_comes_later_counts_where_others_did(postgres: Server) -> None:
    """C9: there are only ever as many shards as there were writers at once."""
    async with _two_writers(postgres) as (store, other):
        for number in range(5):
            await save(store, memory(f"m{number}"))

        assert await other.fetchval("SELECT MAX(shard) FROM tallies") == 0


async def test_a_vector_that_comes_while_its_passage_is_closed_is_of_the_past(postgres: Server) -> None:
    """C9, M6: whoever embeds holds the passage until the vector is there to be closed with it."""
    async with _two_writers(postgres) as (store, other):
        first = memory("m", "Ada likes the sea.")
        await save(store, first)
        [waiting] = await store.unembedded(SCOPE, MODEL)
        slow = other.transaction()
        await slow.start()
        sql, change = PostgresDialect(), Embed(MODEL, (waiting.row,), np.array([axis(0)], np.float32))
        await run(other, counting(sql, WORKSPACE, passages.embed(sql, WORKSPACE, change)))

        edit = asyncio.create_task(save(store, revise(first, minute(1), content="Ada loves the sea.")))
        await asyncio.wait([edit], timeout=0.3)
        await slow.commit()
        await asyncio.wait_for(edit, PATIENCE_S)

        assert await store.coverage(SCOPE, MODEL) == Coverage(1, 0)
        await embed(store, {"Ada loves the sea.": axis(1)})
        assert await store.coverage(SCOPE, MODEL) == Coverage(1, 1)
