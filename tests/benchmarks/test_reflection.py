"""The benchmark of learning really runs, and judges by what it measured."""

import json
import subprocess
import sys

import pytest

from benchmarks.reflection import Found, Side, statements, text_of
from benchmarks.timing import Timing


def side(ms: float, read: int = 0) -> Side:
    timing = Timing(p50_ms=ms, p95_ms=ms, mean_ms=ms, count=9)
    return Side(first=timing, whole=timing, read=read)


@pytest.mark.parametrize(("paced_ms", "rushed_ms", "holds"), [(104, 104, [1, 1, 1, 1]), (106, 90, [0, 0, 1, 1])])
def test_the_bars_are_how_much_longer_a_turn_takes(paced_ms: float, rushed_ms: float, holds: list[int]) -> None:
    found = Found(
        memories=10,
        paced_on=side(paced_ms, 60),
        paced_off=side(100),
        rushed_on=side(rushed_ms, 60),
        rushed_off=side(100),
    )

    assert [bar.holds for bar in found.bars] == [bool(each) for each in holds]
    assert "Messages read for facts meanwhile: 60" in text_of(found)


def test_everything_that_is_said_states_something_of_its_own() -> None:
    said = statements(130)

    assert len({statement.split(" lives ")[0] for statement in said}) == len(said) == 130


@pytest.mark.slow
def test_a_small_run_reads_on_one_side_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.reflection", *"--memories 20 --rounds 1 --pause-s 0 --json -".split()],
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rushed_on"]["read"] == 2 * (1 + 1)
    assert found["rushed_off"]["read"] == 0
    assert [bar["limit"] for bar in found["bars"]] == [1.05] * 4
