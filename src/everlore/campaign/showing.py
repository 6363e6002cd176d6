"""Filters records by what a seat may see; `domain/visibility.py` has the rule (G9)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from everlore.campaign.seats import Seat
from everlore.domain.campaign import Session
from everlore.domain.scope import Scope
from everlore.domain.sessions import PARTS, is_at_table, parts_of, with_parts
from everlore.domain.visibility import DESK, NOWHERE, Seen
from everlore.store.port import Store
from everlore.turn.viewers import seen_among

S = TypeVar("S", bound=Seen)


def shown_sessions(seat: Seat, sessions: Iterable[Session]) -> tuple[Session, ...]:
    """The sessions that this seat may see; for players with only the parts played at the table."""
    if seat.runs:
        return tuple(sessions)
    return tuple(_at_table(each) for each in sessions if is_at_table(each))


def _at_table(session: Session) -> Session:
    parts = with_parts(session, [each for each in parts_of(session) if each.open])
    return replace(session, extra={PARTS: parts[PARTS]})


async def shown(
    store: Store, scope: Scope, seat: Seat, records: Iterable[S], *, at_desk: bool = False
) -> tuple[S, ...]:
    """The records that this seat may see, in order. `at_desk`: also pending and closed ones."""
    return tuple(await seen_among(store, scope, seat.viewer, records, DESK if at_desk else NOWHERE))
