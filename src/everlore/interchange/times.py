"""Parses dates in the formats of other programs.

Every pattern is anchored and bounded, and long texts are skipped (S-8). Start at `read_time`.
"""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1970, 2999
_MOST_CHARS = 64
# Seconds reach this number in the year 5138; milliseconds passed it in 1973.
_MILLISECONDS_FROM = 10**11
_TOO_LATE = 10**14
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_CLOCK = (
    r"(?:,? (?:at )?(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r" ?(?:(?P<half>[ap])\.?m\.?)?)?"
)
_NUMBER = re.compile(r"[0-9]{9,14}(?:\.[0-9]{1,9})?")
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        # 2024-5-3 @16h 08m 31s 123ms, and without the spaces
        r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2}) ?@ ?"
        r"(?P<hour>[0-9]{1,2})h ?(?P<minute>[0-9]{1,2})m"
        r"(?: ?(?P<second>[0-9]{1,2})s)?(?: ?(?P<thousandth>[0-9]{1,3})ms)?",
        # June 19, 2023 2:20pm
        r"(?P<name>[a-z]{3,9})\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,? (?P<year>[0-9]{4})" + _CLOCK,
        # 19 June 2023 14:20
        r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)? (?P<name>[a-z]{3,9})\.?,? (?P<year>[0-9]{4})" + _CLOCK,
        # 6/19/2023, 2:20:31 PM: with AM or PM the month is first; without, it is ambiguous
        r"(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})/(?P<year>[0-9]{4}),? "
        r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))? ?(?P<half>[ap])m",
    )
)


def read_time(value: object) -> datetime | None:
    """The time, or None if it is no date. Naive if the text has no time zone."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _plausible(_since_epoch(value))
    if not isinstance(value, str) or len(value) > _MOST_CHARS:
        return None
    text = " ".join(value.split())
    if _NUMBER.fullmatch(text):
        return _plausible(_since_epoch(float(text)))
    return _plausible(_iso(text) or _written_out(text))


def _plausible(moment: datetime | None) -> datetime | None:
    return moment if moment is not None and _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def _since_epoch(number: float) -> datetime | None:
    if not 0 < number < _TOO_LATE:
        return None
    return _EPOCH + timedelta(milliseconds=number if number >= _MILLISECONDS_FROM else number * 1000)


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _written_out(text: str) -> datetime | None:
    found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    part = found.groupdict()
    try:
        # Naive on purpose: the text has no time zone, and the caller adds one.
        return datetime(  # noqa: DTZ001
            int(part["year"]),
            int(part["month"]) if part.get("month") else _MONTHS.index(part["name"][:3].lower()) + 1,
            int(part["day"]),
            _hour(int(part["hour"] or 0), part.get("half")),
            int(part["minute"] or 0),
            int(part["second"] or 0),
            int(part.get("thousandth") or 0) * 1000,
        )
    except ValueError:
        return None


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(f"{hour} is no hour of half a day")
    return hour % 12 + (12 if half.lower() == "p" else 0)
