"""The processes under load: servers and workers of Everlore on one database, which can be killed and started again.

Start at `Crew`.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

_START_S = 60
_END_S = 40


class Process:
    """One process of `everlore`; `url` is set for servers."""

    def __init__(self, name: str, args: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self.name = name
        self.url = ""
        self._args = args
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "everlore",
            *self._args,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=os.environ | dict(self._environment),
        )
        if self._args[0] == "serve":
            assert self._process.stdout is not None
            line = await asyncio.wait_for(self._process.stdout.readline(), _START_S)
            self.url = line.decode().strip()
            if not self.url:
                raise RuntimeError(f"{self.name} did not start.")

    async def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self.url = ""
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), _END_S)
        except TimeoutError:
            await self.kill()

    def rss_mb(self) -> float | None:
        """None where the system does not tell, or the process is being started again."""
        assert self._process is not None
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Crew:
    def __init__(self, servers: list[Process], workers: list[Process]) -> None:
        self.servers = servers
        self.workers = workers

    @property
    def all(self) -> list[Process]:
        return [*self.servers, *self.workers]

    @property
    def urls(self) -> list[str]:
        """Of the servers that can be asked now."""
        return [each.url for each in self.servers if each.url]


@asynccontextmanager
async def crew(
    database: str, provider: str, folder: Path, *, servers: int, workers: int, users: int
) -> AsyncIterator[Crew]:
    """Without workers of their own, the servers do the background work. Only replies are asked of the model server."""
    environment = {
        "EVERLORE_DATABASE_URL": database,
        "EVERLORE_DATA_DIR": str(folder),
        "EVERLORE_CHAT__PROVIDER": "openai",
        "EVERLORE_CHAT__BASE_URL": f"{provider}/v1",
        "EVERLORE_CHAT__MODEL": "m",
        "EVERLORE_EXTRACTION__PROVIDER": "voice",
        "EVERLORE_ANALYSIS__PROVIDER": "voice",
        "EVERLORE_QUEUE__WORKERS": "0" if workers else "1",
        "EVERLORE_QUEUE__LEASE_S": "5",
        # All users are at one address.
        "EVERLORE_SERVER__CONNECTIONS_PER_ADDRESS": str(4 * users + 100),
    }
    await _migrated(environment)
    found = Crew(
        [Process(f"server {number}", ("serve", "--port", "0"), environment) for number in range(1, servers + 1)],
        [Process(f"worker {number}", ("worker",), environment) for number in range(1, workers + 1)],
    )
    try:
        for each in found.all:
            await each.start()
        yield found
    finally:
        await asyncio.gather(*(each.stop() for each in found.all))


async def _migrated(environment: Mapping[str, str]) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "everlore",
        "migrate",
        stdout=asyncio.subprocess.DEVNULL,
        env=os.environ | dict(environment),
    )
    if await process.wait():
        raise RuntimeError(f"The database could not be made: everlore migrate ended with {process.returncode}.")
