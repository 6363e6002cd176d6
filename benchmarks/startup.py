"""A process of its own that opens a store and asks one question: what starting costs, and how much memory it takes.

In, on standard input: a `Start` as JSON. Out: a `Startup` as JSON. The files may well be in the system's cache;
nothing of ours is. Start at `start_up`, which runs this in a new process.
"""

import asyncio
import json
import os
import sys
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.homes import open_store
from benchmarks.references import LIMIT
from everlore.domain.scope import Scope
from everlore.store.port import Search


@dataclass(frozen=True, slots=True)
class Start:
    kind: str
    address: str
    workspace: str
    model: str
    text: str
    vector: list[float]


@dataclass(frozen=True, slots=True)
class Startup:
    open_ms: float
    first_search_ms: float
    second_search_ms: float
    rss_before_mb: float
    rss_mb: float

    @property
    def total_ms(self) -> float:
        return self.open_ms + self.first_search_ms


async def start_up(start: Start) -> Startup:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.startup", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate(json.dumps(asdict(start)).encode())
    if process.returncode:
        raise RuntimeError(f"The process that should open {start.kind} ended with {process.returncode}.")
    return Startup(**json.loads(out))


def rss_mb() -> float:
    """Of this process, now. 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def _measure(start: Start) -> Startup:
    ask = Search(text=start.text, vector=np.array(start.vector, dtype=np.float32), model=start.model, limit=LIMIT)
    scope = Scope(start.workspace)
    before = rss_mb()
    times = [perf_counter()]
    store = await open_store(start.kind, start.address)
    times.append(perf_counter())
    for _ in range(2):
        await store.search(scope, ask)
        times.append(perf_counter())
    after = rss_mb()
    await store.close()
    opened, first, second = (1000 * (end - begin) for begin, end in pairwise(times))
    return Startup(opened, first, second, before, after)


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(_measure(Start(**json.load(sys.stdin)))))))
