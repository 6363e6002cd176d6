"""Ids sort by the time they were made."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.ids import make_id

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2500, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - zone beside
ENTROPY = st.binary(min_size=10, max_size=10)


@given(MOMENTS, ENTROPY)
def test_an_id_has_26_characters_that_read_well_aloud(at: datetime, entropy: bytes) -> None:
    made = make_id(at, entropy)

    assert len(made) == 26
    assert set(made) <= set("0123456789abcdefghjkmnpqrstvwxyz")


@given(MOMENTS, ENTROPY, ENTROPY, st.integers(min_value=1, max_value=10**9))
def test_a_later_id_sorts_later_whatever_its_entropy(at: datetime, one: bytes, other: bytes, later_ms: int) -> None:
    assert make_id(at, one) < make_id(at + timedelta(milliseconds=later_ms), other)


@given(MOMENTS, ENTROPY, ENTROPY)
def test_ids_of_the_same_moment_differ_by_their_entropy(at: datetime, one: bytes, other: bytes) -> None:
    assert (make_id(at, one) == make_id(at, other)) is (one == other)
