"""How a workspace fares, asked for over HTTP: metrics, a scrape, misses, the audit log (C9, C10, R12)."""

from prometheus_client.parser import text_string_to_metric_families

from everlore.observe.metrics import Metrics
from tests.server.home import Home, home


async def _metrics(here: Home) -> dict[str, object]:
    document: dict[str, object] = (await here.client.get("/api/memory-metrics")).json()
    return document


async def test_the_metrics_have_every_figure() -> None:
    """Seed 002, 5.1: query the metrics, and all fields are there."""
    async with home() as here:
        found = await _metrics(here)

    assert set(found) == set(Metrics.__dataclass_fields__)


async def test_what_is_created_is_counted_at_once() -> None:
    """Seed 002, 5.1: create memories, ask again, and the counts have grown."""
    async with home() as here:
        id = await here.talk()
        before = await _metrics(here)
        await here.lore.remember("User keeps bees")
        await here.say(id, "I live in Oslo, and I would like to know when the ferry leaves.")
        body = {"type": "tool_invocation", "tool_name": "search", "tool_outputs": {"results": [1, 2]}}
        await here.client.post("/api/events", json=body)
        await here.client.post("/api/events", json={"type": "file_read", "path": "notes.md", "content": "Bees"})
        await here.lore.settle()
        after = await _metrics(here)

    grown = {name: after[name] for name in ("messages", "tools_24h", "file_operations_24h", "prompts")}
    assert [before[name] for name in grown] == [0, 0, 0, 0]
    assert grown == {"messages": 2, "tools_24h": 1, "file_operations_24h": 1, "prompts": 1}
    assert after["memories"] > before["memories"]  # type: ignore[operator]
    assert after["read"] == {"facts": 2}
    assert after["index_coverage"] == 1.0
    assert after["last_capture_at"] > before["last_capture_at"]  # type: ignore[operator]


async def test_prometheus_can_scrape_it() -> None:
    """C9: with the content type that it asks for, and every sample readable."""
    async with home() as here:
        await here.lore.remember("User keeps bees")
        answer = await here.client.get("/metrics")
        families = {family.name: family for family in text_string_to_metric_families(answer.text)}

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    (sample,) = families["everlore_memories"].samples
    assert (sample.labels, sample.value) == ({"workspace": "default", "type": "FACT"}, 1.0)
    assert families["everlore_memories"].type == "gauge"
    assert {"everlore_queue_jobs", "everlore_index_coverage_ratio", "everlore_misses"} <= set(families)


async def test_a_message_for_which_nothing_comes_back_is_a_miss() -> None:
    """Seed 002, 5.2: with nothing in the memory, the question is listed, and counted."""
    async with home() as here:
        id = await here.talk()
        await here.say(id, "What was the name of that restaurant by the harbour?")
        listed = (await here.client.get("/api/memory-misses")).json()["items"]
        found = await _metrics(here)

    assert [each["query"] for each in listed] == ["What was the name of that restaurant by the harbour?"]
    assert (found["misses"], found["misses_24h"]) == (1, 1)


async def test_the_audit_log_says_who_did_what_and_keeps_no_words() -> None:
    """C10."""
    async with home() as here:
        kept = (await here.client.post("/api/memories", json={"content": "User keeps bees"})).json()["id"]
        await here.client.patch(f"/api/memories/{kept}", json={"content": "User keeps wasps"})
        await here.client.delete(f"/api/memories/{kept}")
        log = (await here.client.get(f"/api/audit?ref={kept}")).json()["items"]
        whole = (await here.client.get("/api/audit?format=ndjson")).text
        refused = await here.client.delete("/api/audit")

    assert [each["verb"] for each in log] == ["deleted", "changed", "created"]
    assert {(each["actor"], each["role"], each["kind"]) for each in log} == {("local", "owner", "memory")}
    assert "bees" not in whole
    assert "wasps" not in whole
    assert refused.status_code == 405
