"""The time that a sentence speaks of (M7): by a table of what people say, and by what must always hold."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.dates import when, without_dates
from everlore.language.tense import Tense, leaning

# A Friday afternoon.
SAID = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# What is said, when it begins, and when it is over ("": still going on).
SAYINGS = [
    ("I saw her yesterday", "2026-11-19", "2026-11-20"),
    ("I am off today", "2026-11-20", "2026-11-21"),
    ("see you tomorrow", "2026-11-21", "2026-11-22"),
    ("the day before yesterday", "2026-11-18", "2026-11-19"),
    ("the day after tomorrow", "2026-11-22", "2026-11-23"),
    ("this morning I ran", "2026-11-20T05:00", "2026-11-20T12:00"),
    ("this evening", "2026-11-20T18:00", "2026-11-21"),
    ("tonight", "2026-11-20T18:00", "2026-11-21T06:00"),
    ("I slept badly last night", "2026-11-19T18:00", "2026-11-20T06:00"),
    ("we talked yesterday evening", "2026-11-19T18:00", "2026-11-20"),
    ("tomorrow morning", "2026-11-21T05:00", "2026-11-21T12:00"),
    ("three days ago", "2026-11-17", "2026-11-18"),
    ("a few days ago", "2026-11-17", "2026-11-18"),
    ("a week ago", "2026-11-09", "2026-11-16"),
    ("three weeks ago", "2026-10-26", "2026-11-02"),
    ("a couple of months ago", "2026-09-01", "2026-10-01"),
    ("a year ago", "2025-01-01", "2026-01-01"),
    ("Two years ago I quit", "2024-01-01", "2025-01-01"),
    ("a decade ago", "2016-01-01", "2017-01-01"),
    ("last week", "2026-11-09", "2026-11-16"),
    ("this week", "2026-11-16", "2026-11-23"),
    ("next week", "2026-11-23", "2026-11-30"),
    ("I moved to Portland last month", "2026-10-01", "2026-11-01"),
    ("this month", "2026-11-01", "2026-12-01"),
    ("next month", "2026-12-01", "2027-01-01"),
    ("last year", "2025-01-01", "2026-01-01"),
    ("next year", "2027-01-01", "2028-01-01"),
    ("last Tuesday", "2026-11-17", "2026-11-18"),
    ("last Friday", "2026-11-13", "2026-11-14"),
    ("next Tuesday", "2026-11-24", "2026-11-25"),
    ("this Sunday", "2026-11-22", "2026-11-23"),
    ("I went there on Monday", "2026-11-16", "2026-11-17"),
    ("I will go there on Monday", "2026-11-23", "2026-11-24"),
    ("last weekend", "2026-11-14", "2026-11-16"),
    ("this weekend", "2026-11-21", "2026-11-23"),
    ("We met in 2019", "2019-01-01", "2020-01-01"),
    ("in March 2020", "2020-03-01", "2020-04-01"),
    ("in the summer of 2018", "2018-06-01", "2018-09-01"),
    ("mid-2019", "2019-01-01", "2020-01-01"),
    ("in the 90s", "1990-01-01", "2000-01-01"),
    ("during the 1980s", "1980-01-01", "1990-01-01"),
    ("in two weeks", "2026-11-30", "2026-12-07"),
    ("three days from now", "2026-11-23", "2026-11-24"),
    ("next summer", "2027-06-01", "2027-09-01"),
    ("last summer", "2026-06-01", "2026-09-01"),
    ("last winter", "2025-12-01", "2026-03-01"),
    ("next winter", "2026-12-01", "2027-03-01"),
    ("We got married in June", "2026-06-01", "2026-07-01"),
    ("We are getting married in June", "2027-06-01", "2027-07-01"),
    ("She was born on 5 May", "2026-05-05", "2026-05-06"),
    ("I fly on 5 May", "2027-05-05", "2027-05-06"),
    ("on the 3rd of December", "2026-12-03", "2026-12-04"),
    ("March 5th, 2021", "2021-03-05", "2021-03-06"),
    ("Dec. 5", "2026-12-05", "2026-12-06"),
    ("it happened on 2024-02-29", "2024-02-29", "2024-03-01"),
    ("She was born on 29 February", "2024-02-29", "2024-03-01"),
    ("we met last Christmas", "2025-12-25", "2025-12-26"),
    ("on New Year's Eve", "2026-12-31", "2027-01-01"),
    ("I have lived here since March", "2026-03-01", ""),
    ("a nurse since 2015", "2015-01-01", ""),
    ("since last year", "2025-01-01", ""),
    ("since yesterday", "2026-11-19", ""),
    ("starting next week", "2026-11-23", ""),
    ("I have lived here for three years", "2023-11-20", ""),
    ("over the past two months", "2026-09-20", ""),
    ("From 2010 to 2015 I lived in Rome", "2010-01-01", "2016-01-01"),
    ("between March and May 2020", "2020-03-01", "2020-06-01"),
    ("2010–2015", "2010-01-01", "2016-01-01"),
    ("I am here until next year", "2026-11-20T15:30", "2027-01-01"),
    ("I was there until 2019", "2019-01-01", "2020-01-01"),
    ("in the week of 11 November 2026", "2026-11-09", "2026-11-16"),
    ("the weekend of 14 November 2026", "2026-11-14", "2026-11-16"),
    ("We hiked over the weekend", "2026-11-14", "2026-11-16"),
    ("I played this Monday", "2026-11-16", "2026-11-17"),
    ("this Friday evening", "2026-11-20", "2026-11-21"),
    ("in winter 2026–27", "2026-12-01", "2027-03-01"),
    ("at Christmas 2024", "2024-12-25", "2024-12-26"),
    ("in March of last year", "2025-01-01", "2026-01-01"),
    ("last week on Tuesday", "2026-11-09", "2026-11-16"),
    ("the 5th of next month", "2026-12-01", "2027-01-01"),
    ("on Monday, 7 December", "2026-12-07", "2026-12-08"),
    ("tomorrow's exam", "2026-11-21", "2026-11-22"),
]


@pytest.mark.parametrize(("text", "start", "end"), SAYINGS)
def test_what_people_say_of_time_is_understood(text: str, start: str, end: str) -> None:
    """M7."""
    found = when(text, SAID)

    assert found is not None
    assert found.start == at(start)
    assert found.end == (at(end) if end else None)
    assert found.is_past == (bool(end) and at(end) <= SAID)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "when I was 12",
        "I am 34 years old",
        "every Monday",
        "each summer",
        "I may go",
        "my sister April",
        "a march through the rain",
        "swims in the summer",
        "before last year",
        "5000 years ago",
        "9999 decades ago",
        "2023-02-29",
        "2023-13-45",
        "on 31 February",
        "learned it in two weeks",
        "ran in 1500 meters",
        "flat 2019",
        "room 90s",
        "years ago",
        "for three years",
        "I moved in. March was cold.",
        "1.5 years ago",
        "10,000 years ago",
        "half a year ago",
        "my last year of school",
        "on Monday mornings",
        "I live here now",
        "the week before last",
        "on the Friday after next",
        "we met a year ago today",
        "I went on 31 February",
        "it was 4-5 months ago",
        "昨日東京に行きました",
    ],
)
def test_what_names_no_time_is_left_alone(text: str) -> None:
    assert when(text, SAID) is None
    assert without_dates(text) == text


def test_the_first_of_several_counts() -> None:
    found = when("Yesterday I told him about 2019, and in 2020 I will not.", SAID)

    assert found is not None
    assert found.start == at("2026-11-19")


@pytest.mark.parametrize(
    ("said", "text", "start", "end"),
    [
        ("2027-01-01T00:30", "yesterday", "2026-12-31", "2027-01-01"),
        ("2027-01-15", "last month", "2026-12-01", "2027-01-01"),
        ("2026-12-31T23:59", "tomorrow", "2027-01-01", "2027-01-02"),
        ("2027-01-02", "last week", "2026-12-21", "2026-12-28"),
        ("2024-02-29", "a year ago", "2023-01-01", "2024-01-01"),
        ("2024-02-29", "tomorrow", "2024-03-01", "2024-03-02"),
        ("2023-02-28", "tomorrow", "2023-03-01", "2023-03-02"),
        ("2024-03-31", "last month", "2024-02-01", "2024-03-01"),
        ("2026-01-10", "last winter", "2024-12-01", "2025-03-01"),
        ("2026-07-10", "last summer", "2025-06-01", "2025-09-01"),
        ("2026-03-31", "I have been here for one month", "2026-02-28", ""),
    ],
)
def test_ends_of_months_and_years_and_leap_days_are_those_of_the_calendar(
    said: str, text: str, start: str, end: str
) -> None:
    found = when(text, at(said))

    assert found is not None
    assert (found.start, found.end) == (at(start), at(end) if end else None)


def test_days_are_those_of_the_place_where_it_was_said() -> None:
    """In Auckland it is already the next day."""
    moment = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)

    found = when("yesterday", moment.astimezone(ZoneInfo("Pacific/Auckland")))

    assert found is not None
    assert found.start == datetime(2026, 11, 19, 11, 0, tzinfo=UTC)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a time zone; add one"):
        when("yesterday", datetime(2026, 11, 20))  # noqa: DTZ001 - that is the point


def test_a_text_can_be_read_without_its_dates() -> None:
    assert without_dates("User quit smoking three weeks ago") == "User quit smoking"
    assert without_dates("Last year, in March, they met") == ", in March, they met"


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("User moved to Oslo", Tense.PAST),
        ("User will move to Oslo", Tense.FUTURE),
        ("User is moving to Oslo", Tense.FUTURE),
        ("User lives in Oslo", Tense.NOW),
        ("User is married", Tense.NOW),
        ("User needs a red bed", Tense.NOW),
    ],
)
def test_the_tense_of_a_sentence_shows_in_its_words(text: str, tense: Tense) -> None:
    assert leaning(text) is tense


WORDS = st.sampled_from(
    "in on since last next this two 2019 1999 31 29th May February summer Monday years weeks decades ago from to until "
    "the past a few couple of for now and between - . yesterday Christmas New Year's Eve 0000-00-00 9999-12-31".split()
)


@given(st.lists(WORDS, max_size=14), st.datetimes(timezones=st.just(timezone(timedelta(hours=5, minutes=30)))))
def test_whatever_is_said_ends_after_it_begins(words: list[str], said: datetime) -> None:
    """S-8: and never fails, in any year."""
    found = when(" ".join(words), said)

    assert found is None or found.end is None or found.start < found.end


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    when(text, SAID)
    without_dates(text)


@pytest.mark.parametrize("unit", ["since ", "9", "from 2010 to ", "a couple of ", "the ", "-", "last "])
def test_a_huge_text_costs_no_more_than_its_beginning(unit: str) -> None:
    """S-8: the test's own time limit is the judge."""
    when(unit * 500_000, SAID)
