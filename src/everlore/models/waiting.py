"""Reads from a response how long a server asks clients to wait: in seconds, or until a date (RFC 9110)."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST_S = 1e9


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    for header, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            wait_s = float(headers[header]) * unit_s
            if 0 <= wait_s < _LONGEST_S:
                return wait_s
    with suppress(KeyError, ValueError):
        until = parsedate_to_datetime(headers["retry-after"])
        return max((until - datetime.now(UTC)).total_seconds(), 0)
    return None
