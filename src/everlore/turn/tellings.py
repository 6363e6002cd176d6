"""Memories that are told in a message: by `${memory.<id>}` in the user's words, or in a character's own words when its
reply mentions something it knows (R6, R10, R11).

Returns changes: those who heard a memory know it from then on, with the teller and the number of steps. Start at
`resolved` and `told_by_reply`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.domain.conversation import Author, Message, spoken_text
from everlore.domain.knowledge import Knows, Telling, knowers_of, retold
from everlore.domain.memory import Memory
from everlore.domain.overlap import is_used
from everlore.domain.passage import PassageKind
from everlore.domain.scope import Scope
from everlore.domain.tokens import MOST_TOLD, TOLD, told_in, told_with
from everlore.domain.visibility import why_untold
from everlore.domain.xray import XRay, unpack
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Delete, Put
from everlore.turn.resources import Resources

# The most tellings that a message full of tokens can create in a crowded scene.
_MOST_TELLINGS = 1_000


@dataclass(frozen=True, slots=True)
class ResolvedMessage:
    """`message` says what became of its tokens; `changes` record who now knows the memories."""

    message: Message
    changes: tuple[Change, ...] = ()


async def resolved(resources: Resources, scope: Scope, message: Message, *, without: str = "") -> ResolvedMessage:
    """Tells the memories that the speaker knows and may tell; other tokens have no effect and are reported (R10).
    `without`: ignores the tellings of that message."""
    ids = told_in(spoken_text(message))
    if not ids:
        return ResolvedMessage(message)
    memories = {each.id: each for each in await resources.store.get_many(scope, Memory, ids[:MOST_TOLD])}
    knowers = await _knowers(resources, scope, memories, without)
    told = [id for id in ids if id in memories and _may_tell(memories[id], knowers[id], message.person_id)]
    mark = {"told": told, "unresolved": [id for id in ids if id not in told]}
    changes = [Put(each) for id in told for each in _tellings(resources, memories[id], knowers[id], message)]
    return ResolvedMessage(replace(message, metadata={**message.metadata, TOLD: mark}), tuple(changes))


def _may_tell(memory: Memory, knowers: Mapping[str, Knows], speaker_id: str | None) -> bool:
    return speaker_id in knowers and not why_untold(memory)


async def told_in_history(resources: Resources, scope: Scope, messages: Iterable[Message]) -> dict[str, Memory]:
    """The memories that these messages tell, as far as they may still be told."""
    ids = dict.fromkeys(id for each in messages for id in told_with(each.metadata))
    found = await resources.store.get_many(scope, Memory, ids) if ids else []
    return {each.id: each for each in found if not why_untold(each)}


async def known_to(resources: Resources, scope: Scope, memories: Mapping[str, Memory]) -> dict[str, Memory]:
    """Those that the caller knows: a memory once told may have been handed over to others since."""
    me = scope.confined_to
    if me is None:
        return dict(memories)
    knowers = await _knowers(resources, scope, memories)
    return {id: memory for id, memory in memories.items() if me in knowers[id]}


async def retold_by(resources: Resources, scope: Scope, message: Message) -> tuple[Message, list[Change]]:
    """An edited or hidden message: its earlier tellings are undone, and those of its new text are made (M15)."""
    bare = replace(message, metadata={name: value for name, value in message.metadata.items() if name != TOLD})
    taken_back = await untold(resources, scope, [bare])
    if message.hidden:
        return bare, taken_back
    # As if nobody had heard it yet: the tellings to undo are still in the store.
    told = await resolved(resources, scope, bare, without=message.id)
    spoken = await told_by_reply(resources, scope, bare, await _offered(resources, scope, message))
    return told.message, [*taken_back, *told.changes, *spoken]


async def _offered(resources: Resources, scope: Scope, reply: Message) -> list[str]:
    """The memories in the prompt of the reply."""
    page = await resources.store.find(scope, XRay, {"message_id": reply.id}, limit=1, newest_first=True)
    memories = [each for found in page.items for each in unpack(found.account).get("memories", ())]
    return [each["id"] for each in memories if each.get("section") and each.get("kind") == PassageKind.MEMORY]


async def carried_over(
    resources: Resources, scope: Scope, messages: Sequence[Message], copies: Sequence[Message]
) -> list[Change]:
    """Copies the tellings of messages to their copies on a branch (M15)."""
    by_id = {message.id: copy for message, copy in zip(messages, copies, strict=True)}
    told = [each for each in messages if told_with(each.metadata) or each.author is Author.ASSISTANT]
    if not told:
        return []
    where = {"message_id": tuple(each.id for each in told)}
    page = await resources.store.find(scope, Telling, where, limit=_MOST_TELLINGS)
    return [
        Put(
            replace(
                each,
                id=resources.new_id(),
                message_id=by_id[each.message_id].id,
                conversation_id=by_id[each.message_id].conversation_id,
            )
        )
        for each in page.items
        if each.message_id in by_id
    ]


async def untold(resources: Resources, scope: Scope, messages: Iterable[Message]) -> list[Change]:
    """Undoes the tellings of these messages: they were edited, or have another version now (M15)."""
    where = {"message_id": tuple(each.id for each in messages)}
    page = await resources.store.find(scope, Telling, where, limit=_MOST_TELLINGS)
    return [Delete(Telling, each.id) for each in page.items]


async def tellings_of(resources: Resources, scope: Scope, memory_ids: Sequence[str]) -> list[Telling]:
    """All tellings of these memories."""
    return await all_of(resources.store, scope, Telling, {"memory_id": tuple(memory_ids)}) if memory_ids else []


async def told_by_reply(resources: Resources, scope: Scope, reply: Message, memory_ids: Sequence[str]) -> list[Change]:
    """Those who heard the reply know the memories that it mentions, of those in its prompt."""
    memories = (
        {each.id: each for each in await resources.store.get_many(scope, Memory, memory_ids)} if memory_ids else {}
    )
    words = spoken_text(reply)
    spoken = {id: each for id, each in memories.items() if not why_untold(each) and is_used(each.content, words)}
    # Another version of the same reply may have told it: that telling is undone.
    knowers = await _knowers(resources, scope, spoken, reply.id)
    return [
        Put(telling)
        for id, memory in spoken.items()
        if reply.person_id in knowers[id]
        for telling in _tellings(resources, memory, knowers[id], reply)
    ]


async def _knowers(
    resources: Resources, scope: Scope, memories: Mapping[str, Memory], without: str = ""
) -> dict[str, dict[str, Knows]]:
    found = await tellings_of(resources, scope, list(memories))
    tellings = [each for each in found if not without or each.message_id != without]
    return {id: {each.knower_id: each for each in knowers_of(memory, tellings)} for id, memory in memories.items()}


def _tellings(resources: Resources, memory: Memory, knowers: Mapping[str, Knows], message: Message) -> list[Telling]:
    """One for each person present who did not know it yet."""
    teller_id = message.person_id
    if teller_id is None:
        return []
    degree, certainty = retold(memory, knowers[teller_id])
    return [
        Telling(
            workspace=message.workspace,
            id=resources.new_id(),
            memory_id=memory.id,
            teller_id=teller_id,
            listener_id=listener,
            conversation_id=message.conversation_id,
            message_id=message.id,
            degree=degree,
            certainty=certainty,
            told_at=message.created_at,
            created_at=resources.clock(),
        )
        for listener in message.present
        if listener not in knowers
    ]
