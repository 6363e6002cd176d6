"""How long a recall takes, with everything that belongs to it: the question is embedded, candidates are searched and
ranked. In workspaces of several sizes, in one of them with a million memories of others around it, and beside mem0.

    python -m benchmarks.recall.latency --sizes 1000,10000 --stores sqlite --json latency.json

Everything is made up and thrown away. Start at `run`.
"""

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar
from benchmarks.data import Data, make_data
from benchmarks.foundation import NO_POSTGRES, STORES, exit_code, read_sizes, read_stores
from benchmarks.homes import postgres_server
from benchmarks.measure import say
from benchmarks.recall.filling import filled
from benchmarks.recall.library import Lore, apart, embedding_with, open_library, steps_of
from benchmarks.recall.peers import PEERS, peer_in, peers_python
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, timing_of
from everlore.errors import Misconfigured
from everlore.models.build import build_embedder
from everlore.models.embedder import Embedder
from everlore.settings import EmbeddingSettings, QueueSettings, Settings

# The most that a whole recall may take at the 95th percentile, by the memories in its scope.
MOST_MS = {10_000: 15.0, 100_000: 60.0}
# How much slower the same scope may be with a million memories in the store.
GROWTH = 1.5
# How much faster than mem0's search a whole recall must be.
FASTER = 5.0
SCOPE = 10_000
STORE = 1_000_000
LIMIT = 10
_SEED = 1
_WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Sample:
    seconds: float
    steps: Mapping[str, float] = field(default_factory=dict)


Arm = Callable[[int], Awaitable[Sample]]


@dataclass(frozen=True, slots=True)
class Taken:
    """`steps_ms`: the mean of each step, where the answers tell."""

    timing: Timing
    steps_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class StoreTimes:
    """`sizes` by memories in scope; `crowded` is the scope of 10,000 in a store of a million; `mem0` at 10,000."""

    store: str
    sizes: Mapping[int, Taken]
    crowded: Taken | None = None
    mem0: Taken | None = None

    @property
    def bars(self) -> list[Bar]:
        at, bars = self.sizes.get(SCOPE), []
        for size, most in MOST_MS.items():
            if size in self.sizes:
                measured = self.sizes[size].timing.p95_ms
                bars.append(Bar(self.store, f"whole recall of {size:,}, p95, ms", measured, most))
        if at and self.crowded:
            ratio = self.crowded.timing.p95_ms / at.timing.p95_ms
            claim = f"p95 of {SCOPE:,} in a store of {STORE:,}, as a multiple of that alone"
            bars.append(Bar(self.store, claim, ratio, GROWTH))
        if at and self.mem0:
            ratio = self.mem0.timing.p50_ms / at.timing.p50_ms
            bars.append(
                Bar(self.store, f"p50 of mem0's search of {SCOPE:,}, as a multiple", ratio, FASTER, at_least=True)
            )
        return bars


@dataclass(frozen=True, slots=True)
class Found:
    embedder: str
    stores: tuple[StoreTimes, ...]
    left_out: tuple[str, ...]

    @property
    def bars(self) -> list[Bar]:
        return [bar for each in self.stores for bar in each.bars]


@dataclass(frozen=True, slots=True)
class Plan:
    sizes: tuple[int, ...]
    queries: int
    rounds: int
    embedding: EmbeddingSettings
    with_crowd: bool
    peers: Path | None


async def run(plan: Plan, stores: Sequence[str], folder: Path, postgres_url: str | None, left_out: list[str]) -> Found:
    embedder = build_embedder(plan.embedding)
    if embedder is None:
        raise Misconfigured("Without an embedder there is nothing to compare. Choose one with --embedder.")
    sets = {}
    for size in sorted({*plan.sizes, *((SCOPE,) if plan.with_crowd or plan.peers else ())}):
        say(f"making {size:,} memories and their vectors")
        sets[size] = await make_data(size, plan.queries, _SEED, embedder)
    found = []
    for number, kind in enumerate(stores):
        # One comparison is enough: mem0 does not get faster with our database.
        peers = plan.peers if number == 0 else None
        found.append(await _measure(kind, plan, sets, folder, postgres_url, embedder, peers))
    await embedder.close()
    return Found(embedder.name, tuple(found), tuple(left_out))


async def _measure(
    kind: str,
    plan: Plan,
    sets: Mapping[int, Data],
    folder: Path,
    server_url: str | None,
    embedder: Embedder,
    peers: Path | None,
) -> StoreTimes:
    async with AsyncExitStack() as stack:

        async def opened(data: Data, around: int = 0) -> Arm:
            address = await stack.enter_async_context(filled(kind, data, folder, server_url, around=around))
            lore = await stack.enter_async_context(open_library(_settings(plan, folder, address)))
            return recall_of(lore, data.questions)

        arms: dict[str, Arm] = {str(size): await opened(sets[size]) for size in plan.sizes}
        if plan.with_crowd:
            arms["crowded"] = await opened(sets[SCOPE], around=STORE // SCOPE - 1)
        if peers:
            peer = await stack.enter_async_context(peer_in(peers))
            arms["mem0"] = await _mem0_arm(peer, sets[SCOPE], embedder)
        say(f"{kind}: recalling")
        taken = await in_turn(arms, plan.rounds)
        sizes = {size: taken[str(size)] for size in plan.sizes}
        return StoreTimes(kind, sizes, taken.get("crowded"), taken.get("mem0"))


def _settings(plan: Plan, folder: Path, address: str) -> Settings:
    # Nothing is to be done in the background: everything is embedded already.
    settings = Settings(embedding=plan.embedding, queue=QueueSettings(workers=0))
    return apart(settings, folder, database_url=address)


def recall_of(lore: Lore, questions: Sequence[str]) -> Arm:
    async def recall(number: int) -> Sample:
        start = perf_counter()
        answer = await lore.recall(questions[number % len(questions)], limit=LIMIT)
        return Sample(perf_counter() - start, steps_of(answer))

    return recall


async def _mem0_arm(peer: Any, data: Data, embedder: Embedder) -> Arm:
    say(f"mem0: adding {len(data.corpus.memories):,} memories")
    start = perf_counter()
    await peer.add([memory.id for memory in data.corpus.memories], data.corpus.texts, data.vectors)
    say(f"mem0: added in {perf_counter() - start:.0f} s")

    async def search(number: int) -> Sample:
        question = data.questions[number % len(data.questions)]
        start = perf_counter()
        vector = (await embedder.embed([question]))[0].tolist()
        embedding_s = perf_counter() - start
        answer = await peer.ask(search=question, vector=vector, limit=LIMIT)
        # The pipe between the processes is none of its time.
        return Sample(embedding_s + answer["seconds"], {"embed": embedding_s, "search": answer["seconds"]})

    return search


async def in_turn(arms: Mapping[str, Arm], rounds: int) -> dict[str, Taken]:
    """Each round asks every arm its question once, in an order of its own, after some that warm up."""
    samples: dict[str, list[Sample]] = {name: [] for name in arms}
    random = Random("order")
    for number in range(-_WARM_UP, rounds):
        for name in random.sample(list(arms), len(arms)):
            sample = await arms[name](number % rounds)
            if number >= 0:
                samples[name].append(sample)
    return {name: taken_of(found) for name, found in samples.items()}


def taken_of(samples: Sequence[Sample]) -> Taken:
    names = dict.fromkeys(name for sample in samples for name in sample.steps)
    means = {name: 1000 * sum(each.steps.get(name, 0.0) for each in samples) / len(samples) for name in names}
    return Taken(timing_of([each.seconds for each in samples]), means)


# ── what is shown ────────────────────────────────────────────────────────────────────────────────


def text_of(found: Found) -> str:
    parts = [f"whole recall, the question embedded by {found.embedder}; p50 / p95, ms"]
    parts += [_store_table(each) for each in found.stores]
    parts += [f"left out: {reason}" for reason in found.left_out]
    return "\n\n".join([*parts, bars_table(found.bars)])


def _store_table(times: StoreTimes) -> str:
    named = {f"{size:,} in scope": taken for size, taken in times.sizes.items()}
    if times.crowded:
        named[f"{SCOPE:,} in scope, {STORE:,} in the store"] = times.crowded
    if times.mem0:
        named[f"mem0, {SCOPE:,}"] = times.mem0
    rows = [[name, both(taken.timing), _shares(taken)] for name, taken in named.items()]
    return table([times.store, "whole", "of which, on average"], rows)


def _shares(taken: Taken) -> str:
    whole = taken.timing.mean_ms
    return ", ".join(f"{name} {ms:.2f} ({ms / whole:.0%})" for name, ms in taken.steps_ms.items()) or "–"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def _peers_or_none(folder: Path, left_out: list[str]) -> Path | None:
    try:
        peers_python(folder)
    except Misconfigured:
        left_out.append(f"mem0, as there is no environment in {str(folder)!r}: `make peers` makes it")
        return None
    return folder


def main(
    sizes: Annotated[str, typer.Option(help="Memories in scope, as in 1000,10000.")] = "1000,10000,100000",
    stores: Annotated[str, typer.Option(help="Which stores.")] = ",".join(STORES),
    queries: Annotated[int, typer.Option(min=2, help="Different questions.")] = 100,
    rounds: Annotated[int, typer.Option(min=2, help="Questions asked of each.")] = 200,
    embedder: Annotated[str, typer.Option(help="Who embeds.")] = "wordllama",
    quick: Annotated[
        bool, typer.Option("--quick", help="Without the store of a million, and with fewer rounds.")
    ] = False,
    peers: Annotated[Path, typer.Option(help="The environment of mem0; left out where there is none.")] = PEERS,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
    postgres_url: Annotated[str | None, typer.Option(help="A server to make databases on, instead of our own.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Where the files go; a temporary folder if unset.")] = None,
) -> None:
    """Measure how long a whole recall takes, beside mem0 and in stores of several sizes."""
    wanted, left_out = read_stores(stores), list[str]()
    plan = Plan(
        sizes=tuple(sorted(read_sizes(sizes))),
        queries=queries,
        rounds=min(rounds, 50) if quick else rounds,
        embedding=embedding_with(EmbeddingSettings(), embedder),
        with_crowd=not quick,
        peers=_peers_or_none(peers, left_out),
    )
    with (
        tempfile.TemporaryDirectory(prefix="everlore-bench-", dir=folder) as place,
        postgres_server(postgres_url, wanted="postgres" in wanted) as url,
    ):
        found_stores = [kind for kind in wanted if kind != "postgres" or url is not None]
        left_out += [NO_POSTGRES] if len(found_stores) < len(wanted) else []
        left_out += ["the store of a million memories, as --quick was given"] if quick else []
        found = asyncio.run(run(plan, found_stores, Path(place), url, left_out))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
        say(f"written: {json}")
    raise typer.Exit(exit_code(found.bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
