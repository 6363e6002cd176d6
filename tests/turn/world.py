"""What the stories of a conversation are told with: the real Everlore over a store in memory, models that follow
a script, a clock that obeys, and ids in order.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Self

from everlore.app import Everlore
from everlore.domain.conversation import Conversation, Message
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.errors import StoreUnavailable
from everlore.facade import BackgroundTasks
from everlore.learning.jobs import FACTS
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.chat import Ask, ChatModel, End, Piece
from everlore.models.choice import Endpoint
from everlore.models.hashing import HashingEmbedder
from everlore.models.registry import ChatModels
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.store.port import Change, Store
from everlore.turn.holder import Holder
from everlore.turn.reply_writer import Writing
from everlore.turn.resources import Resources
from everlore.turn.title_job import TITLE, Titling
from everlore.turn.turns import Turns
from everlore.wiring import assemble, handlers
from everlore.worker import Worker
from tests.sqlite import migrated
from tests.store_double.store import DoubleStore
from tests.worker.crew import FakeClock

HERE = "here"


class Gate:
    """A place in an answer where the model waits until the story lets it go on."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    def open(self) -> None:
        self.opened.set()


Step = str | Gate | Exception | End


class Scripted:
    """A model that answers as it was told, in order, and else "Fine."; it remembers what it was asked."""

    def __init__(self, name: str = "scripted", backend: str = "one backend") -> None:
        self.name = name
        self.backend = backend
        self.asks: list[Ask] = []
        self.left_early = 0
        self._answers: list[Sequence[Step]] = []

    def answers(self, *steps: Step) -> None:
        """The next of its answers: pieces, pauses, an error or an end."""
        self._answers.append(steps)

    def waits(self, *before: str, after: Sequence[Step] = ()) -> Gate:
        gate = Gate()
        self.answers(*before, gate, *after)
        return gate

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        self.asks.append(ask)
        ended = False
        try:
            for step in self._answers.pop(0) if self._answers else ["Fine."]:
                if isinstance(step, End):
                    yield step
                    ended = True
                    return
                async for piece in _played(step):
                    yield piece
            ended = True
            yield End(prompt_tokens=11, reply_tokens=7)
        finally:
            self.left_early += not ended

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def prompt(self) -> str:
        """All that the latest ask says."""
        return "\n".join(f"[{said.role}] {said.content}" for said in self.asks[-1].messages)


async def _played(step: str | Gate | Exception) -> AsyncIterator[Piece]:
    if isinstance(step, Exception):
        raise step
    if isinstance(step, Gate):
        step.reached.set()
        await step.opened.wait()
    else:
        yield Piece(step)


class Cast(ChatModels):
    """Who answers at which endpoint: the model of that name, or the first one; or an error."""

    def __init__(self) -> None:
        super().__init__(ChatSettings())
        self.first = Scripted()
        self.named: dict[str, ChatModel] = {}
        self.asked_for: list[Endpoint] = []
        self.error: Exception | None = None

    def get(self, endpoint: Endpoint) -> ChatModel:
        self.asked_for.append(endpoint)
        if self.error is not None:
            raise self.error
        return self.named.get(endpoint.model, self.first)


class Moody(DoubleStore):
    """The store in memory, which can be told to fail, or to do something just before it keeps a list of changes."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(clock)
        self.fails_if: Callable[[Sequence[Change]], bool] = lambda _: False
        self.reads_fail = False
        self.applied: list[Sequence[Change]] = []

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        if self.fails_if(changes):
            raise StoreUnavailable("The disk is full.")
        self.applied.append(changes)
        return await super().apply(scope, changes)

    async def search(self, scope: Scope, ask: Any) -> Any:
        if self.reads_fail:
            raise StoreUnavailable("The disk cannot be read.")
        return await super().search(scope, ask)


def settings_of(**given: Any) -> Settings:
    known: dict[str, Any] = {
        "workspace": HERE,
        "chat": ChatSettings(provider="openai", base_url="http://scripted.test/v1", model="scripted"),
        "embedding": EmbeddingSettings(provider="hashing"),
        "queue": QueueSettings(workers=0, quiet_s=0),
    }
    return Settings(**known | given)


@dataclass
class World:
    """One process. `reborn` is another one over the same store."""

    store: Any
    clock: FakeClock = field(default_factory=FakeClock)
    models: Cast = field(default_factory=Cast)
    holder: Holder = field(default_factory=lambda: Holder("host", 5_000_000, "first"))
    settings: Settings = field(default_factory=settings_of)
    save_every_s: float = 1.0
    sign_every_s: float = 20.0
    # Shared with whoever is reborn: no id is given twice.
    ids: Iterable[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        whole = assemble(
            self.settings, self.store, HashingEmbedder(), BytesTokenizer(), models=self.models, clock=self.clock
        )
        numbers = iter(self.ids)
        self.resources: Resources = replace(
            whole.resources, holder=self.holder, new_id=lambda: f"id-{next(numbers):05}"
        )
        self.turns = Turns(self.resources, save_every_s=self.save_every_s, sign_every_s=self.sign_every_s)
        self.paused_s: list[float] = []
        self.worker = self._worker()
        self.lore = Everlore(Scope(HERE), self.resources, BackgroundTasks(lambda: self.turns, lambda: [self.worker]))
        self.scope = self.lore.scope

    @property
    def model(self) -> Scripted:
        return self.models.first

    def reborn(self, holder: Holder) -> Self:
        return replace(self, holder=holder)

    def _worker(self) -> Worker:
        async def pause(seconds: float) -> None:
            self.paused_s.append(seconds)

        resources = self.resources
        titling = Titling(resources.store, resources.backends, resources.slots, resources.troubles, pause=pause)
        work = {**handlers(resources), TITLE: titling}
        return Worker(
            resources.store,
            work,
            self.settings.queue,
            name="w",
            clock=self.clock,
            dice=random.Random(1),
            live=resources.live,
            together=frozenset({FACTS}),
        )

    # ── what happens ─────────────────────────────────────────────────────────────────────────────

    async def meets(self, name: str, **fields: Any) -> Person:
        return await self.lore.characters.create(name=name, **{"id": name.lower(), **fields})

    async def sits_down(self, *names: str, id: str | None = None, **config: Any) -> Conversation:
        """A conversation with these, who are met first if need be. It gets no title, and nothing is learnt, unless
        the config says so."""
        for name in names:
            if not await self.store.get_many(self.scope, Person, [name.lower()]):
                await self.meets(name)
        config = {"auto_title": False, "extract_memories": False} | config
        return await self.lore.conversations.start([name.lower() for name in names], id=id, config=config)

    async def begins(self, talk: Conversation | str, text: str, **how: Any) -> Writing:
        return await self.turns.say(self.scope, _id(talk), text, **how)

    async def says(self, talk: Conversation | str, text: str, **how: Any) -> Message:
        """Say it, and wait for the reply."""
        return await (await self.begins(talk, text, **how)).reply()

    async def again(self, talk: Conversation | str, reply: Message) -> Message:
        return await (await self.turns.regenerate(self.scope, _id(talk), reply.id)).reply()

    async def more(self, talk: Conversation | str, reply: Message) -> Message:
        return await (await self.turns.go_on(self.scope, _id(talk), reply.id)).reply()

    async def stops(self, talk: Conversation | str) -> Message:
        stopped = await self.turns.stop(self.scope, _id(talk))
        assert stopped is not None
        return stopped

    # ── what is there ────────────────────────────────────────────────────────────────────────────

    async def log(self, talk: Conversation | str) -> list[Message]:
        return list(await self.lore.messages.all(_id(talk)))

    async def said(self, talk: Conversation | str) -> list[str]:
        return [each.content for each in await self.log(talk)]

    async def stored(self, talk: Conversation | str) -> list[Message]:
        """As it is in the store, without anybody mending it."""
        page = await self.store.find(self.scope, Message, {"conversation_id": _id(talk)}, limit=1000)
        return list(page.items)

    async def talk(self, talk: Conversation | str) -> Conversation:
        return await self.lore.conversations.get(_id(talk))

    async def works(self) -> None:
        """All background work that may run now."""
        while await self.worker.step():
            pass


def world(**given: Any) -> World:
    clock = FakeClock()
    return World(Moody(clock), clock=clock, **given)


async def on_sqlite(path: Path, **given: Any) -> World:
    from everlore.settings import StoreSettings
    from everlore.store.sqlite.store import SqliteStore

    clock = FakeClock()
    store: Store = await SqliteStore.open(migrated(path), StoreSettings(), clock=clock)
    return World(store, clock=clock, **given)


def _id(talk: Conversation | str) -> str:
    return talk if isinstance(talk, str) else talk.id


def hours(number: float) -> float:
    return timedelta(hours=number).total_seconds()


def plain(message: Message) -> Mapping[str, Any]:
    """A message without what differs from one telling of a story to the next."""
    apart = {"id", "conversation_id", "created_at", "updated_at"}
    return {name: getattr(message, name) for name in message.__dataclass_fields__ if name not in apart}
