import pytest

from benchmarks.timing import Arm, Timing, interleaved, percentile, timing_of


def test_the_percentile_lies_between_neighbours() -> None:
    assert percentile([4, 1, 3, 2], 0.5) == 2.5
    assert percentile([1, 2, 3, 4, 5], 0.95) == pytest.approx(4.8)
    assert percentile([7], 0.95) == 7


def test_a_timing_is_in_milliseconds() -> None:
    timing = timing_of([0.001, 0.003])

    assert (timing.p50_ms, timing.mean_ms, timing.count) == (2, 2, 2)
    assert timing.p95_ms == pytest.approx(2.9)


def test_the_time_of_a_batch_is_shared_by_its_rows() -> None:
    assert Timing(100, 200, 120, 5).per(100) == Timing(1, 2, 1.2, 5)


async def test_every_arm_is_asked_once_a_round_and_not_always_in_the_same_order() -> None:
    asked: list[tuple[str, int]] = []

    await interleaved({"a": _noting("a", asked), "b": _noting("b", asked)}, 20, warm_up=0)

    rounds = [asked[at : at + 2] for at in range(0, len(asked), 2)]
    assert [sorted(each) for each in rounds] == [[("a", number), ("b", number)] for number in range(20)]
    assert {each[0][0] for each in rounds} == {"a", "b"}


async def test_warming_up_is_not_counted() -> None:
    asked: list[tuple[str, int]] = []

    timings = await interleaved({"a": _noting("a", asked)}, 4, warm_up=2)

    assert len(asked) == 6
    assert timings["a"].count == 4


def _noting(name: str, asked: list[tuple[str, int]]) -> Arm:
    async def arm(number: int) -> None:
        asked.append((name, number))

    return arm
