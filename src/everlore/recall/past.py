"""The past of one conversation: which memories belong to it, and how the last talk of the two ended (M15, V16).

Start at `hidden_from` and `last_talk`.
"""

from collections.abc import Collection, Iterable, Sequence

from everlore.domain.conversation import Conversation, Message, MessageState, Summary, spoken
from everlore.domain.memory import LinkKind, Memory, MemoryLink, Status, is_shared_with
from everlore.domain.policy import visibility
from everlore.domain.recalled import LastSession, Recalled
from everlore.domain.scope import Scope
from everlore.domain.tokens import without_told
from everlore.store.port import Store

# How many conversations back the last one between the two is looked for, and how much of it is brought.
_LOOK_BACK = 20
_LAST_LINES = 12
_CLIP = 160
_MOST_LINKS = 200
# What was believed once denies what it contradicted, also where the fork has learnt something newer since.
_BELIEVED = frozenset({Status.ACTIVE, Status.SUPERSEDED})


async def hidden_from(scope: Scope, store: Store, here: Conversation, others: Iterable[str | None]) -> frozenset[str]:
    """Those of the other conversations whose news this one does not know: forks keep their own, and of what a fork
    was branched from it shares what was known before (`is_hidden_here`) (M15)."""
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


def is_hidden_here(memory: Memory, here: Conversation, hidden: Collection[str | None]) -> bool:
    """Whether it was formed in one of the `hidden` conversations, and this one does not share it."""
    return memory.conversation_id in hidden and not is_shared_with(memory, here.id)


async def denied_here(scope: Scope, store: Store, known: Collection[Memory], here: Conversation) -> frozenset[str]:
    """Which of the `known` memories this fork knows better: elsewhere they still hold, and so they could not be
    closed."""
    if here.branched_from_id is None or not known:
        return frozenset()
    # One that was split off is denied by what denied the whole.
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
    """Oldest first, each once; only what the character was there for, and may be heard again."""
    heard = {line.id: line for line in lines if not (line.hidden or line.private) and _was_there(line, character_id)}
    whole = (line for line in heard.values() if line.content.strip() and line.state is not MessageState.STREAMING)
    return tuple(sorted(whole, key=lambda line: (line.created_at, line.seq, line.id)))


def words_of(line: Message) -> tuple[str | None, str]:
    """Who said it, and what, however it was spaced and capitalised."""
    return line.person_id, " ".join(line.content.casefold().split())


def said_once(lines: Iterable[Recalled]) -> list[Recalled]:
    """Each line once, also if somebody said it in several conversations: the first as they came, which is the best."""
    found: dict[object, Recalled] = {}
    for each in lines:
        found.setdefault(words_of(each.record) if isinstance(each.record, Message) else each.record.id, each)
    return list(found.values())


def _was_there(line: Message, character_id: str) -> bool:
    return not line.present or character_id in line.present


async def last_talk(
    scope: Scope, store: Store, conversation: Conversation, character_id: str, *, looked_for: bool
) -> tuple[Sequence[Message], LastSession | None]:
    """The last lines of the conversation before this one, newest first, and how it ended."""
    before = await _conversation_before(scope, store, conversation, character_id) if looked_for else None
    if before is None:
        return (), None
    last = await _end_of(scope, store, before)
    return last, await _told(scope, store, before, last, character_id)


async def _conversation_before(
    scope: Scope, store: Store, conversation: Conversation, character_id: str
) -> Conversation | None:
    """The conversation that these two had before this one."""
    where = {"user_id": conversation.user_id}
    page = await store.find(scope, Conversation, where, limit=_LOOK_BACK, newest_first=True)
    for other in page.items:
        if _is_other_talk(other, conversation, character_id):
            found: Conversation = other
            return found
    return None


def _is_other_talk(other: Conversation, here: Conversation, character_id: str) -> bool:
    with_both = character_id in other.system_ids and other.message_count > 0
    return other.id != here.id and with_both and not other.private


async def _end_of(scope: Scope, store: Store, conversation: Conversation) -> tuple[Message, ...]:
    """Its last lines, newest first, as they were said."""
    where = {"conversation_id": conversation.id, "hidden": False}
    page = await store.find(scope, Message, where, limit=_LAST_LINES, newest_first=True)
    return tuple(map(spoken, page.items))


async def _told(
    scope: Scope, store: Store, before: Conversation, last: Sequence[Message], character_id: str
) -> LastSession | None:
    """How it ended: in the words of its latest summary, if the caller may see any (C4), and where that does not reach
    its end, in its last words as well."""
    summaries = await _summaries(scope, store, before)
    heard = [each for each in summaries if not each.private and character_id in each.persons]
    summary = max(heard, key=lambda each: (each.last_seq, -each.first_seq), default=None)
    if summary is not None and (not last or summary.last_seq >= last[0].seq):
        return LastSession(summary.content, before.updated_at)
    words = " / ".join(_quoted(line, character_id) for line in heard_by(last, character_id)[-2:])
    parts = [*([summary.content] if summary else []), *([f"It ended with: {words}"] if words else [])]
    return LastSession(" ".join(parts), before.updated_at) if parts else None


async def _summaries(scope: Scope, store: Store, conversation: Conversation) -> Sequence[Summary]:
    """The latest first."""
    if not visibility(scope.role).summaries:
        return ()
    page = await store.find(scope, Summary, {"conversation_id": conversation.id}, limit=_LOOK_BACK, newest_first=True)
    return page.items


def _quoted(line: Message, character_id: str) -> str:
    return f"{'you' if line.person_id == character_id else 'they'} said: {_clipped(line.content)}"


def _clipped(text: str) -> str:
    text = " ".join(without_told(text).split())
    return text if len(text) <= _CLIP else f"{text[:_CLIP].rsplit(' ', 1)[0]} …"
