"""A real library, opened for callers with and without `await`."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import everlore.sync
from everlore.app import Everlore
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.sync import Synchronous
from tests.sqlite import migrated

SETTINGS = Settings(
    chat=ChatSettings(provider="voice"),
    embedding=EmbeddingSettings(provider="hashing"),
    queue=QueueSettings(poll_s=0.01),
)


@pytest.fixture
def lore(tmp_path: Path) -> Iterator[Synchronous]:
    with everlore.sync.open(migrated(tmp_path / "lore.db"), settings=SETTINGS) as lore:
        yield lore


@pytest.fixture
async def async_lore(tmp_path: Path) -> AsyncIterator[Everlore]:
    async with everlore.open(migrated(tmp_path / "lore.db"), settings=SETTINGS) as lore:
        yield lore
