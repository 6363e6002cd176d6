"""A PostgreSQL of this run alone, which hands out fresh databases."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from everlore.settings import StoreSettings
from everlore.store.postgres.connection import migrate


class Server:
    """Fresh databases are copies of one that has been migrated once: migrating each would take most of the time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._has_template = False

    def url(self, database: str) -> str:
        return self._url.replace("/postgres?", f"/{database}?")

    @asynccontextmanager
    async def fresh_database(self) -> AsyncIterator[str]:
        await self._make_template()
        async with self.empty_database("TEMPLATE migrated STRATEGY file_copy") as url:
            yield url

    @asynccontextmanager
    async def empty_database(self, options: str = "") -> AsyncIterator[str]:
        name = f"everlore_{uuid.uuid4().hex}"
        await self._say(f"CREATE DATABASE {name} {options}")
        try:
            yield self.url(name)
        finally:
            await self._say(f"DROP DATABASE {name} WITH (FORCE)")

    async def _make_template(self) -> None:
        if not self._has_template:
            await self._say("CREATE DATABASE migrated")
            await migrate(self.url("migrated"), StoreSettings())
            self._has_template = True

    async def _say(self, statement: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()
