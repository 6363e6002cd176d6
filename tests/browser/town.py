"""A town with a past, written before the server starts: who lives there, what they share, what happened over the years,
and what went from mouth to mouth. Some of its names try to do harm, and some are read from the right to the left."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from everlore.domain.conversation import Conversation
from everlore.domain.event import Event, EventType
from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, Origin
from everlore.domain.person import Person
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.sqlite import migrated

NEIGHBOURS = 320
HOSTILE = "<img src=x onerror='window.broken = 1'>"
MIRA, REX, DON, NOOR = "mira", "rex", "don", "noor"
NAMES = {MIRA: "Mira", REX: f"Rex {HOSTILE}", DON: "Don", NOOR: "نور الهدى"}
KEY = f"Rex hid the silver key {HOSTILE}"
BOAT = "نور تملك قاربا"
QUAY = "Mira waited at the quay"
TALK = "the-key"
_WORKSPACE = "default"
_START = datetime(2024, 3, 10, 12, tzinfo=UTC)


def settled(database: Path) -> None:
    """In a thread of its own, for a browser may have an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(_settled(database))).result()


async def _settled(database: Path) -> None:
    store = await SqliteStore.open(migrated(database), StoreSettings(), clock=now)
    for records in (_persons(), _past(), _neighbourhood()):
        await store.apply(Scope(_WORKSPACE), [Put(each) for each in records])
    await store.close()


def _persons() -> list[Record]:
    names = NAMES | {f"n{number}": f"Neighbour {number}" for number in range(NEIGHBOURS)}
    at = _START
    return [Person(workspace=_WORKSPACE, id=id, name=name, created_at=at, updated_at=at) for id, name in names.items()]


def _past() -> list[Record]:
    talk = Conversation(
        workspace=_WORKSPACE,
        id=TALK,
        title="The silver key",
        system_ids=(MIRA,),
        user_id=REX,
        created_at=_START,
        updated_at=_START,
    )
    return [
        talk,
        _event("talk", EventType.INTERACT, "Conversation: The silver key", 0, (MIRA, REX), TALK),
        _event("seen", EventType.OBSERVATION, f"A light was seen {HOSTILE}", 40, (MIRA,)),
        _event("dream", EventType.DREAM, "Don dreamt of the mill", 400, (DON,)),
        _passed("helped", InteractionType.HELP, "Mira hid Rex from the guard", 1, MIRA, REX, TALK),
        _passed("betrayed", InteractionType.BETRAY, "Don sold the map", 401, DON, MIRA),
        _memory("key", KEY, (MIRA, REX), 0),
        _memory("boat", BOAT, (NOOR,), 2),
        _memory("quay", QUAY, (MIRA,), 3),
        _told("t1", "key", MIRA, DON, 5, 1),
        _told("t2", "key", DON, NOOR, 6, 2),
    ]


def _neighbourhood() -> list[Record]:
    """Each shares something with the next: a ring of more than can be drawn."""
    ring = [(f"n{number}", f"n{(number + 1) % NEIGHBOURS}") for number in range(NEIGHBOURS)]
    return [_memory(f"fence-{one}", f"A fence stands beside {one}", (one, other), -9) for one, other in ring]


def _day(number: int) -> datetime:
    return _START + timedelta(days=number)


def _memory(id: str, content: str, persons: tuple[str, ...], day: int) -> Memory:
    at, origin = _day(day), Origin.EXTRACTOR
    return Memory(
        workspace=_WORKSPACE, id=id, content=content, persons=persons, origin=origin, created_at=at, updated_at=at
    )


def _event(
    id: str, type: EventType, content: str, day: int, actors: tuple[str, ...], conversation_id: str | None = None
) -> Event:
    at = _day(day)
    return Event(
        workspace=_WORKSPACE,
        id=id,
        type=type,
        content=content,
        at=at,
        actors=actors,
        conversation_id=conversation_id,
        created_at=at,
    )


def _passed(
    id: str, type: InteractionType, words: str, day: int, actor: str, other: str, conversation_id: str | None = None
) -> Interaction:
    return Interaction(
        workspace=_WORKSPACE,
        id=id,
        type=type,
        description=words,
        actor_id=actor,
        interactor_id=other,
        conversation_id=conversation_id,
        started_at=_day(day),
        created_at=_day(900),
    )


def _told(id: str, memory_id: str, teller: str, listener: str, day: int, degree: int) -> Telling:
    return Telling(
        workspace=_WORKSPACE,
        id=id,
        memory_id=memory_id,
        teller_id=teller,
        listener_id=listener,
        degree=degree,
        told_at=_day(day),
        created_at=_day(day),
    )
