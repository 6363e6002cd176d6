"""The hours by which records are counted, and the key of the totals (C9)."""

from datetime import datetime
from math import floor

from everlore.store.tables import seconds

# The key of the rows with totals, in place of an hour. It is far earlier than any time that can be stored.
TOTAL = -1_000_000_000
HOUR_S = 3600


def hour_of(at: datetime) -> int:
    """Whole hours since 1970, rounded down as the triggers of both databases do."""
    return floor(seconds(at) / HOUR_S)
