"""What every folder of tests may use: one real PostgreSQL for each worker, files in memory, and how long all took."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from benchmarks.postgres import start
from tests.cluster import INSTALLED, Cluster
from tests.parts import Parts
from tests.postgres import Server
from tests.soak import IS_LONG, SEED

_MEMORY = Path("/dev/shm")
_ROOM = 2 * 2**30

# A search that is cut short by the clock says nothing of what it searched.
settings.register_profile("test", deadline=None)
# `too_slow` measures the machine, not the data: a soak keeps all cores busy for an hour.
settings.register_profile(
    "soak", deadline=None, max_examples=100, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("soak" if IS_LONG else "test")


def _in_memory() -> str | None:
    """A folder that waits for no disk, where there is room for that: nothing here has to survive a power cut."""
    has_room = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    return str(_MEMORY) if has_room else None


def _first_authority() -> str:
    """One of those who vouch for others. Tests speak to this machine only, and to read all of them, for each client
    anew, would take longer than most of what is tested."""
    first = Path(certifi.where()).read_text(encoding="utf-8").partition("-----END CERTIFICATE-----\n")
    file = Path(tempfile.gettempdir()) / f"everlore-{os.getuid()}-authority.pem"
    if not file.exists():
        beside = file.with_suffix(f".{os.getpid()}")
        beside.write_text("".join(first[:2]), encoding="utf-8")
        beside.rename(file)
    return str(file)


def pytest_configure(config: pytest.Config) -> None:
    os.environ["SSL_CERT_FILE"] = _first_authority()
    folder = _in_memory()
    if folder and not config.option.basetemp:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Parts())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser, a server and a model share a busy machine: what fails by chance does not end a run, and is shown."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_report_header() -> str | None:
    return f"soak: SEED={SEED}" if IS_LONG else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """In a folder of its own; stopped and removed at the end."""
    folder = tempfile.mkdtemp(prefix="everlore-pg-", dir=_in_memory())
    if INSTALLED is not None:
        cluster = Cluster(Path(INSTALLED) / "bin", Path(folder))
        try:
            yield cluster
        finally:
            cluster.stop()
        return
    server = start(Path(folder), {"fsync": "off", "full_page_writes": "off"})
    try:
        yield Server(server.url)
    finally:
        server.stop()
