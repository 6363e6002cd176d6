"""What is shown to whom at the table, by the seat that they have: the rule is `domain/visibility.py` (G9)."""

from collections.abc import Iterable
from typing import TypeVar

from everlore.campaign.seats import Seat
from everlore.converse.viewing import seen_among
from everlore.domain.scope import Scope
from everlore.domain.visibility import DESK, NOWHERE, Seen
from everlore.store.port import Store

S = TypeVar("S", bound=Seen)


async def shown(
    store: Store, scope: Scope, seat: Seat, records: Iterable[S], *, at_desk: bool = False
) -> tuple[S, ...]:
    """Those of them that whoever sits there may see, in their order. `at_desk`: what waits or is over, too."""
    return tuple(await seen_among(store, scope, seat.viewer, records, DESK if at_desk else NOWHERE))
