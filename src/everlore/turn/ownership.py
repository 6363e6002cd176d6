"""What a caller may use and change: members and guests have their own conversations, and the memories that they have a
part in; anything else does not exist for them (C4, S-3).
"""

import hashlib
from collections.abc import Sequence

from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person, PersonKind, public_side
from everlore.domain.policy import visibility
from everlore.domain.scope import Scope
from everlore.domain.visibility import may_keep
from everlore.errors import Forbidden, NotFound
from everlore.store.port import Store
from everlore.turn.viewers import viewer_of

Nameable = Person | Conversation | Message | Campaign


async def conversation_of(store: Store, scope: Scope, id: str) -> Conversation:
    conversation = await store.get(scope, Conversation, id)
    if scope.confined_to is not None and conversation.user_id != scope.confined_to:
        raise _not_theirs(Conversation, id)
    return conversation


async def person_of(store: Store, scope: Scope, id: str) -> Person:
    """A person whom the caller may name: a character or themselves; anybody if the caller sees the whole workspace."""
    person = await store.get(scope, Person, id)
    if is_hidden(scope, person):
        raise _not_theirs(Person, id)
    return person


def is_hidden(scope: Scope, person: Person) -> bool:
    """Other users are hidden from callers who see only a part of the workspace."""
    own = scope.confined_to
    return own is not None and person.kind is PersonKind.USER and person.id != own


async def refuse_unknown_ids(store: Store, scope: Scope, *named: tuple[type[Nameable], str | None]) -> None:
    """Raises `NotFound` for an id that does not exist, and in the same words for one that the caller may not see, so
    that the error does not reveal which ids exist."""
    own = scope.confined_to
    for kind, id in named:
        if id is None:
            continue
        if kind is Person:
            await person_of(store, scope, id)
            continue
        if kind is Conversation:
            await conversation_of(store, scope, id)
            continue
        record = await store.get(scope, kind, id)
        if isinstance(record, Message) and not await open_to(store, scope, [record]):
            raise _not_theirs(kind, id)
        if isinstance(record, Campaign) and own not in (None, record.gm_id, *record.player_ids):
            raise _not_theirs(kind, id)


async def named_by(store: Store, scope: Scope, person_id: str, name: str) -> Conversation | None:
    """The conversation of this person with this id, or with this name (V11). Conversations of others with the same name
    are never found, even by the owner: nobody's messages may end up in somebody else's conversation."""
    ids = name, id_of_name(person_id, name)
    found = {each.id: each for each in await store.get_many(scope, Conversation, ids)}
    return next((found[id] for id in ids if id in found and found[id].user_id == person_id), None)


def id_of_name(person_id: str, name: str) -> str:
    """The id for a person's name of a conversation; different persons get different ids for the same name."""
    return hashlib.sha256(f"{person_id}\n{name}".encode(errors="surrogatepass")).hexdigest()[:26]


async def memory_of(store: Store, scope: Scope, id: str) -> Memory:
    """A memory that the caller may manage: their own, or one of a game that they run."""
    memory = await store.get(scope, Memory, id)
    if not may_keep(await viewer_of(store, scope), memory):
        raise _not_theirs(Memory, id)
    return memory


async def open_to(store: Store, scope: Scope, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of conversations that the caller may read. A shared memory may come from a conversation in which
    they have no part; they know the memory then, but not its messages."""
    if scope.confined_to is None:
        return tuple(messages)
    talks = await store.get_many(scope, Conversation, {each.conversation_id for each in messages})
    own = {each.id for each in talks if each.user_id == scope.confined_to}
    return tuple(each for each in messages if each.conversation_id in own)


def refuse_other(scope: Scope, person_id: str) -> None:
    """Callers who see only a part of a workspace speak and ask for nobody else."""
    if scope.confined_to is not None and person_id != scope.confined_to:
        raise Forbidden("With this token you act for yourself only. Leave the person out, or name yourself.")


def shown_to(scope: Scope, person: Person) -> Person:
    """The person as the caller may see them: a guest sees the public side of a character (C8)."""
    is_veiled = visibility(scope.role).redacted and person.kind is not PersonKind.USER
    return public_side(person) if is_veiled else person


def _not_theirs(kind: type[Nameable | Memory], id: str) -> NotFound:
    """In the words of the store, so that nobody learns that another person has one with this id."""
    return NotFound(f"There is no {kind.__name__} {id!r} in this workspace.")
