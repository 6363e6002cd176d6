"""What learning costs a turn: two servers over the same memories, one that reads what is said for facts and one that
does not, spoken to in turns with a pause between them, as people make, and without any.

Both learn the same at first, so that both recall the same later: what differs is the reading alone. Nothing is said
more than twice: what comes up again and again matters more, and the one that learns would recall it more often.

    python -m benchmarks.reflection --json reflection.json

Start at `run`.
"""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import httpx
import typer

from benchmarks.bars import Bar
from benchmarks.corpus import make_corpus
from benchmarks.measure import say
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, timing_of
from benchmarks.turns import Served, Turn, everlore_on, process_of, remembered, started

# How much longer a turn may take where something is learnt of it.
MOST = 1.05
_SEED = 7
_WARM_UP = 5
_FIRST = "Ada Ben Cleo Dev Eva Finn Gus Hana Ivo Jun Kai Lea Max Nia Oto Pia Ravi Sina Tom Uma".split()
_LAST = "Berg Costa Dahl Evans Fischer Garcia Holm Ito Jones Klein Larsen Moreau Novak Okafor Patel Quist".split()
_TOWNS = "Oslo Lima Cairo Perth Quito Turin Kyoto Dakar Porto Ghent".split()
_THINGS = "chess tea jazz boats maps owls bread kites ferns snow".split()
_MOST_ROUNDS = len(_FIRST) * len(_LAST) // 2 - _WARM_UP


@dataclass(frozen=True, slots=True)
class Side:
    first: Timing
    whole: Timing
    read: int


@dataclass(frozen=True, slots=True)
class Found:
    """`paced`: with pauses; `rushed`: each turn right after the one before."""

    memories: int
    paced_on: Side
    paced_off: Side
    rushed_on: Side
    rushed_off: Side

    @property
    def bars(self) -> list[Bar]:
        return [
            Bar("sqlite", f"{name} of a turn with learning, as a multiple of one without, {how}, p50", ratio, MOST)
            for how, on, off in (
                ("with pauses", self.paced_on, self.paced_off),
                ("without pauses", self.rushed_on, self.rushed_off),
            )
            for name, ratio in (
                ("first word", on.first.p50_ms / off.first.p50_ms),
                ("whole", on.whole.p50_ms / off.whole.p50_ms),
            )
        ]


def statements(count: int) -> list[str]:
    """Messages that each state something, of somebody else each."""
    friends = [f"{first} {last}" for last in _LAST for first in _FIRST]
    return [
        f"My friend {friend} lives in {_TOWNS[number % len(_TOWNS)]} and likes {_THINGS[number // 3 % len(_THINGS)]}."
        for number, friend in enumerate(friends[:count])
    ]


async def run(memories: int, rounds: int, pause_s: float, folder: Path) -> Found:
    say(f"keeping {memories:,} memories, twice")
    one, other = folder / "on.db", folder / "off.db"
    await remembered(one, make_corpus(memories, _SEED).texts)
    shutil.copy(one, other)
    async with (
        process_of("benchmarks.provider") as provider,
        everlore_on(one, provider) as on_url,
        everlore_on(other, provider) as off_url,
    ):
        # Who measures little warms up little.
        warm_up = min(rounds, _WARM_UP)
        once, again = _halves(statements(2 * (rounds + warm_up)))
        learning, plain = [Served(url, await _introduced(url, [*once, *again])) for url in (on_url, off_url)]
        await _stop_learning(off_url, plain)
        before = [await _read(url) for url in (on_url, off_url)]
        try:
            say(f"{rounds} turns each, with pauses")
            paced = await _measure(learning, plain, once, warm_up, pause_s)
            say(f"{rounds} turns each, without pauses")
            rushed = await _measure(learning, plain, again, warm_up, 0)
            await _settled(on_url)
            read = [await _read(url) - at_first for url, at_first in zip((on_url, off_url), before, strict=True)]
        finally:
            for line in (*learning.lines, *plain.lines):
                line.close()
    sides = [_side(turns, count) for pair in (paced, rushed) for turns, count in zip(pair, read, strict=True)]
    return Found(memories, *sides)


def _halves(messages: list[str]) -> tuple[list[str], list[str]]:
    return messages[: len(messages) // 2], messages[len(messages) // 2 :]


async def _introduced(url: str, messages: Sequence[str]) -> list[str]:
    """A conversation in which everything was said once, and learnt."""
    # Without keyframes: only the one that learns would have them in its prompts.
    conversations = await started(url, 1, extract_memories=True, extract_segments=False)
    served = Served(url, conversations)
    for message in messages:
        await served.turn(0, message)
    served.lines[0].close()
    await _settled(url)
    return conversations


async def _stop_learning(url: str, served: Served) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        for id in served.conversations:
            changed = await client.patch(f"/api/conversations/{id}", json={"config": {"extract_memories": False}})
            changed.raise_for_status()


async def _measure(
    learning: Served, plain: Served, messages: Sequence[str], warm_up: int, pause_s: float
) -> tuple[list[Turn], list[Turn]]:
    """The two take turns, and who comes first changes each time."""
    turns: tuple[list[Turn], list[Turn]] = ([], [])
    for number, message in enumerate(messages):
        sides = [(turns[0], learning), (turns[1], plain)]
        for kept, side in sides if number % 2 else reversed(sides):
            kept.append(await side.turn(0, message))
            await asyncio.sleep(pause_s)
    return turns[0][warm_up:], turns[1][warm_up:]


def _side(turns: Sequence[Turn], read: int) -> Side:
    return Side(timing_of([turn.first_s for turn in turns]), timing_of([turn.whole_s for turn in turns]), read)


async def _read(url: str) -> int:
    """How many messages were read so far."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        query = "?limit=100"
        found = 0
        while True:
            page = (await client.get(f"/api/readings{query}")).json()
            found += len([each for each in page["items"] if each["extractor"] == "facts"])
            if page["next"] is None:
                return found
            query = f"?limit=100&cursor={quote(page['next'])}"


async def _settled(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        while (await client.get("/api/health")).json()["queue"]["pending"]:  # noqa: ASYNC110 - another process works
            await asyncio.sleep(0.2)


def text_of(found: Found) -> str:
    rows = [
        [
            how,
            name,
            both(getattr(off, field)),
            both(getattr(on, field)),
            f"{getattr(on, field).p50_ms / getattr(off, field).p50_ms:.2f}",
        ]
        for how, on, off in (
            ("with pauses", found.paced_on, found.paced_off),
            ("without pauses", found.rushed_on, found.rushed_off),
        )
        for name, field in (("first word, ms", "first"), ("whole turn, ms", "whole"))
    ]
    head = [f"a turn, {found.memories:,} memories", "", "nothing is read", "all of it is read", "ratio of p50"]
    learnt = f"Messages read for facts meanwhile: {found.rushed_on.read:,}; by the other: {found.rushed_off.read:,}."
    return f"{table(head, rows)}\n\n{learnt}\n\n{bars_table(found.bars)}"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    memories: Annotated[int, typer.Option(min=1, help="Memories of the character.")] = 2_000,
    rounds: Annotated[int, typer.Option(min=1, max=_MOST_ROUNDS, help="Turns on each side, twice.")] = 60,
    pause_s: Annotated[float, typer.Option(min=0, help="Pause after each turn.")] = 0.4,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
) -> None:
    """Measure what learning costs a turn."""
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        found = asyncio.run(run(memories, rounds, pause_s, Path(folder)))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
    raise typer.Exit(1 if strict and not all(bar.holds for bar in found.bars) else 0)


if __name__ == "__main__":
    typer.run(main)
