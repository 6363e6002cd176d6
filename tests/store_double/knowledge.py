"""Who knows what in the double: everything is looked at, so what it says is exact by construction (R8, R11)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from everlore.domain.conversation import Message
from everlore.domain.event import Event, EventType
from everlore.domain.interaction import Interaction
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, Status
from everlore.domain.passage import Passage, PassageKind, passage_of
from everlore.domain.records import persons_of
from everlore.domain.revision import holds_at
from everlore.store.answers import MessagePosition, PairActivity, Partner
from everlore.store.spans import spans_of
from tests.store_double.room import Room


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one person knows at a time: what is theirs, and what they were told by then."""

    person_id: str
    told: frozenset[str]

    def has(self, passage: Passage) -> bool:
        return self.person_id in passage.persons or (passage.kind is PassageKind.MEMORY and passage.ref in self.told)


def knowledge_of(room: Room, person_id: str, as_of: datetime | None) -> Knowledge:
    told = (
        each.memory_id
        for each in room.records[Telling].values()
        if each.listener_id == person_id and (as_of is None or each.told_at <= as_of)
    )
    return Knowledge(person_id, frozenset(told))


def state_at(room: Room, memory: Memory, at: datetime) -> Memory | None:
    """The memory as it was believed then; None before it was known."""
    if memory.updated_at <= at:
        return memory
    past = (each for each in room.revisions.get(memory.id, ()) if each.since <= at < each.until)
    return next((each.before for each in past), None)


def known(room: Room, person_id: str, as_of: datetime | None) -> dict[str, Memory]:
    """The memories that a person knows as they were believed then, by their ids."""
    knowledge = knowledge_of(room, person_id, as_of)
    found: dict[str, Memory] = {}
    for memory in room.records[Memory].values():
        state = memory if as_of is None else state_at(room, memory, as_of)
        if state is None or state.status is not Status.ACTIVE:
            continue
        if as_of is not None and not holds_at(state, as_of):
            continue
        if person_id in state.persons or memory.id in knowledge.told:
            found[memory.id] = state
    return found


def partners(room: Room, person_id: str) -> list[Partner]:
    shared: dict[str, list[Memory]] = {}
    for memory in room.records[Memory].values():
        if memory.status is Status.ACTIVE and person_id in memory.persons:
            for other in set(memory.persons) - {person_id}:
                shared.setdefault(other, []).append(memory)
    found = [Partner(other, len(these), max(each.created_at for each in these)) for other, these in shared.items()]
    return sorted(found, key=lambda each: (-each.memories, -each.last_at.timestamp(), each.person_id))


Duo = tuple[str, str]
Moment = tuple[Duo, datetime]


def bonds(room: Room) -> list[PairActivity]:
    shared, talked, passed = _remembered(room), _talked(room), _passed(room)

    def times(moments: list[Moment], pair: Duo) -> int:
        return sum(each == pair for each, _ in moments)

    found = [
        PairActivity(*pair, times(shared, pair), times(talked, pair), times(passed, pair), last_at)
        for pair, last_at in _latest((*shared, *talked, *passed)).items()
    ]
    return sorted(
        found,
        key=lambda each: (
            -(each.memories + each.talks + each.interactions),
            -each.last_at.timestamp(),
            each.one_id,
            each.other_id,
        ),
    )


def _remembered(room: Room) -> list[Moment]:
    active = (each for each in room.records[Memory].values() if each.status is Status.ACTIVE)
    return [(pair, each.created_at) for each in active for pair in _pairs(each.persons)]


def _talked(room: Room) -> list[Moment]:
    talks = (each for each in room.records[Event].values() if each.type is EventType.INTERACT)
    return [(pair, each.at) for each in talks for pair in _pairs(persons_of(each))]


def _passed(room: Room) -> list[Moment]:
    interactions = room.records[Interaction].values()
    return [(pair, each.started_at) for each in interactions for pair in _pairs((each.actor_id, each.interactor_id))]


def _pairs(persons: Iterable[str]) -> Iterable[Duo]:
    return combinations(sorted(set(persons)), 2)


def _latest(moments: Iterable[Moment]) -> dict[Duo, datetime]:
    return dict(sorted(moments, key=lambda each: each[1]))


def around(room: Room, places: Iterable[MessagePosition], reach: int, knower_id: str | None) -> list[Message]:
    spans = spans_of(places, reach)
    near = (
        message
        for message in _searched(room)
        if any(message.conversation_id == chat and first <= message.seq <= last for chat, first, last in spans)
    )
    found = [message for message in near if knower_id is None or knower_id in message.present]
    return sorted(found, key=lambda message: (message.conversation_id, message.seq))


def _searched(room: Room) -> Iterator[Message]:
    return (message for message in room.records[Message].values() if passage_of(message) is not None)
