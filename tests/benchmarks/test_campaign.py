"""The benchmark of a long campaign really runs, and judges by what it measured."""

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.campaign import ALL_THERE_IS, LETTERS, WINDOWS, Found, Prompt, Size, Took, main, text_of
from benchmarks.legend import MOST_SESSIONS, make_legend, names_of
from benchmarks.timing import Timing
from everlore.domain.campaign import Entity, Session
from everlore.domain.conversation import Message
from everlore.errors import BadAsk

_app = typer.Typer()
_app.command()(main)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """What it prints, and the same for a machine."""
    target = tmp_path_factory.mktemp("bench") / "campaign.json"
    done = CliRunner().invoke(_app, [*"--sessions 2,4 --messages 12 --rounds 2 --json".split(), str(target)])
    assert done.exit_code == 0, done.output
    return done.stdout, json.loads(target.read_text())


def test_a_small_run_tells_how_long_each_thing_takes_and_how_it_grows(small_run: tuple[str, Any]) -> None:
    """G2, G13."""
    printed, found = small_run

    assert [each["messages"] for each in found["sizes"]] == [24, 48]
    assert [each["entities"] for each in found["sizes"]] == [20, 40]
    assert all(len(took) == 2 and took[1]["cpu"]["p50_ms"] > 0 for took in found["took"].values())
    for name in ("opening a campaign", "asking the record", "searching for a name", "recap of the last session"):
        assert f"\n{name} " in printed
        assert f"sqlite: {name}, 4 sessions, as a multiple of 2" in printed
    assert f"sqlite: {ALL_THERE_IS}" not in printed


def test_a_small_run_finds_that_every_prompt_fits(small_run: tuple[str, Any]) -> None:
    """P9."""
    _, found = small_run

    for prompts in found["prompts"]:
        assert [each["window"] for each in prompts] == list(WINDOWS)
        assert all(0 < each["tokens"] <= each["room"] < each["window"] for each in prompts)


def _took(p50_ms: float, p95_ms: float) -> Took:
    return Took(Timing(p50_ms, p95_ms, p50_ms, 2), Timing(999, 999, 999, 2))


def _found(took: dict[str, tuple[Took, ...]], tokens: int = 100) -> Found:
    sizes = (Size(20, 1, 1, 1, 1), Size(200, 1, 1, 1, 1))
    prompts = tuple(tuple(Prompt(window, 100, tokens) for window in WINDOWS) for _ in sizes)
    return Found(sizes, took, prompts)


def test_the_bars_are_the_tail_the_growth_and_the_room() -> None:
    slow = _found({"asking": (_took(10, 20), _took(19, 151))})
    grown = _found({"asking": (_took(10, 20), _took(21, 149))})

    assert [bar.holds for bar in slow.bars] == [False, True, True, True, True]
    assert [bar.holds for bar in grown.bars] == [True, False, True, True, True]
    assert [bar.holds for bar in _found({}, tokens=101).bars] == [False] * 3
    assert "2.10" in text_of(grown)


def test_what_reads_all_there_is_may_grow_with_it() -> None:
    found = _found({LETTERS: (_took(1, 1), _took(10, 10)), ALL_THERE_IS: (_took(20, 20), _took(200, 200))})

    assert [bar.claim for bar in found.bars[:-3]] == [f"{LETTERS}, 200 sessions, p95, ms"]


def test_a_made_up_campaign_is_the_same_each_time_and_as_long_as_was_asked() -> None:
    one, other = make_legend(3, 6), make_legend(3, 6)

    assert one == other
    assert (one.count(Session), one.count(Message), one.count(Entity)) == (3, 18, 30)


def test_there_are_names_for_the_longest_campaign_and_no_longer_one() -> None:
    names = names_of(10 * MOST_SESSIONS)

    assert len({name for _, name in names}) == 10 * MOST_SESSIONS
    with pytest.raises(BadAsk, match="200 sessions at most"):
        names_of(100_000)
