"""What every folder of tests may use: one real PostgreSQL for the whole run."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from everlore.bench.postgres import start
from tests.postgres import Server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """In a folder of its own, in memory where there is room for that; stopped and removed at the end."""
    in_memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="everlore-pg-", dir=in_memory if in_memory.is_dir() else None)
    # Nothing here has to survive a power cut.
    server = start(Path(folder), {"fsync": "off", "full_page_writes": "off"})
    try:
        yield Server(server.url)
    finally:
        server.stop()
