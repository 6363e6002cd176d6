"""Several processes may open the same SQLite file safely."""

import asyncio
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

from everlore.domain.memory import Memory
from everlore.settings import StoreSettings
from everlore.store.port import Put, Search
from everlore.store.sqlite.store import SqliteStore
from tests.contract.builders import SCOPE, memory, person

WRITER = """
    import asyncio, sys
    from pathlib import Path
    from datetime import UTC, datetime
    from everlore.settings import StoreSettings
    from everlore.store.port import Put, Search
    from everlore.store.sqlite.store import SqliteStore
    from tests.contract.builders import SCOPE, memory

    async def main(file, name):
        store = await SqliteStore.open(Path(file), StoreSettings(), clock=lambda: datetime.now(UTC))
        for number in range(100):
            text = f"{name} saw lantern{name}{number} burn"
            await store.apply(SCOPE, [Put(memory(f"{name}-{number}", text, persons=("ada",)))])
            if number % 10 == 0:
                found = await store.search(SCOPE, Search(text=f"lantern{name}{number}"))
                assert [hit.record.id for hit in found.hits] == [f"{name}-{number}"], found
        await store.close()

    asyncio.run(main(*sys.argv[1:]))
"""


async def test_four_processes_write_at_once_and_each_sees_the_others(tmp_path: Path) -> None:
    file = tmp_path / "everlore.db"
    store = await SqliteStore.open(file, StoreSettings(), clock=lambda: datetime.now(UTC))
    await store.apply(SCOPE, [Put(person("ada")), Put(memory("mine", "a lantern of mine", persons=("ada",)))])
    assert len((await store.search(SCOPE, Search(text="lantern"))).hits) == 1

    writers = [await _start(file, name) for name in ("ann", "bea", "cy", "dee")]
    errors = [(await writer.communicate())[1].decode() for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * 4, errors
    assert await store.count(SCOPE, Memory) == 401
    # The index that this process had in memory has caught up with what the others wrote.
    for name in ("ann", "bea", "cy", "dee"):
        found = await store.search(SCOPE, Search(text=f"lantern{name}99"))
        assert [hit.record.id for hit in found.hits] == [f"{name}-99"]
    assert (await store.health()).problems == ()
    await store.close()


async def _start(file: Path, name: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        textwrap.dedent(WRITER),
        str(file),
        name,
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
    )
