"""As many memories as somebody gathers in years, written before the server starts."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.sqlite import migrated

ID = "crowd"
_SCOPE = Scope("default")
_AT_ONCE = 1_000


def gathered(database: Path, count: int) -> None:
    """The latest is number 0. In a thread of its own, for a browser may have an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(_gathered(database, count))).result()


async def _gathered(database: Path, count: int) -> None:
    store = await SqliteStore.open(migrated(database), StoreSettings(), clock=now)
    at = now()
    crowd = Person(workspace=_SCOPE.workspace, id=ID, name="The Crowd", created_at=at, updated_at=at)
    await store.apply(_SCOPE, [Put(crowd)])
    types = list(MemoryType)
    memories = [
        Memory(
            workspace=_SCOPE.workspace,
            id=f"{ID}-{number:05}",
            content=f"Number {number} of the crowd saw a ship " + "and told of it at length " * (number % 4),
            type=types[number % len(types)],
            persons=(ID,),
            created_at=at - timedelta(minutes=number + 1),
            updated_at=at,
        )
        for number in range(count)
    ]
    for start in range(0, count, _AT_ONCE):
        await store.apply(_SCOPE, [Put(each) for each in memories[start : start + _AT_ONCE]])
    await store.close()
