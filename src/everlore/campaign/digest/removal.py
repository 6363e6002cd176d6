"""What a person deleted from a digest, so that reading the session again does not add it once more (G10, G11).

The session keeps ids, types and messages of what was deleted, but none of its words. Start at `deletion_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from everlore.domain.bounds import Json
from everlore.domain.campaign import Session
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.scope import Scope
from everlore.store.port import Amend, Change, Delete, Store

# The key in a session's `extra`.
_DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class DeletedItem:
    """`sources`: the messages that it was formed from."""

    id: str
    type: str
    sources: tuple[str, ...]

    def is_again(self, memory: Memory) -> bool:
        """Whether it is the same, or says something of the same kind about the same messages in other words."""
        return bool(self.sources) and (memory.type.value, memory.source_message_ids) == (self.type, self.sources)


async def deletion_of(store: Store, scope: Scope, id: str) -> list[Change]:
    """Deletes a memory by a person's wish. A summary may be written again."""
    changes: list[Change] = [Delete(Memory, id)]
    memories = [each for each in await store.get_many(scope, Memory, [id]) if each.origin is Origin.DIGEST]
    for memory in memories if memories and memories[0].type is not MemoryType.SUMMARY else ():
        for session in await store.get_many(scope, Session, [memory.session_id or ""]):
            item: Json = {"id": id, "type": memory.type.value, "sources": [*memory.source_message_ids]}
            extra = {**session.extra, _DELETED: [*_kept(session), item]}
            changes.append(Amend(Session, session.id, {"extra": extra}))
    return changes


def deleted_in(session: Session) -> tuple[DeletedItem, ...]:
    return tuple(_item(each) for each in _kept(session))


def _item(kept: Json) -> DeletedItem:
    sources = kept.get("sources")
    ids = tuple(str(each) for each in sources) if isinstance(sources, list) else ()
    return DeletedItem(str(kept.get("id", "")), str(kept.get("type", "")), ids)


def _kept(session: Session) -> Sequence[Json]:
    kept = session.extra.get(_DELETED)
    return [each for each in kept if isinstance(each, dict)] if isinstance(kept, list) else []
