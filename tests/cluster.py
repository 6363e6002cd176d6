"""A cluster of this run alone: a coordinator and two workers with Citus, which hands out databases as `Server` does."""

import os
import pwd
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from benchmarks.postgres import NOBODY, free_port
from everlore.settings import StoreSettings
from everlore.store.postgres.connection import migrate
from tests.postgres import Server

# Where `scripts/citus.py` has put a PostgreSQL with Citus; without it, tests use a PostgreSQL of one node.
INSTALLED = os.environ.get("EVERLORE_TEST_CITUS")
_NODES = 3
_CONFIG: Mapping[str, str] = {
    "shared_preload_libraries": "'citus'",
    "listen_addresses": "'127.0.0.1'",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "max_prepared_transactions": "200",
    "citus.shard_count": "4",
    # Distributed deadlocks are found this often, where the usual is twice.
    "citus.distributed_deadlock_detection_factor": "1.2",
}
# Whoever is still connected to the coordinator goes; its own connections to the workers stay.
_ALONE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)
_NUMBER_AGAIN = (
    "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace"
)
# The shards on a worker, emptied without the coordinator: asking it for each table would take a second.
_EMPTY_SHARDS = """
SET session_replication_role = replica;
DO $$
DECLARE
    written record;
BEGIN
    FOR written IN SELECT oid::regclass AS name FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname !~ '^schema_versions'
        AND pg_relation_size(oid) > 0
    LOOP
        EXECUTE 'DELETE FROM ' || written.name;
    END LOOP;
END $$
"""


class Cluster(Server):
    """Databases are made on every node, which takes seconds: those of earlier tests are emptied and used again."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._ports = [free_port() for _ in range(_NODES)]
        super().__init__(f"postgresql://postgres@127.0.0.1:{self._ports[0]}/postgres?sslmode=disable")
        self._run(["chmod", "755", str(folder)])
        if os.geteuid() == 0:
            shutil.chown(folder, NOBODY)
        for number, port in enumerate(self._ports):
            self._start(folder / f"node{number}", port)

    def stop(self) -> None:
        for number in range(_NODES):
            self._run([self._called("pg_ctl"), "-D", str(self._folder / f"node{number}"), "-m", "immediate", "stop"])
        shutil.rmtree(self._folder)

    @asynccontextmanager
    async def fresh_database(self) -> AsyncIterator[str]:
        async with self.emptied_database() as url:
            yield url

    @asynccontextmanager
    async def emptied_database(self) -> AsyncIterator[str]:
        name = self._emptied.pop() if self._emptied else await self._created_on_all()
        try:
            yield self.url(name)
        finally:
            await self._empty(name)
            self._emptied.append(name)

    def _start(self, folder: Path, port: int) -> None:
        self._run([self._called("initdb"), "-D", str(folder), "-U", "postgres", "-A", "trust", "--no-sync"])
        config = {**_CONFIG, "port": str(port), "unix_socket_directories": f"'{self._folder}'"}
        with (folder / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in config.items())
        self._run([self._called("pg_ctl"), "-D", str(folder), "-l", f"{folder}.log", "-w", "start"])

    def _called(self, program: str) -> str:
        return str(self._program / program)

    def _run(self, command: list[str]) -> None:
        """PostgreSQL refuses to run as root."""
        as_whom: dict[str, Any] = {}
        if os.geteuid() == 0 and command[0] != "chmod":
            as_whom = {"user": NOBODY, "group": pwd.getpwnam(NOBODY).pw_gid}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self._folder, **as_whom)

    async def _created_on_all(self) -> str:
        name = await self._created("")
        for port in self._ports[1:]:
            await self._ask(f"CREATE DATABASE {name}", "postgres", port)
        for port in self._ports:
            await self._ask("CREATE EXTENSION citus", name, port)
        await self._ask(f"SELECT citus_set_coordinator_host('127.0.0.1', {self._ports[0]})", name)
        for port in self._ports[1:]:
            await self._ask(f"SELECT citus_add_node('127.0.0.1', {port})", name)
        await migrate(self.url(name), StoreSettings(), distributed=True)
        return name

    async def _empty(self, name: str) -> None:
        await self._ask(_ALONE, name)
        for port in self._ports[1:]:
            await self._ask(_EMPTY_SHARDS, name, port)
        await self._ask(_NUMBER_AGAIN, name)

    async def _ask(self, statement: str, database: str, port: int | None = None) -> None:
        url = self.url(database).replace(f":{self._ports[0]}/", f":{port or self._ports[0]}/")
        connection = await asyncpg.connect(url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()
