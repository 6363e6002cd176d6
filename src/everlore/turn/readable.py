"""What a viewer may read of a character's context: only what they may see themselves. The character may know more (R11,
P12, G9).

Start at `readable` and `known_among`.
"""

from collections.abc import Iterable
from dataclasses import replace

from everlore.compose.context import Canon, Context
from everlore.domain.campaign import Entity, Relationship
from everlore.domain.conversation import Message, Summary
from everlore.domain.event import Event
from everlore.domain.memory import Memory
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.visibility import Place, Viewer, as_read_by
from everlore.store.port import Store
from everlore.turn.viewers import seen_among

_SEEN = (Memory, Message, Summary, Event, Entity, Relationship)


async def readable(store: Store, scope: Scope, viewer: Viewer, place: Place, context: Context) -> tuple[Context, int]:
    """The context without what the viewer may not see, and how many items that removed."""
    recalled = [each.record for each in (*context.memories, *context.named.values())]
    recalled += [each.record for each in context.unoffered]
    told: list[Record] = [*recalled, *context.learnt, *context.summaries, *context.world]
    if context.canon is not None:
        told += [*context.canon.memories, *context.canon.entities, *context.canon.relationships]
    known = await known_among(store, scope, viewer, place, told)
    theirs = replace(
        context,
        history=[as_read_by(viewer, each) for each in context.history],
        memories=[each for each in context.memories if each.record.id in known],
        unoffered=[each for each in context.unoffered if each.record.id in known],
        named={id: each for id, each in context.named.items() if id in known},
        learnt=[each for each in context.learnt if each.id in known],
        summaries=[each for each in context.summaries if each.id in known],
        world=[as_read_by(viewer, each, place) for each in context.world if each.id in known],
        canon=context.canon and _as_known(context.canon, known, viewer, place),
    )
    return theirs, len({each.id for each in told} - known)


def _as_known(canon: Canon, known: set[str], viewer: Viewer, place: Place) -> Canon:
    return replace(
        canon,
        memories=[each for each in canon.memories if each.id in known],
        entities=[as_read_by(viewer, each, place) for each in canon.entities if each.id in known],
        relationships=[each for each in canon.relationships if each.id in known],
    )


async def known_among(store: Store, scope: Scope, viewer: Viewer, place: Place, records: Iterable[Record]) -> set[str]:
    """The ids of the records that the viewer may see there."""
    looked_at = [each for each in {each.id: each for each in records}.values() if isinstance(each, _SEEN)]
    return {each.id for each in await seen_among(store, scope, viewer, looked_at, place)}


def unread(hidden: int) -> str:
    """The note on hidden items, if there are any."""
    return f"What else the character knows is not yours to read: {hidden} left out." if hidden else ""
