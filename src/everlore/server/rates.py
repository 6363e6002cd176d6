"""How often a token may ask: so many requests a minute, saved up for one minute at most (S-7).

Counted in this process, from its start: a limit that keeps a runaway client from the others, and no account.
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
        """0 where the request may go on, and it is counted; else after how many seconds it may be made again."""
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
