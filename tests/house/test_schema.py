"""Every field of every record has a column of the same name, in both databases (M1, M12)."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from everlore.domain.job import Job
from everlore.domain.memory import Memory
from everlore.domain.records import KINDS, LOOSENED, MENTIONS, OWNED
from everlore.store.export_order import CARRIED, LEFT_OUT, WITH_OTHERS
from everlore.store.migrations import migrations
from everlore.store.sqlite.connection import run_migration
from everlore.store.tables import JOBS, TABLES, Table

ALL = [*(TABLES[kind] for kind in KINDS), JOBS]
# How the two databases call what `tables.py` calls text, integer and real.
_POSTGRES = {"text": "TEXT", "integer": "BIGINT", "real": "DOUBLE PRECISION", "blob": "BYTEA"}


@pytest.fixture(scope="module")
def sqlite() -> Iterator[sqlite3.Connection]:
    """A fresh database in memory, with every migration run."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE schema_versions (version INTEGER, checksum TEXT)")
        for migration in migrations("everlore.store.sqlite"):
            run_migration(database, migration)
        yield database


@pytest.fixture(scope="module")
def postgres() -> dict[str, dict[str, str]]:
    """Table → column → its definition, out of the text of the migrations."""
    text = "\n".join(migration.sql for migration in migrations("everlore.store.postgres"))
    tables: dict[str, dict[str, str]] = {}
    for name, body in re.findall(r"CREATE TABLE (\w+) \(\n(.*?)\n\)", text, re.DOTALL):
        lines = (line.strip().rstrip(",") for line in body.splitlines())
        tables[name] = dict(line.split(" ", 1) for line in lines if re.match(r"[a-z_]+ [A-Z]", line))
    for name, column, definition in re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+) ([^;]+);", text):
        tables[name][column] = definition
    return tables


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_sqlite_has_a_column_for_every_field_and_no_other(table: Table, sqlite: sqlite3.Connection) -> None:
    """M1, M12."""
    columns = {
        name: (kind, bool(required))
        for _, name, kind, required, *_ in sqlite.execute(f"PRAGMA table_info({table.name})")
    }

    assert set(columns) == set(table.kind.__dataclass_fields__)
    assert {name: kind.lower() for name, (kind, _) in columns.items()} == {
        column.name: column.affinity for column in table.columns
    }


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_postgresql_has_a_column_for_every_field_and_no_other(
    table: Table, postgres: dict[str, dict[str, str]]
) -> None:
    """M1, M12."""
    columns = postgres[table.name]

    assert set(columns) == set(table.kind.__dataclass_fields__)
    for column in table.columns:
        assert columns[column.name].startswith(_POSTGRES[column.affinity]), column.name


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_both_databases_agree_on_what_may_be_missing(
    table: Table, sqlite: sqlite3.Connection, postgres: dict[str, dict[str, str]]
) -> None:
    """M12."""
    required = {name for _, name, _, needed, *_ in sqlite.execute(f"PRAGMA table_info({table.name})") if needed}

    assert required == {name for name, definition in postgres[table.name].items() if "NOT NULL" in definition}


def test_every_key_begins_with_the_workspace(sqlite: sqlite3.Connection) -> None:
    """The tenant is in every primary key, so that no query need cross it."""
    # What belongs to the file as a whole, and the words of the index, which carry the workspace as a token.
    common = {"workspaces", "schema_versions", "counters", "sqlite_sequence", "passages", "index_changes"}
    tables = [row[0] for row in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]

    for name in tables:
        if name in common or name.startswith("passages_text"):
            continue
        key = [column for _, column, _, _, _, place in sqlite.execute(f"PRAGMA table_info({name})") if place == 1]
        assert key == ["workspace"], name


def test_both_databases_have_the_same_migrations_and_tables(
    sqlite: sqlite3.Connection, postgres: dict[str, dict[str, str]]
) -> None:
    """M12: one logical schema."""
    assert [each.name for each in migrations("everlore.store.sqlite")] == [
        each.name for each in migrations("everlore.store.postgres")
    ]
    tables = {table.name for table in ALL} | {"workspaces", "revisions", "mentions", "queues", "passages", "vectors"}
    kept = {row[0] for row in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables <= kept
    assert tables <= set(postgres)


def test_a_job_is_a_row_like_any_record() -> None:
    """C5: in the same database, and in the same transaction."""
    assert set(JOBS.names) == set(Job.__dataclass_fields__)


def test_every_table_is_carried_or_is_left_out_for_a_reason(
    sqlite: sqlite3.Connection, postgres: dict[str, dict[str, str]]
) -> None:
    """M13: a new kind of record cannot be forgotten when a workspace moves."""
    found = {row[0] for row in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    # What full text and AUTOINCREMENT keep for themselves.
    own = {name for name in found if name.startswith(("passages_text_", "sqlite_"))}
    carried = {TABLES[kind].name for kind in CARRIED if kind in TABLES}
    said = {**WITH_OTHERS, **LEFT_OUT}

    assert (found - own) | set(postgres) == carried | set(said)
    assert not carried & set(said)
    assert set(KINDS) - set(CARRIED) == {table.kind for table in ALL if table.name in LEFT_OUT} - {Job}
    assert all(len(reason.split()) > 3 for reason in said.values())


def test_nothing_is_carried_before_what_it_names() -> None:
    """M13: but for records of the same kind, whose lists may name each other."""
    order = {kind: at for at, kind in enumerate(CARRIED)}
    ties = [*((tie.child, tie.parent) for tie in (*OWNED, *LOOSENED)), *((Memory, each) for each in MENTIONS.values())]

    late = [(child, parent) for child, parent in ties if child in order and order[parent] > order[child]]

    assert late == []
