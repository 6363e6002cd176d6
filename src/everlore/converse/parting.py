"""What goes with a person who is deleted, beside what the store takes along by itself (M9).

Conversations stay, and what is remembered together with others. What was remembered of nobody else has no meaning any
more; what a model was told repeats their card; and their name stands for the title of a talk that has none.

Start at `parted`.
"""

from collections.abc import AsyncIterator
from functools import partial

from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.xray import XRay
from everlore.reflect.segments.episodes import event_id_of, untitled
from everlore.store.all_pages import each_of, items_of
from everlore.store.port import Amend, Change, Delete, Store

_PAGE = 500
_TOGETHER = 100


async def parted(store: Store, scope: Scope, person_id: str) -> list[Change]:
    alone = [each async for each in each_of(store, scope, Memory, {"persons": person_id}) if _is_of_nobody_else(each)]
    return [
        *(Delete(Memory, each.id) for each in alone),
        *[Delete(XRay, each.id) async for each in _told(store, scope, person_id)],
        *[each async for each in _unnamed(store, scope, person_id)],
        Delete(Person, person_id),
    ]


def _is_of_nobody_else(memory: Memory) -> bool:
    return len(memory.persons) == 1 and memory.campaign_id is None


async def _told(store: Store, scope: Scope, person_id: str) -> AsyncIterator[XRay]:
    """What was told in the talks in which they spoke."""
    spoken = [each.conversation_id async for each in each_of(store, scope, Message, {"person_id": person_id})]
    talks = list(dict.fromkeys(spoken))
    for first in range(0, len(talks), _TOGETHER):
        async for each in each_of(store, scope, XRay, {"conversation_id": tuple(talks[first : first + _TOGETHER])}):
            yield each


async def _unnamed(store: Store, scope: Scope, person_id: str) -> AsyncIterator[Change]:
    """The events of talks without a title are called after those who are left."""
    types = frozenset({EventType.INTERACT.value})
    event: Event
    async for event in items_of(partial(store.timeline, scope, person_id=person_id, types=types, limit=_PAGE)):
        for talk in await store.get_many(scope, Conversation, [event.conversation_id] if event.conversation_id else []):
            if not talk.title and event.id == event_id_of(talk):
                ids = [id for id in (*talk.system_ids, talk.user_id) if id not in (None, person_id)]
                names = {each.id: each.name for each in await store.get_many(scope, Person, [id for id in ids if id])}
                yield Amend(Event, event.id, untitled(talk, names))
