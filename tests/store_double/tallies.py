"""How much there is of what, by looking: what the databases count as it comes and goes must come to the same (C9)."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.domain.miss import Miss
from everlore.store.answers import KindCount
from everlore.store.port import Count
from everlore.store.sql.tallies import hour_of
from tests.store_double import search as index
from tests.store_double.room import Room


def count(room: Room, change: Count, at: datetime) -> None:
    key = change.name, hour_of(at)
    room.counts[key] = room.counts.get(key, 0) + change.by


def tallies(room: Room, since: datetime | None) -> list[KindCount]:
    found: Counter[tuple[str, str, int | None]] = Counter()
    if since is None:
        for kind, type, _, number in (*_by_hour(room), *_timeless(room)):
            found[kind, type, None] += number
    else:
        for kind, type, at, number in _by_hour(room):
            if at >= hour_of(since):
                found[kind, type, at] += number
    known = [KindCount(kind, type, number, at) for (kind, type, at), number in found.items() if number]
    return sorted(known, key=lambda tally: (tally.kind, tally.type, tally.hour or 0))


def _by_hour(room: Room) -> Iterator[tuple[str, str, int, int]]:
    for memory in room.records[Memory].values():
        yield "memory", memory.type.value, hour_of(memory.created_at), 1
    for event in room.records[Event].values():
        yield "event", event.type.value, hour_of(event.at), 1
    for message in room.records[Message].values():
        yield "message", message.author.value, hour_of(message.created_at), 1
    for summary in room.records[Summary].values():
        yield "summary", "", hour_of(summary.created_at), 1
    for miss in room.records[Miss].values():
        yield "miss", "", hour_of(miss.created_at), 1
    for (name, at), number in room.counts.items():
        yield "count", name, at, number


def _timeless(room: Room) -> Iterator[tuple[str, str, None, int]]:
    for memory in room.records[Memory].values():
        yield "status", memory.status.value, None, 1
    present = index.present(room)
    yield "conversation", "", None, len(room.records[Conversation])
    yield "passage", "", None, len(present)
    for model, vectors in room.vectors.items():
        yield "vector", model, None, len(present.keys() & vectors.keys())
