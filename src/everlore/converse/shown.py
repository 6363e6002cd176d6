"""What somebody may read of what a character is told: what they know themselves. The character may know more, and keeps
it (R11, P12).

Start at `readable` and `known_among`.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from everlore.compose.context import Canon, Context
from everlore.domain.conversation import Message, Summary
from everlore.domain.event import Event
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, Visible
from everlore.domain.records import Record, persons_of
from everlore.domain.scope import Scope
from everlore.store.port import Store

# Of so many who were told something it is looked whether it was they.
_MOST_TOLD = 1_000


async def readable(store: Store, scope: Scope, person_id: str, context: Context) -> tuple[Context, int]:
    """A context without what they do not know, and how much that was."""
    recalled = [each.record for each in (*context.memories, *context.named.values())]
    recalled += [each.record for each in context.unoffered]
    secrets = [each for each in context.canon.memories if _is_secret(each)] if context.canon else []
    records = {each.id: each for each in (*recalled, *context.learnt, *context.summaries, *secrets)}
    known = await known_among(store, scope, person_id, records.values())
    theirs = replace(
        context,
        memories=[each for each in context.memories if each.record.id in known],
        unoffered=[each for each in context.unoffered if each.record.id in known],
        named={id: each for id, each in context.named.items() if id in known},
        learnt=[each for each in context.learnt if each.id in known],
        summaries=[each for each in context.summaries if each.id in known],
        canon=context.canon and _without_secrets(context.canon, known),
    )
    return theirs, len(records.keys() - known)


def _without_secrets(canon: Canon, known: Set[str]) -> Canon:
    """What a campaign has to say is for all who play in it, but for what some of them keep."""
    return replace(canon, memories=[each for each in canon.memories if not _is_secret(each) or each.id in known])


def _is_secret(memory: Memory) -> bool:
    return memory.visibility is not Visible.NORMAL


async def known_among(store: Store, scope: Scope, person_id: str, records: Iterable[Record]) -> set[str]:
    """The ids of those that the person has a part in, was there for, or was told."""
    found = {each.id: each for each in records}
    memories = tuple(id for id, each in found.items() if isinstance(each, Memory))
    told = await _told(store, scope, person_id, memories) if memories else ()
    return {id for id, each in found.items() if _is_had_by(person_id, each)} | {each.memory_id for each in told}


async def _told(store: Store, scope: Scope, person_id: str, memory_ids: tuple[str, ...]) -> Sequence[Telling]:
    where = {"memory_id": memory_ids, "listener_id": person_id}
    return (await store.find(scope, Telling, where, limit=_MOST_TOLD)).items


def _is_had_by(person_id: str, record: Record) -> bool:
    match record:
        case Message():
            return not record.present or person_id in record.present
        case Memory() | Summary():
            return person_id in record.persons
        case Event():
            return person_id in persons_of(record)
    return False


def unread(hidden: int) -> str:
    """What a reader is told of what they are not shown, if there is anything."""
    return f"What else the character knows is not yours to read: {hidden} left out." if hidden else ""
