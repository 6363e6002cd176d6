"""The real library over a real SQLite file, with vectors that need no model."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

import everlore
from everlore.app import Everlore
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from tests.sqlite import migrated

Opener = Callable[..., AbstractAsyncContextManager[Everlore]]


@pytest.fixture
def opened(tmp_path: Path) -> Opener:
    """Opens the same file each time; the fields of `queue` and the embedder can be chosen."""

    def open_it(*, embedder: Any = "hashing", workspace: str | None = None, **queue: Any) -> Any:
        settings = Settings(
            # Nobody's model server or key is used, whatever runs on the machine of the tests.
            chat=ChatSettings(provider="voice"),
            embedding=EmbeddingSettings(provider=embedder),
            queue=QueueSettings(**{"poll_s": 0.01, **queue}),
        )
        return everlore.open(migrated(tmp_path / "lore.db"), workspace=workspace, settings=settings)

    return open_it


@pytest.fixture
async def lore(opened: Opener) -> AsyncIterator[Everlore]:
    async with opened() as lore:
        yield lore
