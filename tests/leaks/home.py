"""A village with its doors open, and whoever reads there."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from everlore.app import Everlore
from everlore.server.app import build_app
from tests.leaks.doors import Doors
from tests.leaks.ledger import Ledger
from tests.leaks.papers import written
from tests.leaks.reads import Reader
from tests.leaks.village import Village
from tests.soak import SEED, again, look
from tests.turn.world import World

DEEDS = look(560, 2_000)


@dataclass
class Home:
    village: Village
    doors: Doors
    seed: int

    @property
    def mind(self) -> World:
        return self.village.mind

    def reader(self, ledger: Ledger | None = None) -> Reader:
        return Reader(self.mind, ledger or self.village.ledger, random.Random(self.seed), self.doors)


@asynccontextmanager
async def lived_in(
    mind: World, *, deeds: int = DEEDS, database: Path | None = None, papers: bool = True, seed: int = SEED
) -> AsyncIterator[Home]:
    """`database`: where it lies, for the command line. Without `papers` it can go on living."""
    village = Village(mind, random.Random(seed))
    await village.lives(deeds)
    if papers:
        await written(village)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Everlore]:
        yield mind.lore

    app = build_app(opened)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        yield Home(village, Doors(mind.lore, app, client, database), seed)


def first_of(reader: Reader) -> str:
    """What a failure says first: how to see it again."""
    first = "\n".join(reader.leaks[:8])
    return f"{again('tests/leaks')}: {len(reader.leaks)} leaks in {reader.reads.total()} reads:\n{first}"


def emptied(ledger: Ledger) -> Ledger:
    """One in which nobody knows anything, and nothing was ever said."""
    empty = ledger.copy()
    empty.told = {}
    empty.games = {}
    for fact in empty.facts.values():
        fact.states = [replace(each, persons=frozenset()) for each in fact.states]
    for talk in empty.talks.values():
        talk.gossip = False
    for line in empty.lines.values():
        line.present, line.facts = frozenset(), ()
        line.words = line.before = line.thoughts = frozenset()
    empty.scraps = {id: replace(each, persons=frozenset(), words=frozenset()) for id, each in empty.scraps.items()}
    empty.papers = {}
    return empty
