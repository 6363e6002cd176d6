"""The benchmark of the composer really runs, and says what it measured."""

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.compose import FIRST, LAST, OURS, Found, Growing, Reuse, Speed, main, reuse_of, sizes_up_to, text_of
from benchmarks.timing import Timing
from everlore.models.bytes_tokenizer import BytesTokenizer

_app = typer.Typer()
_app.command()(main)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """What it prints, and the same for a machine."""
    target = tmp_path_factory.mktemp("bench") / "compose.json"
    done = CliRunner().invoke(_app, [*"--turns 4 --messages 20 --rounds 1 --json".split(), str(target)])
    assert done.exit_code == 0, done.output
    return done.stdout, json.loads(target.read_text())


def _timing(milliseconds: float) -> Timing:
    """Slow only in the tail, so that a bar that looked at the median would be found out."""
    return Timing(milliseconds / 10, milliseconds, milliseconds / 5, 50)


def _found(p95_ms: float) -> Found:
    growing = Growing(
        8_192, True, {OURS: Reuse(0.8, 0.9, 500), FIRST: Reuse(0.0, 0.0, 2_000), LAST: Reuse(0.4, 0.4, 900)}
    )
    sizes = dict(zip(sizes_up_to(5_000), map(_timing, (10, 20, 30, p95_ms)), strict=True))
    return Found(100, 5_000, (growing,), (Speed(32_768, False, sizes),))


def test_a_small_run_prints_how_much_stays_and_how_long_it_takes(small_run: tuple[str, Any]) -> None:
    """P13."""
    printed, _ = small_run

    for line in (f"{OURS}, mean / median", f"{FIRST}, mean / median", f"mean, as a multiple of {FIRST}"):
        assert f"\n{line}" in printed
    assert "\n200,000, unpruned" in printed
    assert "compose: p95 at 20 messages, 32,768, pruned, ms" in printed


def test_a_small_run_finds_that_prompts_go_on_from_the_one_before(small_run: tuple[str, Any]) -> None:
    """P13."""
    _, found = small_run

    windows = [(each["window"], each["prune"]) for each in found["growing"]]
    assert windows == [(8_192, True), (8_192, False), (32_768, True), (32_768, False)]
    for each in found["growing"]:
        orders = each["orders"]
        assert 1 > orders[OURS]["mean"] > orders[LAST]["mean"] > orders[FIRST]["mean"]
    assert [list(each["sizes"]) for each in found["speeds"]] == [["2", "4", "8", "20"]] * 4
    assert len(found["bars"]) == 4


def test_what_is_kept_is_what_both_prompts_begin_with() -> None:
    beginning = "a" * 30

    found = reuse_of([beginning, beginning + "b" * 30, "x" + "b" * 59, "x" + "b" * 59], BytesTokenizer())

    assert found.median == pytest.approx(0.5)
    assert found.mean == pytest.approx((0.5 + 0 + 1) / 3)


def test_the_bar_is_the_tail_at_the_longest_talk() -> None:
    assert [bar.holds for bar in _found(p95_ms=49).bars] == [True]
    assert [bar.holds for bar in _found(p95_ms=51).bars] == [False]


def test_the_time_for_a_message_is_held_against_a_shorter_talk() -> None:
    found = _found(p95_ms=50)

    assert found.speeds[0].per_message(1_000) == pytest.approx((5 / 5_000) / (2 / 1_000))
    assert "0.50" in text_of(found)


def test_an_order_of_which_nothing_stays_is_endlessly_worse() -> None:
    growing = _found(p95_ms=50).growing[0]

    assert growing.ratio(LAST) == pytest.approx(2)
    assert growing.ratio(FIRST) == float("inf")
