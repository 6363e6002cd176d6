from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.cli.process import Command, SilentServer
from tests.postgres import Server


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


@pytest.fixture
async def postgres_url(postgres: Server) -> AsyncIterator[str]:
    """An empty database of its own."""
    async with postgres.empty_database() as url:
        yield url
