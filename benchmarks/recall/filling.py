"""Stores with as many memories as a measurement asks for, in one workspace or around it. Start at `filled`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from benchmarks.data import Data
from benchmarks.homes import new_home, open_store
from benchmarks.measure import say
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.store.port import Embed, Put, Store

_BATCH = 2_000


@asynccontextmanager
async def filled(kind: str, data: Data, folder: Path, server_url: str | None, *, around: int = 0) -> AsyncIterator[str]:
    """The address of a store with these memories in the workspace `bench` and `around` times as many in others.

    The others hold the same texts: what a search must not look at may as well be what it would find.
    """
    async with new_home(kind, folder, server_url) as home:
        store = await open_store(kind, home.address, migrate=True)
        try:
            start = perf_counter()
            for number in range(around + 1):
                await fill(store, Scope(f"bench-{number}" if number else "bench"), data)
            rows = len(data.corpus.memories) * (around + 1)
            say(f"{kind}: {rows:,} memories and their vectors in {perf_counter() - start:.0f} s")
        finally:
            await store.close()
        await home.settle()
        yield home.address


async def fill(store: Store, scope: Scope, data: Data) -> None:
    corpus = data.corpus
    await _put(store, scope, [*corpus.persons, *corpus.conversations])
    for at in range(0, len(corpus.memories), _BATCH):
        await _put(store, scope, corpus.memories[at : at + _BATCH])
    await _embed(store, scope, data)


async def _put(store: Store, scope: Scope, records: "list[Record] | tuple[Record, ...]") -> None:
    await store.apply(scope, [Put(replace(record, workspace=scope.workspace)) for record in records])


async def _embed(store: Store, scope: Scope, data: Data) -> None:
    """All at once: what each memory says was embedded before, and is the same in every workspace."""
    position = {text: at for at, text in enumerate(data.corpus.texts)}
    last = 0
    while waiting := await store.unembedded(scope, data.model, after=last, limit=_BATCH):
        vectors = data.vectors[[position[each.text] for each in waiting]]
        await store.apply(scope, [Embed(data.model, tuple(each.row for each in waiting), vectors)])
        last = waiting[-1].row
