"""The benchmark of a turn really runs, and judges by what it measured."""

import json
import subprocess
import sys

import pytest

from benchmarks.timing import Timing
from benchmarks.turns import Found, Side, text_of


def side(first_ms: float, whole_ms: float) -> Side:
    first, whole = (Timing(p50_ms=each, p95_ms=each, mean_ms=each, count=9) for each in (first_ms, whole_ms))
    return Side(first=first, parallel_first=first, parallel_whole=whole, turns_per_s=10)


@pytest.mark.parametrize(
    ("first_ms", "whole_ms", "holds"),
    [(29, 190, [True, True]), (31, 190, [False, True]), (29, 210, [True, False])],
)
def test_the_bars_are_what_is_added_and_how_much_slower_a_crowd_is(
    first_ms: float, whole_ms: float, holds: list[bool]
) -> None:
    other = side(first_ms, whole_ms)
    found = Found(
        memories=10_000, parallel=50, proxy=side(5, 100), everlore=other, program=other.first, forgetful=other.first
    )

    assert [bar.holds for bar in found.bars] == holds
    assert "PASS" in text_of(found) or not any(holds)


@pytest.mark.slow
def test_a_small_run_measures_both_sides() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.turns", *"--memories 40 --parallel 3 --rounds 3 --json -".split()],
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in ("proxy", "everlore"):
        assert found[name]["first"]["p50_ms"] > 0
        assert found[name]["parallel_whole"]["count"] == 3 * 4 * 5
    assert [bar["limit"] for bar in found["bars"]] == [25.0, 2.0]
