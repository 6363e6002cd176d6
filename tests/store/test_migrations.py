"""Versioned migrations for both databases: an upgraded one equals a fresh one, and has lost nothing (M12, R-6)."""

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.errors import Misconfigured
from everlore.settings import StoreSettings
from everlore.store.answers import Coverage, KindCount
from everlore.store.migrations import Migration, migrations, pending
from everlore.store.port import Amend, Delete, Search, Store
from everlore.store.postgres import connection as postgres_connection
from everlore.store.postgres.store import PostgresStore
from everlore.store.sqlite import connection as sqlite_connection
from everlore.store.sqlite.store import SqliteStore
from everlore.store.tables import JOBS, TABLES
from tests.contract.builders import SCOPE, START, message
from tests.postgres import Server

SQLITE = migrations("everlore.store.sqlite")
POSTGRES = migrations("everlore.store.postgres")
VERSIONS = [migration.version for migration in SQLITE]
BUSY_S = 15.0
# Kept by SQLite alone: its own counters, full-text tables and the log of its index.
ONLY_SQLITE = re.compile(r"counters|index_changes|passages_text.*|sqlite_.*")

# What both databases held of a conversation at schema 4.
BEFORE_WEIGHTS = f"""
INSERT INTO workspaces (id) VALUES ('one');
INSERT INTO conversations (workspace, id, title, icon, state, system_ids, private, config, message_count,
    created_at, updated_at)
VALUES ('one', 'chat', '', '', 'open', '[]', 0, '{{}}', 1, {START.timestamp()}, {START.timestamp()});
INSERT INTO messages (workspace, id, conversation_id, seq, author, content, state, error, present, alternatives,
    chosen, private, metadata, created_at, updated_at)
VALUES ('one', 'said', 'chat', 1, 'user', 'I promise.', 'complete', '', '[]', '[]',
    0, 0, '{{}}', {START.timestamp()}, {START.timestamp()});
"""
# What both databases held of events at schema 6; one of them names somebody twice, one nobody.
BEFORE_TIMELINES = f"""
INSERT INTO workspaces (id) VALUES ('one');
INSERT INTO events (workspace, id, type, content, at, state, importance, actors, participants, entity_ids, tags, links,
    metadata, created_at)
VALUES
    ('one', 'met', 'interact', 'They met.', {START.timestamp()}, 'in_progress', 0.6, '["ada", "bo"]', '["bo", "né 🐉"]',
    '[]', '[]', '[]', '{{}}', {START.timestamp()}),
    ('one', 'rain', 'observation', 'It rained.', {START.timestamp()}, 'complete', 0.6, '[]', '[]',
    '[]', '[]', '[]', '{{}}', {START.timestamp()});
"""
# What both databases held of memories and entities at schema 7, and of their passages: one memory is a spoiler, one has
# been one until it was told in other words, and one entity is one.
_MEMORY = (
    "'FACT', 5, 1, 0, 0, 'active', 'normal', {spoiler}, 'long_term', 'user', 0, '[]', '', '[]', '[]', '[]', '[]', "
    f"'[]', {{revision}}, {START.timestamp()}, {{changed}}, 0, 0, '{{{{}}}}'"
)
BEFORE_SPOILERS = f"""
INSERT INTO workspaces (id) VALUES ('one');
INSERT INTO memories (workspace, id, content, summary, type, importance, confidence, priority, emotional_weight, status,
    visibility, is_spoiler, durability, origin, edited_by_person, persons, source_uri, source_message_ids, entity_ids,
    participants, key_moments, tags, revision, created_at, updated_at, recall_count, reinforcement_count, extra)
VALUES
    ('one', 'twist', 'It was the butler.', '', {_MEMORY.format(spoiler=1, revision=1, changed=START.timestamp())}),
    ('one', 'told', 'The king is dead.', '', {_MEMORY.format(spoiler=0, revision=2, changed=START.timestamp() + 60)});
INSERT INTO revisions (workspace, memory_id, number, since, until, changed_by, why, note, memory)
VALUES ('one', 'told', 1, {START.timestamp()}, {START.timestamp() + 60}, 'gm', 'edit', '', '{{"is_spoiler":1}}');
INSERT INTO entities (workspace, id, kind, name, aliases, description, attributes, is_spoiler, gm_edited, created_at,
    updated_at)
VALUES
    ('one', 'ghost', 'npc', 'Ghost', '[]', '', '{{}}', 1, 0, {START.timestamp()}, {START.timestamp()}),
    ('one', 'cook', 'npc', 'Cook', '[]', '', '{{}}', 0, 0, {START.timestamp()}, {START.timestamp()});
INSERT INTO passages (row, workspace, kind, ref, terms, length, persons, type, status, visibility, at, since, until)
SELECT row, 'one', kind, ref, no_words, 1, no_words, '', 'active', 'normal', 0, since, until FROM (
    SELECT 1 AS row, 'memory' AS kind, 'twist' AS ref, NOTHING AS no_words, {START.timestamp()} AS since, NULL AS until
    UNION ALL SELECT 2, 'memory', 'told', NOTHING, {START.timestamp()}, {START.timestamp() + 60}
    UNION ALL SELECT 3, 'memory', 'told', NOTHING, {START.timestamp() + 60}, NULL
    UNION ALL SELECT 4, 'entity', 'ghost', NOTHING, {START.timestamp()}, NULL
    UNION ALL SELECT 5, 'entity', 'cook', NOTHING, {START.timestamp()}, NULL
) AS old;
"""
# What both databases held at schema 8 of all that is counted since: something of each, in two hours and two workspaces.
BEFORE_TALLIES = (
    BEFORE_SPOILERS
    + BEFORE_TIMELINES.replace("INSERT INTO workspaces (id) VALUES ('one');", "")
    + f"""
INSERT INTO conversations (workspace, id, title, icon, state, system_ids, private, config, message_count, created_at,
    updated_at)
VALUES ('one', 'chat', '', '', 'open', '[]', 0, '{{}}', 2, 0, 0), ('two', 'chat', '', '', 'open', '[]', 0, '{{}}',
    0, 0, 0);
INSERT INTO messages (workspace, id, conversation_id, seq, author, content, state, error, present, alternatives, chosen,
    private, metadata, created_at, updated_at)
VALUES
    ('one', 'said', 'chat', 1, 'user', 'Hi.', 'complete', '', '[]', '[]', 0, 0, '{{}}', {START.timestamp()}, 0),
    ('one', 'heard', 'chat', 2, 'assistant', 'Ho.', 'complete', '', '[]', '[]', 0, 0, '{{}}', -1, 0);
INSERT INTO summaries (workspace, id, conversation_id, level, first_seq, last_seq, content, extractive, persons,
    private, created_at)
VALUES ('one', 'sum', 'chat', 0, 1, 2, 'Hi and ho.', 0, '[]', 0, {START.timestamp()});
INSERT INTO misses (workspace, id, query, mode, passages, embedded, embedder, created_at)
VALUES ('one', 'missed', 'Where?', '', 0, 0, '', {START.timestamp() + 3600});
"""
)
HOUR = int(START.timestamp() // 3600)
COUNTED = [
    KindCount("conversation", "", 1),
    KindCount("event", "interact", 1),
    KindCount("event", "observation", 1),
    KindCount("memory", "FACT", 2),
    KindCount("message", "assistant", 1),
    KindCount("message", "user", 1),
    KindCount("miss", "", 1),
    KindCount("passage", "", 4),
    KindCount("status", "active", 2),
    KindCount("summary", "", 1),
    KindCount("vector", "m", 1),
]
COUNTED_BY_HOUR = [
    KindCount("event", "interact", 1, HOUR),
    KindCount("event", "observation", 1, HOUR),
    KindCount("memory", "FACT", 2, HOUR),
    KindCount("message", "assistant", 1, -1),
    KindCount("message", "user", 1, HOUR),
    KindCount("miss", "", 1, HOUR + 1),
    KindCount("summary", "", 1, HOUR),
]
SPOILERS = [(1, 1), (2, 1), (3, 0), (4, 1), (5, 0)]


def test_both_databases_have_the_same_steps() -> None:
    assert [migration.name for migration in SQLITE] == [migration.name for migration in POSTGRES]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_upgraded_sqlite_file_equals_a_fresh_one(tmp_path: Path, version: int) -> None:
    fresh, old = tmp_path / "fresh.db", tmp_path / "old.db"
    sqlite_connection.prepare(fresh, BUSY_S)
    _make_old_file(old, version)

    sqlite_connection.prepare(old, BUSY_S)

    assert _sqlite_schema(old) == _sqlite_schema(fresh)


@pytest.mark.postgres
@pytest.mark.parametrize("version", VERSIONS)
async def test_an_upgraded_postgres_database_equals_a_fresh_one(postgres: Server, version: int) -> None:
    async with postgres.empty_database() as fresh, postgres.empty_database() as old:
        await postgres_connection.migrate(fresh, StoreSettings())
        await _make_old_database(old, version)

        ran = await postgres_connection.migrate(old, StoreSettings())

        assert ran == [migration.name for migration in POSTGRES if migration.version > version]
        assert await _postgres_schema(old) == await _postgres_schema(fresh)


async def test_what_a_sqlite_file_held_before_an_upgrade_is_read_after_it(tmp_path: Path) -> None:
    """P10: a message that is older than weights has none, and can be given one."""
    file = tmp_path / "old.db"
    _make_old_file(file, 4)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(BEFORE_WEIGHTS)

    store = await SqliteStore.open(file, StoreSettings(), clock=lambda: START)

    await _weigh_the_old_message(store)
    await store.close()


@pytest.mark.postgres
async def test_what_a_postgres_database_held_before_an_upgrade_is_read_after_it(postgres: Server) -> None:
    """P10."""
    async with postgres.empty_database() as url:
        await _make_old_database(url, 4)
        database = await asyncpg.connect(url)
        await database.execute(BEFORE_WEIGHTS)
        await database.close()

        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: START, migrate=True)

        await _weigh_the_old_message(store)
        await store.close()


async def test_what_happened_before_an_upgrade_of_a_sqlite_file_is_on_the_timeline(tmp_path: Path) -> None:
    """K5."""
    file = tmp_path / "old.db"
    _make_old_file(file, 6)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(BEFORE_TIMELINES)

    store = await SqliteStore.open(file, StoreSettings(), clock=lambda: START)

    await _look_back(store)
    await store.close()


@pytest.mark.postgres
async def test_what_happened_before_an_upgrade_of_a_postgres_database_is_on_the_timeline(postgres: Server) -> None:
    """K5."""
    async with postgres.empty_database() as url:
        await _make_old_database(url, 6)
        database = await asyncpg.connect(url)
        await database.execute(BEFORE_TIMELINES)
        await database.close()

        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: START, migrate=True)

        await _look_back(store)
        await store.close()


async def test_spoilers_of_an_old_sqlite_file_are_known_as_such_after_an_upgrade(tmp_path: Path) -> None:
    """G4: also what was one for a time."""
    file = tmp_path / "old.db"
    _make_old_file(file, 7)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(BEFORE_SPOILERS.replace("NOTHING", "'[]'"))

    store = await SqliteStore.open(file, StoreSettings(), clock=lambda: START)

    assert (await store.search(SCOPE, Search(with_spoilers=False))).coverage.passages == 2
    assert (await store.search(SCOPE, Search(with_spoilers=False, as_of=START))).coverage.passages == 1
    await store.close()
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT row, is_spoiler FROM passages ORDER BY row").fetchall() == SPOILERS


@pytest.mark.postgres
async def test_spoilers_of_an_old_postgres_database_are_known_as_such_after_an_upgrade(postgres: Server) -> None:
    """G4."""
    async with postgres.empty_database() as url:
        await _make_old_database(url, 7)
        database = await asyncpg.connect(url)
        await database.execute(BEFORE_SPOILERS.replace("NOTHING", "CAST('{}' AS TEXT[])"))
        await database.close()

        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: START, migrate=True)

        assert (await store.search(SCOPE, Search(with_spoilers=False))).coverage.passages == 2
        await store.close()
        assert list(map(tuple, await _ask(url, "SELECT row, is_spoiler FROM passages ORDER BY row"))) == SPOILERS


async def test_what_an_old_sqlite_file_holds_is_counted_after_an_upgrade(tmp_path: Path) -> None:
    """C9: and goes on to be."""
    file = tmp_path / "old.db"
    _make_old_file(file, 8)
    with closing(sqlite3.connect(file)) as database:
        database.executescript(BEFORE_TALLIES.replace("NOTHING", "'[]'"))
        database.executescript(
            "INSERT INTO vectors SELECT 'one', row, 'm', x'0000' FROM passages WHERE row IN (1, 2);"
            "INSERT INTO passages_text (rowid, terms) SELECT row, terms FROM passages;"
        )

    store = await SqliteStore.open(file, StoreSettings(), clock=lambda: START)

    await _count_the_old(store)
    await store.close()


@pytest.mark.postgres
async def test_what_an_old_postgres_database_holds_is_counted_after_an_upgrade(postgres: Server) -> None:
    """C9."""
    async with postgres.empty_database() as url:
        await _make_old_database(url, 8)
        database = await asyncpg.connect(url)
        await database.execute(BEFORE_TALLIES.replace("NOTHING", "CAST('{}' AS TEXT[])"))
        await database.execute(
            # One of them came while its passage was being closed, and was left behind as one of the present.
            "INSERT INTO vectors SELECT workspace, row, 'm', kind, type, status, at, valid_from, valid_to, since, "
            "NULL, '[1]' FROM passages WHERE row IN (1, 2)"
        )
        await database.close()

        store = await PostgresStore.open(url, StoreSettings(), clock=lambda: START, migrate=True)

        await _count_the_old(store)
        await store.close()


async def _count_the_old(store: Store) -> None:
    counted = await store.tallies(SCOPE), await store.tallies(SCOPE, since=START.replace(year=1969))
    covered = await store.coverage(SCOPE, "m")
    await store.apply(SCOPE, [Delete(Memory, id) for id in ("twist", "told")] + [Delete(Conversation, "chat")])

    assert counted == (COUNTED, COUNTED_BY_HOUR)
    assert covered == Coverage(4, 1)
    assert {each.kind: each.count for each in await store.tallies(SCOPE)} == {"event": 1, "miss": 1, "passage": 2}
    assert [(deed.kind, deed.ref) for deed in (await store.find(SCOPE, AuditEntry, {"verb": "deleted"})).items] == [
        ("memory", "twist"),
        ("memory", "told"),
        ("conversation", "chat"),
        ("summary", "sum"),
    ]


async def _look_back(store: Store) -> None:
    everybody = {
        id: [event.id for event in (await store.timeline(SCOPE, person_id=id, since=START)).items]
        for id in ("ada", "bo", "né 🐉", "cy")
    }
    [met] = await store.apply(SCOPE, [Amend(Event, "met", {"actors": ("bo",)})])

    assert everybody == {"ada": ["met"], "bo": ["met"], "né 🐉": ["met"], "cy": []}
    assert (await store.timeline(SCOPE, person_id="ada")).items == ()
    assert (await store.timeline(SCOPE, person_id="bo")).items == (met,)


@pytest.mark.postgres
async def test_both_databases_keep_the_same_columns(tmp_path: Path, postgres: Server) -> None:
    """But for what PostgreSQL copies into `vectors` for its scans, and the shards in which its writers count."""
    file = tmp_path / "everlore.db"
    sqlite_connection.prepare(file, BUSY_S)
    async with postgres.fresh_database() as url:
        theirs = await _postgres_columns(url)

    ours = {table: columns for table, columns in _sqlite_columns(file).items() if not ONLY_SQLITE.fullmatch(table)}
    copied = {column for column in theirs["vectors"] if column[0] not in ("workspace", "row", "model", "vec")}
    theirs["vectors"] -= copied
    theirs["tallies"].remove(("shard", "integer", True))
    assert {name for name, *_ in copied} <= {name for name, *_ in theirs["passages"]}
    assert ours == theirs


def test_every_record_has_its_table_with_the_workspace_in_the_key(tmp_path: Path) -> None:
    file = tmp_path / "everlore.db"
    sqlite_connection.prepare(file, BUSY_S)

    with closing(sqlite3.connect(file)) as database:
        for table in (*TABLES.values(), JOBS):
            rows = database.execute(f"PRAGMA table_info({table.name})").fetchall()
            assert {row[1] for row in rows} == set(table.names)
            assert [row[1] for row in sorted(rows, key=lambda row: int(row[5])) if row[5]] == ["workspace", "id"]


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "everlore.db"
    sqlite_connection.prepare(file, BUSY_S)
    with closing(sqlite3.connect(file)) as database:
        database.execute("INSERT INTO schema_versions VALUES (99, 'of tomorrow')")
        database.commit()
    before = _sqlite_schema(file)

    with pytest.raises(Misconfigured, match=r"has schema 99.*Upgrade Everlore"):
        sqlite_connection.prepare(file, BUSY_S)

    assert _sqlite_schema(file) == before


def test_a_migration_that_was_changed_after_it_ran_stops_the_start() -> None:
    known = (Migration(1, "0001_records", "CREATE TABLE a (b)"),)

    with pytest.raises(Misconfigured, match="another form of 0001_records"):
        pending(known, {1: "the checksum of other words"}, "old.db")


async def test_twenty_starts_at_once_make_one_schema(tmp_path: Path) -> None:
    file = tmp_path / "everlore.db"

    await asyncio.gather(*(asyncio.to_thread(sqlite_connection.prepare, file, BUSY_S) for _ in range(20)))

    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT version FROM schema_versions ORDER BY version").fetchall()
    assert [row[0] for row in rows] == VERSIONS


@pytest.mark.postgres
async def test_ten_migrations_of_a_postgres_at_once_make_one_schema(postgres: Server) -> None:
    async with postgres.empty_database() as url:
        ran = await asyncio.gather(*(postgres_connection.migrate(url, StoreSettings()) for _ in range(10)))

    assert sorted(len(names) for names in ran) == [0] * 9 + [len(POSTGRES)]


async def _weigh_the_old_message(store: Store) -> None:
    where = {"conversation_id": "chat", "weight": (5, 6, 7, 8, 9)}
    old = await store.get(SCOPE, Message, "said")
    before = await store.find(SCOPE, Message, where)
    [weighed] = await store.apply(SCOPE, [Amend(Message, "said", {"weight": 7})])

    assert old == message("said", "I promise.", seq=1, weight=None)
    assert before.items == ()
    assert (await store.find(SCOPE, Message, where)).items == (weighed,)


def _make_old_file(file: Path, version: int) -> None:
    with closing(sqlite_connection.connect(file, BUSY_S)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE schema_versions (version INTEGER NOT NULL PRIMARY KEY, checksum TEXT NOT NULL)")
        for migration in SQLITE[:version]:
            sqlite_connection.run_migration(database, migration)


async def _make_old_database(url: str, version: int) -> None:
    database = await asyncpg.connect(url)
    try:
        await database.execute(
            "CREATE TABLE schema_versions (version BIGINT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL)"
        )
        for migration in POSTGRES[:version]:
            await postgres_connection.run_migration(database, migration)
    finally:
        await database.close()


def _sqlite_schema(file: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        versions = database.execute("SELECT * FROM schema_versions ORDER BY version").fetchall()
    made = [(name, re.sub(r"\s+", " ", sql or "").replace("IF NOT EXISTS ", "")) for name, sql in rows]
    return [*made, *((str(version), checksum) for version, checksum in versions)]


def _sqlite_columns(file: Path) -> dict[str, set[tuple[Any, ...]]]:
    kinds = {"TEXT": "text", "INTEGER": "integer", "REAL": "real", "BLOB": "bytes"}
    with closing(sqlite3.connect(file)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: {
                (row[1], kinds.get(row[2], row[2]), bool(row[3]))
                for row in database.execute(f"PRAGMA table_info({name})")
            }
            for name in names
        }


async def _postgres_columns(url: str) -> dict[str, set[tuple[Any, ...]]]:
    # Arrays stand for what SQLite keeps as JSON text.
    kinds = {
        "text": "text",
        "ARRAY": "text",
        "bigint": "integer",
        "double precision": "real",
        "bytea": "bytes",
        # Vectors, which SQLite keeps as bytes.
        "USER-DEFINED": "bytes",
    }
    found: dict[str, set[tuple[Any, ...]]] = {}
    for table, column, kind, nullable in await _ask(
        url,
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns "
        "WHERE table_schema = 'public'",
    ):
        found.setdefault(table, set()).add((column, kinds[kind], nullable == "NO"))
    return found


async def _postgres_schema(url: str) -> list[tuple[Any, ...]]:
    return [
        tuple(row)
        for question in (
            "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY 1, 2",
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2",
            "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1",
            "SELECT version, checksum FROM schema_versions ORDER BY 1",
        )
        for row in await _ask(url, question)
    ]


async def _ask(url: str, question: str) -> list[Any]:
    database = await asyncpg.connect(url)
    try:
        rows: list[Any] = await database.fetch(question)
        return rows
    finally:
        await database.close()
