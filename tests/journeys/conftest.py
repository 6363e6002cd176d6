"""Fixtures for journeys: `world` on SQLite, `pg_world` on PostgreSQL, `any_world` once on each."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import browser, chromium
from tests.journeys.world import World, worlds
from tests.postgres import Server

__all__ = ["browser", "chromium"]


@pytest.fixture
async def postgres_url(postgres: Server) -> AsyncIterator[str]:
    async with postgres.fresh_database() as url:
        yield url


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield from worlds(tmp_path / "data")


@pytest.fixture
def pg_world(tmp_path: Path, postgres_url: str) -> Iterator[World]:
    yield from worlds(tmp_path / "data", postgres_url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_world(request: pytest.FixtureRequest) -> World:
    world: Any = request.getfixturevalue("world" if request.param == "sqlite" else "pg_world")
    assert isinstance(world, World)
    return world
