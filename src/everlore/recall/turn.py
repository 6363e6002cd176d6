"""What one character may know when it answers one user: its own memories, those the two share, what the
user keeps for everyone, how their last talk ended, and what was said between them before.

Never what the user shares with somebody else, nor what the character shares with another user: a memory of
two stays theirs.
Start at `known_for`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from everlore.domain.conversation import Conversation, Message, MessageState, Summary
from everlore.domain.memory import LinkKind, Memory, MemoryLink
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person, PersonKind
from everlore.domain.recalled import LastSession, Recalled
from everlore.domain.scope import Scope
from everlore.models.embedder import Embedder
from everlore.recall.search import Question, meaning_of, recall
from everlore.settings import SearchSettings
from everlore.store.port import Found, Hit, Store

_MOST_MEMORIES = 20
# Most memories of either may be shared with others, and are put aside only when they have been found.
_LOOKED_THROUGH = 200
_MOST_LINES = 8
# How many conversations back the last one between the two is looked for, and how much of it is brought.
_LOOK_BACK = 20
_LAST_LINES = 12
_CLIP = 160
# A question is in its last words; a pasted book would drown it.
_QUESTION_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Known:
    """`recalled` best first, each with its reason; `earlier` are lines of earlier conversations, oldest first."""

    recalled: tuple[Recalled, ...]
    earlier: tuple[Message, ...] = ()
    last_session: LastSession | None = None

    @property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(each.memory for each in self.recalled)


async def known_for(
    scope: Scope,
    conversation: Conversation,
    character_id: str,
    text: str,
    *,
    store: Store,
    embedder: Embedder | None,
    settings: SearchSettings,
    with_earlier: bool,
    with_last: bool = True,
    with_spoilers: bool = False,
) -> Known:
    """`with_earlier`: lines of earlier conversations too, and not memories alone. `with_last`: how the last talk of the
    two ended, too. `with_spoilers`: for whoever runs the game, and for nobody else (G9)."""
    text = text[-_QUESTION_CHARS:]
    meaning = await meaning_of(text, embedder)

    async def ask(person_id: str, kind: PassageKind, limit: int) -> Found:
        question = Question(text=text, person_id=person_id, kinds=frozenset({kind}), limit=limit)
        return await recall(scope, question, meaning, store=store, settings=settings)

    (own, shared), (last, told) = await asyncio.gather(
        _hits(ask, conversation.user_id, character_id),
        _last_talk(scope, store, conversation, character_id, looked_for=with_last or with_earlier),
    )
    hits = [*await _untold_by_others(scope, store, own, conversation.user_id), *shared]
    hits = await _of_this_past(scope, store, hits, conversation)
    recalled = _best([hit for hit in hits if with_spoilers or not hit.memory.is_spoiler])
    if not with_earlier:
        return Known(recalled, last_session=told)
    said = await ask(character_id, PassageKind.MESSAGE, _MOST_LINES * 4)
    lines = [hit.record for hit in said.hits if isinstance(hit.record, Message)]
    between = await _between_the_two(scope, store, conversation, lines)
    return Known(recalled, _earlier([*between[:_MOST_LINES], *last], character_id), told)


async def _hits(
    ask: Callable[[str, PassageKind, int], Awaitable[Found]], user_id: str | None, character_id: str
) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """What the character remembers, and what the user does: alone, or with that character."""
    own, users = await asyncio.gather(
        ask(character_id, PassageKind.MEMORY, _LOOKED_THROUGH),
        ask(user_id or character_id, PassageKind.MEMORY, _LOOKED_THROUGH),
    )
    return own.hits, [hit for hit in users.hits if set(hit.memory.persons) <= {user_id, character_id}]


async def _untold_by_others(scope: Scope, store: Store, hits: Sequence[Hit], user_id: str | None) -> list[Hit]:
    """Without those that the character shares with another user."""
    ids = dict.fromkeys(id for hit in hits for id in hit.memory.persons)
    persons = await store.get_many(scope, Person, ids)
    others = {each.id for each in persons if each.kind is PersonKind.USER and each.id != user_id}
    return [hit for hit in hits if others.isdisjoint(hit.memory.persons)]


async def _of_this_past(scope: Scope, store: Store, hits: Sequence[Hit], here: Conversation) -> list[Hit]:
    """Without what was formed on another branch of this talk: a fork has its own past, and keeps its own news (M15)."""
    ids = dict.fromkeys(hit.memory.conversation_id for hit in hits if hit.memory.conversation_id not in (None, here.id))
    elsewhere = {each.id: each for each in await store.get_many(scope, Conversation, [id for id in ids if id])}
    forks = {id for id, each in elsewhere.items() if each.branched_from_id is not None}
    hidden = forks | await _ancestors(scope, store, here)
    seen = [hit for hit in hits if hit.memory.conversation_id not in hidden]
    denied = await _denied_here(scope, store, seen, here) if here.branched_from_id else frozenset()
    return [hit for hit in seen if hit.memory.id not in denied]


async def _ancestors(scope: Scope, store: Store, here: Conversation) -> set[str]:
    """The conversations that this one was branched from: of their past it has copies of its own."""
    found: set[str] = set()
    parent = here.branched_from_id
    while parent is not None and parent not in found:
        found.add(parent)
        above = await store.get_many(scope, Conversation, [parent])
        parent = above[0].branched_from_id if above else None
    return found


async def _denied_here(scope: Scope, store: Store, hits: Sequence[Hit], here: Conversation) -> frozenset[str]:
    """What this fork knows better: elsewhere it still holds, and so it could not be closed."""
    own = [hit.memory.id for hit in hits if hit.memory.conversation_id == here.id]
    where = {"memory_id": own, "kind": LinkKind.CONTRADICTS.value}
    page = await store.find(scope, MemoryLink, where, limit=_LOOKED_THROUGH) if own else None
    return frozenset(link.other_id for link in page.items) if page else frozenset()


def _best(hits: list[Hit]) -> tuple[Recalled, ...]:
    by_id = {hit.memory.id: hit for hit in hits}
    ranked = sorted(by_id.values(), key=lambda hit: (-hit.score, hit.memory.id))
    return tuple(_recalled(hit) for hit in ranked[:_MOST_MEMORIES])


def _recalled(hit: Hit) -> Recalled:
    parts = {"vector": hit.parts.vector, "text": hit.parts.text}
    return Recalled(
        hit.memory,
        score=round(hit.score, 4),
        parts={name: round(part, 4) for name, part in parts.items() if part is not None},
        why=_why(hit),
    )


def _why(hit: Hit) -> str:
    vector, text = hit.parts.vector, hit.parts.text
    reasons = [
        f"its meaning is close to what was said ({vector:.2f})" if vector is not None and vector > 0 else "",
        f"it has {text:.0%} of the telling words of what was said" if text else "",
    ]
    told = " and ".join(reason for reason in reasons if reason)
    return f"{told[0].upper()}{told[1:]}." if told else "It was among the memories of the two."


async def _between_the_two(scope: Scope, store: Store, here: Conversation, lines: Sequence[Message]) -> list[Message]:
    """Those of other conversations with the same user that are not private by now."""
    ids = dict.fromkeys(line.conversation_id for line in lines if line.conversation_id != here.id)
    found = {each.id: each for each in await store.get_many(scope, Conversation, ids)}
    open_to = {id for id, each in found.items() if each.user_id == here.user_id and not each.private}
    return [line for line in lines if line.conversation_id in open_to]


def _earlier(lines: Sequence[Message], character_id: str) -> tuple[Message, ...]:
    """Oldest first, each once; only what the character was there for, and may be heard again."""
    heard = {line.id: line for line in lines if not (line.hidden or line.private) and _was_there(line, character_id)}
    whole = (line for line in heard.values() if line.content.strip() and line.state is not MessageState.STREAMING)
    return tuple(sorted(whole, key=lambda line: (line.created_at, line.seq, line.id)))


def _was_there(line: Message, character_id: str) -> bool:
    return not line.present or character_id in line.present


async def _last_talk(
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
    """Its last lines, newest first."""
    where = {"conversation_id": conversation.id}
    page = await store.find(scope, Message, where, limit=_LAST_LINES, newest_first=True)
    return page.items


async def _told(
    scope: Scope, store: Store, before: Conversation, last: Sequence[Message], character_id: str
) -> LastSession | None:
    """How it ended: in the words of its latest summary, or else in its last words."""
    page = await store.find(scope, Summary, {"conversation_id": before.id}, limit=_LOOK_BACK, newest_first=True)
    for summary in page.items:
        if not summary.private and (not summary.persons or character_id in summary.persons):
            return LastSession(summary.content, before.updated_at)
    lines = _earlier(last, character_id)[-2:]
    words = " / ".join(_quoted(line, character_id) for line in lines)
    return LastSession(f"It ended with: {words}", before.updated_at) if words else None


def _quoted(line: Message, character_id: str) -> str:
    return f"{'you' if line.person_id == character_id else 'they'} said: {_clipped(line.content)}"


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _CLIP else f"{text[:_CLIP].rsplit(' ', 1)[0]} …"
