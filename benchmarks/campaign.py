"""What a long campaign costs: to open it, to ask and search it, to be told it again, and to play on in it (G2, G13).

    python -m benchmarks.campaign --sessions 20,200 --json campaign.json

Two made-up campaigns of 200 messages a session, one ten times as long as the other, side by side on SQLite, without a
model: how long each thing takes, how that grows, and whether the prompt of the next turn fits its window.

Start at `measure`.
"""

import asyncio
import gc
import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar
from benchmarks.foundation import exit_code, read_sizes
from benchmarks.legend import CAMPAIGN, PLAYERS, SCOPE, Legend, load, make_legend
from benchmarks.measure import say
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, timing_of
from everlore.app import Everlore
from everlore.domain.campaign import Entity, Relationship
from everlore.domain.config import config_of
from everlore.domain.conversation import Message
from everlore.domain.memory import Memory
from everlore.models.build import build_tokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.settings import ChatSettings, QueueSettings, Settings, StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import assemble

# What each of them may take at the longest campaign, and how much more than at the shortest.
MOST_MS = 150.0
GROWTH = 2.0
WINDOWS = (4_096, 8_192, 32_768)
MESSAGES = 200
_WARM_UP = 3
# A player who was away for a month.
_AWAY = timedelta(days=28)
# Whoever asks for all there is gets more of it the more there is: told, and not judged.
ALL_THERE_IS = "all that it knows, by tier"
# Three letters can stand in any name, and all of them are looked at: not judged by how it grows.
LETTERS = "searching for letters of a name"


@dataclass(frozen=True, slots=True)
class Took:
    """`cpu`: of this process, whoever else wants the processor meanwhile; growth is told by it. How long somebody waits
    is the lesser of the two: `wall` counts what else the machine does, `cpu` twice what both cores do at once."""

    cpu: Timing
    wall: Timing

    @property
    def p95_ms(self) -> float:
        return min(self.cpu.p95_ms, self.wall.p95_ms)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The largest of the prompts of a window: `room` is what the reply leaves of it."""

    window: int
    room: int
    tokens: int

    @property
    def share(self) -> float:
        return self.tokens / self.room


@dataclass(frozen=True, slots=True)
class Size:
    sessions: int
    messages: int
    entities: int
    ties: int
    memories: int


@dataclass(frozen=True, slots=True)
class Found:
    """`took`: by what was done, of each size in their order."""

    sizes: tuple[Size, ...]
    took: Mapping[str, tuple[Took, ...]]
    prompts: tuple[tuple[Prompt, ...], ...]

    def growth(self, name: str) -> float:
        took = self.took[name]
        return took[-1].cpu.p50_ms / took[0].cpu.p50_ms

    @property
    def bars(self) -> list[Bar]:
        least, most = self.sizes[0].sessions, self.sizes[-1].sessions
        judged = [name for name in self.took if name != ALL_THERE_IS]
        slow = [Bar("sqlite", f"{name}, {most} sessions, p95, ms", self._p95(name), MOST_MS) for name in judged]
        grown = [
            Bar("sqlite", f"{name}, {most} sessions, as a multiple of {least}", self.growth(name), GROWTH)
            for name in judged
            if most > least and name != LETTERS
        ]
        fits = [
            Bar("sqlite", f"prompt of {window:,} tokens, share of its room, largest", self._fullest(window), 1)
            for window in WINDOWS
        ]
        return [*slow, *grown, *fits]

    def _p95(self, name: str) -> float:
        return self.took[name][-1].p95_ms

    def _fullest(self, window: int) -> float:
        return max(each.share for prompts in self.prompts for each in prompts if each.window == window)


@dataclass(frozen=True, slots=True)
class Table:
    """A campaign that is loaded, and the Everlore that keeps it."""

    legend: Legend
    lore: Everlore

    def words(self, number: int) -> str:
        return self.legend.questions[number % len(self.legend.questions)]

    def name(self, number: int) -> str:
        return self.legend.entities[number * 7 % len(self.legend.entities)].name

    async def opening(self, _: int) -> None:
        """What the first look at a campaign needs."""
        seat = await self.lore.campaigns.get(CAMPAIGN)
        await self.lore.campaigns.chapters(seat.campaign.id)
        await self.lore.sessions.list(seat.campaign.id)
        await self.lore.campaigns.recap(seat.campaign.id)
        await self.lore.review.list(seat.campaign.id)

    async def asking(self, number: int) -> None:
        await self.lore.asking.ask(CAMPAIGN, self.words(number), with_model=False)

    async def asking_as_player(self, number: int) -> None:
        await self.lore.asking.ask(CAMPAIGN, self.words(number), with_model=False, player=PLAYERS[0])

    async def searching(self, number: int) -> None:
        await self.lore.world.entities(CAMPAIGN, named=self.name(number))

    async def searching_letters(self, number: int) -> None:
        await self.lore.world.entities(CAMPAIGN, named=self.name(number).removeprefix("The ")[1:4])

    async def recap(self, _: int) -> None:
        await self.lore.campaigns.recap(CAMPAIGN)

    async def recap_since(self, _: int) -> None:
        await self.lore.campaigns.recap(CAMPAIGN, since=self.legend.until - _AWAY, player=PLAYERS[0])

    async def shelves(self, _: int) -> None:
        await self.lore.campaigns.shelves(CAMPAIGN)

    def assembling(self, window: int) -> Callable[[int], Awaitable[Any]]:
        async def assemble_one(number: int) -> None:
            await self.prompt(window, self.words(number))

        return assemble_one

    async def prompt(self, window: int, words: str) -> Prompt:
        config = config_of({"context_window": window})
        seen = await self.lore.x_rays.would_be(self.legend.talk, words, config=config)
        # Counted anew, and not as the account says.
        tokens = sum(self.lore.tokenizer.count(each.content) for each in seen.messages)
        return Prompt(window, seen.account["window"] - seen.account["reserve"], tokens)

    @property
    def arms(self) -> dict[str, Callable[[int], Awaitable[Any]]]:
        return {
            "opening a campaign": self.opening,
            **{f"the prompt of a turn, {window:,} tokens": self.assembling(window) for window in WINDOWS},
            "asking the record": self.asking,
            "asking the record as a player": self.asking_as_player,
            "searching for a name": self.searching,
            LETTERS: self.searching_letters,
            "recap of the last session": self.recap,
            "recap of a month, for a player": self.recap_since,
            ALL_THERE_IS: self.shelves,
        }

    @property
    def size(self) -> Size:
        counts = (self.legend.count(kind) for kind in (Message, Entity, Relationship, Memory))
        return Size(self.legend.sessions, *counts)


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


async def measure(sessions: Sequence[int], rounds: int, folder: Path, *, messages: int = MESSAGES) -> Found:
    async with AsyncExitStack() as stack:
        tables = [await _laid(stack, count, messages, folder) for count in sessions]
        gc.collect()
        gc.freeze()
        stack.callback(gc.unfreeze)
        took = {}
        for name in tables[0].arms:
            say(f"{name}: {rounds} times each")
            took[name] = await _side_by_side([each.arms[name] for each in tables], rounds)
        prompts = [await _prompts(each, rounds) for each in tables]
        return Found(tuple(each.size for each in tables), took, tuple(prompts))


async def _laid(stack: AsyncExitStack, sessions: int, messages: int, folder: Path) -> Table:
    say(f"making and keeping a campaign of {sessions} sessions")
    legend = make_legend(sessions, messages)
    store = await SqliteStore.open(folder / f"{sessions}.db", StoreSettings(), clock=lambda: legend.until)
    embedder = HashingEmbedder()
    settings = Settings(workspace=SCOPE.workspace, chat=ChatSettings(provider="voice"), queue=QueueSettings(workers=0))
    lore = assemble(settings, store, embedder, build_tokenizer(settings.tokenizer), clock=lambda: legend.until)
    stack.push_async_callback(lore.stop)
    await load(store, legend, embedder)
    return Table(legend, lore)


async def _side_by_side(arms: Sequence[Callable[[int], Awaitable[Any]]], rounds: int) -> tuple[Took, ...]:
    """In turn, and in another order each time: what else the machine does falls on all of them alike."""
    for number in range(_WARM_UP):
        for arm in arms:
            await arm(number)
    random, cpu, wall = Random("order"), [list[float]() for _ in arms], [list[float]() for _ in arms]
    for number in range(rounds):
        for at in random.sample(range(len(arms)), len(arms)):
            begun, busy = perf_counter(), process_time()
            await arms[at](number)
            cpu[at].append(process_time() - busy)
            wall[at].append(perf_counter() - begun)
    return tuple(Took(timing_of(one), timing_of(other)) for one, other in zip(cpu, wall, strict=True))


async def _prompts(table: Table, rounds: int) -> tuple[Prompt, ...]:
    found = []
    for window in WINDOWS:
        made = [await table.prompt(window, table.words(number)) for number in range(rounds)]
        found.append(max(made, key=lambda each: each.tokens))
    return tuple(found)


# ── telling ──────────────────────────────────────────────────────────────────────────────────────


def text_of(found: Found) -> str:
    kept = [
        [name.replace("_", " "), *(f"{getattr(each, name):,}" for each in found.sizes)]
        for name in ("messages", "entities", "ties", "memories")
    ]
    heads = [f"{each.sessions} sessions" for each in found.sizes]
    sides = [f"{head}, {what}" for what in ("CPU ms", "wall ms") for head in heads]
    times = [
        [name, *(both(each.cpu) for each in took), *(both(each.wall) for each in took), f"{found.growth(name):.2f}"]
        for name, took in found.took.items()
    ]
    fits = [
        [f"{window:,}", *(_told(each) for prompts in found.prompts for each in prompts if each.window == window)]
        for window in WINDOWS
    ]
    return "\n\n".join(
        [
            table(["a campaign", *heads], kept),
            table(["p50 / p95", *sides, "growth of p50, CPU"], times),
            table(["largest prompt, of its room, tokens", *heads], fits),
            bars_table(found.bars),
        ]
    )


def _told(prompt: Prompt) -> str:
    return f"{prompt.tokens:,} of {prompt.room:,}"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    sessions: Annotated[str, typer.Option(help="How many sessions, as in 20,200.")] = "20,200",
    messages: Annotated[int, typer.Option(help="Messages in each of them.", min=2)] = MESSAGES,
    rounds: Annotated[int, typer.Option(help="How often each thing is measured.", min=1)] = 40,
    quick: Annotated[bool, typer.Option("--quick", help="A first look: 4 and 20 sessions, 10 times.")] = False,
    json_file: Annotated[str, typer.Option("--json", help="Write JSON to this file, or to - instead.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
) -> None:
    """Measure what a long campaign costs."""
    counts, times = ((4, 20), 10) if quick else (sorted(read_sizes(sessions)), rounds)
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as place:
        found = asyncio.run(measure(counts, times, Path(place), messages=messages))
    print(json_of(found) if json_file == "-" else text_of(found))
    if json_file not in ("", "-"):
        Path(json_file).write_text(json_of(found) + "\n")
    raise typer.Exit(exit_code(found.bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
