"""The tools of learning jobs: the store, models for text and for vectors, and saving facts."""

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
from everlore.learning.saving.draft import Batch
from everlore.learning.saving.flow import Saved, saved
from everlore.learning.saving.neighbour_index import NeighbourIndexes
from everlore.models.chat import Purpose
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Store

_PAGE = 200


class Mind(Protocol):
    """The port to the models, which are chosen elsewhere: a model, or None if there is none."""

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None: ...


@dataclass(frozen=True, slots=True)
class Tools:
    """`count`: counts a text's tokens. `trust`: the trust in models, if the operator fixed it."""

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
        """The people of a conversation, and the authors of these messages."""
        ids = (conversation.user_id, *conversation.system_ids, *(each.person_id for each in messages))
        found = await self.store.get_many(scope, Person, dict.fromkeys(id for id in ids if id is not None))
        return {each.id: each for each in found}

    async def messages(self, scope: Scope, conversation: Conversation, first: int, last: int) -> list[Message]:
        """The messages from number `first` to `last`, inclusive."""
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
        """Saves batches in order; each sees the results of those before it."""
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
    """Base class for handlers that do the jobs of one kind one by one."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._store = tools.store

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        return [change for job in jobs for change in await self._run(scope, job, now)]

    @abstractmethod
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        """The changes that one job makes."""


async def config_for(store: Store, scope: Scope, conversation: Conversation) -> ConversationConfig:
    """The conversation's config, completed by the model choices of its first character (V9)."""
    found = await store.get_many(scope, Person, conversation.system_ids[:1])
    return config_with(conversation, {each.id: each for each in found})


def config_with(conversation: Conversation, persons: Mapping[str, Person]) -> ConversationConfig:
    """The same, with the people already loaded."""
    config = config_of(conversation.config)
    first = next((persons[id] for id in conversation.system_ids[:1] if id in persons), None)
    return preferring(first, config) if first else config
