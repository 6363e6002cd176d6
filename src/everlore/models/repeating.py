"""Whether a text goes round in circles: what a model writes that has lost its way, until its limit is reached. Pure.

Start at `is_repeating`.
"""

# What is repeated so often, one right behind the other, and takes so many characters in all.
_TIMES = 4
_LEAST_CHARS = 160
# No longer period is looked for: an entry of an answer, with room.
_MOST_PERIOD = 600


def is_repeating(text: str) -> bool:
    """Whether the end of it says the same again and again: one sign, one word, or one entry of a list."""
    tail = text[-_TIMES * _MOST_PERIOD :]
    return len(tail) >= _LEAST_CHARS and any(_has_period(tail, period) for period in _periods(tail))


def _periods(tail: str) -> list[int]:
    """Distances at which the last signs stand once more: only those can be one."""
    end = tail[-8:]
    found: list[int] = []
    at = tail.rfind(end, 0, len(tail) - 1)
    while at >= 0 and len(tail) - len(end) - at <= _MOST_PERIOD:
        found.append(len(tail) - len(end) - at)
        at = tail.rfind(end, 0, at + len(end) - 1)
    return found


def _has_period(tail: str, period: int) -> bool:
    needed = max(_TIMES * period, _LEAST_CHARS)
    if needed > len(tail):
        return False
    last = tail[-needed:]
    return last[period:] == last[:-period]
