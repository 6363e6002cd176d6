"""SQLite files that are new, but for the work of making them."""

import tempfile
from functools import cache
from pathlib import Path

from everlore.settings import StoreSettings
from everlore.store.sqlite.connection import prepare


def migrated(path: Path) -> Path:
    """A new file is a copy of one that has been migrated once: migrating each would take most of the time. One that is
    there is left as it is."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_fresh())
    return path


@cache
def _fresh() -> bytes:
    with tempfile.TemporaryDirectory(prefix="everlore-") as folder:
        path = Path(folder) / "fresh.db"
        prepare(path, StoreSettings().busy_timeout_s)
        return path.read_bytes()
