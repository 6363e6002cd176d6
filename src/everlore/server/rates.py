"""Rate limits: requests per minute and caller, saved up for one minute at most (S-7).

Callers with a token are counted by all servers on the database together: see `TokenRates`. This protects others from a
runaway client and is not exact.
"""

import math
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from everlore.domain.scope import Scope
from everlore.domain.token import Token
from everlore.errors import NotFound, StoreUnavailable
from everlore.store.port import Amend, Store

_MOST_CALLERS = 10_000
_MINUTE_S = 60.0
# Further in the future, no allowance is full again: the clock was set back.
_FURTHEST_S = 2 * _MINUTE_S
# How much of a minute's allowance a server counts before it tells the others.
_UNSAVED_S = _MINUTE_S / 20
# Another server may save its count in between.
_TRIES = 10
_ROUNDING_S = 1e-6


@dataclass(slots=True)
class _Counted:
    """`full_at`: when the allowance is full again. `unsaved_s`: the part of it that other servers do not know."""

    full_at: float
    unsaved_s: float = 0.0


class Rates:
    def __init__(self) -> None:
        self._counted: OrderedDict[str, _Counted] = OrderedDict()

    def wait_s(self, caller: str, per_minute: int, now: float, *, elsewhere: float = -math.inf) -> float:
        """0 if the request may proceed, and it is counted; else the seconds until it may be repeated. `elsewhere`: when
        the allowance is full again as far as all servers know."""
        counted = self._counted.setdefault(caller, _Counted(now))
        self._counted.move_to_end(caller)
        while len(self._counted) > _MOST_CALLERS:
            self._counted.popitem(last=False)
        known = [each for each in (counted.full_at, elsewhere + counted.unsaved_s) if each - now <= _FURTHEST_S]
        counted.full_at = max([now, *known])
        each_s = _MINUTE_S / per_minute
        wait_s = counted.full_at + each_s - now - _MINUTE_S
        if wait_s > _ROUNDING_S:
            return wait_s
        counted.full_at += each_s
        counted.unsaved_s += each_s
        return 0.0

    def unsaved_s(self, caller: str, at_least: float) -> float:
        """What other servers are to be told, if it is that much; it counts as told."""
        counted = self._counted.get(caller)
        if counted is None or counted.unsaved_s < at_least - _ROUNDING_S:
            return 0.0
        unsaved, counted.unsaved_s = counted.unsaved_s, 0.0
        return unsaved


class TokenRates:
    """Each server counts in its memory and adds that to the row of the token, which it reads with every request anyway,
    a twentieth of the limit at a time. So the servers together exceed a limit by that much each, at most."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._rates = Rates()

    async def wait_s(self, token: Token, per_minute: int) -> float:
        """As `Rates.wait_s`; `token` as it is stored now."""
        caller = f"{token.workspace}/{token.id}"
        full_at = token.allowance_full_at
        elsewhere = full_at.timestamp() if full_at is not None else -math.inf
        wait_s = self._rates.wait_s(caller, per_minute, self._clock().timestamp(), elsewhere=elsewhere)
        if spent_s := self._rates.unsaved_s(caller, max(_UNSAVED_S, _MINUTE_S / per_minute)):
            # With a full disk, this server still counts; a token that was just deleted is refused next time.
            with suppress(StoreUnavailable, NotFound):
                await self._save(token, spent_s)
        return wait_s

    async def _save(self, token: Token, spent_s: float) -> None:
        for _ in range(_TRIES):
            now, known = self._clock().timestamp(), token.allowance_full_at
            before = known.timestamp() if known is not None else now
            full_at = (before if now < before <= now + _FURTHEST_S else now) + spent_s
            fields = {"allowance_full_at": datetime.fromtimestamp(full_at, UTC)}
            change = Amend(Token, token.id, fields, only_if={"allowance_full_at": known})
            (token,) = await self._store.apply(Scope(token.workspace), [change])
            if token.allowance_full_at == fields["allowance_full_at"]:
                return
