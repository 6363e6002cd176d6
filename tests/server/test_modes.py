"""What each mode leaves behind, on a server that really runs: nothing, a little, or everything (C3, C11, C12)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.policy import Mode
from everlore.server.login import MODE
from everlore.settings import StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.server.home import Home, home
from tests.sqlite import migrated

Rows = dict[str, list[tuple[Any, ...]]]


@asynccontextmanager
async def kept(folder: Path) -> AsyncIterator[tuple[Home, Path]]:
    path = folder / "lore.db"
    store = await SqliteStore.open(migrated(path), StoreSettings(), clock=now)
    async with home(store=store) as here:
        yield here, path


def rows_of(path: Path) -> Rows:
    """Every row of every table of the file."""
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr) for name in names}


def changed(before: Rows, after: Rows) -> set[str]:
    return {name for name in after if after[name] != before.get(name)}


async def begun(here: Home) -> tuple[str, str, str]:
    """A conversation with one turn, a reply and a memory, and nothing left to do."""
    id = await here.talk()
    turn = (await here.say(id, "I live in Oslo.")).json()
    memory = await here.lore.remember("User keeps bees")
    await here.lore.settle()
    return id, turn["reply"]["id"], memory.id


async def test_emulation_answers_and_writes_nothing_anywhere(tmp_path: Path) -> None:
    """C3, C11: the whole database is the same, to the last row."""
    async with kept(tmp_path) as (here, path):
        id, reply_id, memory_id = await begun(here)
        before = rows_of(path)
        asked = len(here.asked)
        headers = {MODE: "emulation"}

        said = await here.client.post(f"/api/conversations/{id}/messages", json={"content": "Hi!"}, headers=headers)
        async with here.client.stream(
            "POST", f"/api/conversations/{id}/messages", json={"content": "And?", "stream": True}, headers=headers
        ) as streamed:
            events = (await streamed.aread()).decode()
        again = await here.client.post(f"/api/conversations/{id}/messages/{reply_id}/regenerate", headers=headers)
        searched = await here.client.post("/api/memories/search", json={"query": "bees"}, headers=headers)
        refused = [
            await here.client.post("/api/memories", json={"content": "Rex barks"}, headers=headers),
            await here.client.delete(f"/api/memories/{memory_id}", headers=headers),
            await here.client.patch(f"/api/memories/{memory_id}", json={"content": "No"}, headers=headers),
            await here.client.post("/api/characters", json={"name": "Rex"}, headers=headers),
            await here.client.post("/api/conversations", json={"character_id": "nova"}, headers=headers),
            await here.client.delete(f"/api/conversations/{id}", headers=headers),
            await here.client.post(f"/api/conversations/{id}/close", headers=headers),
            await here.client.post(f"/api/conversations/{id}/extract", headers=headers),
            await here.client.post("/api/jobs/pause", headers=headers),
            await here.client.post("/api/tokens", json={"name": "x"}, headers=headers),
        ]
        await asyncio.sleep(0.1)
        await here.lore.settle()

        assert (said.status_code, again.status_code, searched.status_code) == (200, 200, 200)
        assert said.json()["reply"]["content"]
        assert said.json()["reply"]["state"] == "complete"
        assert "event: message.done" in events or '"reply"' in events
        assert len(here.asked) == asked + 3
        assert {each.status_code for each in refused} <= {403, 404}
        assert [each.status_code for each in refused].count(403) >= 8
        assert "In emulation mode" in refused[0].json()["detail"]
        assert changed(before, rows_of(path)) == set()
        # Nobody is left waiting for a reply that was never kept.
        assert (await here.say(id, "Still there?")).status_code == 200


async def test_an_agent_leaves_only_what_it_did(tmp_path: Path) -> None:
    """C3: tool calls, approvals and summaries; no talk, no memory."""
    async with kept(tmp_path) as (here, path):
        id, *_ = await begun(here)
        before = rows_of(path)
        headers = {MODE: "agent"}

        said = await here.client.post(f"/api/conversations/{id}/messages", json={"content": "Hi!"}, headers=headers)
        refused = await here.client.post("/api/memories", json={"content": "Rex barks"}, headers=headers)
        after_talk = rows_of(path)
        body = {"type": "tool_invocation", "content": "Tool executed: search"}
        tool = await here.client.post("/api/events", json=body, headers=headers)
        await here.lore.settle()

        assert (said.status_code, refused.status_code, tool.status_code) == (200, 403, 201)
        assert changed(before, after_talk) == set()
        touched = changed(before, rows_of(path))
        assert "events" in touched
        assert not touched & {"messages", "memories", "conversations", "summaries", "persons", "xrays"}


async def test_an_ambient_setting_keeps_the_talk_and_learns_nothing(tmp_path: Path) -> None:
    """C12."""
    async with kept(tmp_path) as (here, path):
        id, *_ = await begun(here)
        before = rows_of(path)
        headers = {MODE: "environment"}

        body = {"content": "I moved to Bergen last week."}
        said = await here.client.post(f"/api/conversations/{id}/messages", json=body, headers=headers)
        refused = await here.client.post("/api/memories", json={"content": "Rex barks"}, headers=headers)
        await here.lore.settle()

        assert (said.status_code, refused.status_code) == (200, 403)
        touched = changed(before, rows_of(path))
        assert "messages" in touched
        assert not touched & {"memories", "readings", "interactions"}


@pytest.mark.parametrize("mode", Mode)
async def test_the_prompt_states_the_mode(mode: Mode) -> None:
    """C8; in the usual mode at one's own machine there is nothing to state."""
    async with home() as here:
        id = await here.talk()
        await here.client.post(f"/api/conversations/{id}/messages", json={"content": "Hi!"}, headers={MODE: mode.value})
        told = " ".join(message["content"] for message in here.asked[-1]["messages"])

    assert (f"You are operating in {mode.value} mode" in told) is (mode is not Mode.DUAL)


async def test_replies_without_a_trace_can_be_stopped_and_do_not_get_in_each_others_way() -> None:
    async with home() as here:
        id = await here.talk()
        headers = {MODE: "emulation"}
        path = f"/api/conversations/{id}/messages"
        kept_one, *unkept = await asyncio.gather(
            here.say(id, "Hello!"),
            *(here.client.post(path, json={"content": f"Hi {number}!"}, headers=headers) for number in range(2)),
        )
        later = [(await here.client.post(path, json={"content": "Hi!"}, headers=headers)).status_code for _ in range(3)]
        messages = await here.messages(id)

    assert kept_one.status_code == 200
    assert {each.status_code for each in unkept} <= {200, 409}
    assert later == [200, 200, 200]
    assert [each["content"] for each in messages if each["author"] == "user"] == ["Hello!"]
