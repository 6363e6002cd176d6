"""The decisions of the queue: when to try again, and how many may start (C5)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from everlore.domain.job import LONGEST_WAIT_S, Backoff, Bucket, refill, retry_at
from everlore.settings import QueueSettings
from everlore.turn.holder import Holder, is_gone
from tests.contract.builders import START

BACKOFF = Backoff(first_s=2, most_s=600)
JITTER = st.floats(0, 1)


def _wait_s(attempt: int, jitter: float = 1, backoff: Backoff = BACKOFF) -> float:
    return (retry_at(attempt, START, backoff, jitter) - START).total_seconds()


def test_the_wait_doubles_with_every_attempt() -> None:
    """C5."""
    assert [_wait_s(attempt) for attempt in (1, 2, 3, 4, 5)] == [2, 4, 8, 16, 32]


@pytest.mark.parametrize("attempt", [10, 60, 61, 10_000, 10**6])
def test_the_wait_is_bounded_however_often_it_failed(attempt: int) -> None:
    """C5."""
    assert _wait_s(attempt) == 600


@given(st.integers(1, 10**6), JITTER)
def test_jitter_spreads_the_wait_over_its_upper_half(attempt: int, jitter: float) -> None:
    """C5: what failed together does not come back together, and never sooner than half the wait."""
    longest = _wait_s(attempt)

    assert longest / 2 <= _wait_s(attempt, jitter) <= longest


@given(st.integers(1, 1000), JITTER)
def test_the_wait_never_shrinks_from_one_attempt_to_the_next(attempt: int, jitter: float) -> None:
    """C5."""
    assert _wait_s(attempt, jitter) <= _wait_s(attempt + 1, jitter)


def test_a_fresh_bucket_holds_a_second_of_work() -> None:
    """C5: a bounded rate."""
    assert refill(None, START, rate_per_s=5) == Bucket(5, START)


def test_a_bucket_fills_with_the_time_that_passed() -> None:
    """C5."""
    later = START + timedelta(seconds=0.4)

    assert refill(Bucket(1, START), later, rate_per_s=5) == Bucket(3, later)


def test_a_quiet_hour_does_not_buy_a_storm() -> None:
    """C5."""
    assert refill(Bucket(0, START), START + timedelta(hours=1), rate_per_s=5).tokens == 5


def test_a_slow_rate_still_lets_one_job_start() -> None:
    """C5: one job every ten seconds, not none."""
    bucket = refill(Bucket(0, START), START + timedelta(seconds=10), rate_per_s=0.1)

    assert bucket.tokens == 1


def test_a_clock_that_went_back_takes_nothing_away() -> None:
    """C5."""
    assert refill(Bucket(2, START), START - timedelta(minutes=1), rate_per_s=5).tokens == 2


@given(st.lists(st.floats(0, 3), min_size=1, max_size=50), st.floats(0.1, 50))
def test_over_any_stretch_no_more_starts_than_the_rate_and_one_second_ahead(waits: list[float], rate: float) -> None:
    """C5."""
    now, bucket, started = START, refill(None, START, rate), 0
    for wait_s in waits:
        now += timedelta(seconds=wait_s)
        bucket = refill(bucket, now, rate)
        allowed = int(bucket.tokens)
        bucket, started = Bucket(bucket.tokens - allowed, now), started + allowed

    assert started <= (now - START).total_seconds() * rate + max(rate, 1) + 1e-3


def test_a_bucket_that_was_filled_in_the_future_goes_on_from_now() -> None:
    """R-4: the clock was set back; two machines that differ by a little are no such case."""
    assert refill(Bucket(0, START + timedelta(hours=1)), START, rate_per_s=5) == Bucket(1, START)
    assert refill(Bucket(0, START + timedelta(seconds=1)), START, rate_per_s=5) == Bucket(0, START)


def test_no_setting_puts_anything_off_for_longer_than_the_queue_believes() -> None:
    """R-4."""
    for name in ("lease_s", "backoff_max_s"):
        QueueSettings.model_validate({name: LONGEST_WAIT_S})
        with pytest.raises(ValidationError):
            QueueSettings.model_validate({name: LONGEST_WAIT_S + 1})


@pytest.mark.parametrize(("silent_s", "gone"), [(0, False), (59, False), (61, True), (-59, False), (-3_600, True)])
def test_who_saved_last_by_another_clock_is_silent(silent_s: float, gone: bool) -> None:
    """V12, R-4: of a reply that another machine was writing when the clock was set back."""
    there, here = Holder("there", 1, "a"), Holder("here", 1, "b")

    assert is_gone(there, here, silent_s=silent_s, runs=False) is gone
