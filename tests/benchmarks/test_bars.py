import pytest

from benchmarks.bars import Bar, bars_of
from benchmarks.homes import FTS5, FTS5_ALL, HALFVEC, NUMPY
from benchmarks.results import SizeResult, StoreResult
from tests.benchmarks.results import size_result, store_result


def _bar(result: StoreResult, claim: str) -> Bar:
    (found,) = [bar for bar in bars_of(result) if claim in bar.claim]
    return found


def test_sqlite_is_held_against_the_slower_of_the_two_plain_ways() -> None:
    references = {NUMPY: 8.0, FTS5: 10.0, FTS5_ALL: 99.0}
    fast = store_result("sqlite", size_result(hybrid=30, references=references))
    slow = store_result("sqlite", size_result(hybrid=31, references=references))

    assert _bar(fast, "plain FTS5").measured == pytest.approx(3)
    assert _bar(fast, "plain FTS5").holds
    assert not _bar(slow, "plain FTS5").holds


def test_the_slower_may_be_the_scan() -> None:
    result = store_result("sqlite", size_result(hybrid=30, references={NUMPY: 20.0, FTS5: 10.0}))

    assert _bar(result, "NumPy scan").measured == pytest.approx(1.5)


def test_postgres_is_held_against_its_own_scan() -> None:
    result = store_result("postgres", size_result(hybrid=21, references={NUMPY: 99.0, HALFVEC: 10.0}))

    assert _bar(result, "halfvec scan").measured == pytest.approx(2.1)
    assert not _bar(result, "halfvec scan").holds


def test_the_hybrid_bar_looks_at_the_largest_size() -> None:
    slow_when_small = size_result(1000, hybrid=99)
    result = store_result("sqlite", slow_when_small, size_result(10_000, hybrid=10))

    assert _bar(result, "hybrid").holds


def test_every_size_is_held_against_the_scope_at_the_smallest() -> None:
    result = store_result(
        "sqlite",
        size_result(1000, scoped=2),
        size_result(10_000, scoped=4),
        size_result(100_000, scoped=4.1),
    )

    assert _bar(result, "scoped p95 at 10,000").holds
    assert not _bar(result, "scoped p95 at 100,000").holds


def test_a_batch_must_be_twenty_times_as_fast() -> None:
    assert _bar(store_result("sqlite", size_result(one_ms=2, batch_row_ms=0.1)), "batch").holds
    assert not _bar(store_result("sqlite", size_result(one_ms=1.9, batch_row_ms=0.1)), "batch").holds


@pytest.mark.parametrize("lossy", [size_result(1000, recall=0.9995), size_result(1000, recall_scoped=0.9995)])
def test_one_missed_row_at_any_size_misses_the_bar(lossy: SizeResult) -> None:
    whole = size_result(10_000)

    assert _bar(store_result("postgres", whole), "recall").holds
    assert not _bar(store_result("postgres", lossy, whole), "recall").holds
