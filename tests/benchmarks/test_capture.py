"""The benchmark of capturing really runs, and judges by what it measured."""

import json
import subprocess
import sys

import pytest

from benchmarks.capture import Found, event_of, text_of
from benchmarks.timing import Timing


def _timing(ms: float) -> Timing:
    return Timing(p50_ms=ms, p95_ms=ms, mean_ms=ms, count=9)


@pytest.mark.parametrize(
    ("tenth_ms", "busy_ms", "coverage", "holds"),
    [(14, 29, 1.0, [True, True, True]), (16, 31, 0.9, [False, False, False])],
)
def test_the_bars_are_how_much_longer_it_takes(
    tenth_ms: float, busy_ms: float, coverage: float, holds: list[bool]
) -> None:
    """C5, C11."""
    found = Found(
        memories=10,
        first=_timing(10),
        tenth=_timing(tenth_ms),
        quiet=_timing(20),
        busy=_timing(busy_ms),
        coverage=coverage,
        seconds=0.5,
    )

    assert [bar.holds for bar in found.bars] == holds
    assert "of it all was embedded 0.50 s after the last burst" in text_of(found)


def test_every_event_of_a_burst_is_another() -> None:
    assert len({json.dumps(event_of(number)) for number in range(10)}) == 10


@pytest.mark.slow
def test_ten_rapid_file_reads_are_embedded_while_latency_stays_flat() -> None:
    """002/1.6: a small run; the figures are for `make bench`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.capture", *"--memories 20 --rounds 3 --json -".split()],
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["coverage"] == 1
    assert [bar["limit"] for bar in found["bars"]] == [1.5, 1.5, 0.95]
