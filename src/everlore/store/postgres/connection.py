"""Connects to PostgreSQL, migrates its schema, and translates its errors into clear messages."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

import asyncpg

from everlore.errors import Conflict, EverloreError, Misconfigured, StoreUnavailable
from everlore.settings import StoreSettings
from everlore.store.answers import StoreHealth
from everlore.store.migrations import Migration, migrations, pending
from everlore.store.sql.flow import Flow, NewRows, SqlStatement, ask, insert

T = TypeVar("T")
_PACKAGE = "everlore.store.postgres"
_EXTENSIONS = {"btree_gin", "vector"}
# An arbitrary fixed number, the name of the lock for schema changes.
_MIGRATION_LOCK = 7_203_611
# COPY has a fixed cost; below this many rows plain inserts are as fast.
_WORTH_COPYING = 16
# Errors that mean that the connection was lost.
LOST = (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.InternalClientError, ConnectionError)
AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


def shown(url: str) -> str:
    """The URL without its password, for messages and logs."""
    url = re.sub(r"(://[^:/?#]*):[^/?#]*@", r"\1:…@", url)
    return re.sub(r"([?&]password=)[^&#]*", r"\1…", url)


async def run(connection: Any, flow: Flow[T]) -> T:
    """Run a flow to its end on this connection."""
    try:
        statement = next(flow)
        while True:
            statement = flow.send(await _execute(connection, statement))
    except StopIteration as end:
        value: T = end.value
        return value


async def _execute(connection: Any, statement: SqlStatement | NewRows) -> Any:
    if isinstance(statement, NewRows):
        table, names, rows = statement.table, statement.names, statement.rows()
        if len(rows) >= _WORTH_COPYING:
            await connection.copy_records_to_table(table, columns=names, records=rows)
            return ()
        statement = SqlStatement(insert(table, names), rows, many=True)
    if statement.many:
        await connection.executemany(numbered(statement.sql), statement.values)
        return ()
    return await connection.fetch(numbered(statement.sql), *statement.values)


@lru_cache(maxsize=4096)
def numbered(sql: str) -> str:
    """Replace `?` with `$1`, `$2` …, the placeholders of PostgreSQL."""
    parts = sql.split("?")
    return parts[0] + "".join(f"${number}{part}" for number, part in enumerate(parts[1:], 1))


async def connect(url: str, settings: StoreSettings) -> Any:
    try:
        return await asyncpg.connect(url, timeout=settings.connect_timeout_s)
    except ValueError as error:
        raise Misconfigured(
            f"{shown(url)} is not an address of a PostgreSQL database ({error}). Write "
            "postgresql://user:password@host:5432/name."
        ) from error


async def migrate(url: str, settings: StoreSettings, *, distributed: bool = False) -> list[str]:
    """Bring the schema up to date, and distribute it where Citus is; returns the names of the migrations that ran."""
    async with translated(url):
        connection = await connect(url, settings)
        try:
            async with connection.transaction():
                # Two servers may start on a new database at the same time.
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _MIGRATION_LOCK)
                todo = await _pending(connection, url, create=True)
                await _require_extensions(connection, url)
                for migration in todo:
                    await run_migration(connection, migration)
                if await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
                    await connection.execute(files(_PACKAGE).joinpath("distribute.sql").read_text(encoding="utf-8"))
                elif distributed:
                    how = "Add it on every node with `CREATE EXTENSION citus`, and the nodes with `citus_add_node`"
                    raise Misconfigured(f"{shown(url)} has no Citus. {how}. Nothing was changed.")
                return [migration.name for migration in todo]
        finally:
            await connection.close()


async def _require_extensions(connection: Any, url: str) -> None:
    available = {row[0] for row in await connection.fetch("SELECT name FROM pg_available_extensions")}
    if missing := " and ".join(sorted(_EXTENSIONS - available)):
        raise Misconfigured(f"{shown(url)} lacks {missing}: install pgvector 0.7 and btree_gin. Nothing was changed.")


async def require_current(connection: Any, url: str) -> None:
    todo = await _pending(connection, url, create=False)
    if todo:
        names = ", ".join(migration.name for migration in todo)
        raise Misconfigured(f"The database {shown(url)} lacks {names}. Make a backup, then run `everlore migrate`.")


async def _pending(connection: Any, url: str, *, create: bool) -> list[Migration]:
    if create:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL)"
        )
    known = await connection.fetchval("SELECT to_regclass('schema_versions') IS NOT NULL")
    rows = await connection.fetch("SELECT version, checksum FROM schema_versions") if known else []
    return pending(migrations(_PACKAGE), {row[0]: row[1] for row in rows}, shown(url))


async def run_migration(connection: Any, migration: Migration) -> None:
    await connection.execute(migration.sql)
    await connection.execute(
        "INSERT INTO schema_versions (version, checksum) VALUES ($1, $2)", migration.version, migration.checksum
    )


async def prepare_connection(connection: Any) -> None:
    """Vectors are sent in pgvector's binary form, which the dialect makes."""
    schema = await connection.fetchval(
        "SELECT nspname FROM pg_type JOIN pg_namespace ON pg_namespace.oid = typnamespace WHERE typname = 'halfvec'"
    )
    await connection.set_type_codec("halfvec", schema=schema, encoder=bytes, decoder=bytes, format="binary")


async def prepare_pooled(connection: Any, settings: StoreSettings) -> None:
    """PostgreSQL would otherwise keep the locks of a process whose machine is gone, for hours."""
    await prepare_connection(connection)
    silent_ms = round(1000 * settings.busy_timeout_s)
    await connection.execute(f"SET idle_in_transaction_session_timeout = {silent_ms}")


def health() -> Flow[StoreHealth]:
    ((version, schema, size, vector, citus, durable),) = yield from ask(
        "SELECT current_setting('server_version'), (SELECT MAX(version) FROM schema_versions), "
        "pg_database_size(current_database()), (SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
        "(SELECT extversion FROM pg_extension WHERE extname = 'citus'), current_setting('synchronous_commit')"
    )
    version, problems = f"{version}, pgvector {vector}", []
    if citus:
        is_distributed = "EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'workspaces'::regclass)"
        nodes = yield from ask(f"SELECT nodename FROM pg_dist_node WHERE shouldhaveshards AND {is_distributed}")
        version += f", Citus {citus}, distributed over {len(nodes)} nodes"
    if durable == "off":
        problems.append("synchronous_commit is off: a crash loses acknowledged writes. Set it to on.")
    return StoreHealth("PostgreSQL", version, schema, size, None, tuple(problems))


@asynccontextmanager
async def translated(url: str) -> AsyncIterator[None]:
    """Turns PostgreSQL's errors into ours, with the database and what to do about it."""
    try:
        yield
    except EverloreError:
        raise
    except AGAIN:
        raise
    except (OSError, TimeoutError) as error:
        raise StoreUnavailable(
            f"PostgreSQL at {shown(url)} does not answer ({str(error) or type(error).__name__}). Start it, or correct "
            "--db or EVERLORE_DATABASE_URL. Nothing acknowledged was lost."
        ) from error
    except (asyncpg.PostgresError, *LOST) as error:
        raise explain(url, error) from error


def explain(url: str, error: Exception) -> EverloreError:
    where = shown(url)
    match error:
        case asyncpg.IntegrityConstraintViolationError():
            return Conflict(f"The change does not fit what is stored ({error}). Read it again and repeat it.")
        case asyncpg.InvalidAuthorizationSpecificationError():
            return Misconfigured(f"PostgreSQL refused the login to {where} ({error}). Correct user and password.")
        case asyncpg.InvalidCatalogNameError():
            return Misconfigured(f"{where} does not exist. Make it with `createdb`, then run `everlore migrate`.")
        case asyncpg.FeatureNotSupportedError():
            return StoreUnavailable(f"PostgreSQL at {where} cannot do this: {error}.")
        case asyncpg.InsufficientPrivilegeError():
            return Misconfigured(f"The user of {where} may not do this ({error}). Grant it, or let an owner migrate.")
        case asyncpg.ReadOnlySQLTransactionError():
            return StoreUnavailable(
                f"{where} takes no writes: it is a standby, or set to read-only. Name the primary with --db or "
                "EVERLORE_DATABASE_URL, or make it writable."
            )
        case asyncpg.DiskFullError():
            return StoreUnavailable(
                f"The disk of {where} is full. Free some space and repeat: nothing of this change was kept."
            )
    return StoreUnavailable(f"PostgreSQL at {where} failed: {error}. Run `everlore doctor`.")
