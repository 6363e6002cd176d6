"""In which hour something is counted, and under which all of it is (C9)."""

from datetime import datetime
from math import floor

from everlore.store.tables import seconds

# The hour of the rows that count all there is. It never was: the earliest time that is kept is far later.
TOTAL = -1_000_000_000
HOUR_S = 3600


def hour_of(at: datetime) -> int:
    """Whole hours since 1970, rounded down as the triggers of both databases do."""
    return floor(seconds(at) / HOUR_S)
