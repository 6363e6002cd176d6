"""How long a whole recall takes (R13): a small run, and what is made of the times."""

import json
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from benchmarks.recall.latency import Found, Sample, StoreTimes, Taken, in_turn, main, taken_of, text_of
from benchmarks.timing import Timing

_app = typer.Typer()
_app.command()(main)


def _taken(p50_ms: float, p95_ms: float, **steps_ms: float) -> Taken:
    return Taken(Timing(p50_ms, p95_ms, p50_ms, 10), steps_ms)


def test_a_small_run_measures_whole_recalls_and_leaves_nothing_behind(tmp_path: Path) -> None:
    args = ["--sizes", "60,200", "--stores", "sqlite", "--quick", "--queries", "3", "--rounds", "4", "--json", "-"]

    done: Any = CliRunner().invoke(_app, [*args, "--peers", str(tmp_path / "none"), "--folder", str(tmp_path)])

    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    (store,) = found["stores"]
    assert set(store["sizes"]) == {"60", "200"}
    assert store["sizes"]["200"]["timing"]["p95_ms"] > 0
    assert store["sizes"]["200"]["timing"]["count"] == 4
    assert any("make peers" in reason for reason in found["left_out"])
    assert list(tmp_path.iterdir()) == []


def test_the_bars_are_those_that_were_promised() -> None:
    """R13: 15 ms at 10,000, 60 ms at 100,000, 1.5 x in a store of a million, 5 x faster than mem0."""
    times = StoreTimes(
        "sqlite",
        {1_000: _taken(1, 2), 10_000: _taken(4, 10), 100_000: _taken(30, 70)},
        crowded=_taken(5, 20),
        mem0=_taken(40, 80),
    )

    assert [(bar.measured, bar.limit, bar.holds) for bar in times.bars] == [
        (10, 15.0, True),
        (70, 60.0, False),
        (2.0, 1.5, False),
        (10.0, 5.0, True),
    ]


def test_what_was_not_measured_has_no_bar() -> None:
    assert StoreTimes("sqlite", {1_000: _taken(1, 2)}).bars == []


def test_steps_are_shown_with_their_share() -> None:
    found = Found("wordllama", (StoreTimes("sqlite", {1_000: _taken(4, 6, embed=1, search=3)}),), ("mem0",))

    text = text_of(found)

    assert "embed 1.00 (25%), search 3.00 (75%)" in text
    assert "left out: mem0" in text


def test_a_mean_counts_a_step_that_was_not_needed_as_nothing() -> None:
    taken = taken_of([Sample(0.004, {"embed": 0.002}), Sample(0.002)])

    assert taken.steps_ms == {"embed": 1.0}
    assert taken.timing.mean_ms == 3.0


async def test_every_arm_is_asked_every_question_in_turn() -> None:
    asked: list[tuple[str, int]] = []

    async def one(number: int) -> Sample:
        asked.append(("one", number))
        return Sample(0.001)

    async def two(number: int) -> Sample:
        asked.append(("two", number))
        return Sample(0.002)

    taken = await in_turn({"one": one, "two": two}, rounds=3)

    assert taken["one"].timing.count == 3
    assert asked[-6:].count(("one", 2)) == asked[-6:].count(("two", 0)) == 1
