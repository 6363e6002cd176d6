"""What the jobs of learning work with: the store, models for thinking and for vectors, and how facts are saved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Conversation
from everlore.domain.job import Job
from everlore.domain.person import Person, preferring
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.learning.facts.trust import Trust
from everlore.models.chat import Purpose
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Store


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

    async def asker(self, scope: Scope, purpose: Purpose, config: ConversationConfig) -> Asker | None:
        return await self.mind.asker(scope, purpose, config)


class LearningHandler:
    """Does the jobs of one kind, one after the other."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._store = tools.store

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        return [change for job in jobs for change in await self._run(scope, job, now)]

    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        raise NotImplementedError


async def config_for(store: Store, scope: Scope, conversation: Conversation) -> ConversationConfig:
    """The config of a conversation with the models of its first character, where it names none itself (V9)."""
    found = await store.get_many(scope, Person, conversation.system_ids[:1])
    config = config_of(conversation.config)
    return preferring(found[0], config) if found else config
