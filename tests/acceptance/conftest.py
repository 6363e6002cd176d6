"""Real processes over real databases."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of a fresh database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'everlore.db'}"
        return
    server: Any = request.getfixturevalue("postgres")
    async with server.fresh_database() as url:
        yield url
