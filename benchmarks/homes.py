"""Where the stores under test live: a fresh SQLite file, or a fresh database on a PostgreSQL server.

Each home opens its store, tells how large it has grown, and offers the plain searches of its own database over the
same rows. Start at `Home`.
"""

import asyncio
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import asyncpg

from benchmarks import postgres
from benchmarks.corpus import WORKSPACE
from benchmarks.data import Data
from benchmarks.references import LIMIT, PlainText, Row, numpy_scan
from benchmarks.timing import Arm
from everlore.errors import Misconfigured
from everlore.settings import StoreSettings
from everlore.store.port import Store
from everlore.store.postgres.connection import prepare_connection
from everlore.store.postgres.dialect import PostgresDialect
from everlore.store.postgres.store import PostgresStore
from everlore.store.sqlite.store import SqliteStore

NUMPY = "NumPy scan"
FTS5 = "plain FTS5"
FTS5_ALL = "plain FTS5, stop words too"
HALFVEC = "halfvec scan"
HALFVEC_NARROW = "halfvec scan, bare table"


def now() -> datetime:
    return datetime.now(UTC)


async def open_store(kind: str, address: str, *, migrate: bool = False) -> Store:
    if kind == "sqlite":
        return await SqliteStore.open(Path(address), StoreSettings(), clock=now)
    return await PostgresStore.open(address, StoreSettings(), clock=now, migrate=migrate)


class Home(Protocol):
    kind: str
    address: str

    async def settle(self) -> None:
        """After loading: what the database's own housekeeping would have done a little later."""

    async def size_bytes(self) -> int: ...

    async def references(self, data: Data) -> Mapping[str, Arm]:
        """The plain searches of the rows that the store holds, by name."""

    async def close(self) -> None: ...


class SqliteHome:
    kind = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = str(folder / "everlore.db")
        self._plain: PlainText | None = None

    async def settle(self) -> None:
        """Nothing: SQLite has no housekeeping of its own."""

    async def size_bytes(self) -> int:
        return sum(path.stat().st_size for path in self._folder.glob("everlore.db*"))

    async def references(self, data: Data) -> Mapping[str, Arm]:
        self._plain = PlainText(self._folder / "plain.db", data.corpus.texts)
        return {
            NUMPY: numpy_scan(data.vectors, data.asked),
            FTS5: self._plain.arm(data.questions),
            FTS5_ALL: self._plain.arm(data.questions, all_words=True),
        }

    async def close(self) -> None:
        if self._plain is not None:
            self._plain.close()


class PostgresHome:
    kind = "postgres"

    def __init__(self, address: str, connection: Any) -> None:
        self.address = address
        self._connection = connection

    @classmethod
    async def make(cls, address: str) -> "PostgresHome":
        return cls(address, await asyncpg.connect(address))

    async def settle(self) -> None:
        await self._connection.execute("VACUUM ANALYZE")
        await self._connection.execute("CHECKPOINT")

    async def size_bytes(self) -> int:
        size: int = await self._connection.fetchval("SELECT pg_database_size(current_database())")
        return size

    async def references(self, data: Data) -> Mapping[str, Arm]:
        scope = (WORKSPACE, data.model)
        await prepare_connection(self._connection)
        await self._connection.execute(
            "CREATE TABLE bare AS SELECT row, vec FROM vectors WHERE workspace = $1 AND model = $2 ORDER BY row", *scope
        )
        await self._connection.execute("VACUUM ANALYZE bare")
        own = "SELECT row FROM vectors WHERE workspace = $2 AND model = $3 ORDER BY vec <#> $1 LIMIT $4"
        bare = "SELECT row FROM bare ORDER BY vec <#> $1 LIMIT $2"
        return {
            HALFVEC: await self._arm(own, data.asked, *scope, LIMIT),
            HALFVEC_NARROW: await self._arm(bare, data.asked, LIMIT),
            NUMPY: numpy_scan(data.vectors, data.asked),
        }

    async def _arm(self, sql: str, asked: Sequence[Row], *values: Any) -> Arm:
        statement = await self._connection.prepare(sql)
        sent = [PostgresDialect().vector(vector) for vector in asked]

        async def search(number: int) -> None:
            await statement.fetch(sent[number % len(sent)], *values)

        return search

    async def close(self) -> None:
        await self._connection.close()


@asynccontextmanager
async def new_home(kind: str, folder: Path, server_url: str | None) -> AsyncIterator[Home]:
    home: Home
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="everlore-bench-", dir=folder) as place:
            home = SqliteHome(Path(place))
            try:
                yield home
            finally:
                await home.close()
        return
    if server_url is None:
        raise Misconfigured("There is no PostgreSQL to measure. Give --postgres-url, or `make env`.")
    async with _new_database(server_url) as address:
        home = await PostgresHome.make(address)
        try:
            yield home
        finally:
            await home.close()


@asynccontextmanager
async def _new_database(server_url: str) -> AsyncIterator[str]:
    name = f"everlore_bench_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server_url)
    try:
        await admin.execute(f"CREATE DATABASE {name}")
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await admin.close()


@contextmanager
def postgres_server(url: str | None, *, wanted: bool) -> Iterator[str | None]:
    """The server at that address, or one of our own for this run; None where the wheel is not installed."""
    if url is not None or not wanted:
        yield url
        return
    try:
        server = postgres.start(Path(tempfile.mkdtemp(prefix="everlore-pg-")))
    except ImportError:
        yield None
        return
    try:
        yield server.url
    finally:
        server.stop()


async def server_version(url: str) -> str:
    connection = await asyncio.wait_for(asyncpg.connect(url), 30)
    try:
        version: str = await connection.fetchval("SHOW server_version")
        return version
    finally:
        await connection.close()
