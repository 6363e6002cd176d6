"""A copy of a SQLite database while it is written to, and back (R-5)."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from everlore.domain.memory import Memory
from everlore.errors import BadAsk, Misconfigured, StoreUnavailable
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.backup import Copy, back_up, restore
from everlore.store.sqlite.store import SqliteStore
from tests.contract.builders import SCOPE, START, memory

# Writes without end, a memory and a message each time, and says what was acknowledged.
_WRITING = """
import asyncio, sys
from pathlib import Path
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from tests.contract.builders import SCOPE, START, conversation, memory, message

async def main():
    store = await SqliteStore.open(Path(sys.argv[1]), StoreSettings(), clock=lambda: START)
    await store.apply(SCOPE, [Put(conversation())])
    for number in range(1_000_000):
        text = f"{number} " + "word " * 300
        await store.apply(SCOPE, [Put(memory(f"m{number}", text)), Put(message(f"s{number}", text))])
        print(number, flush=True)

asyncio.run(main())
"""


def nobody(done: int, total: int) -> None:
    pass


def copy(database: Path, target: Path, *, force: bool = False) -> Copy:
    return back_up(database, target, force=force, tell=nobody)


def keep(database: Path, *memories: Memory) -> None:
    async def write() -> None:
        store = await SqliteStore.open(database, StoreSettings(), clock=lambda: START)
        await store.apply(SCOPE, [Put(each) for each in memories])
        await store.close()

    asyncio.run(write())


def kept(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM memories ORDER BY id")]


@contextmanager
def writer(database: Path) -> Iterator[Iterator[int]]:
    """A process that writes; gives the numbers that were acknowledged, as they come."""
    command = [sys.executable, "-c", _WRITING, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        try:
            yield (int(line) for line in process.stdout)
        finally:
            process.kill()


def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    """R-5: all that was acknowledged before it began is in it, and every transaction is there whole or not at all."""
    database = tmp_path / "lore.db"

    with writer(database) as acknowledged:
        for round in range(3):
            before = next(number for number in acknowledged if number >= 40 * (round + 1))
            copy(database, tmp_path / f"copy{round}.db")
            with closing(sqlite3.connect(tmp_path / f"copy{round}.db")) as connection:
                memories = {row[0][1:] for row in connection.execute("SELECT id FROM memories")}
                messages = {row[0][1:] for row in connection.execute("SELECT id FROM messages")}
                ((count,),) = connection.execute("SELECT message_count FROM conversations")
                passages = connection.execute("SELECT COUNT(*) FROM passages").fetchone()[0]

            assert memories >= {str(number) for number in range(before + 1)}
            assert memories == messages
            assert (count, passages) == (len(messages), 2 * len(messages))


def test_a_backup_comes_back_and_goes_on(tmp_path: Path) -> None:
    """R-5."""
    database, file = tmp_path / "lore.db", tmp_path / "copies" / "copy.db"
    file.parent.mkdir()
    keep(database, memory("one"))

    made = copy(database, file)
    keep(database, memory("two"))
    restored = restore(file, database, force=True)

    assert restored == made
    assert kept(database) == ["one"]
    keep(database, memory("three"))
    assert kept(database) == ["one", "three"]
    assert sorted(each.name for each in file.parent.iterdir()) == ["copy.db", "copy.db.sha256"]
    assert file.stat().st_mode & 0o077 == 0
    assert made.sha256 in file.with_name("copy.db.sha256").read_text()


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    database, file = tmp_path / "lore.db", tmp_path / "copy.db"
    keep(database, memory("one"))
    copy(database, file)

    with pytest.raises(BadAsk, match="--force"):
        copy(database, file)
    with pytest.raises(BadAsk, match="--force"):
        restore(file, database, force=False)
    with pytest.raises(BadAsk, match="no database"):
        copy(tmp_path / "none.db", tmp_path / "other.db")
    with pytest.raises(BadAsk, match="no file"):
        restore(tmp_path / "none.db", tmp_path / "new.db", force=False)
    assert restore(file, tmp_path / "new.db", force=False).had_checksum


def test_a_backup_that_was_changed_is_not_put_back(tmp_path: Path) -> None:
    """R-5: neither where the checksum tells, nor where only the file itself does."""
    database, file = tmp_path / "lore.db", tmp_path / "copy.db"
    keep(database, *(memory(f"m{number}", "word " * 400) for number in range(50)))
    copy(database, file)
    whole = file.read_bytes()

    file.write_bytes(whole[:50_000] + b"x" * 100 + whole[50_100:])
    with pytest.raises(Misconfigured, match="changed or damaged"):
        restore(file, database, force=True)
    file.with_name("copy.db.sha256").unlink()
    for damaged in (whole[: len(whole) // 2], b"not a database at all", b""):
        file.write_bytes(damaged)
        with pytest.raises(Misconfigured, match=r"not a whole database|damaged"):
            restore(file, database, force=True)

    assert len(kept(database)) == 50
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".part")] == []


def test_a_database_that_is_in_use_is_not_replaced(tmp_path: Path) -> None:
    """R-5: whoever has it open would go on with a file that is gone."""
    database, file = tmp_path / "lore.db", tmp_path / "copy.db"
    keep(database, memory("one"))
    copy(database, file)

    with writer(database) as acknowledged:
        next(acknowledged)
        with pytest.raises(StoreUnavailable, match="in use"):
            restore(file, database, force=True)
        assert next(acknowledged) > 0

    restore(file, database, force=True)
    assert kept(database) == ["one"]


def test_a_damaged_database_can_be_replaced(tmp_path: Path) -> None:
    database, file = tmp_path / "lore.db", tmp_path / "copy.db"
    keep(database, memory("one"))
    copy(database, file)
    database.write_bytes(b"rubbish" * 10_000)
    database.with_name("lore.db-wal").write_bytes(b"of another")

    restore(file, database, force=True)

    assert kept(database) == ["one"]


def test_a_backup_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """R-6."""
    database, file = tmp_path / "lore.db", tmp_path / "copy.db"
    keep(database, memory("one"))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO schema_versions VALUES (9999, 'x')")

    with pytest.raises(Misconfigured, match="newer version"):
        copy(database, file)
