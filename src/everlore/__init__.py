"""Long-term memory for language-model characters, companions, agents and campaigns.

    async with everlore.open("everlore.db") as lore:
        await lore.remember("The user is allergic to peanuts", importance=9)
        found = await lore.recall("what can't they eat?")

Importing this reads no file and opens no connection.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.errors import (
    BadAsk,
    Conflict,
    EverloreError,
    Forbidden,
    LeaseLost,
    Misconfigured,
    ModelMisbehaved,
    NotFound,
    PreconditionFailed,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.settings import Settings

__version__ = "0.1.0"
__all__ = [
    "BadAsk",
    "Conflict",
    "Everlore",
    "EverloreError",
    "Forbidden",
    "LeaseLost",
    "Misconfigured",
    "ModelMisbehaved",
    "NotFound",
    "PreconditionFailed",
    "StoreUnavailable",
    "__version__",
    "open",
]


@asynccontextmanager
async def open(
    url: str | Path | None = None, *, workspace: str | None = None, settings: "Settings | None" = None
) -> "AsyncIterator[Everlore]":
    """An Everlore over a SQLite file or a PostgreSQL address; by default the file in the data folder.

    `settings` are used as they are; without them, the environment is read.
    """
    # Imported here: commands that only show a help text should not wait for NumPy.
    from everlore.wiring import opened, read_settings

    _log_through_the_host()
    chosen = settings or read_settings()
    changes = {
        name: value
        for name, value in (("database_url", None if url is None else str(url)), ("workspace", workspace))
        if value is not None
    }
    async with opened(chosen.model_copy(update=changes)) as lore:
        yield lore


def _log_through_the_host() -> None:
    """Logs through the standard library, unless the host has configured logging: a library does not print."""
    import structlog

    if not structlog.is_configured():
        structlog.configure(
            processors=[structlog.stdlib.filter_by_level, structlog.processors.KeyValueRenderer(key_order=["event"])],
            wrapper_class=structlog.stdlib.BoundLogger,
            logger_factory=structlog.stdlib.LoggerFactory(),
        )


def __getattr__(name: str) -> Any:
    # Imported on access, for the same reason as above.
    if name == "Everlore":
        from everlore.app import Everlore

        return Everlore
    raise AttributeError(f"module 'everlore' has no attribute {name!r}")
