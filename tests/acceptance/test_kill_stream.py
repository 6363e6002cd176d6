"""SIGKILL in the middle of a reply: the conversation is whole, the reply is marked, and it can go on (V12, V2)."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from everlore.turn.replies import BROKEN_OFF
from tests.cli.process import Command, Running
from tests.models.chat_server import TEXT, WORDS, ChatServer
from tests.soak import look
from tests.waiting import PATIENCE_S, eventually

# One that was saved in the middle, and one that was not.
ROUNDS = look(2, 16)
# What the model says before it stalls.
PART = "".join(WORDS[:2])


@contextmanager
def _served(everlore: Command) -> Iterator[tuple[Running, httpx.Client]]:
    with (
        everlore.started("serve", "--port", "0") as server,
        httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client,
    ):
        yield server, client


def _messages(client: httpx.Client, talk: str) -> list[dict[str, Any]]:
    answer = client.get(f"/api/conversations/{talk}/messages", params={"limit": 1000})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def _begin(client: httpx.Client) -> str:
    mira = client.post("/api/characters", json={"name": "Mira"}).json()
    started = client.post("/api/conversations", json={"character_id": mira["id"], "config": {"auto_title": False}})
    assert started.status_code == 201, started.text
    return str(started.json()["id"])


def _use_model(client: httpx.Client, talk: str, model: str) -> None:
    assert client.patch(f"/api/conversations/{talk}", json={"config": {"model": model}}).status_code == 200


def _killed_while_it_streams(server: Running, client: httpx.Client, talk: str, text: str, *, saved: bool) -> None:
    _use_model(client, talk, "stall")
    say = {"content": text, "stream": True}
    with client.stream("POST", f"/api/conversations/{talk}/messages", json=say) as answer:
        lines = answer.iter_lines()
        while "event: delta" not in next(lines):
            pass
        if saved:
            eventually(lambda: _messages(client, talk)[-1]["content"] == PART)
        assert server.ends_after(signal.SIGKILL).code == -signal.SIGKILL


@pytest.mark.soak
async def test_a_reply_that_was_killed_is_marked_and_can_go_on(database: str, tmp_path: Path) -> None:
    await asyncio.to_thread(_kill_and_go_on, database, tmp_path)


def _kill_and_go_on(database: str, folder: Path) -> None:
    with ChatServer() as model:
        everlore = Command(folder, EVERLORE_DATABASE_URL=database, EVERLORE_EMBEDDING__PROVIDER="hashing").having(
            EVERLORE_CHAT__PROVIDER="openai", EVERLORE_CHAT__BASE_URL=model.url, EVERLORE_CHAT__MODEL="fine"
        )
        before: list[dict[str, Any]] = []
        talk = ""
        for number in range(ROUNDS + 1):
            with _served(everlore) as (server, client):
                if number:
                    before = _look_and_go_on(client, talk, before, f"Message {number}", saved=number % 2 == 0)
                talk = talk or _begin(client)
                if number < ROUNDS:
                    text = f"Message {number + 1}"
                    _killed_while_it_streams(server, client, talk, text, saved=(number + 1) % 2 == 0)

    assert len(before) == 2 * ROUNDS


def _look_and_go_on(
    client: httpx.Client, talk: str, before: list[dict[str, Any]], text: str, *, saved: bool
) -> list[dict[str, Any]]:
    *earlier, message, broken = _messages(client, talk)
    assert earlier == before, "what was there stays as it was"
    assert (message["content"], message["author"], message["state"]) == (text, "user", "complete")
    assert (broken["state"], broken["error"]) == ("stopped", BROKEN_OFF)
    assert PART.startswith(broken["content"])
    assert broken["content"] or not saved

    _use_model(client, talk, "fine")
    go_on = client.post(f"/api/conversations/{talk}/messages/{broken['id']}/continue", json={"stream": False})
    assert go_on.status_code == 200, go_on.text

    after = _messages(client, talk)
    whole = after[-1]
    assert (whole["id"], whole["state"], whole["error"]) == (broken["id"], "complete", "")
    assert whole["content"] == broken["content"] + TEXT
    assert after[:-1] == [*before, message], "nothing is doubled"
    return after
