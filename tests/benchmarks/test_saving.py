"""What is imported twice is kept once: the benchmark of it really runs, and judges by what it measured."""

from dataclasses import replace
from pathlib import Path

from benchmarks.saving import Found, Took, bars_of, measure, statements, text_of


async def test_a_small_run_keeps_every_statement_once(tmp_path: Path) -> None:
    """M8."""
    found = await measure("sqlite", 240, tmp_path, None)

    assert (found.once, found.twice) == (240, 240)
    assert min(each.cpu_s for each in (found.unseen, found.first, found.second)) > 0


def test_ten_thousand_statements_are_all_different() -> None:
    said = statements(10_000)

    assert len({each.lower() for each in said}) == 10_000


def test_the_bars_are_the_second_time_what_is_left_and_how_it_grows() -> None:
    one = Took(cpu_s=1, wall_s=1)
    few = Found(100, unseen=one, first=one, second=replace(one, cpu_s=2), once=100, twice=100)
    many = Found(1_000, unseen=one, first=Took(25, 9), second=Took(80, 9), once=1_000, twice=1_001)

    bars = bars_of("sqlite", [few, many])

    assert [bar.holds for bar in bars] == [True, False, True, False, False]
    assert "25.0 (9.0)" in text_of("sqlite", [few, many])
