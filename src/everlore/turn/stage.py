"""The stage of a turn: a conversation with its config, its persons, and its latest messages, read together."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from everlore.compose.talk import messages_read
from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Conversation, Message
from everlore.domain.event import EventType
from everlore.domain.person import Person, PersonKind
from everlore.domain.policy import can_write
from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.learning.summaries.kept import summarised_to
from everlore.store.all_pages import each_of
from everlore.store.port import Store
from everlore.turn.ownership import conversation_of, shown_to
from everlore.turn.resources import Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """`history` is oldest first, and has as many messages as a prompt may need. `summarised_to`: the last message that
    a summary covers."""

    conversation: Conversation
    config: ConversationConfig
    persons: Mapping[str, Person]
    history: tuple[Message, ...]
    summarised_to: int = 0

    @property
    def cast(self) -> list[Person]:
        """Those whom the model plays, without deleted characters."""
        ids = self.conversation.system_ids
        return [self.persons[id] for id in ids if id in self.persons]

    @property
    def user(self) -> Person | None:
        return self.persons.get(self.conversation.user_id or "")

    @property
    def names(self) -> dict[str, str]:
        return {id: person.name for id, person in self.persons.items()}

    @property
    def here(self) -> list[Person]:
        """Those of the cast who can answer now: absent ones cannot."""
        here = [person for person in self.cast if person.id in self.present]
        if not here:
            raise BadAsk("No character is present to reply. Set who is in the scene (`present` of the conversation).")
        return here

    @property
    def present(self) -> tuple[str, ...]:
        """Who is present (V13): those whom the conversation lists as present, or all its participants."""
        everybody = [*([self.conversation.user_id] if self.conversation.user_id else []), *self.conversation.system_ids]
        here = self.conversation.metadata.get("present")
        return tuple(id for id in everybody if not isinstance(here, list) or id in here or self._is_always_there(id))

    def _is_always_there(self, id: str) -> bool:
        """The user and the narrator."""
        person = self.persons.get(id)
        return id == self.conversation.user_id or (person is not None and person.kind is PersonKind.NARRATOR)


async def set_stage(
    resources: Resources,
    scope: Scope,
    conversation_id: str,
    config: ConversationConfig | None = None,
    *,
    sent: int | None = None,
) -> Stage:
    """`config` replaces the conversation's own. `sent`: how many messages a client wants word for word."""
    conversation = await conversation_of(resources.store, scope, conversation_id)
    config = config or config_of(conversation.config)
    if not conversation.config.keys() & {"message_trim", "prune"}:
        config = with_room_for(config, sent)
    if not can_write(scope.mode, EventType.REFLECTION):
        config = config.model_copy(update={"extract_memories": False})
    ids = [*conversation.system_ids, *([conversation.user_id] if conversation.user_id else [])]
    persons, history, covered = await asyncio.gather(
        resources.store.get_many(scope, Person, ids),
        latest(resources.store, scope, conversation_id, messages_read(config)),
        summarised_to(resources.store, scope, conversation_id),
    )
    stage = Stage(
        conversation=conversation,
        config=config,
        persons={person.id: shown_to(scope, person) for person in persons},
        history=history,
        summarised_to=covered,
    )
    if not stage.cast:
        raise BadAsk(
            f"Nobody can reply in conversation {conversation_id!r}: its character was deleted. "
            "Start a new chat with another character."
        )
    return stage


def with_room_for(config: ConversationConfig, sent: int | None) -> ConversationConfig:
    """As many messages word for word as a client sends, if it sends more than usual."""
    return config.model_copy(update={"message_trim": max(config.message_trim, sent or 0)})


async def latest(store: Store, scope: Scope, conversation_id: str, count: int) -> tuple[Message, ...]:
    """The newest messages of the conversation, oldest first. Hidden ones are in no prompt, so they are skipped."""
    where = {"conversation_id": conversation_id, "hidden": False}
    page = await store.find(scope, Message, where, limit=count, newest_first=True)
    return tuple(reversed(page.items))


async def before_message(store: Store, scope: Scope, message: Message, count: int) -> tuple[Message, ...]:
    """The messages just before one of them, oldest first."""
    found: list[Message] = []
    where = {"conversation_id": message.conversation_id, "hidden": False}
    async for each in each_of(store, scope, Message, where, at_a_time=max(count + 1, 100), newest_first=True):
        if each.seq < message.seq:
            found.append(each)
        if len(found) >= count:
            break
    return tuple(reversed(found))
