"""The whole life of three characters who talk with each other in turns: the seed's end-to-end story, step by step (M9,
K1–K3, K5, V7, R1, R6, R7, R11), on every store."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.passage import PassageKind
from everlore.settings import StoreSettings
from tests.turn.test_gossip import texts
from tests.turn.test_learning import LEARNER, memories
from tests.turn.test_segments import Analyst
from tests.turn.world import World, on_sqlite, world
from tests.worker.crew import FakeClock

CRASH = "Mike crashed Don's red motorcycle into the fence"
WATCH = "Rex lost Mike's silver watch at the card table"
MOTORCYCLE = (
    "Mike, you crashed my red motorcycle into the fence!",
    "I saw the tracks, Mike. Do not tell me that it was the wind.",
    "You owe me a new wheel and an apology for that.",
)
SILVER = (
    "Rex, you lost my silver watch at the card table!",
    "My father gave it to me on the day I went to sea.",
    "You will win it back, or you will never sit with us again.",
)
ANSWERS = (
    "It was an accident, and the brakes were worn long before.",
    "Fine. Believe what you like, I was not alone that evening.",
    "Give me a week, and I shall make it good.",
    "You always shout before you have heard the whole of it.",
    "Ask the others, if you do not believe me.",
    "Let us talk about it tomorrow, when you are calm.",
)


class Scribe(Analyst):
    """An analyst that gives names as well."""

    def __init__(self) -> None:
        super().__init__(LEARNER)
        self.title = ("", "")

    def reads(self, memory: str, title: str, icon: str) -> None:
        """What it makes of the next talk."""
        self.memories = [(memory, "DISCOVERY", 7)]
        self.summary = "They shouted at each other, and parted in anger."
        self.type = InteractionType.DEBATE.value
        self.title = (title, icon)

    def _answer(self, asked_for: set[str]) -> dict[str, Any]:
        if "title" in asked_for:
            return {"title": self.title[0], "icon": self.title[1]}
        return super()._answer(asked_for)


@pytest.fixture(params=["double", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def mind(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    if request.param == "double":
        yield world()
    elif request.param == "sqlite":
        made = await on_sqlite(tmp_path / "everlore.db")
        yield made
        await made.store.close()
    else:
        from everlore.store.postgres.store import PostgresStore

        clock = FakeClock()
        async with request.getfixturevalue("postgres").fresh_database() as url:
            store = await PostgresStore.open(url, StoreSettings(), clock=clock, migrate=True)
            yield World(store, clock=clock)
            await store.close()


async def _sits_down(mind: World, system: str, user: str) -> Conversation:
    config = {
        "gossip_enabled": True,
        "auto_title": True,
        "extract_memories": True,
        "keyframe_every": 10,
        "extraction_model": LEARNER,
        "analyze_model": LEARNER,
    }
    return await mind.lore.conversations.start(system, user=user, config=config)


async def _plays(mind: World, talk: Conversation, messages: int, lines: tuple[str, ...]) -> None:
    for number in range(messages // 2):
        mind.model.answers(ANSWERS[number % len(ANSWERS)])
        await mind.says(talk, lines[number % len(lines)])
        mind.clock.pass_time(60)
        await mind.works()


async def _learnt(mind: World, talk: Conversation, type: MemoryType) -> list[Memory]:
    return [each for each in await memories(mind) if each.conversation_id == talk.id and each.type is type]


async def _had_a_quarrel(mind: World, talk: Conversation, memory: str, title: tuple[str, str]) -> Memory:
    """What a talk of twelve messages leaves behind: one of everything, each tied to the others."""
    page = await mind.store.find(mind.scope, Event, {"conversation_id": talk.id})
    (event,) = page.items
    (keyframe,) = await _learnt(mind, talk, MemoryType.OUTCOME)
    assert len(keyframe.source_message_ids) == 10
    (learnt,) = await _learnt(mind, talk, MemoryType.DISCOVERY)
    assert learnt.content == memory
    page = await mind.store.find(mind.scope, Interaction, {"event_id": event.id})
    (passed,) = page.items
    assert passed.type is InteractionType.DEBATE
    assert learnt.interaction_id == passed.id
    named = await mind.talk(talk)
    assert (named.title, named.icon) == title
    return learnt


async def test_three_of_them(mind: World) -> None:
    """TestMemoryRefactorE2E: Mike, Don and Rex."""
    scribe = mind.models.named[LEARNER] = Scribe()
    for name in ("Mike", "Don", "Rex"):
        await mind.meets(name)

    # Step 1: Mike, played by the model, and Don, twelve messages.
    scribe.reads(CRASH, "The motorcycle", "directions_bike")
    first = await _sits_down(mind, "mike", "don")
    await _plays(mind, first, 12, MOTORCYCLE)
    crash = await _had_a_quarrel(mind, first, CRASH, ("The motorcycle", "directions_bike"))

    # Step 2: Rex and Mike, twelve messages; an event of its own.
    scribe.reads(WATCH, "The watch", "schedule")
    second = await _sits_down(mind, "rex", "mike")
    await _plays(mind, second, 12, SILVER)
    watch = await _had_a_quarrel(mind, second, WATCH, ("The watch", "schedule"))
    page = await mind.store.find(mind.scope, Event)
    assert len({each.conversation_id for each in page.items}) == 2

    # Step 3: Don and Rex, six messages. Don may speak of what he has with Mike; Rex could tell of Mike's watch.
    third = await _sits_down(mind, "don", "rex")
    between = await mind.lore.remember(
        "Don and Rex found a silver watch at the card table.", person="don", partner="rex"
    )
    await mind.works()
    await _plays(mind, third, 4, ("Good evening, Don.", "How is the harvest?"))
    mind.model.answers("Oh, that was Mike: he crashed my red motorcycle into the fence.")
    await mind.says(third, "Who crashed the red motorcycle into the fence?")
    await mind.works()
    assert CRASH in mind.model.prompt
    told = {each["id"]: each["layer"] for each in (await mind.lore.x_rays.of(third.id)).account["memories"]}
    assert told[crash.id] == Layer.CROSS.value
    assert "rex" in {each.knower_id for each in await mind.lore.knowledge.knowers(crash.id)}
    found = await mind.lore.gossip.search("rex", "Who lost a silver watch at the card table?", exclude="don")
    assert texts(found) == [WATCH]
    assert watch.id not in {each.memory.id for each in (await mind.lore.knowledge.of("don")).items}
    await mind.lore.forget(between.id)

    # Step 4: what was learnt in the first talk is deleted, with its vectors; nothing is left over.
    model = mind.resources.embedder.name if mind.resources.embedder else ""
    assert set(await mind.store.vectors(mind.scope, model, PassageKind.MEMORY, [crash.id])) == {crash.id}
    await mind.lore.forget(crash.id)
    assert await mind.store.vectors(mind.scope, model, PassageKind.MEMORY, [crash.id]) == {}
    assert (await mind.lore.cleanup(dry_run=True)).total == 0
    # The talk still knows that Don said it; the memory itself is in nobody's mind.
    for name in ("mike", "don", "rex"):
        assert crash.id not in {each.memory.id for each in (await mind.lore.knowledge.of(name)).items}
    assert crash.id not in {
        each.record.id for each in await mind.lore.gossip.search("don", CRASH, exclude="rex", threshold=0)
    }

    # Step 5: thirty messages, and four memories at most.
    assert sum([(await mind.talk(each)).message_count for each in (first, second, third)]) == 30
    assert len(await memories(mind)) + 1 <= 4
