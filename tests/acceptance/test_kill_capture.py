"""A server that is killed while tools fire and talks are summed up loses nothing, and goes on (C5, C7, C11)."""

import random
import signal
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from everlore.wiring import migrate, read_settings
from tests.cli.process import Command
from tests.soak import SEED
from tests.waiting import PATIENCE_S, eventually

# Fewer than a job may vanish with its process before it is put aside.
KILLS = 3
TALK = 45


@pytest.fixture
async def cli(database: str, tmp_path: Path) -> Command:
    if database.startswith("postgres"):
        await migrate(read_settings(database_url=database))
    # What a killed worker held is free again after that: nobody waits half a minute for each.
    lease = {"EVERLORE_QUEUE__LEASE_S": "2"}
    return Command(tmp_path, EVERLORE_DATABASE_URL=database, EVERLORE_EMBEDDING__PROVIDER="hashing", **lease)


@pytest.mark.soak
def test_every_tool_event_that_was_acknowledged_is_there_and_indexed(cli: Command) -> None:
    """Seed 002, 1.6: killed in mid-queue, the rest is done after the restart."""
    dice, kept = random.Random(SEED), list[str]()
    for round in range(KILLS):
        with cli.started("serve", "--port", "0") as server:
            killer = threading.Timer(dice.uniform(0.0, 0.1), server.process.send_signal, [signal.SIGKILL])
            kept += _fired(server.line(), round, killer, after=dice.randint(2, 8))
            killer.join()

    with (
        cli.started("serve", "--port", "0") as server,
        httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client,
    ):
        eventually(lambda: _metrics(client)["queue"] == {"ready": 0, "running": 0, "dead": 0})
        found = {event["id"] for event in _all(client, "/api/events")}
        metrics = _metrics(client)

    assert len(kept) > KILLS
    assert set(kept) <= found
    assert metrics["index_coverage"] == 1.0
    assert metrics["events_by_type"]["tool_invocation"] == metrics["tools_24h"] == len(found)


def _fired(url: str, round: int, killer: threading.Timer, *, after: int) -> list[str]:
    """The ids of what the server acknowledged before it was killed, soon after so many of them."""
    kept: list[str] = []
    with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
        for number in range(10_000):
            body = {"type": "tool_invocation", "tool_name": "search", "tool_inputs": {"query": f"{round}/{number}"}}
            try:
                answer = client.post("/api/events", json=body)
            except httpx.TransportError:
                return kept
            assert answer.status_code == 201, answer.text
            kept.append(answer.json()["event"]["id"])
            if len(kept) == after:
                killer.start()
    return kept


@pytest.mark.soak
def test_a_long_talk_is_summed_up_once_however_often_it_is_interrupted(cli: Command) -> None:
    """C7: one summary for each stretch, without gaps, whatever was killed on the way."""
    dice = random.Random(SEED)
    id = _talked(cli)
    for _ in range(KILLS):
        with cli.started("serve", "--port", "0") as server:
            server.line()
            time.sleep(dice.uniform(0.0, 0.3))
            server.process.send_signal(signal.SIGKILL)

    with (
        cli.started("serve", "--port", "0") as server,
        httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client,
    ):
        eventually(lambda: _metrics(client)["queue"] == {"ready": 0, "running": 0, "dead": 0})
        summaries = _all(client, f"/api/conversations/{id}/summaries")

    ranges = sorted((each["first_seq"], each["last_seq"]) for each in summaries if each["level"] == 0)
    assert ranges
    assert ranges[0][0] == 1
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ranges))
    assert len(ranges) == len(set(ranges))


def _talked(cli: Command) -> str:
    """A talk that is long enough to be summed up, by a server that never works on it."""
    idle = cli.having(EVERLORE_QUEUE__WORKERS="0")
    with (
        idle.started("serve", "--port", "0") as server,
        httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client,
    ):
        character = client.get("/api/characters").json()["items"][0]["id"]
        body = {"character_id": character, "config": {"auto_title": False}}
        id: str = client.post("/api/conversations", json=body).json()["id"]
        for number in range(TALK):
            said = {"content": f"Today I moved beehive number {number} to the orchard.", "reply": number % 3 == 0}
            assert client.post(f"/api/conversations/{id}/messages", json=said).status_code == 200
    return id


def _metrics(client: httpx.Client) -> Any:
    return client.get("/api/memory-metrics").json()


def _all(client: httpx.Client, path: str) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    while True:
        page = client.get(path, params={"limit": 500, **({"cursor": cursor} if cursor else {})}).json()
        found += page["items"]
        cursor = page["next"]
        if cursor is None:
            return found
