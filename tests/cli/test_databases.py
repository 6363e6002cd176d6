"""A database that cannot be used: what is wrong, what to do, and an exit code that tells them apart."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.process import Command


def _corrupt(folder: Path) -> str:
    (folder / "corrupt.db").write_bytes(b"SQLite format 3\x00" + b"garbage" * 1000)
    return str(folder / "corrupt.db")


def _newer(folder: Path) -> str:
    path = folder / "newer.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL)")
        database.execute("INSERT INTO schema_versions VALUES (9999, 'from the future')")
    return f"sqlite:///{path}"


def _below_a_file(folder: Path) -> str:
    (folder / "file").write_text("not a folder")
    return str(folder / "file" / "below" / "everlore.db")


def _folder(folder: Path) -> str:
    return str(folder)


@pytest.mark.parametrize(
    ("make", "code", "type", "sentence"),
    [
        (_corrupt, 5, "Misconfigured", "Restore it from a backup"),
        (_newer, 5, "Misconfigured", "a newer version made it"),
        (_below_a_file, 5, "Misconfigured", "cannot be made"),
        (_folder, 5, "Misconfigured", "cannot be opened for writing"),
        (lambda _: "mysql://localhost/x", 2, "BadAsk", "is no database of ours"),
        (lambda _: "postgresql://127.0.0.1:1/x", 6, "StoreUnavailable", "does not answer"),
    ],
)
def test_an_unusable_database_is_explained(
    cli: Command, tmp_path: Path, make: Callable[[Path], str], code: int, type: str, sentence: str
) -> None:
    done = cli("recall", "Rex", "--db", make(tmp_path), "--json")

    assert (done.code, done.out) == (code, "")
    assert done.error["type"] == type
    assert sentence in done.error["message"]


def test_a_password_is_never_shown(cli: Command) -> None:
    """S-2."""
    done = cli("stats", "--db", "postgresql://mira:hunter2@127.0.0.1:1/x")

    assert done.code == 6
    assert "hunter2" not in done.err
    assert "mira" in done.err
