"""The benchmark of carrying a workspace really runs, and judges by what it measured (M13)."""

import json
import subprocess
import sys

import pytest

from benchmarks.carrying import STEPS, Found, Took, text_of


def _took(seconds: float, peak_mb: float) -> dict[str, Took]:
    return {name: Took(9.0, seconds if name in {"export", "import"} else 1.0, peak_mb, 2.0) for name in STEPS}


@pytest.mark.parametrize(
    ("seconds", "peak_mb", "holds"),
    [(1.9, 129, [True] * 4), (6.1, 131, [False] * 4), (5.9, 140, [True, True, False, False])],
)
def test_the_bars_are_ratios(seconds: float, peak_mb: float, holds: list[bool]) -> None:
    found = Found({10: _took(1.0, 100), 100: _took(seconds, peak_mb)})

    assert [bar.holds for bar in found.bars] == holds
    assert "100 memories" in text_of(found)


@pytest.mark.slow
def test_a_small_run_carries_everything() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.carrying", "--sizes", "60", "--json", "-"],
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["sizes"]["60"]) == set(STEPS)
    assert found["sizes"]["60"]["export"]["file_mb"] > 0
    assert len(found["bars"]) == 2
