"""The metrics of a small and of a larger workspace, really asked for."""

from pathlib import Path

from benchmarks.timing import timing_of
from benchmarks.watching import bar_of, measure


async def test_a_small_run_asks_both_workspaces(tmp_path: Path) -> None:
    timings = await measure("sqlite", (10, 50), rounds=3, folder=tmp_path, server_url=None)

    assert set(timings) == {10, 50}
    assert all(timing.p95_ms > 0 for timing in timings.values())


def test_the_bar_compares_the_largest_with_the_smallest() -> None:
    bar = bar_of("sqlite", {100: timing_of([0.001] * 20), 100_000: timing_of([0.002] * 20)})

    assert round(bar.measured, 3) == 2.0
    assert not bar.holds
