"""Backs up the whole database while it is in use, and restores it (R-5).

A backup is read in one transaction and gets its final name only after a check; its checksum is in a file next to it, in
the format of `sha256sum`. A restore checks the backup first, and never replaces a database that is open. Start at
`back_up` and `restore`.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from everlore.errors import BadAsk, Misconfigured, StoreUnavailable
from everlore.private_files import make_private_folder
from everlore.store.migrations import migrations, pending
from everlore.store.sqlite.connection import connect, translated

_PACKAGE = "everlore.store.sqlite"
_PAGES = 2_000
_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class Copy:
    """`had_checksum`: whether there was a checksum file, and it matched."""

    size_bytes: int
    schema: int
    sha256: str
    had_checksum: bool = True


def back_up(database: Path, target: Path, *, force: bool, tell: Callable[[int, int], None]) -> Copy:
    """`tell` receives the number of copied pages and their total."""
    if not database.exists():
        raise BadAsk(f"There is no database at {database}. Name one with --db.")
    _refuse_existing(target, force=force, hint="Choose another name, or --force.")
    with _drafted(target) as draft:
        with closing(connect(database, 30)) as source, translated(database):
            # One transaction for all pages: a copy that restarts with every write would never end.
            source.execute("BEGIN")
            source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            with closing(sqlite3.connect(draft)) as copy:
                source.backup(copy, pages=_PAGES, progress=lambda _, left, total: tell(total - left, total))
                # A single file, without a log next to it.
                copy.execute("PRAGMA journal_mode = DELETE")
        schema = _checked(draft, target)
        digest = _digest(draft)
        size = draft.stat().st_size
        _flush(draft)
        draft.replace(target)
    _checksum_of(target).write_text(f"{digest}  {target.name}\n", encoding="utf-8")
    _flush(target.parent)
    return Copy(size, schema, digest)


def restore(backup: Path, database: Path, *, force: bool) -> Copy:
    if not backup.is_file():
        raise BadAsk(f"There is no file {str(backup)!r}. Name a backup.")
    _refuse_existing(database, force=force, hint="--force replaces it: all that it holds is lost.")
    digest, had_checksum = _proven(backup)
    schema = _checked(backup, backup)
    make_private_folder(database.parent)
    with _drafted(database) as draft:
        shutil.copyfile(backup, draft)
        if _digest(draft) != digest:
            raise Misconfigured(f"{backup} changed while it was read, or the disk of {database} is faulty. Try again.")
        _flush(draft)
        with _ours_alone(database):
            draft.replace(database)
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    _flush(database.parent)
    return Copy(database.stat().st_size, schema, digest, had_checksum)


def has_checksum(path: Path) -> bool:
    """Whether this is a backup with its checksum beside it."""
    return path.is_file() and _checksum_of(path).exists()


def _refuse_existing(path: Path, *, force: bool, hint: str) -> None:
    if path.exists() and not force:
        raise BadAsk(f"There is a file {str(path)!r} already. {hint}")


@contextmanager
def _drafted(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder, readable by its owner only, and deleted in the end."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield draft
    except OSError as error:
        raise Misconfigured(f"{str(path)!r} cannot be written ({error.strerror}). Choose another place.") from None
    finally:
        draft.unlink(missing_ok=True)


def _checked(file: Path, named: Path) -> int:
    """The schema version, if this is an intact Everlore database that this version can open."""
    try:
        # Read-only and immutable: not even a log file may be written next to it.
        with closing(sqlite3.connect(f"file:{_quoted(file)}?mode=ro&immutable=1", uri=True)) as connection:
            faults = [row[0] for row in connection.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            applied = dict(connection.execute("SELECT version, checksum FROM schema_versions").fetchall())
    except sqlite3.DatabaseError as error:
        raise Misconfigured(f"{named} is not a whole database of Everlore ({error}). Take another backup.") from None
    if faults:
        raise Misconfigured(f"{named} is damaged ({faults[0]}). Take another backup.")
    pending(migrations(_PACKAGE), applied, str(named))
    return int(max(applied))


def _quoted(file: Path) -> str:
    return str(file.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _proven(backup: Path) -> tuple[str, bool]:
    """The checksum of the file, and whether its checksum file agrees; there may be none."""
    digest = _digest(backup)
    try:
        written = _checksum_of(backup).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return digest, False
    if not written or written[0] != digest:
        raise Misconfigured(
            f"{backup} is not what {_checksum_of(backup).name} says: it was changed or damaged since. Take another "
            "backup; or, if you know why, remove the checksum."
        )
    return digest, True


def _checksum_of(backup: Path) -> Path:
    return backup.with_name(backup.name + ".sha256")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _ours_alone(database: Path) -> Iterator[None]:
    """Requires that nobody else has it open: SQLite leaves WAL mode only for its last user."""
    if not database.exists():
        yield
        return
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            mode = "in use"
        except sqlite3.DatabaseError:
            # The database is damaged, which may be why it is being restored.
            mode = "delete"
        if mode != "delete":
            raise StoreUnavailable(
                f"{database} is in use. Stop the server, the workers and whatever else has it open, then restore "
                "again. Nothing was changed."
            )
        yield


def _flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
