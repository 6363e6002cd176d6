"""What is deleted with a person, beside what the store deletes by itself (M9).

Conversations stay, and so do memories shared with others. Memories of the person alone are deleted, and those that a
user shared with characters alone, because a character would tell them to the next user; so are x-rays, which repeat the
person's card. The events of untitled conversations are named after the people who remain.

Start at `parted`.
"""

from collections.abc import AsyncIterator, Sequence
from functools import partial

from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.xray import XRay
from everlore.learning.segments.episodes import event_id_of, titled
from everlore.store.all_pages import each_of, items_of
from everlore.store.port import Amend, Change, Delete, Store

_PAGE = 500
_TOGETHER = 100


async def parted(store: Store, scope: Scope, person_id: str) -> list[Change]:
    memories = [each async for each in each_of(store, scope, Memory, {"persons": person_id})]
    staying = await _staying(store, scope, person_id, memories)
    alone = [each for each in memories if each.campaign_id is None and not staying & {*each.persons}]
    return [
        *(Delete(Memory, each.id) for each in alone),
        *[Delete(XRay, each.id) async for each in _told(store, scope, person_id)],
        *[each async for each in _unnamed(store, scope, person_id)],
        Delete(Person, person_id),
    ]


async def _staying(store: Store, scope: Scope, person_id: str, memories: Sequence[Memory]) -> frozenset[str]:
    """Of those who share these memories with a person, the ones who keep them without that person."""
    ids = {person_id, *(id for each in memories for id in each.persons)}
    found = {each.id: each for each in await store.get_many(scope, Person, ids)}
    is_user = person_id in found and found[person_id].kind is PersonKind.USER
    others = ids - {person_id}
    return frozenset(id for id in others if not is_user or (id in found and found[id].kind is PersonKind.USER))


async def _told(store: Store, scope: Scope, person_id: str) -> AsyncIterator[XRay]:
    """The x-rays of the conversations in which they spoke."""
    spoken = [each.conversation_id async for each in each_of(store, scope, Message, {"person_id": person_id})]
    talks = list(dict.fromkeys(spoken))
    for first in range(0, len(talks), _TOGETHER):
        async for each in each_of(store, scope, XRay, {"conversation_id": tuple(talks[first : first + _TOGETHER])}):
            yield each


async def _unnamed(store: Store, scope: Scope, person_id: str) -> AsyncIterator[Change]:
    """The events of untitled conversations are named after the remaining people."""
    types = frozenset({EventType.INTERACT.value})
    event: Event
    async for event in items_of(partial(store.timeline, scope, person_id=person_id, types=types, limit=_PAGE)):
        for talk in await store.get_many(scope, Conversation, [event.conversation_id] if event.conversation_id else []):
            if not talk.title and event.id == event_id_of(talk.id):
                ids = [id for id in (*talk.system_ids, talk.user_id) if id not in (None, person_id)]
                names = {each.id: each.name for each in await store.get_many(scope, Person, [id for id in ids if id])}
                yield Amend(Event, event.id, titled(talk, "", names))
