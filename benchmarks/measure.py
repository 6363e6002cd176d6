"""Loads the stores, measures them, and gives back what was found. Start at `measure_store`.

The stores of all sizes are open together, so that what is compared across sizes can be measured in turn. Saves come
last: until then every store holds exactly its size.
"""

import asyncio
import gc
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.corpus import WORKSPACE, make_fresh
from benchmarks.data import Data
from benchmarks.homes import Home, new_home, open_store
from benchmarks.references import LIMIT, recall_of
from benchmarks.results import Loading, Producers, Saves, Searches, SizeResult, StoreResult
from benchmarks.startup import Start, Startup, start_up
from benchmarks.timing import Arm, Timing, interleaved, seconds_of, timing_of
from everlore.domain.memory import Memory
from everlore.domain.scope import Pair, Scope
from everlore.models.embedder import Embedder
from everlore.store.port import Embed, Put, Search, Store

SCOPE = Scope(WORKSPACE)
LOAD_BATCH = 2_000
SAVE_BATCH = 1_000
PRODUCERS = 32


@dataclass(frozen=True, slots=True)
class Plan:
    sizes: tuple[int, ...]
    queries: int
    # Times the questions are asked again within the scope, where one takes a millisecond or two.
    scoped_passes: int
    startups: int
    save_rounds: int
    singles_per_round: int
    saves_per_producer: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Loaded:
    data: Data
    home: Home
    store: Store
    loading: Loading
    size_mb: float

    @property
    def size(self) -> int:
        return len(self.data.corpus.memories)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def time_embedding(embedder: Embedder, questions: Sequence[str]) -> Timing:
    async def embed(number: int) -> None:
        await embedder.embed([questions[number % len(questions)]])

    return (await interleaved({"embed": embed}, len(questions)))["embed"]


# ── one store ────────────────────────────────────────────────────────────────────────────────────


async def measure_store(
    kind: str, plan: Plan, sets: Sequence[Data], folder: Path, server_url: str | None
) -> StoreResult:
    async with AsyncExitStack() as stack:
        loaded = [await _loaded(stack, kind, data, folder, server_url) for data in sets]
        stack.enter_context(_records_set_aside())
        startups = [await _started(each, plan) for each in loaded]
        searches = await _searches(loaded, plan)
        saves = [await _saves(each, plan, folder) for each in loaded]
        producers = await _producers(loaded[-1], plan)
        sizes = tuple(
            SizeResult(each.size, each.loading, startup, each.size_mb, found, saved)
            for each, startup, found, saved in zip(loaded, startups, searches, saves, strict=True)
        )
        return StoreResult(kind, sizes, producers)


@contextmanager
def _records_set_aside() -> Iterator[None]:
    """Without this, collections that go through our own 100,000 records would fall into somebody's time."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


async def _loaded(stack: AsyncExitStack, kind: str, data: Data, folder: Path, server_url: str | None) -> Loaded:
    say(f"{kind}: loading {len(data.corpus.memories):,} memories")
    home = await stack.enter_async_context(new_home(kind, folder, server_url))
    store = await open_store(kind, home.address, migrate=True)
    stack.push_async_callback(store.close)
    loading = await load(store, data)
    await home.settle()
    return Loaded(data, home, store, loading, await home.size_bytes() / 2**20)


async def load(store: Store, data: Data) -> Loading:
    corpus = data.corpus
    people: list[Put] = [Put(person) for person in corpus.persons]
    await store.apply(SCOPE, people + [Put(conversation) for conversation in corpus.conversations])
    start = perf_counter()
    for at in range(0, len(corpus.memories), LOAD_BATCH):
        await store.apply(SCOPE, [Put(memory) for memory in corpus.memories[at : at + LOAD_BATCH]])
    kept = perf_counter()
    await _embed(store, data)
    size = len(corpus.memories)
    return Loading(size / (kept - start), size / (perf_counter() - kept))


async def _embed(store: Store, data: Data) -> None:
    position = {text: at for at, text in enumerate(data.corpus.texts)}
    last = 0
    while waiting := await store.unembedded(SCOPE, data.model, after=last, limit=LOAD_BATCH):
        vectors = data.vectors[[position[each.text] for each in waiting]]
        await store.apply(SCOPE, [Embed(data.model, tuple(each.row for each in waiting), vectors)])
        last = waiting[-1].row


async def _started(loaded: Loaded, plan: Plan) -> Startup:
    """The median of a few starts."""
    say(f"{loaded.home.kind}: starting up on {loaded.size:,}")
    data = loaded.data
    start = Start(
        loaded.home.kind, loaded.home.address, WORKSPACE, data.model, data.questions[0], data.asked[0].tolist()
    )
    found = [await start_up(start) for _ in range(plan.startups)]
    found.sort(key=lambda each: each.total_ms)
    return found[len(found) // 2]


# ── searching ────────────────────────────────────────────────────────────────────────────────────


async def _searches(loaded: Sequence[Loaded], plan: Plan) -> list[Searches]:
    timings = [await _unscoped(each, plan) for each in loaded]
    say(f"{loaded[0].home.kind}: searching within the pair")
    scoped = await interleaved(
        {str(each.size): hybrid(each.store, each.data, pair=each.data.corpus.pair) for each in loaded},
        plan.queries * plan.scoped_passes,
        warm_up=10,
    )
    found = []
    for each, timing in zip(loaded, timings, strict=True):
        recalls = [await _recall(each, pair) for pair in (None, each.data.corpus.pair)]
        found.append(Searches(timing.pop("hybrid"), scoped[str(each.size)], timing, *recalls))
    return found


async def _unscoped(loaded: Loaded, plan: Plan) -> dict[str, Timing]:
    say(f"{loaded.home.kind}: searching {loaded.size:,}")
    data = loaded.data
    references = await loaded.home.references(data)
    return await interleaved({"hybrid": hybrid(loaded.store, data), **references}, plan.queries)


def hybrid(store: Store, data: Data, *, pair: Pair | None = None) -> Arm:
    asks = [
        Search(text=text, vector=vector, model=data.model, pair=pair, limit=LIMIT)
        for text, vector in zip(data.questions, data.asked, strict=True)
    ]

    async def search(number: int) -> None:
        await store.search(SCOPE, asks[number % len(asks)])

    return search


async def _recall(loaded: Loaded, pair: Pair | None) -> float:
    """The mean over the questions, against the exact cosines of what lies in the scope."""
    corpus, vectors = loaded.data.corpus, loaded.data.vectors
    positions = corpus.positions_of_pair() if pair else list(range(len(corpus.memories)))
    place = {corpus.memories[at].id: number for number, at in enumerate(positions)}
    inside = vectors[positions]
    shares = []
    for vector in loaded.data.asked:
        found = await loaded.store.search(
            SCOPE, Search(vector=vector, model=loaded.data.model, pair=pair, limit=LIMIT, vector_weight=1)
        )
        ids = [hit.record.id for hit in found.hits]
        # An id that does not lie in the scope must not count, and must not stop the run either.
        shares.append(recall_of(inside @ vector, [place[id] for id in ids if id in place]))
    return statistics.fmean(shares)


# ── saving ───────────────────────────────────────────────────────────────────────────────────────


async def _saves(loaded: Loaded, plan: Plan, folder: Path) -> Saves:
    say(f"{loaded.home.kind}: saving into {loaded.size:,}")
    per_round = plan.singles_per_round + SAVE_BATCH
    fresh = make_fresh(loaded.data.corpus, plan.save_rounds * per_round, seed=plan.seed)
    singles: list[float] = []
    batches: list[float] = []
    fsyncs: list[float] = []
    for at in range(0, len(fresh), per_round):
        for memory in fresh[at : at + plan.singles_per_round]:
            singles.append(await seconds_of(_save(loaded.store, [memory])))
        fsyncs += fsync_times(folder, plan.singles_per_round)
        batches.append(await seconds_of(_save(loaded.store, fresh[at + plan.singles_per_round : at + per_round])))
    return Saves(timing_of(singles), timing_of(batches).per(SAVE_BATCH), timing_of(fsyncs))


def fsync_times(folder: Path, count: int) -> list[float]:
    """What the disk takes to keep 4 kB for good, in seconds: the least that a durable save can cost.

    Measured between the saves, because on some machines it changes a hundredfold within minutes.
    """
    times = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(count):
            start = perf_counter()
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
            times.append(perf_counter() - start)
    return times


async def _save(store: Store, memories: Sequence[Memory]) -> list[Any]:
    return await store.apply(SCOPE, [Put(memory) for memory in memories])


async def _producers(loaded: Loaded, plan: Plan) -> Producers:
    """In turn: so many saves one after the other, as many from all producers at once."""
    count = PRODUCERS * plan.saves_per_producer
    say(f"{loaded.home.kind}: {PRODUCERS} producers, and one")
    sequential: list[float] = []
    concurrent: list[float] = []
    for turn in range(2):
        fresh = make_fresh(loaded.data.corpus, 2 * count, seed=plan.seed + 1000 + turn)
        sequential.append(await seconds_of(_one_by_one(loaded.store, fresh[:count])))
        concurrent.append(await seconds_of(_from_all(loaded.store, fresh[count:])))
    return Producers(loaded.size, PRODUCERS, 2 * count / sum(sequential), 2 * count / sum(concurrent))


async def _one_by_one(store: Store, memories: Sequence[Memory]) -> None:
    for memory in memories:
        await _save(store, [memory])


async def _from_all(store: Store, memories: Sequence[Memory]) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(PRODUCERS):
            group.create_task(_one_by_one(store, memories[number::PRODUCERS]))
