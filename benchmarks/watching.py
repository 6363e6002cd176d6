"""Whether asking how a workspace fares costs the same, whatever it holds (C9).

    python -m benchmarks.watching --sizes 100,100000 --stores sqlite

The route `/api/memory-metrics` of real servers over workspaces of two sizes, asked in turn.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated

import httpx
import typer

from benchmarks.bars import Bar
from benchmarks.data import make_data
from benchmarks.foundation import NO_POSTGRES, STORES, exit_code, read_sizes, read_stores
from benchmarks.homes import postgres_server
from benchmarks.measure import say
from benchmarks.recall.filling import filled
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, timing_of
from benchmarks.turns import process_of
from everlore.models.hashing import HashingEmbedder

# How much longer the larger workspace may take, at the 95th percentile.
GROWTH = 1.5
_SEED = 1
_WARM_UP = 5
_ROUTE = "/api/memory-metrics"
Ask = Callable[[], Awaitable[float]]


async def measure(
    kind: str, sizes: Sequence[int], rounds: int, folder: Path, server_url: str | None
) -> dict[int, Timing]:
    async with AsyncExitStack() as stack:
        arms: dict[int, Ask] = {}
        for size in sizes:
            data = await make_data(size, 2, _SEED, HashingEmbedder())
            address = await stack.enter_async_context(filled(kind, data, folder, server_url))
            arms[size] = await stack.enter_async_context(_asking(address))
        say(f"{kind}: asking")
        return await _in_turn(arms, rounds)


@asynccontextmanager
async def _asking(address: str) -> AsyncIterator[Ask]:
    """A server of its own over that store, which has nothing else to do."""
    quiet = {"EMBEDDING__PROVIDER": "none", "QUEUE__WORKERS": "0", "CHAT__PROVIDER": "voice", "WORKSPACE": "bench"}
    environment = {f"EVERLORE_{name}": value for name, value in quiet.items()}
    async with (
        process_of("everlore", "serve", "--port", "0", "--db", address, **environment) as url,
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):

        async def ask() -> float:
            start = perf_counter()
            answer = await client.get(_ROUTE)
            took = perf_counter() - start
            answer.raise_for_status()
            return took

        yield ask


async def _in_turn(arms: Mapping[int, Ask], rounds: int) -> dict[int, Timing]:
    samples: dict[int, list[float]] = {size: [] for size in arms}
    random = Random("order")
    for number in range(-_WARM_UP, rounds):
        for size in random.sample(list(arms), len(arms)):
            took = await arms[size]()
            if number >= 0:
                samples[size].append(took)
    return {size: timing_of(found) for size, found in samples.items()}


def bar_of(kind: str, timings: Mapping[int, Timing]) -> Bar:
    smallest, largest = min(timings), max(timings)
    ratio = timings[largest].p95_ms / timings[smallest].p95_ms
    return Bar(kind, f"metrics of {largest:,} memories, p95, as a multiple of those of {smallest:,}", ratio, GROWTH)


def main(
    sizes: Annotated[str, typer.Option(help="Memories in the workspaces, as in 100,100000.")] = "100,100000",
    stores: Annotated[str, typer.Option(help="Which stores.")] = ",".join(STORES),
    rounds: Annotated[int, typer.Option(min=2, help="How often each is asked.")] = 200,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
    postgres_url: Annotated[str | None, typer.Option(help="A server to make databases on, instead of our own.")] = None,
) -> None:
    """Measure how long the metrics take in a small workspace and in a large one."""
    wanted, counts = read_stores(stores), sorted(read_sizes(sizes))
    bars: list[Bar] = []
    with (
        tempfile.TemporaryDirectory(prefix="everlore-bench-") as place,
        postgres_server(postgres_url, wanted="postgres" in wanted) as url,
    ):
        for kind in wanted:
            if kind == "postgres" and url is None:
                print(f"left out: {NO_POSTGRES}")
                continue
            timings = asyncio.run(measure(kind, counts, rounds, Path(place), url))
            rows = [[f"{size:,} memories", both(timing)] for size, timing in timings.items()]
            print(table([f"{kind}: {_ROUTE}", "p50 / p95, ms"], rows) + "\n")
            bars.append(bar_of(kind, timings))
    print(bars_table(bars))
    raise typer.Exit(exit_code(bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
