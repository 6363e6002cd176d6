"""The x-ray over HTTP: of every turn that was, and of one that would be, which leaves no trace (P12, P14, M9)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.records import KINDS
from everlore.settings import StoreSettings
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.server.home import Home, home
from tests.sqlite import migrated

PEANUTS = "Anna is allergic to peanuts"


async def _knowing(here: Home, **config: Any) -> str:
    """A conversation with somebody who knows of the peanuts."""
    id = await here.talk(config=config)
    (character,) = (await here.client.get(f"/api/conversations/{id}")).json()["system_ids"]
    await here.lore.remember(PEANUTS, person=character, importance=8)
    return id


async def _prompt(here: Home, id: str, message_id: str = "") -> Any:
    answer = await here.client.get(f"/api/conversations/{id}/prompt", params={"message_id": message_id})
    assert answer.status_code == 200, answer.text
    return answer.json()


# ── of a turn that was ───────────────────────────────────────────────────────────────────────────


async def test_the_last_turn_is_shown_piece_by_piece() -> None:
    """P12: window, parts, sections, talk, and memories with score, parts, reason and place."""
    async with home() as here:
        id = await _knowing(here)
        reply = (await here.say(id, "Are there peanuts in this?")).json()["reply"]

        seen = await _prompt(here, id)

        assert (seen["message_id"], seen["template"], seen["version"]) == (reply["id"], "Assistant", 1)
        assert (seen["window"], seen["reserve"], seen["tokenizer"]) == (8192, 1024, "bytes")
        assert 0 < seen["used"] <= seen["window"] - seen["reserve"]
        assert seen["share"] == pytest.approx(seen["used"] / seen["window"])
        assert {each["name"] for each in seen["parts"]} >= {"system", "recall", "conversation"}
        memory_section = next(each for each in seen["sections"] if each["name"] == "memory")
        assert (memory_section["place"], memory_section["part"], memory_section["state"]) == ("late", "recall", "whole")
        (memory,) = seen["memories"]
        assert (memory["content"], memory["section"], memory["left_out"]) == (PEANUTS, "memory", "")
        assert memory["score"] > 0
        assert memory["parts"]
        assert "of keywords match" in memory["why"]
        (line,) = seen["talk"]
        assert (line["text"], line["fidelity"], line["role"]) == ("Are there peanuts in this?", "full", "user")
        assert seen["messages"] == []


@pytest.mark.parametrize("how", ["buffered", "streamed", "stopped", "failed"])
async def test_every_turn_has_one_however_it_ends(how: str) -> None:
    """P12, V2."""
    async with home() as here:
        id = await _knowing(here)
        path = f"/api/conversations/{id}/messages"
        if how == "buffered":
            await here.say(id, "Peanuts?")
        elif how == "streamed":
            await here.events(path, content="Peanuts?")
        elif how == "failed":
            here.model.script.append("500")
            assert (await here.say(id, "Peanuts?")).status_code == 502
        else:
            here.model.scenario = "stall"
            saying = asyncio.create_task(here.say(id, "Peanuts?"))
            assert await here.model.seen_ask()
            await here.client.post(f"/api/conversations/{id}/stop")
            await saying

        seen = await _prompt(here, id)

        reply = (await here.messages(id))[-1]
        assert seen["message_id"] == reply["id"]
        assert reply["state"] == {"stopped": "stopped", "failed": "failed"}.get(how, "complete")
        assert [each["content"] for each in seen["memories"]] == [PEANUTS]


async def test_another_version_of_a_reply_replaces_its_x_ray() -> None:
    """P12."""
    async with home() as here:
        id = await here.talk()
        reply = (await here.say(id, "Are there peanuts in this?")).json()["reply"]
        before = await _prompt(here, id)
        (character,) = (await here.client.get(f"/api/conversations/{id}")).json()["system_ids"]
        await here.lore.remember(PEANUTS, person=character)

        await here.client.post(f"/api/conversations/{id}/messages/{reply['id']}/regenerate")

        after = await _prompt(here, id, reply["id"])
        assert before["memories"] == []
        assert [each["content"] for each in after["memories"]] == [PEANUTS]
        assert before["at"] < after["at"]


async def test_an_earlier_reply_is_shown_by_its_id() -> None:
    """P12."""
    async with home() as here:
        id = await here.talk()
        first = (await here.say(id, "One?")).json()["reply"]
        second = (await here.say(id, "Two?")).json()["reply"]

        assert (await _prompt(here, id))["message_id"] == second["id"]
        assert [each["text"] for each in (await _prompt(here, id, first["id"]))["talk"]] == ["One?"]


async def test_a_deleted_memory_is_gone_from_a_past_x_ray() -> None:
    """M9."""
    async with home() as here:
        id = await _knowing(here)
        await here.say(id, "Are there peanuts in this?")
        (memory,) = (await _prompt(here, id))["memories"]

        await here.lore.forget(memory["id"])

        seen = await here.client.get(f"/api/conversations/{id}/prompt")
        assert "allergic" not in seen.text
        assert seen.json()["memories"][0]["content"] == ""


async def test_a_template_without_a_slot_still_gets_memory() -> None:
    """P14."""
    async with home() as here:
        document = {"name": "Slotless", "sections": {"identity": {"content": "You are ${system.fullName}."}}}
        made = await here.client.post("/api/templates", json=document)
        id = await _knowing(here, template="Slotless")

        await here.say(id, "Are there peanuts in this?")

        seen = await _prompt(here, id)
        assert "There is no place for memory" in made.json()["warnings"][0]["message"]
        assert PEANUTS in str(here.asked[-1]["messages"])
        assert [each["name"] for each in seen["sections"] if each["appended"]] == ["memory"]
        assert "it was added" in seen["warnings"][0]


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("{id}/prompt", 404, "No model has been asked for this conversation yet"),
        ("{id}/prompt?message_id=nope", 404, "No model has been asked for message 'nope'"),
        ("nope/prompt", 404, "nope"),
    ],
)
async def test_where_there_is_none_that_is_said(path: str, status: int, says: str) -> None:
    async with home() as here:
        id = await here.talk()

        answer = await here.client.get(f"/api/conversations/{path.format(id=id)}")

        assert answer.status_code == status
        assert says in answer.json()["detail"]


# ── of a turn that would be ──────────────────────────────────────────────────────────────────────


async def test_a_dry_run_shows_what_the_model_will_be_told() -> None:
    """P12."""
    async with home() as here:
        id = await _knowing(here)
        await here.say(id, "Hello!")

        dry = await here.client.post(f"/api/conversations/{id}/prompt", json={"content": "Are there peanuts in this?"})
        await here.say(id, "Are there peanuts in this?")

        assert dry.status_code == 200
        assert dry.json()["messages"] == here.asked[-1]["messages"]
        assert dry.json()["used"] == (await _prompt(here, id))["used"]


async def test_a_dry_run_leaves_no_trace_in_any_table(tmp_path: Path) -> None:
    """P12: nothing is written, and no model is asked."""
    store = await SqliteStore.open(migrated(tmp_path / "lore.db"), StoreSettings(), clock=now)
    async with home(store=store) as here:
        id = await _knowing(here)
        await here.say(id, "Hello!")
        await here.lore.settle()
        before, asked = await _counts(here), len(here.asked)

        dry = await here.client.post(f"/api/conversations/{id}/prompt", json={"content": "Are there peanuts?"})
        preview = await here.client.post("/api/templates/agent/preview", json={"conversation_id": id, "content": "So?"})
        await here.lore.settle()

        assert (dry.status_code, preview.status_code) == (200, 200)
        assert await _counts(here) == before
        assert (before["Message"], before["XRay"], before["Memory"]) == (2, 1, 1)
        assert len(here.asked) == asked


async def _counts(here: Home) -> dict[str, int]:
    counts = {kind.__name__: await here.lore.store.count(here.lore.scope, kind) for kind in KINDS}
    jobs = (await here.lore.store.queue(here.lore.scope)).counts
    return counts | {f"jobs {state}": count for state, count in jobs.items()}


async def test_a_dry_run_tries_another_template_and_another_speaker() -> None:
    """P12."""
    async with home() as here:
        nova, rex = await here.character("Nova"), await here.character("Rex")
        id = await here.talk(character_id=None, character_ids=[nova, rex])
        path = f"/api/conversations/{id}/prompt"

        seen = (await here.client.post(path, json={"content": "Hi!", "template": "SMS Chat", "speaker_id": rex})).json()

        assert seen["lineage"] == ["SMS Chat", "Base Roleplay"]
        assert "You are Rex, exchanging text messages" in seen["messages"][0]["content"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"content": "Hi!", "template": "Nope"}, 404, "There is no template 'Nope'"),
        ({"content": "Hi!", "template": "Broken"}, 422, "sections.one.content"),
        ({"content": "Hi!", "speaker_id": "nobody"}, 400, "does not play in this conversation"),
        ({"content": "a\x00b"}, 400, "NUL"),
        ({"content": 5}, 422, "body.content"),
        ({"contents": "Hi!"}, 422, "body.contents"),
    ],
)
async def test_a_dry_run_that_cannot_be_is_refused(body: dict[str, Any], status: int, says: str) -> None:
    async with home() as here:
        await here.client.post("/api/templates", json={"name": "Broken", "sections": {"one": {"content": "${nope}"}}})
        id = await here.talk()

        answer = await here.client.post(f"/api/conversations/{id}/prompt", json=body)

        assert answer.status_code == status
        assert says in answer.text
