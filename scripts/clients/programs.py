"""Programs of others as processes, and how a story about one of them ends."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import distributions
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
STARTS_S = 600
PATIENCE_S = 120
# Settings of an Everlore whose model answers, and is not asked for anything else.
LEARNS_BY_RULES = {
    "EVERLORE_EXTRACTION__PROVIDER": "voice",
    "EVERLORE_ANALYSIS__PROVIDER": "voice",
    "EVERLORE_QUEUE__QUIET_S": "0",
    "EVERLORE_CHAT__RETRIES": "0",
}
Tried = dict[str, str]


@asynccontextmanager
async def process_at(
    url: str, *command: str, folder: Path, environment: dict[str, str] | None = None, directory: Path | None = None
) -> AsyncIterator[None]:
    """A server of another program, from its first answer until the end. Its output is in `log` in the folder.

    It runs in `directory`, or in the folder."""
    log = _log_in(folder)
    with log.open("w") as output:
        process = await asyncio.create_subprocess_exec(
            *command, cwd=directory or folder, env=os.environ | (environment or {}), stdout=output, stderr=output
        )
    try:
        await _answers(url, process, log)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _answers(url: str, process: asyncio.subprocess.Process, log: Path) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(STARTS_S * 2):
            if process.returncode is not None:
                break
            try:
                await client.get(url)
                return
            except httpx.TransportError:
                await asyncio.sleep(0.5)
    raise RuntimeError(f"The program did not start: see {log}")


def _log_in(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "log"


async def until(claim: Callable[[], Awaitable[bool]]) -> None:
    """Large programs are slower than what tests wait for otherwise, and should not be asked all the time."""
    deadline = time.monotonic() + PATIENCE_S
    while not await claim():
        assert time.monotonic() < deadline, f"not true after {PATIENCE_S} s"
        await asyncio.sleep(0.2)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def version_in(environment: Path, package: str) -> str:
    """Of a package that stands in another virtual environment."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    (found,) = distributions(name=package, path=[str(packages)])
    return found.version


async def try_story(story: Callable[[], Awaitable[None]]) -> str:
    """ "yes", or what went wrong."""
    try:
        await story()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:1000]
    return "yes"
