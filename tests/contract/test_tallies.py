"""What there is of each kind is counted as it comes and goes, and is always what a look would find (C9)."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import floor
from typing import Any

import numpy as np
import pytest

from everlore.domain.campaign import Campaign, Entity
from everlore.domain.conversation import Author, Conversation, Message, MessageState, Summary
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, NotFound
from everlore.store.answers import Coverage, KindCount
from everlore.store.port import Amend, Change, Count, Delete, DropVectors, Embed, Put, Store
from tests.contract.builders import (
    MODEL,
    OTHER,
    SCOPE,
    START,
    WORKSPACE,
    axis,
    campaign,
    conversation,
    embed,
    entity,
    event,
    memory,
    message,
    minute,
    miss,
    person,
    save,
    summary,
)
from tests.contract.conftest import FakeClock, Home
from tests.soak import seeds

HOUR = floor(START.timestamp() / 3600)
LONG_AGO = START.replace(year=1815, minute=59)


async def _told(store: Store, *kinds: str, scope: Scope = SCOPE) -> dict[tuple[str, str], int]:
    tallies = await store.tallies(scope)
    return {(each.kind, each.type): each.count for each in tallies if each.kind in kinds}


# ── what is counted ──────────────────────────────────────────────────────────────────────────────


async def test_an_empty_workspace_has_nothing_to_tell(store: Store) -> None:
    assert await store.tallies(SCOPE) == []
    assert await store.tallies(SCOPE, since=START) == []


async def test_each_kind_is_counted_by_its_type(store: Store) -> None:
    """C9: in all, in the order of kinds and types."""
    await save(
        store,
        conversation(),
        message("a"),
        message("b", author=Author.ASSISTANT),
        message("c", author=Author.ASSISTANT),
        memory("fact"),
        memory("goal", type=MemoryType.GOAL, status=Status.PENDING),
        event("read", type=EventType.FILE_READ, content=""),
        summary("sum"),
        miss("missed"),
        person("ada"),
    )

    assert await store.tallies(SCOPE) == [
        KindCount("conversation", "", 1),
        KindCount("event", "file_read", 1),
        KindCount("memory", "FACT", 1),
        KindCount("memory", "GOAL", 1),
        KindCount("message", "assistant", 2),
        KindCount("message", "user", 1),
        KindCount("miss", "", 1),
        KindCount("passage", "", 6),
        KindCount("status", "active", 1),
        KindCount("status", "pending", 1),
        KindCount("summary", "", 1),
    ]


async def test_what_came_since_is_counted_by_the_hour(store: Store) -> None:
    """C9: `since` counts from the beginning of its hour; a time before 1970 has its hour too."""
    await save(
        store,
        conversation(),
        memory("long ago", at=LONG_AGO),
        memory("before", at=minute(-1)),
        memory("now", at=minute(10)),
        memory("also now", at=minute(50)),
        event("yesterday", at=minute(-1440), created_at=START),
        event("soon", at=minute(61)),
        message("said", created_at=minute(5)),
    )

    assert await store.tallies(SCOPE, since=minute(30)) == [
        KindCount("event", "observation", 1, HOUR + 1),
        KindCount("memory", "FACT", 2, HOUR),
        KindCount("message", "user", 1, HOUR),
    ]
    memories = [each for each in await store.tallies(SCOPE, since=LONG_AGO) if each.kind == "memory"]
    assert [(each.count, each.hour) for each in memories] == [
        (1, floor(LONG_AGO.timestamp() / 3600)),
        (1, HOUR - 1),
        (2, HOUR),
    ]


async def test_what_becomes_another_type_is_counted_as_that(store: Store) -> None:
    """C9: and what turns out to have happened at another time, then."""
    first = memory("m")
    await save(store, conversation(), first, event("e"), message("said"))

    await save(store, revise(first, minute(1), type=MemoryType.GOAL, status=Status.REJECTED))
    await store.apply(SCOPE, [Amend(Event, "e", {"type": EventType.DREAM, "at": minute(-90)})])
    await store.apply(SCOPE, [Amend(Message, "said", {"author": Author.SYSTEM})])

    assert await _told(store, "memory", "status", "event", "message") == {
        ("memory", "GOAL"): 1,
        ("status", "rejected"): 1,
        ("event", "dream"): 1,
        ("message", "system"): 1,
    }
    assert KindCount("event", "dream", 1, HOUR - 2) in await store.tallies(SCOPE, since=minute(-120))


async def test_what_is_gone_is_not_counted(store: Store) -> None:
    """C9, M9: whatever it went with."""
    await save(store, conversation(), message("said"), summary("sum"), event("e", conversation_id="chat"), campaign())
    await save(store, miss("missed", conversation_id="chat"), memory("canon", campaign_id="quest"))
    await embed(store, {"Ada likes the sea.": axis(0), "Hello there.": axis(1)})

    await store.apply(SCOPE, [Delete(Conversation, "chat"), Delete(Campaign, "quest")])

    assert await store.tallies(SCOPE) == []
    assert await store.tallies(SCOPE, since=minute(-999)) == []
    assert await store.coverage(SCOPE, MODEL) == Coverage(0, 0)


async def test_what_was_refused_is_not_counted(store: Store) -> None:
    """C5, C9."""
    with pytest.raises(NotFound):
        await store.apply(SCOPE, [Put(memory("m")), Count("prompts"), Delete(Person, "nobody")])

    assert await store.tallies(SCOPE) == []


# ── the index ────────────────────────────────────────────────────────────────────────────────────


async def test_a_vector_counts_as_long_as_its_passage_is_of_the_present(store: Store) -> None:
    """C9, M6: the words of an earlier revision, and their vectors, are not what is covered."""
    first = memory("m", "Ada likes the sea.")
    await save(store, first, memory("other", "Bo likes tea."))
    await embed(store, {"Ada likes the sea.": axis(0), "Bo likes tea.": axis(1)})
    before = await _told(store, "passage", "vector")

    second = revise(first, minute(1), content="Ada loves the sea.")
    await save(store, second)
    reworded = await _told(store, "passage", "vector")
    await embed(store, {"Ada loves the sea.": axis(2)})
    await save(store, revise(second, minute(2), importance=9, persons=()))

    assert before == {("passage", ""): 2, ("vector", MODEL): 2}
    assert reworded == {("passage", ""): 2, ("vector", MODEL): 1}
    assert await _told(store, "passage", "vector") == before
    assert await store.coverage(SCOPE, MODEL) == Coverage(2, 2)


async def test_a_memory_that_is_put_away_is_not_in_the_index(store: Store) -> None:
    """C9, M10: it is still a memory, and comes back."""
    first = memory("m")
    await save(store, first)
    await embed(store, {"Ada likes the sea.": axis(0)})
    away = revise(first, minute(1), status=Status.DELETED)

    await save(store, away)
    put_away = await store.tallies(SCOPE)
    await save(store, revise(away, minute(2), status=Status.ACTIVE))

    assert put_away == [KindCount("memory", "FACT", 1), KindCount("status", "deleted", 1)]
    assert await store.coverage(SCOPE, MODEL) == Coverage(1, 0)


async def test_vectors_are_counted_by_their_model(store: Store) -> None:
    """C9, M14: one that is embedded again still has one vector."""
    await save(store, memory("m"), memory("other", "Bo likes tea."))
    [row, _] = [each.row for each in await store.unembedded(SCOPE, MODEL)]
    await embed(store, {"Ada likes the sea.": axis(0), "Bo likes tea.": axis(1)})
    await embed(store, {"Bo likes tea.": axis(1)}, model="other")
    await store.apply(SCOPE, [Embed(MODEL, (row, 10**9), np.array([axis(3), axis(4)]))])

    both = await _told(store, "vector")
    await store.apply(SCOPE, [DropVectors("other")])

    assert both == {("vector", MODEL): 2, ("vector", "other"): 1}
    assert await _told(store, "vector") == {("vector", "other"): 1}
    assert await store.coverage(SCOPE, MODEL) == Coverage(2, 0)
    assert await store.coverage(SCOPE, "other") == Coverage(2, 1)


async def test_what_is_embedded_while_it_is_reworded_is_counted_once(home: Home) -> None:
    """C9, C5: a vector that comes for words that are just going counts for neither."""
    store = home.store
    first = [memory(f"m{number}", f"Ada has seen lighthouse {number}.") for number in range(30)]
    await save(store, *first)

    async def reword(one: Memory) -> None:
        for number in range(4):
            one = revise(one, minute(number + 1), content=f"{one.content} Again.")
            await save(store, one)

    async def embed_all() -> None:
        for _ in range(6):
            rows = tuple(each.row for each in await store.unembedded(SCOPE, MODEL, limit=10))
            await store.apply(SCOPE, [Embed(MODEL, rows, np.array([axis(0)] * len(rows), np.float32).reshape(-1, 8))])

    await asyncio.gather(*map(reword, first), *(embed_all() for _ in range(4)))

    held = await home.held(WORKSPACE)
    assert await store.coverage(SCOPE, MODEL) == Coverage(30, len(held.vectors.get(MODEL, ())))
    assert len(held.passages) == 30


# ── what is no record ────────────────────────────────────────────────────────────────────────────


async def test_what_is_no_record_is_counted_by_name(store: Store, clock: FakeClock) -> None:
    """C9: in all, and in the hour in which it was counted."""
    results = await store.apply(SCOPE, [Count("prompts"), Count("tokens", 1_200), Count("prompts", 2)])
    clock.pass_time(3600)
    await store.apply(SCOPE, [Count("tokens", 10**9), Count("né 🐉 '", -5)])

    assert results == [None, None, None]
    assert await store.tallies(SCOPE) == [
        KindCount("count", "né 🐉 '", -5),
        KindCount("count", "prompts", 3),
        KindCount("count", "tokens", 1_000_001_200),
    ]
    assert await store.tallies(SCOPE, since=minute(0)) == [
        KindCount("count", "né 🐉 '", -5, HOUR + 1),
        KindCount("count", "prompts", 3, HOUR),
        KindCount("count", "tokens", 1_200, HOUR),
        KindCount("count", "tokens", 10**9, HOUR + 1),
    ]
    assert await store.workspaces() == ["one"]


async def test_a_count_that_comes_to_nothing_is_not_told(store: Store) -> None:
    await store.apply(SCOPE, [Count("prompts", 3), Count("nothing", 0)])
    await store.apply(SCOPE, [Count("prompts", -3)])

    assert await store.tallies(SCOPE) == []
    assert await store.tallies(SCOPE, since=START) == []


async def test_counts_that_come_at_once_are_all_counted(store: Store) -> None:
    """C9, C5: writers of one workspace neither lose a count nor wait for each other."""
    await save(store, conversation())

    await asyncio.gather(
        *(
            store.apply(SCOPE, [Put(memory(f"m{number}")), Count("prompts"), Put(event(f"e{number}"))])
            for number in range(40)
        ),
        *(store.apply(SCOPE, [Put(event(f"f{number}")), Put(memory(f"n{number}"))]) for number in range(40)),
    )

    assert await _told(store, "memory", "event", "count", "passage") == {
        ("memory", "FACT"): 80,
        ("event", "observation"): 80,
        ("count", "prompts"): 40,
        ("passage", ""): 160,
    }


# ── always what a look would find ────────────────────────────────────────────────────────────────


class Workload:
    """Changes of all kinds to a small world, chosen by chance and the same for the same seed."""

    def __init__(self, store: Store, scope: Scope, seed: int) -> None:
        self.store, self.scope = store, scope
        self.dice = random.Random(seed)
        self.number = 0

    async def run(self, steps: int) -> None:
        await self.store.apply(self.scope, [Put(self._made(conversation, "chat")), Put(self._made(person, "ada"))])
        actions = [self._add, self._add, self._add, self._revise, self._edit, self._delete, self._delete, self._embed]
        rarely = [self._add_many, self._drop_vectors, self._clean_up, self._count, self._fail]
        for _ in range(steps):
            await self.dice.choice([*actions, self.dice.choice(rarely)])()

    def _made(self, make: Any, id: str, *texts: str, **fields: Any) -> Any:
        return make(id, *texts, workspace=self.scope.workspace, **fields)

    def _time(self) -> datetime:
        return START + timedelta(minutes=self.dice.choice((0, -1, 30, 61, 60, 200, -60 * 24 * 365 * 60)))

    async def _records(self, kind: type[Any]) -> list[Any]:
        return list((await self.store.find(self.scope, kind, limit=10_000)).items)

    async def _any(self, kind: type[Any]) -> Any:
        records = await self._records(kind)
        return self.dice.choice(records) if records else None

    async def _new(self) -> Any:
        """A record of some kind that names what there is."""
        self.number += 1
        id, at = f"r{self.number}", self._time()
        words = f"Word{self.dice.randrange(9)} {id}"
        chat, who, quest = await self._any(Conversation), await self._any(Person), await self._any(Campaign)
        in_chat = {"conversation_id": chat.id if chat else None}
        choices = [
            lambda: self._made(
                memory,
                id,
                words,
                at=at,
                type=self.dice.choice(list(MemoryType)[:3]),
                status=self.dice.choice((Status.ACTIVE, Status.PENDING)),
                persons=(who.id,) if who else (),
                campaign_id=quest.id if quest and self.dice.random() < 0.2 else None,
            ),
            lambda: self._made(event, id, words, at=at, type=self.dice.choice(list(EventType)), **in_chat),
            lambda: self._made(miss, id, created_at=at, **in_chat),
            lambda: self._made(conversation, id, inner_of_id=chat.id if chat and self.dice.random() < 0.3 else None),
            lambda: self._made(person, id),
            lambda: self._made(campaign, id),
            lambda: self._made(entity, id, words),
        ]
        if chat:
            choices += [lambda: self._message(id, words, at, chat.id)] * 3
            choices.append(lambda: self._made(summary, id, words, created_at=at, **in_chat))
        return self.dice.choice(choices)()

    def _message(self, id: str, words: str, at: datetime, chat: str) -> Message:
        state = self.dice.choice((MessageState.COMPLETE, MessageState.STREAMING))
        author, private = self.dice.choice(list(Author)), self.dice.random() < 0.2
        made: Message = self._made(
            message, id, words, created_at=at, conversation_id=chat, author=author, state=state, private=private
        )
        return made

    async def _add(self) -> None:
        await self.store.apply(self.scope, [Put(await self._new())])

    async def _add_many(self) -> None:
        self.number += 1
        at = self._time()
        many = [self._made(memory, f"b{self.number}-{each}", f"One of many {each}", at=at) for each in range(60)]
        await self.store.apply(self.scope, [Put(each) for each in many])

    async def _revise(self) -> None:
        old = await self._any(Memory)
        if old is None:
            return
        changes = self.dice.choice(
            (
                {"content": f"Another {self.number}"},
                {"importance": self.dice.randrange(1, 11)},
                {"type": self.dice.choice(list(MemoryType)[:3])},
                {"created_at": self._time()},
                {"status": self.dice.choice(list(Status))},
            )
        )
        # Not every status leads to every other.
        with contextlib.suppress(BadAsk):
            await self.store.apply(self.scope, [Put(revise(old, old.updated_at + timedelta(minutes=1), **changes))])

    async def _edit(self) -> None:
        said, happened = await self._any(Message), await self._any(Event)
        changes: list[Change] = []
        if said:
            fields = self.dice.choice(
                (
                    {"content": "Other words."},
                    {"author": Author.ASSISTANT},
                    {"created_at": self._time()},
                    {"private": True},
                )
            )
            changes.append(Amend(Message, said.id, fields))
            changes.append(Amend(Message, said.id, {"state": MessageState.COMPLETE}))
        if happened:
            changes.append(Amend(Event, happened.id, {"type": EventType.DREAM, "at": self._time()}))
            changes.append(Amend(Event, happened.id, {"content": self.dice.choice(("", "It rained."))}))
        for each in (Summary, Miss):
            record = await self._any(each)
            if record:
                changes.append(Amend(each, record.id, {"created_at": self._time()}))
        await self.store.apply(self.scope, changes)

    async def _delete(self) -> None:
        kinds = (Memory, Memory, Message, Message, Event, Summary, Miss, Person, Entity, Conversation, Campaign)
        kind = self.dice.choice(kinds)
        record = await self._any(kind)
        if record:
            await self.store.apply(self.scope, [Delete(kind, record.id)])

    async def _embed(self) -> None:
        model = self.dice.choice((MODEL, "other"))
        waiting = await self.store.unembedded(self.scope, model, limit=self.dice.randrange(1, 40))
        rows = tuple(each.row for each in waiting)
        vectors = np.array([axis(row % 8) for row in rows], np.float32).reshape(-1, 8)
        await self.store.apply(self.scope, [Embed(model, rows, vectors), Embed(model, rows[:1], vectors[:1])])

    async def _drop_vectors(self) -> None:
        await self.store.apply(self.scope, [DropVectors(self.dice.choice((MODEL, "other")))])

    async def _clean_up(self) -> None:
        await self.store.cleanup(self.scope, dry_run=self.dice.random() < 0.5, keys_before=START)

    async def _count(self) -> None:
        await self.store.apply(self.scope, [Count("tokens", 5), Count("tokens", -5)])

    async def _fail(self) -> None:
        with contextlib.suppress(NotFound):
            await self.store.apply(self.scope, [Put(await self._new()), Delete(Person, "nobody")])


async def _recounted(home: Home, scope: Scope) -> tuple[dict[Any, int], dict[Any, int]]:
    """What there is, by looking: in all, and by the hour."""
    looked: list[tuple[str, str, datetime | None]] = []
    for kind, describe in _LOOKS.items():
        for record in (await home.store.find(scope, kind, limit=10_000)).items:
            looked += describe(record)
    held = await home.held(scope.workspace)
    index = {("passage", ""): len(held.passages)}
    index |= {("vector", model): len(rows) for model, rows in held.vectors.items()}
    total = Counter((kind, type) for kind, type, _ in looked) + Counter(index)
    hours = Counter((kind, type, floor(at.timestamp() / 3600)) for kind, type, at in looked if at is not None)
    return dict(total), dict(hours)


_LOOKS: dict[type[Any], Any] = {
    Memory: lambda each: [("memory", each.type.value, each.created_at), ("status", each.status.value, None)],
    Event: lambda each: [("event", each.type.value, each.at)],
    Message: lambda each: [("message", each.author.value, each.created_at)],
    Conversation: lambda _: [("conversation", "", None)],
    Summary: lambda each: [("summary", "", each.created_at)],
    Miss: lambda each: [("miss", "", each.created_at)],
}


def _in_all(tallies: list[KindCount]) -> Iterator[tuple[tuple[str, str], int]]:
    for each in tallies:
        assert each.hour is None
        yield (each.kind, each.type), each.count


def _by_hour(tallies: list[KindCount]) -> Iterator[tuple[tuple[str, str, int], int]]:
    for each in tallies:
        assert each.hour is not None
        yield (each.kind, each.type, each.hour), each.count


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_after_whatever_happened_the_tallies_are_what_a_look_finds(home: Home, seed: int) -> None:
    """C9, M9: on both sides of a wall between workspaces, and the coverage with them."""
    for scope in (SCOPE, OTHER):
        await Workload(home.store, scope, seed).run(120)

    for scope in (SCOPE, OTHER):
        total, hours = await _recounted(home, scope)
        assert dict(_in_all(await home.store.tallies(scope))) == total
        assert dict(_by_hour(await home.store.tallies(scope, since=START.replace(year=1900)))) == hours
        for model in (MODEL, "other"):
            covered = Coverage(total.get(("passage", ""), 0), total.get(("vector", model), 0))
            assert await home.store.coverage(scope, model) == covered
