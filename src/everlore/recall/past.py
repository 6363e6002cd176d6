"""The past of one conversation: which memories belong to it, and which lines were heard in it (M15, V13).

Start at `hidden_from` and `heard_by`.
"""

from collections.abc import Collection, Iterable

from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.memory import LinkKind, Memory, MemoryLink, Status, is_shared_with
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.domain.visibility import present_at
from everlore.store.port import Store

_MOST_LINKS = 200
# A memory that was believed once denies what it contradicted, even if the fork has learned something newer since.
_BELIEVED = frozenset({Status.ACTIVE, Status.SUPERSEDED})


async def hidden_from(scope: Scope, store: Store, here: Conversation, others: Iterable[str | None]) -> frozenset[str]:
    """The other conversations whose memories are hidden in this one: forks keep their own, and from the conversation
    that a fork was branched from it shares what was known before (`is_hidden_here`) (M15)."""
    ids = dict.fromkeys(id for id in others if id is not None and id != here.id)
    found = await store.get_many(scope, Conversation, ids) if ids else []
    forks = {each.id for each in found if each.branched_from_id is not None}
    return frozenset(forks | await _ancestors(scope, store, here))


async def _ancestors(scope: Scope, store: Store, here: Conversation) -> set[str]:
    """The conversations that this one was branched from."""
    found: set[str] = set()
    parent = here.branched_from_id
    while parent is not None and parent not in found:
        found.add(parent)
        above = await store.get_many(scope, Conversation, [parent])
        parent = above[0].branched_from_id if above else None
    return found


async def denied_here(scope: Scope, store: Store, known: Collection[Memory], here: Conversation) -> frozenset[str]:
    """Which of the `known` memories this fork has replaced: they stay active because other conversations still use
    them."""
    if here.branched_from_id is None or not known:
        return frozenset()
    # A memory that was split off another is denied by what denied the other.
    ids = {each.id: {each.id, str(each.extra.get("carried_from", each.id))} for each in known}
    where = {"other_id": tuple(set[str]().union(*ids.values())), "kind": LinkKind.CONTRADICTS.value}
    links = (await store.find(scope, MemoryLink, where, limit=_MOST_LINKS)).items
    found = await store.get_many(scope, Memory, {link.memory_id for link in links})
    own = {each.id for each in found if each.status in _BELIEVED and _is_of(each, here)}
    denied = {link.other_id for link in links if link.memory_id in own}
    return frozenset(id for id, also in ids.items() if not denied.isdisjoint(also))


def _is_of(memory: Memory, here: Conversation) -> bool:
    return memory.conversation_id == here.id or is_shared_with(memory, here.id)


def heard_by(lines: Iterable[Message], character_id: str) -> tuple[Message, ...]:
    """Oldest first, each once; only what the character was present for, and what may be repeated."""
    heard = {
        line.id: line
        for line in lines
        if not (line.hidden or line.private) and character_id in present_at(line, [character_id])
    }
    whole = (line for line in heard.values() if line.content.strip() and line.state is not MessageState.STREAMING)
    return tuple(sorted(whole, key=lambda line: (line.created_at, line.seq, line.id)))


def words_of(line: Message) -> tuple[str | None, str]:
    """The speaker and the text, without regard to spacing and capitals."""
    return line.person_id, " ".join(line.content.casefold().split())


def said_once(lines: Iterable[Recalled]) -> list[Recalled]:
    """Each line once, even if somebody said it in several conversations: the first, which is the best."""
    found: dict[object, Recalled] = {}
    for each in lines:
        found.setdefault(words_of(each.record) if isinstance(each.record, Message) else each.record.id, each)
    return list(found.values())
