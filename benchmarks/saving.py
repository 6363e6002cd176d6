"""Whether what is imported twice is kept once, and what it costs to see that (M8).

    python -m benchmarks.saving --sizes 1000,10000 --stores sqlite

The same statements through the door of the library, once and again, over workspaces of two sizes; beside them what it
takes to keep as many without looking at what is known (`force`).

Start at `measure`.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path
from time import perf_counter, process_time
from typing import Annotated

import typer

from benchmarks.bars import Bar
from benchmarks.foundation import NO_POSTGRES, STORES, exit_code, read_sizes, read_stores
from benchmarks.homes import new_home, open_store, postgres_server
from benchmarks.measure import say
from benchmarks.report import bars_table, table
from everlore.app import Everlore
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.settings import ChatSettings, QueueSettings, Settings
from everlore.wiring import assemble

# How much longer the second time may take than the first, and a statement among many than one among few.
AGAIN = 3.0
GROWTH = 2.0
_FIRST = "Ada Ben Cleo Dev Eva Finn Gus Hana Ivo Jun Kai Lea Max Nia Oto Pia Ravi Sina Tom Uma Vera Wim Yan Zoe".split()
_LAST = (
    "Berg Costa Dahl Evans Fischer Garcia Holm Ito Jones Klein Larsen Moreau Novak Okafor Patel Quist Rossi Silva "
    "Tanaka Ueda Varga Weber Xu Young Zeller Abara Bauer Conti Duarte Ekman Ferro Grau"
).split()
_TOWNS = "Oslo Lima Cairo Perth Quito Turin Kyoto Dakar Porto Ghent Basel".split()
_THINGS = "chess tea jazz boats maps owls bread kites ferns snow cedar poems marbles".split()
# Some that are understood, and some of which only the words can be compared.
_SAID = (
    "{who} lives in {town}",
    "{who} likes {thing}",
    "{who} has a brother named {other}",
    "{who} works as a teacher of {thing}",
    "{who} met {other} at the market of {town}",
    "{who} plans to visit {town}",
    "Nobody in {town} knows that {who} hid the {thing} of {other}",
    "{who} is afraid of {thing}",
    "When {who} was young, the {thing} of {town} burnt down",
    "{who} owes {other} a box of {thing}",
    "{who} is allergic to {thing}",
    "{who} and {other} argued about {thing} in {town}",
    "{who} collects {thing} from {town}",
    "The house of {who} near {town} is full of {thing}",
)


@dataclass(frozen=True, slots=True)
class Took:
    """`cpu_s`: of the processor, whoever else wants it meanwhile; the bars compare these."""

    cpu_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class Found:
    """`unseen`, `first` and `second`: what it took; `once` and `twice`: how many memories there are then."""

    size: int
    unseen: Took
    first: Took
    second: Took
    once: int
    twice: int


def statements(count: int) -> list[str]:
    """So many, no two of them the same; of every kind as many, for some cost more than others."""
    names = [f"{first} {last}" for last in _LAST for first in _FIRST]
    towns, things, others = cycle(_TOWNS), cycle(_THINGS), cycle(names[7:])
    said = (
        form.format(who=who, town=next(towns), thing=next(things), other=next(others))
        for who, form in product(names, _SAID)
    )
    found = list(islice(said, count))
    if len(found) < count:
        raise typer.BadParameter(f"There are {len(found):,} different statements, and {count:,} were asked for.")
    return found


async def measure(kind: str, size: int, folder: Path, server_url: str | None) -> Found:
    said = statements(size)
    async with new_home(kind, folder, server_url) as home:
        settings = Settings(chat=ChatSettings(provider="voice"), queue=QueueSettings(workers=0))
        lore = assemble(settings, await open_store(kind, home.address, migrate=True), None, BytesTokenizer())
        try:
            say(f"{kind}: {size:,} statements, unseen")
            unseen = await _took(lore.within("unseen"), said, force=True)
            say(f"{kind}: {size:,} statements, once")
            first, once = await _took(lore, said), await _count(lore)
            say(f"{kind}: {size:,} statements, again")
            second = await _took(lore, said)
            return Found(size, unseen, first, second, once, await _count(lore))
        finally:
            await lore.stop()


async def _took(lore: Everlore, said: Sequence[str], *, force: bool = False) -> Took:
    cpu, wall = process_time(), perf_counter()
    await lore.keep(said, force=force)
    return Took(process_time() - cpu, perf_counter() - wall)


async def _count(lore: Everlore) -> int:
    return (await lore.stats()).counts["memory"]


def bars_of(kind: str, found: Sequence[Found]) -> list[Bar]:
    bars = [Bar(kind, f"{each.size:,} statements again, as a multiple of once", _ratio(each), AGAIN) for each in found]
    bars += [
        Bar(kind, f"memories of {each.size:,} statements said twice, as a multiple of once", each.twice / each.once, 1)
        for each in found
    ]
    least, most = found[0], found[-1]
    if least is not most:
        growth = (most.first.cpu_s / most.size) / (least.first.cpu_s / least.size)
        claim = f"a statement among {most.size:,}, as a multiple of one among {least.size:,}"
        bars.append(Bar(kind, claim, growth, GROWTH))
    return bars


def _ratio(found: Found) -> float:
    return found.second.cpu_s / found.first.cpu_s


def text_of(kind: str, found: Sequence[Found]) -> str:
    names = {"kept unseen (force)": "unseen", "saved once": "first", "saved again": "second"}
    rows = [[f"{name}, s", *(_told(getattr(each, field)) for each in found)] for name, field in names.items()]
    rows.append(["again, as a multiple of once", *(f"{_ratio(each):.2f}" for each in found)])
    rows.append(["memories after once / after twice", *(f"{each.once:,} / {each.twice:,}" for each in found)])
    return table([f"{kind}: imported statements, CPU (wall)", *(f"{each.size:,}" for each in found)], rows)


def _told(took: Took) -> str:
    return f"{took.cpu_s:.1f} ({took.wall_s:.1f})"


def main(
    sizes: Annotated[str, typer.Option(help="How many statements, as in 1000,10000.")] = "1000,10000",
    stores: Annotated[str, typer.Option(help="Which stores.")] = ",".join(STORES),
    quick: Annotated[bool, typer.Option("--quick", help="A first look: a few hundred.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
    postgres_url: Annotated[str | None, typer.Option(help="A server to make databases on, instead of our own.")] = None,
) -> None:
    """Measure what it takes to save the same statements twice and keep them once."""
    wanted, counts = read_stores(stores), (100, 400) if quick else sorted(read_sizes(sizes))
    bars: list[Bar] = []
    with (
        tempfile.TemporaryDirectory(prefix="everlore-bench-") as place,
        postgres_server(postgres_url, wanted="postgres" in wanted) as url,
    ):
        for kind in wanted:
            if kind == "postgres" and url is None:
                print(f"left out: {NO_POSTGRES}")
                continue
            found = [asyncio.run(measure(kind, size, Path(place), url)) for size in counts]
            print(text_of(kind, found) + "\n")
            bars += bars_of(kind, found)
    print(bars_table(bars))
    raise typer.Exit(exit_code(bars, strict=strict))


if __name__ == "__main__":
    typer.run(main)
