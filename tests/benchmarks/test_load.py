"""The benchmark under load really runs, kills processes, and looks up what was acknowledged."""

import json
import subprocess
import sys

import pytest

from benchmarks.load.report import Found, Sample, kinds_of, memory_of, pending_of, text_of
from benchmarks.load.users import CHAT, SEARCH, Checked, Request


def found(checked: Checked, errors: dict[str, int], faults: int = 0) -> Found:
    requests = [Request(CHAT, 0.0, 0.1), Request(CHAT, 1.0, 0.3), Request(SEARCH, 1.0, 9.0, "ReadTimeout")]
    samples = [Sample(30.0 * number, 9 - number, {"server 1": 100.0 + number}) for number in range(10)]
    return Found(
        database="sqlite",
        users=2,
        seconds=10,
        servers=1,
        workers=0,
        faults=faults,
        kinds=kinds_of(requests, 10),
        errors=errors,
        pending=pending_of(samples),
        drained_s=1,
        memory=memory_of(samples),
        checked=checked,
    )


def test_percentiles_are_of_what_went_well_and_the_slope_is_per_minute() -> None:
    (chat, search, _), (memory,) = (run := found(Checked(), {})).kinds, run.memory

    assert (chat.count, chat.errors, chat.per_s) == (2, 0, 0.2)
    assert (round(chat.p50_ms), round(chat.p99_ms)) == (200, 298)
    assert (search.count, search.errors) == (1, 1)
    assert (memory.first_mb, memory.last_mb, round(memory.slope_mb_per_min, 6)) == (100.0, 109.0, 2.0)
    assert run.pending == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("checked", "errors", "faults", "holds"),
    [
        (Checked(9), {}, 0, True),
        (Checked(9, lost=1), {}, 0, False),
        (Checked(9, doubled=1), {}, 0, False),
        (Checked(9), {"status 503": 1}, 0, False),
        (Checked(9), {"status 503": 1}, 5, True),
        (Checked(9, lost=1), {"status 503": 1}, 5, False),
    ],
)
def test_a_run_holds_without_loss_and_only_killed_processes_excuse_errors(
    checked: Checked, errors: dict[str, int], faults: int, holds: bool
) -> None:
    run = found(checked, errors, faults)

    assert run.holds is holds
    assert f"lost {checked.lost}, doubled {checked.doubled}" in text_of(run)


@pytest.mark.slow
def test_a_small_run_with_a_killed_process_loses_nothing() -> None:
    """R-2, R-3: two servers and a worker, one of which is killed."""
    options = "--users 4 --seconds 4 --servers 2 --workers 1 --faults 1 --pause 0.2 --strict --json -"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load", *options.split()], capture_output=True, text=True, timeout=240
    )

    assert done.returncode == 0, (done.stdout, done.stderr)
    run = json.loads(done.stdout)
    assert run["checked"]["acknowledged"] > 0
    assert (run["checked"]["lost"], run["checked"]["doubled"]) == (0, 0)
    assert {each["process"] for each in run["memory"]} == {"server 1", "server 2", "worker 1"}
