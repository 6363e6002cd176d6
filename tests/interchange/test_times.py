"""Dates as other programs write them (V9)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.interchange.times import read_time
from tests.interchange.builders import VALUES


def plain(*parts: int) -> datetime:
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001 - these texts have no zone


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-03 @16h 08m 31s 123ms", plain(2024, 5, 3, 16, 8, 31, 123_000)),
        ("2024-5-3 @16h 8m 31s 5ms", plain(2024, 5, 3, 16, 8, 31, 5_000)),
        ("2024-5-3@16h08m31s", plain(2024, 5, 3, 16, 8, 31)),
        ("2024-5-3@16h08m31s123ms", plain(2024, 5, 3, 16, 8, 31, 123_000)),
        ("2024-05-03 @16h 08m", plain(2024, 5, 3, 16, 8)),
        ("June 19, 2023 2:20pm", plain(2023, 6, 19, 14, 20)),
        ("June 19, 2023 12:20am", plain(2023, 6, 19, 0, 20)),
        ("June 19, 2023 12:20 p.m.", plain(2023, 6, 19, 12, 20)),
        ("Jun 19th, 2023 at 14:20", plain(2023, 6, 19, 14, 20)),
        ("  june   19 2023 ", plain(2023, 6, 19)),
        ("19 June 2023 14:20:31", plain(2023, 6, 19, 14, 20, 31)),
        ("6/19/2023, 2:20:31 PM", plain(2023, 6, 19, 14, 20, 31)),
        ("2024-05-03T16:08:31.123Z", datetime(2024, 5, 3, 16, 8, 31, 123_000, UTC)),
        ("2024-05-03T16:08:31+00:00", datetime(2024, 5, 3, 16, 8, 31, tzinfo=UTC)),
        ("2024-05-03 16:08:31", plain(2024, 5, 3, 16, 8, 31)),
        (1_714_752_511, datetime(2024, 5, 3, 16, 8, 31, tzinfo=UTC)),
        (1_714_752_511.5, datetime(2024, 5, 3, 16, 8, 31, 500_000, UTC)),
        (1_714_752_511_123, datetime(2024, 5, 3, 16, 8, 31, 123_000, UTC)),
        ("1714752511", datetime(2024, 5, 3, 16, 8, 31, tzinfo=UTC)),
        ("1714752511123", datetime(2024, 5, 3, 16, 8, 31, 123_000, UTC)),
    ],
)
def test_every_known_form_is_read(text: object, expected: datetime) -> None:
    """V9."""
    assert read_time(text) == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "yesterday",
        "2024-13-40 @16h 08m 31s",
        "June 31, 2023 2:20pm",
        "Smarch 1, 2023",
        "June 19, 2023 14:20pm",
        "3/4/2024 16:08",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59-12:00",
        True,
        0,
        -5,
        10**400,
        1e300,
        float("nan"),
        [2024],
        {},
        "1" * 1_000_000,
    ],
)
def test_what_is_no_date_is_none(value: object) -> None:
    assert read_time(value) is None


@given(VALUES)
def test_nothing_breaks_it(value: object) -> None:
    read_time(value)


@given(st.datetimes(plain(1980, 1, 1), plain(2900, 1, 1), timezones=st.just(UTC)))
def test_iso_comes_back_exactly(moment: datetime) -> None:
    assert read_time(moment.isoformat()) == moment
    assert abs((read_time(moment.timestamp()) or plain(1, 1, 1)) - moment) < timedelta(milliseconds=1)
