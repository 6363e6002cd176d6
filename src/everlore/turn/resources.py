"""What the services of this package work with; the wiring passes it to each of them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from everlore.domain.campaign import Entity
from everlore.domain.conversation import Conversation, Message
from everlore.domain.scope import Scope
from everlore.models.embedder import Embedder
from everlore.models.slots import Slots
from everlore.models.tokenizer import Tokenizer
from everlore.models.word_vectors import WordVectors
from everlore.recall.analysis import RecallTools
from everlore.recall.noise import NoiseModels
from everlore.settings import Settings
from everlore.store.port import Change, Store
from everlore.turn.backends import Backends
from everlore.turn.backlog import Backlog
from everlore.turn.dice import Dice
from everlore.turn.holder import Holder
from everlore.turn.live import Live
from everlore.turn.locks import Locks
from everlore.turn.structured import Troubles


class CampaignHooks(Protocol):
    """What a conversation needs from the campaign that it belongs to."""

    def mentioned_in(self, text: str, entities: Sequence[Entity], most: int) -> list[Entity]:
        """The entities that a text mentions, in the order of their first mention."""

    async def digested_again(
        self,
        store: Store,
        scope: Scope,
        conversation: Conversation,
        messages: Sequence[Message],
        now: datetime,
        new_id: Callable[[], str],
    ) -> list[Change]:
        """The changes that follow for ended sessions when these messages were edited or deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    store: Store
    embedder: Embedder | None
    tokenizer: Tokenizer
    backends: Backends
    slots: Slots
    troubles: Troubles
    floors: NoiseModels
    words: WordVectors
    dice: Dice
    live: Live
    settings: Settings
    holder: Holder
    campaigns: CampaignHooks
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    # Conversations are started one at a time: two requests with the same id must not both find it free.
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    # Memories are saved one at a time: two that say the same must not both find nothing similar.
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    # Requests of one caller to one character are aligned one after the other: each may change the log.
    understanding: Locks = field(default_factory=Locks)
    # Changes of one conversation wait for each other: each is merged into the stored config.
    changing: Locks = field(default_factory=Locks)
    # Captured events whose caller could not wait for them to be saved.
    backlog: Backlog = field(default_factory=Backlog)


def reading_of(resources: Resources) -> RecallTools:
    """What recall works with."""
    search = resources.settings.search
    return RecallTools(
        store=resources.store,
        embedder=resources.embedder,
        floors=resources.floors,
        words=resources.words.of,
        pool=search.pool,
        vector_weight=search.vector_weight,
        now=resources.clock(),
    )
