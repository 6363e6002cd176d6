"""A broken file, a full disk, a database that is not there: a sentence that helps, and nothing lost (R-4)."""

import asyncio
import os
import subprocess
import sys
import textwrap
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.errors import Conflict, Misconfigured, StoreUnavailable
from everlore.settings import Settings, StoreSettings
from everlore.store.port import Amend, Put
from everlore.store.postgres import connection
from everlore.store.postgres.connection import shown, translated
from everlore.store.postgres.store import PostgresStore
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import open_store
from tests.contract.builders import SCOPE, memory, person
from tests.postgres import Server
from tests.waiting import PATIENCE_S


def now() -> datetime:
    return datetime.now(UTC)


async def open_file(path: Path) -> SqliteStore:
    return await SqliteStore.open(path, StoreSettings(), clock=now)


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear Ada, this is a letter and not a database. " * 100)

    with pytest.raises(Misconfigured, match=r"letter\.db is not a whole SQLite database.*Restore it from a backup"):
        await open_file(file)

    assert file.read_text().startswith("Dear Ada")


async def test_a_damaged_database_says_so_and_is_not_made_worse(tmp_path: Path) -> None:
    file = tmp_path / "everlore.db"
    store = await open_file(file)
    await store.apply(SCOPE, [Put(person("ada")), *(Put(memory(f"m{at}", persons=("ada",))) for at in range(500))])
    await store.close()
    whole = file.read_bytes()
    # The first page stays, so that it still looks like a database.
    file.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    damaged = file.read_bytes()

    with pytest.raises((Misconfigured, StoreUnavailable), match=r"everlore\.db"):
        store = await open_file(file)
        try:
            await store.find(SCOPE, Memory)
        finally:
            await store.close()

    assert file.read_bytes()[4096:] == damaged[4096:]


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(Misconfigured, match=r"The folder .*file/deeper cannot be made.*EVERLORE_DATA_DIR"):
        await open_file(tmp_path / "file" / "deeper" / "everlore.db")


async def test_a_folder_instead_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"cannot be opened for writing.*--db"):
        await open_file(tmp_path)


FILL = """
    import asyncio, resource, sys
    from pathlib import Path
    from datetime import UTC, datetime
    from everlore.errors import StoreUnavailable
    from everlore.settings import StoreSettings
    from everlore.store.port import Put
    from everlore.store.sqlite.store import SqliteStore
    from tests.contract.builders import SCOPE, memory, person

    async def main():
        store = await SqliteStore.open(Path(sys.argv[1]), StoreSettings(), clock=lambda: datetime.now(UTC))
        await store.apply(SCOPE, [Put(person("ada"))])
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, hard))
        kept = 0
        try:
            while True:
                await store.apply(SCOPE, [Put(memory(f"m{kept}", "x" * 10_000, persons=("ada",)))])
                kept += 1
        except StoreUnavailable as error:
            print(kept, error)
        assert await store.count(SCOPE, __import__("everlore.domain.memory").domain.memory.Memory) == kept
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await store.apply(SCOPE, [Put(memory("after", persons=("ada",)))])
        await store.close()

    asyncio.run(main())
"""


async def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """A process may not write files past a size: to SQLite that is a disk that takes no more."""
    file = tmp_path / "everlore.db"
    root = Path(__file__).parents[2]

    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", textwrap.dedent(FILL), str(file)],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    kept, sentence = done.stdout.split(" ", 1)
    assert "Free some space and repeat: nothing of this change was kept" in sentence
    store = await open_file(file)
    found = await store.find(SCOPE, Memory, limit=10_000)
    assert {each.id for each in found.items} == {f"m{at}" for at in range(int(kept))} | {"after"}
    assert (await store.health()).problems == ()
    await store.close()


async def test_one_bad_write_does_not_take_its_neighbours_along(tmp_path: Path) -> None:
    """Writes that wait together are committed together, each in a savepoint of its own."""
    store = await open_file(tmp_path / "everlore.db")
    await store.apply(SCOPE, [Put(person("ada"))])
    stale = memory("stale", persons=("ada",), revision=7)

    results = await asyncio.gather(
        *(store.apply(SCOPE, [Put(memory(f"m{at}", persons=("ada",)))]) for at in range(20)),
        store.apply(SCOPE, [Put(stale)]),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [list] * 20 + [Conflict]
    assert await store.count(SCOPE, Memory) == 20
    await store.close()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = await open_file(tmp_path / "everlore.db")
    await store.close()

    with pytest.raises(StoreUnavailable, match="The store is closed"):
        await store.count(SCOPE, Memory)
    with pytest.raises(StoreUnavailable, match="The store is closed"):
        await store.apply(SCOPE, [Put(person("ada"))])


@pytest.mark.parametrize(
    ("url", "error", "sentence"),
    [
        (
            "postgresql://ada:secret@127.0.0.1:1/x",
            StoreUnavailable,
            r"ada:…@127\.0\.0\.1:1/x does not answer",
        ),
        ("postgresql://ada:secret@host:port/x", Misconfigured, "is not an address of a PostgreSQL database"),
        ("mysql://ada:secret@host/x", Exception, "'mysql' is no database of ours"),
    ],
)
async def test_a_database_that_is_not_there_is_named_without_its_password(
    url: str, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence) as caught:
        await open_store(Settings(database_url=url))

    assert "secret" not in str(caught.value)


def test_a_password_is_never_shown() -> None:
    assert shown("postgresql://ada:p@ss:w0rd@host/x") == "postgresql://ada:…@host/x"
    assert shown("postgresql:///x?host=/tmp") == "postgresql:///x?host=/tmp"
    assert "pw" not in shown("postgresql://host/x?user=ada&password=pw")


@pytest.mark.postgres
async def test_a_postgres_without_our_schema_asks_for_migrate(postgres: Server) -> None:
    async with postgres.empty_database() as url:
        with pytest.raises(Misconfigured, match=r"lacks 0001_records.*run `everlore migrate`"):
            await open_store(Settings(database_url=url))


@pytest.mark.postgres
async def test_what_postgres_does_not_support_is_told_in_its_words(postgres: Server) -> None:
    """R-4: not as a missing extension, which nobody could install."""
    async with postgres.empty_database() as url:
        database = await asyncpg.connect(url)
        with pytest.raises(StoreUnavailable) as caught:
            async with translated(url):
                await database.fetch("SELECT DISTINCT id FROM (SELECT 1 AS id) AS one FOR UPDATE")
        await database.close()

    assert "cannot do this: FOR UPDATE is not allowed with DISTINCT clause" in str(caught.value)
    assert "pgvector" not in str(caught.value)


@pytest.mark.postgres
async def test_a_postgres_without_an_extension_names_it_and_is_left_as_it_was(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_EXTENSIONS", {"btree_gin", "no_such_extension"})
    async with postgres.empty_database() as url:
        with pytest.raises(Misconfigured, match="lacks no_such_extension: install"):
            await connection.migrate(url, StoreSettings())
        database = await asyncpg.connect(url)
        tables = await database.fetchval("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'")
        await database.close()

    assert tables == 0


@pytest.mark.postgres
async def test_a_postgres_that_goes_away_is_an_error_that_helps_and_comes_back(postgres: Server) -> None:
    async with postgres.fresh_database() as url, AsyncExitStack() as stack:
        store = await open_store(Settings(database_url=url))
        stack.push_async_callback(store.close)
        admin = await asyncpg.connect(postgres.url("postgres"))
        stack.push_async_callback(admin.close)
        await store.apply(SCOPE, [Put(person("ada"))])
        name = url.partition("?")[0].rpartition("/")[2]
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)

        with pytest.raises(StoreUnavailable, match="PostgreSQL at"):
            await store.count(SCOPE, Memory)
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

        assert (await store.get(SCOPE, Person, "ada")).name == "Ada"


@pytest.mark.postgres
async def test_a_process_that_vanished_in_a_transaction_holds_nothing_up(postgres: Server) -> None:
    """R-4: nobody tells PostgreSQL that its machine is gone, so that its locks would stay."""
    async with postgres.fresh_database() as url, AsyncExitStack() as stack:
        gone = await PostgresStore.open(url, StoreSettings(busy_timeout_s=0.2), clock=now)
        stack.push_async_callback(gone.close)
        here = await open_store(Settings(database_url=url))
        stack.push_async_callback(here.close)
        await here.apply(SCOPE, [Put(person("ada"))])

        async with gone._pool.acquire() as connection:
            await connection.transaction().start()
            await connection.execute("SELECT 1 FROM persons WHERE id = 'ada' FOR UPDATE")
            async with asyncio.timeout(PATIENCE_S):
                await here.apply(SCOPE, [Amend(Person, "ada", {"name": "Ada Lovelace"})])

        assert (await gone.get(SCOPE, Person, "ada")).name == "Ada Lovelace"
