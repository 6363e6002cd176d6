"""What the jobs of learning work with: the store, models for thinking and for vectors, and how facts are saved."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Conversation, Message
from everlore.domain.job import Job
from everlore.domain.person import Person, preferring
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.learning.facts.trust import Trust
from everlore.learning.saving.flow import Batch, Saved, saved
from everlore.learning.saving.neighbour_index import NeighbourIndexes
from everlore.models.chat import Purpose
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Store

_PAGE = 200


class Mind(Protocol):
    """A port, for the models are chosen elsewhere: a model, or None where there is none."""

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None: ...


@dataclass(frozen=True, slots=True)
class Tools:
    """`count`: how many tokens a text has. `trust`: how far models are believed, where the operator fixed that."""

    store: Store
    embedder: Embedder | None
    mind: Mind
    new_id: Callable[[], str]
    count: Callable[[str], int]
    saving: SavingSettings | None = None
    trust: Trust | None = None

    async def conversation(self, scope: Scope, id: str) -> Conversation | None:
        found = await self.store.get_many(scope, Conversation, [id])
        return found[0] if found else None

    async def persons(
        self, scope: Scope, conversation: Conversation, messages: Iterable[Message] = ()
    ) -> dict[str, Person]:
        """Those of a conversation, and who speaks in these messages."""
        ids = (conversation.user_id, *conversation.system_ids, *(each.person_id for each in messages))
        found = await self.store.get_many(scope, Person, dict.fromkeys(id for id in ids if id is not None))
        return {each.id: each for each in found}

    async def messages(self, scope: Scope, conversation: Conversation, first: int, last: int) -> list[Message]:
        """Those from one number to another, both included."""
        found: list[Message] = []
        for start in range(first, last + 1, _PAGE):
            seqs = tuple(range(start, min(start + _PAGE, last + 1)))
            where = {"conversation_id": conversation.id, "seq": seqs}
            found += (await self.store.find(scope, Message, where, limit=_PAGE)).items
        return found

    async def save(
        self,
        scope: Scope,
        batches: Sequence[Batch],
        now: datetime,
        *,
        after: Sequence[Change] = (),
        indexes: NeighbourIndexes | None = None,
    ) -> Saved:
        """One after the other, each in the light of those before it."""
        every, indexes = Saved(), indexes or NeighbourIndexes(self.store, scope)
        for batch in batches:
            ahead = [*after, *every.changes]
            every += await saved(
                self.store,
                self.embedder,
                scope,
                batch,
                now,
                self.new_id,
                chosen=self.saving,
                after=ahead,
                indexes=indexes,
            )
        return every

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None:
        return await self.mind.asker(scope, purpose, config)


class LearningHandler(ABC):
    """Does the jobs of one kind, one after the other."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._store = tools.store

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        return [change for job in jobs for change in await self._run(scope, job, now)]

    @abstractmethod
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        """The changes that one job makes."""


async def config_for(store: Store, scope: Scope, conversation: Conversation) -> ConversationConfig:
    """The config of a conversation with the models of its first character, where it names none itself (V9)."""
    found = await store.get_many(scope, Person, conversation.system_ids[:1])
    return config_with(conversation, {each.id: each for each in found})


def config_with(conversation: Conversation, persons: Mapping[str, Person]) -> ConversationConfig:
    """The same, where the first character has been read already."""
    config = config_of(conversation.config)
    first = next((persons[id] for id in conversation.system_ids[:1] if id in persons), None)
    return preferring(first, config) if first else config
