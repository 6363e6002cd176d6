"""Rate limits: requests per minute and token, saved up for one minute at most (S-7).

Counted in this process from its start: this protects others from a runaway client and is not exact.
"""

from collections import OrderedDict
from dataclasses import dataclass

_MOST_CALLERS = 10_000
_MINUTE_S = 60.0


@dataclass(slots=True)
class _Saved:
    requests: float
    at: float


class Rates:
    def __init__(self) -> None:
        self._saved: OrderedDict[str, _Saved] = OrderedDict()

    def wait_s(self, caller: str, per_minute: int, now: float) -> float:
        """0 if the request may proceed, and it is counted; else the seconds until it may be repeated."""
        saved = self._saved.setdefault(caller, _Saved(per_minute, now))
        self._saved.move_to_end(caller)
        while len(self._saved) > _MOST_CALLERS:
            self._saved.popitem(last=False)
        saved.requests = min(per_minute, saved.requests + (now - saved.at) * per_minute / _MINUTE_S)
        saved.at = now
        if saved.requests < 1:
            return (1 - saved.requests) * _MINUTE_S / per_minute
        saved.requests -= 1
        return 0.0
