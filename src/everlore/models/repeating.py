"""Detects texts that repeat themselves endlessly, as models do that are stuck until they reach their limit. Pure.

Start at `is_repeating`.
"""

# How many repetitions in a row, and how many characters in all, count as endless.
_TIMES = 4
_LEAST_CHARS = 160
# The longest period that is searched: longer than an entry of any answer.
_MOST_PERIOD = 600


def is_repeating(text: str) -> bool:
    """Whether the end repeats the same character, word, or list entry again and again."""
    tail = text[-_TIMES * _MOST_PERIOD :]
    return len(tail) >= _LEAST_CHARS and any(_has_period(tail, period) for period in _periods(tail))


def _periods(tail: str) -> list[int]:
    """Distances at which the last characters occur again: only these can be a period."""
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
