"""A PostgreSQL of this run alone, which hands out fresh databases."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from everlore.settings import StoreSettings
from everlore.store.postgres.connection import migrate

# Whoever is still connected goes. Of what is small the rows are deleted: truncating a table makes new files for it, its
# indexes, and all that names it.
_EMPTY = """
DO $$
DECLARE
    written record;
    large text;
BEGIN
    PERFORM pg_terminate_backend(pid)
        FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
    -- Foreign keys are not checked: everything goes.
    SET LOCAL session_replication_role = replica;
    FOR written IN SELECT oid::regclass AS name, pg_relation_size(oid) AS size FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_versions'
        AND pg_relation_size(oid) > 0
    LOOP
        IF written.size < 200000 THEN
            EXECUTE 'DELETE FROM ' || written.name;
        ELSE
            large := concat_ws(', ', large, written.name);
        END IF;
    END LOOP;
    IF large IS NOT NULL THEN
        EXECUTE 'TRUNCATE ' || large || ' CASCADE';
    END IF;
    PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S';
END $$
"""


class Server:
    """Fresh databases are copies of one that has been migrated once: migrating each would take most of the time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._has_template = False
        self._emptied: list[str] = []

    def url(self, database: str) -> str:
        return self._url.replace("/postgres?", f"/{database}?")

    @asynccontextmanager
    async def fresh_database(self) -> AsyncIterator[str]:
        await self._make_template()
        async with self.empty_database("TEMPLATE migrated STRATEGY file_copy") as url:
            yield url

    @asynccontextmanager
    async def emptied_database(self) -> AsyncIterator[str]:
        """For those who change nothing of its schema: the one of the test before, of which nothing is left. A new one
        would be copied file by file, and known to nobody's cache."""
        await self._make_template()
        name = self._emptied.pop() if self._emptied else await self._created("TEMPLATE migrated STRATEGY file_copy")
        try:
            yield self.url(name)
        finally:
            await self._say(_EMPTY, name)
            self._emptied.append(name)

    @asynccontextmanager
    async def empty_database(self, options: str = "") -> AsyncIterator[str]:
        name = await self._created(options)
        try:
            yield self.url(name)
        finally:
            await self._say(f"DROP DATABASE {name} WITH (FORCE)")

    async def _created(self, options: str) -> str:
        name = f"everlore_{uuid.uuid4().hex}"
        await self._say(f"CREATE DATABASE {name} {options}")
        return name

    async def _make_template(self) -> None:
        if not self._has_template:
            await self._say("CREATE DATABASE migrated")
            await migrate(self.url("migrated"), StoreSettings())
            self._has_template = True

    async def _say(self, statement: str, database: str = "postgres") -> None:
        connection = await asyncpg.connect(self.url(database))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()
