"""Who knows what, since when and from whom (R11).

The persons of a memory witnessed it, or it was written for them; anybody else who knows it was told. A `Telling` is
saved for each of those; the rest follows from the memory itself, so that nothing can contradict it.

Start at `knowers_of`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Id, Share
from everlore.domain.memory import Memory, Origin

# The factor by which each retelling reduces the teller's certainty.
_KEPT = 0.8
_WRITTEN = frozenset({Origin.USER, Origin.GM, Origin.IMPORT})


class How(StrEnum):
    WITNESSED = "witnessed"
    TOLD = "told"
    AUTHORED = "authored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One person told another a memory, in a message. Deleted with the memory, the message, and either person; `degree`
    counts the retellings: 1 from a witness."""

    workspace: Id
    id: Id
    memory_id: Id
    teller_id: Id
    listener_id: Id
    conversation_id: Id | None = None
    message_id: Id | None = None
    degree: Annotated[int, Between(1, 1000)] = 1
    certainty: Share = 1.0
    told_at: datetime
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Knows:
    """One person's knowledge of one memory. `chain`: who passed it on, beginning with the witness."""

    memory_id: str
    knower_id: str
    how: How
    since: datetime
    from_id: str | None = None
    degree: int = 0
    certainty: float = 1.0
    chain: tuple[str, ...] = ()


def knowers_of(memory: Memory, tellings: Iterable[Telling], *, as_of: datetime | None = None) -> tuple[Knows, ...]:
    """Everybody who knows a memory, witnesses first. Of several tellings the shortest chain counts."""
    if as_of is not None and memory.created_at > as_of:
        return ()
    found = {each: _at_first(memory, each) for each in dict.fromkeys(memory.persons)}
    told = (each for each in tellings if each.memory_id == memory.id and (as_of is None or each.told_at <= as_of))
    for telling in sorted(told, key=lambda each: (each.told_at, each.degree, each.id)):
        before = found.get(telling.teller_id)
        known = found.get(telling.listener_id)
        fresh = _told(telling, before)
        if known is None or known.degree > fresh.degree:
            found[telling.listener_id] = fresh
    return tuple(sorted(found.values(), key=lambda each: (each.degree, each.since, each.knower_id)))


def retold(memory: Memory, teller: Knows) -> tuple[int, float]:
    """The degree and the certainty for a person who hears it from `teller`."""
    certainty = teller.certainty if teller.degree else memory.confidence
    return teller.degree + 1, round(certainty * _KEPT, 4)


def _at_first(memory: Memory, person_id: str) -> Knows:
    how = How.AUTHORED if memory.origin in _WRITTEN else How.WITNESSED
    return Knows(
        memory_id=memory.id, knower_id=person_id, how=how, since=memory.created_at, certainty=memory.confidence
    )


def _told(telling: Telling, teller: Knows | None) -> Knows:
    """If the teller's own source is no longer known, the values saved with the telling count."""
    return Knows(
        memory_id=telling.memory_id,
        knower_id=telling.listener_id,
        how=How.TOLD,
        since=telling.told_at,
        from_id=telling.teller_id,
        degree=teller.degree + 1 if teller else telling.degree,
        certainty=telling.certainty,
        chain=(*(teller.chain if teller else ()), telling.teller_id),
    )
