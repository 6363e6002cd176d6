"""How a workspace fares: counted as it happens, and equal to a recount of everything (C9, C11)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from everlore.app import Everlore
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.counters import FILTERED, PROMPT_TOKENS, PROMPTS, READ
from everlore.domain.event import Event, EventType
from everlore.domain.job import JobState
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.miss import Miss
from everlore.domain.scope import Scope
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.hashing import HashingEmbedder
from everlore.observe.exposition import exposition
from everlore.observe.metrics import Metrics, measured
from everlore.settings import Settings, StoreSettings
from everlore.store.answers import KindCount, QueueState
from everlore.store.port import Count
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import assemble, now
from tests.soak import seeds
from tests.sqlite import migrated

NOON = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)
HOUR = int(NOON.timestamp() // 3_600)


def metrics_of(totals: Sequence[KindCount] = (), lately: Sequence[KindCount] = (), model: str | None = "m") -> Metrics:
    return measured(totals, lately, QueueState(False, {JobState.READY: 2, JobState.DEAD: 1}), NOON, model, NOON)


def test_nothing_is_nothing_and_fully_covered() -> None:
    found = metrics_of()

    assert (found.memories, found.messages, found.index_coverage) == (0, 0, 1.0)
    assert found.tokens_per_prompt is None
    assert len(found.memories_by_day) == 7
    assert found.queue == {"ready": 2, "running": 0, "dead": 1}


def test_totals_are_told_by_type() -> None:
    found = metrics_of(
        [
            KindCount("memory", "FACT", 3),
            KindCount("memory", "EVENT", 2),
            KindCount("status", "active", 5),
            KindCount("event", "task", 1),
        ]
    )

    assert found.memories == 5
    assert found.memories_by_type == {"EVENT": 2, "FACT": 3}
    assert found.memories_by_status == {"active": 5}
    assert found.events_by_type == {"task": 1}


def test_coverage_is_that_of_the_present_model() -> None:
    totals = [KindCount("passage", "", 8), KindCount("vector", "m", 6), KindCount("vector", "older", 8)]

    assert metrics_of(totals).index_coverage == 0.75
    assert metrics_of(totals, model=None).index_coverage == 0.0


def test_a_day_is_the_last_24_hours() -> None:
    tool, read, write = (each.value for each in (EventType.TOOL_INVOCATION, EventType.FILE_READ, EventType.FILE_WRITE))
    found = metrics_of(
        lately=[
            KindCount("event", tool, 1, HOUR),
            KindCount("event", tool, 2, HOUR - 23),
            KindCount("event", tool, 40, HOUR - 24),
            KindCount("event", read, 3, HOUR),
            KindCount("event", write, 4, HOUR - 1),
            KindCount("miss", "", 5, HOUR),
            KindCount("miss", "", 50, HOUR - 30),
        ]
    )

    assert (found.tools_24h, found.file_operations_24h, found.misses_24h) == (3, 7, 5)


def test_growth_is_told_day_by_day_of_a_week() -> None:
    found = metrics_of(
        lately=[
            KindCount("memory", "FACT", 5, HOUR),
            KindCount("memory", "EVENT", 2, HOUR - 25),
            KindCount("memory", "FACT", 9, HOUR - 200),
        ]
    )

    assert list(found.memories_by_day) == [f"2026-03-{day:02}" for day in range(4, 11)]
    assert found.memories_by_day["2026-03-10"] == 5
    assert found.memories_by_day["2026-03-09"] == 2
    assert found.memories_per_day == 1.0


def test_what_is_no_record_is_counted_by_name() -> None:
    found = metrics_of(
        [
            KindCount("count", PROMPTS, 4),
            KindCount("count", PROMPT_TOKENS, 1_001),
            KindCount("count", READ + "facts", 7),
            KindCount("count", FILTERED + "ungrounded", 2),
        ]
    )

    assert (found.prompts, found.tokens_per_prompt) == (4, 250.2)
    assert (found.read, found.filtered) == ({"facts": 7}, {"ungrounded": 2})


def test_prometheus_reads_the_same() -> None:
    """C9: by the parser of its own client."""
    totals = [
        KindCount("memory", "FACT", 3),
        KindCount("count", FILTERED + "unknown", 2),
        KindCount("count", PROMPTS, 1),
    ]
    text = exposition('odd "one"\n\\', metrics_of(totals))
    samples = {
        (sample.name, sample.labels.get("type") or sample.labels.get("filter")): sample
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }

    assert samples["everlore_memories", "FACT"].value == 3
    assert samples["everlore_memories", "FACT"].labels["workspace"] == 'odd "one"\n\\'
    assert samples["everlore_filtered_total", "unknown"].value == 2
    assert samples["everlore_last_capture_timestamp_seconds", None].value == NOON.timestamp()


# ── beside a recount ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_after_anything_the_metrics_equal_a_recount(tmp_path: Path, seed: int) -> None:
    """C9: a random workload through the library, then every figure against the tables themselves."""
    store = await SqliteStore.open(migrated(tmp_path / "lore.db"), StoreSettings(), clock=now)
    lore = assemble(Settings(), store, HashingEmbedder(), BytesTokenizer())
    try:
        await _worked(lore, Random(seed))
        await lore.settle()
        found = await lore.metrics()
        assert found == await _recounted(lore, found)
    finally:
        await lore.stop()


async def _worked(lore: Everlore, chance: Random) -> None:
    nova = await lore.characters.create(name="Nova")
    talks: list[str] = []
    memories: list[str] = []
    for step in range(120):
        match chance.choice(["talk", "say", "say", "remember", "remember", "edit", "forget", "event", "drop", "count"]):
            case "talk":
                talks.append((await lore.conversations.start(nova, greet=False)).id)
            case "say" if talks:
                said = f"I have {step} bees and live in Oslo."
                await lore.turns.note(chance.choice(talks), said)
            case "remember":
                type = chance.choice(list(MemoryType))
                memories.append((await lore.remember(f"User owns boat number {step}", person=nova, type=type)).id)
            case "edit" if memories:
                await lore.edit(chance.choice(memories), content=f"User sold boat number {step}")
            case "forget" if memories:
                await lore.forget(memories.pop(chance.randrange(len(memories))))
            case "event":
                await lore.events.capture(chance.choice(list(EventType)), f"Event {step}")
            case "drop" if len(talks) > 2:
                await lore.conversations.delete(talks.pop(chance.randrange(len(talks))), keep_memories=True)
            case "count":
                await lore.store.apply(lore.scope, [Count(PROMPTS), Count(PROMPT_TOKENS, step)])


async def _recounted(lore: Everlore, found: Metrics) -> Metrics:
    """From the records themselves, one by one."""
    everything = {kind: await _all(lore, kind) for kind in (Memory, Event, Message, Conversation, Summary, Miss)}
    memories, events = everything[Memory], everything[Event]
    passages = (await lore.store.coverage(lore.scope, HashingEmbedder().name)).passages
    unembedded = await lore.store.unembedded(lore.scope, HashingEmbedder().name, limit=10_000)
    days = {day: sum(each.created_at.date().isoformat() == day for each in memories) for day in found.memories_by_day}
    day_ago = found.at - timedelta(hours=24)
    lately = [each for each in events if each.at > day_ago]
    return Metrics(
        at=found.at,
        memories=len(memories),
        memories_by_type=_counted(each.type.value for each in memories),
        memories_by_status=_counted(each.status.value for each in memories),
        events_by_type=_counted(each.type.value for each in events),
        messages=len(everything[Message]),
        conversations=len(everything[Conversation]),
        summaries=len(everything[Summary]),
        passages=passages,
        embedded=passages - len(unembedded),
        index_coverage=1 - len(unembedded) / passages if passages else 1.0,
        last_capture_at=max(
            [each.at for each in events]
            + [each.created_at for each in memories]
            + [each.updated_at for each in everything[Conversation]]
        ),
        tools_24h=sum(each.type is EventType.TOOL_INVOCATION for each in lately),
        file_operations_24h=sum(each.type in (EventType.FILE_READ, EventType.FILE_WRITE) for each in lately),
        memories_by_day=days,
        memories_per_day=round(sum(days.values()) / 7, 2),
        queue={"ready": 0, "running": 0, "dead": 0},
        queue_paused=False,
        # Counters of what happened, of which no record is left to count.
        read=found.read,
        filtered=found.filtered,
        misses=len(everything[Miss]),
        misses_24h=len(everything[Miss]),
        prompts=found.prompts,
        tokens_per_prompt=found.tokens_per_prompt,
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


async def _all(lore: Everlore, kind: type[Any]) -> list[Any]:
    page = await lore.store.find(Scope(lore.scope.workspace), kind, limit=10_000)
    assert page.cursor is None
    return list(page.items)
