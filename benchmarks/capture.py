"""What capturing costs: tools that fire ten times in a row at a server, while somebody else asks it something. What the
tenth takes beside the first, and what a question takes meanwhile beside one in quiet, both as ratios of one run (C5,
C11).

    python -m benchmarks.capture --json capture.json

Start at `run`.
"""

import asyncio
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

import httpx
import typer

from benchmarks.bars import Bar
from benchmarks.corpus import make_corpus, make_questions
from benchmarks.measure import say
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Timing, seconds_of, timing_of
from benchmarks.turns import everlore_on, process_of, remembered

# How much longer the tenth event of a burst may take than the first, and a question right after it than one in quiet.
MOST = 1.5
BURST = 10
_SEED = 7
_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class Found:
    """`coverage`: how much of all was embedded at the end, and `seconds`: how long that took after the last burst."""

    memories: int
    first: Timing
    tenth: Timing
    quiet: Timing
    busy: Timing
    coverage: float
    seconds: float

    @property
    def bars(self) -> list[Bar]:
        return [
            Bar(
                "sqlite",
                "the tenth of ten rapid tool events, as a multiple of the first, p50",
                self.tenth.p50_ms / self.first.p50_ms,
                MOST,
            ),
            Bar(
                "sqlite",
                "a search right after ten rapid tool events, as a multiple of one in quiet, p50",
                self.busy.p50_ms / self.quiet.p50_ms,
                MOST,
            ),
            Bar("sqlite", "share embedded at the end", self.coverage, 0.95, at_least=True),
        ]


def event_of(number: int) -> dict[str, object]:
    """One tool call like many, and each of its own."""
    return {
        "type": "tool_invocation",
        "tool_name": "fs_read",
        "tool_inputs": {"path": f"notes/{number}.md"},
        "tool_outputs": {"content": f"What was written in note number {number}. " * 5},
        "execution_ms": 5,
    }


async def run(memories: int, rounds: int, folder: Path) -> Found:
    say(f"keeping {memories:,} memories")
    database = folder / "lore.db"
    await remembered(database, make_corpus(memories, _SEED).texts)
    async with (
        process_of("benchmarks.provider") as provider,
        everlore_on(database, provider) as url,
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        say(f"{rounds} bursts of {BURST} tool events")
        return await _measured(client, memories, rounds)


async def _measured(client: httpx.AsyncClient, memories: int, rounds: int) -> Found:
    questions = make_questions(2 * (rounds + _WARM_UP), _SEED)
    times: dict[str, list[float]] = {name: [] for name in ("first", "tenth", "quiet", "busy")}
    for number in range(rounds + _WARM_UP):
        await settled(client)
        times["quiet"].append(await seconds_of(_search(client, questions[2 * number])))
        burst = [await seconds_of(_capture(client, BURST * number + each)) for each in range(BURST)]
        times["busy"].append(await seconds_of(_search(client, questions[2 * number + 1])))
        times["first"].append(burst[0])
        times["tenth"].append(burst[-1])
    begun = perf_counter()
    coverage = await settled(client)
    seconds = perf_counter() - begun
    timings = {name: timing_of(each[_WARM_UP:]) for name, each in times.items()}
    return Found(memories=memories, coverage=coverage, seconds=seconds, **timings)


async def _capture(client: httpx.AsyncClient, number: int) -> None:
    answer = await client.post("/api/events", json=event_of(number))
    assert answer.status_code == 201, answer.text


async def _search(client: httpx.AsyncClient, question: str) -> None:
    (await client.post("/api/memories/search", json={"query": question})).raise_for_status()


async def settled(client: httpx.AsyncClient) -> float:
    """Until nothing waits in the queue; the share that is embedded then."""
    while (health := (await client.get("/api/health")).json())["queue"]["pending"]:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.02)
    share: float = health["coverage"]["share"]
    return share


def text_of(found: Found) -> str:
    rows = [
        ["a tool event, ms", "the first", both(found.first)],
        ["", "the tenth right after it", both(found.tenth)],
        ["a search, ms", "in quiet", both(found.quiet)],
        ["", "right after ten tool events", both(found.busy)],
    ]
    head = [f"{found.memories:,} memories, {found.first.count} bursts", "", "p50 / p95"]
    done = f"{found.coverage:.1%} of it all was embedded {found.seconds:.2f} s after the last burst."
    return f"{table(head, rows)}\n\n{done}\n\n{bars_table(found.bars)}"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    memories: Annotated[int, typer.Option(min=1, help="Memories that are there before.")] = 2_000,
    rounds: Annotated[int, typer.Option(min=3, help="Bursts of ten tool events.")] = 40,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
) -> None:
    """Measure what capturing costs."""
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        found = asyncio.run(run(memories, rounds, Path(folder)))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
    raise typer.Exit(1 if strict and not all(bar.holds for bar in found.bars) else 0)


if __name__ == "__main__":
    typer.run(main)
