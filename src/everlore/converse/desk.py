"""What the flows of this room work with, given to each of them by the wiring."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from everlore.converse.backends import Backends
from everlore.converse.dice import Dice
from everlore.converse.holder import Holder
from everlore.converse.live import Live
from everlore.converse.structured import Troubles
from everlore.models.embedder import Embedder
from everlore.models.slots import Slots
from everlore.models.tokenizer import Tokenizer
from everlore.models.word_vectors import WordVectors
from everlore.recall.floor import Floors
from everlore.recall.flow import Reading
from everlore.settings import Settings
from everlore.store.port import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    store: Store
    embedder: Embedder | None
    tokenizer: Tokenizer
    backends: Backends
    slots: Slots
    troubles: Troubles
    floors: Floors
    words: WordVectors
    dice: Dice
    live: Live
    settings: Settings
    holder: Holder
    clock: Callable[[], datetime]
    new_id: Callable[[], str]


def reading_of(desk: Desk) -> Reading:
    """What recall works with."""
    search = desk.settings.search
    return Reading(
        store=desk.store,
        embedder=desk.embedder,
        floors=desk.floors,
        words=desk.words.of,
        pool=search.pool,
        vector_weight=search.vector_weight,
        now=desk.clock(),
    )
