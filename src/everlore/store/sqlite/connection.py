"""Opens the file, and translates its errors into clear messages."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from everlore.errors import Conflict, EverloreError, Misconfigured, StoreUnavailable
from everlore.private_files import make_private_folder
from everlore.store.answers import StoreHealth
from everlore.store.migrations import Migration, migrations, pending
from everlore.store.sql.flow import Flow, NewRows, SqlStatement
from everlore.store.sqlite.bulk import add

T = TypeVar("T")
_OLDEST = (3, 37, 0)
_LITTLE_SPACE = 500 * 2**20
_PACKAGE = "everlore.store.sqlite"


def connect(path: Path, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection that may move between threads; the store makes sure that one thread uses it at a time."""
    with translated(path):
        connection = sqlite3.connect(
            path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False, cached_statements=512
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # Overwrite deleted data instead of only unlinking it.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA mmap_size = 268435456")
        return connection


def prepare(path: Path, busy_timeout_s: float) -> None:
    """Create the file if needed, and bring its schema up to date."""
    if sqlite3.sqlite_version_info < _OLDEST:
        raise Misconfigured(
            f"This Python has SQLite {sqlite3.sqlite_version}; Everlore needs 3.37 or newer. Use a newer Python."
        )
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise Misconfigured(
            f"The folder {path.parent} cannot be made ({error.strerror}). Choose another with --db or "
            "EVERLORE_DATA_DIR."
        ) from error
    # Readable by its owner only; SQLite gives the files next to it the same rights. Errors are reported below.
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))
    connection = connect(path, busy_timeout_s)
    try:
        with translated(path):
            # With the write lock: two processes may start on a new file at once.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            _migrate(connection, path)
            # An index in memory that is further behind than this reloads.
            connection.execute(
                "DELETE FROM index_changes WHERE number <= (SELECT MAX(number) FROM index_changes) - 200000"
            )
            connection.execute("COMMIT")
    finally:
        connection.close()


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER NOT NULL PRIMARY KEY, checksum TEXT NOT NULL)"
    )
    applied = dict(connection.execute("SELECT version, checksum FROM schema_versions").fetchall())
    for migration in pending(migrations(_PACKAGE), applied, str(path)):
        run_migration(connection, migration)


def run_migration(connection: sqlite3.Connection, migration: Migration) -> None:
    for statement in _statements(migration.sql):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_versions (version, checksum) VALUES (?, ?)",
        (migration.version, migration.checksum),
    )


def _statements(sql: str) -> Iterator[str]:
    """One statement at a time: `executescript` would commit the current transaction."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def run(connection: sqlite3.Connection, flow: Flow[T]) -> T:
    """Run a flow to its end on this connection."""
    try:
        statement = next(flow)
        while True:
            statement = flow.send(_execute(connection, statement))
    except StopIteration as end:
        value: T = end.value
        return value


def _execute(connection: sqlite3.Connection, statement: SqlStatement | NewRows) -> list[Any]:
    if isinstance(statement, NewRows):
        add(connection, statement)
        return []
    if statement.many:
        connection.executemany(statement.sql, statement.values)
        return []
    return connection.execute(statement.sql, statement.values).fetchall()


def health(connection: sqlite3.Connection, path: Path) -> StoreHealth:
    problems = [row[0] for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        problems.append(f"{len(broken)} rows name something that is not there; run `everlore cleanup`.")
    (schema,) = connection.execute("SELECT MAX(version) FROM schema_versions").fetchone()
    size = sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))
    free = shutil.disk_usage(path.parent).free
    if free < _LITTLE_SPACE:
        problems.append(f"Only {free // 2**20} MB are free where {path} lies. Make room, or move it.")
    return StoreHealth("SQLite", sqlite3.sqlite_version, schema, size, free, tuple(problems))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into ours, with the file and what to do about it."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Conflict(f"The change does not fit what is stored ({error}). Read it again and repeat it.") from error
    except sqlite3.DatabaseError as error:
        raise explain(path, error) from error


def explain(path: Path, error: sqlite3.DatabaseError) -> EverloreError:
    text = str(error).lower()
    if "full" in text or getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_WRITE":
        return StoreUnavailable(
            f"The disk that holds {path} is full or cannot be written. Free some space and repeat: nothing of this "
            "change was kept, and everything before it is safe."
        )
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return Misconfigured(
            f"{path} is not a whole SQLite database ({error}). Restore it from a backup, or name another file with "
            "--db. Everlore changed nothing in it."
        )
    if "readonly" in text or "unable to open" in text:
        return Misconfigured(
            f"{path} cannot be opened for writing ({error}). Check that its folder exists and that you may write "
            "there, or name another file with --db or EVERLORE_DATA_DIR."
        )
    if "locked" in text or "busy" in text:
        return StoreUnavailable(
            f"{path} has been locked by another process for too long. See what holds it, then repeat the change."
        )
    return StoreUnavailable(f"SQLite could not work on {path}: {error}. Run `everlore doctor`.")
