"""A mind for stories: the real saving over the in-memory store, fed with dated statements.

`hears` takes a statement as an extractor would give it, and applies what comes of it, vectors included.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Category, Memory, MemoryLink, Status
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.learning.candidate import Candidate
from everlore.learning.embedding_jobs import vectors_of
from everlore.learning.saving.draft import Batch
from everlore.learning.saving.flow import Saved, saved
from everlore.models.embedder import Embedder
from everlore.models.wordllama import WordLlamaEmbedder
from everlore.store.port import Change, Put, Search, Store
from tests.store_double.store import DoubleStore

SCOPE = Scope("home")
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
# Loaded once: it only ever reads.
EMBEDDER = WordLlamaEmbedder()


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(hour=12, tzinfo=UTC)


def fact(content: str, **fields: Any) -> Candidate:
    return Candidate(**{"content": content, "category": Category.PERSONAL_INFO, **fields})


@dataclass
class Mind:
    store: Store
    embedder: Embedder | None = EMBEDDER
    persons: tuple[str, ...] = ("nova", "user")
    conversation_id: str = "chat"
    now: datetime = START
    made: int = 0
    last: Saved = field(default_factory=Saved)

    def new_id(self) -> str:
        self.made += 1
        return f"id{self.made:04}"

    async def hears(self, said_on: str, *statements: str | Candidate, message: str = "", **fields: Any) -> Saved:
        """On that day the user says these. Each call is a message of its own, unless it is told which."""
        said_at = day(said_on)
        self.now = max(self.now, said_at)
        message_id = message or self.new_id()
        await self._put_message(message_id, said_at, fields.get("conversation_id", self.conversation_id))
        candidates = [fact(each) if isinstance(each, str) else each for each in statements]
        batch = self.batch(candidates, message_id, said_at, **fields)
        self.last = await saved(self.store, self.embedder, SCOPE, batch, self.now, self.new_id)
        await self.apply(self.last.changes)
        return self.last

    def batch(self, candidates: Sequence[Candidate], message_id: str, said_at: datetime, **fields: Any) -> Batch:
        known: dict[str, Any] = {
            "candidates": tuple(candidates),
            "persons": self.persons,
            "conversation_id": self.conversation_id,
            "source_message_ids": (message_id,),
            "said_at": said_at,
        }
        return Batch(**{**known, **fields})

    async def apply(self, changes: Sequence[Change]) -> None:
        await self.store.apply(SCOPE, changes)
        if self.embedder is not None:
            waiting = await self.store.unembedded(SCOPE, self.embedder.name)
            if waiting:
                await self.store.apply(SCOPE, [await vectors_of(self.embedder, waiting)])

    async def _put_message(self, id: str, at: datetime, conversation_id: str) -> None:
        if not await self.store.get_many(SCOPE, Message, [id]):
            said = Message(
                workspace="home", id=id, conversation_id=conversation_id, content="…", created_at=at, updated_at=at
            )
            await self.store.apply(SCOPE, [Put(said)])

    # ── what it knows ──

    async def memories(self, *statuses: Status) -> list[Memory]:
        page = await self.store.find(SCOPE, Memory, {"status": [each.value for each in statuses or Status]}, limit=500)
        return list(page.items)

    async def current(self) -> list[str]:
        return sorted(each.content for each in await self.memories(Status.ACTIVE))

    async def past(self) -> list[str]:
        return sorted(each.content for each in await self.memories(Status.SUPERSEDED))

    async def waiting(self) -> list[str]:
        return sorted(each.content for each in await self.memories(Status.PENDING))

    async def the(self, content: str, *statuses: Status) -> Memory:
        """The one memory with these words."""
        (found,) = [each for each in await self.memories(*statuses) if each.content == content]
        return found

    async def links(self) -> set[tuple[str, str, str]]:
        """(this, kind, that), by their words."""
        page = await self.store.find(SCOPE, MemoryLink, {}, limit=500)
        words = {each.id: each.content for each in await self.memories()}
        return {(words[each.memory_id], each.kind.value, words[each.other_id]) for each in page.items}

    async def believed(self, on: str, about: str) -> list[str]:
        """What search answers as of that day, by words and vectors."""
        vector = None if self.embedder is None else (await self.embedder.embed([about]))[0]
        found = await self.store.search(
            SCOPE,
            Search(
                text=about,
                vector=vector,
                model=None if self.embedder is None else self.embedder.name,
                kinds=frozenset({PassageKind.MEMORY}),
                as_of=day(on),
            ),
        )
        return sorted(hit.memory.content for hit in found.hits)


async def mind(embedder: Embedder | None = EMBEDDER) -> Mind:
    made = Mind(DoubleStore(lambda: START), embedder)
    await furnish(made.store)
    return made


async def furnish(store: Store) -> None:
    """The persons and conversations that stories name."""
    times: dict[str, Any] = {"workspace": "home", "created_at": START, "updated_at": START}
    persons = [Person(id=id, name=id.title(), **times) for id in ("nova", "user", "max")]
    chats = [Conversation(id=id, **times) for id in ("chat", "other", "fork")]
    await store.apply(SCOPE, [*map(Put, persons), *map(Put, chats)])
