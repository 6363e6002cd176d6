"""Events over REST: captured in one call, listed, shown with what is kept beside them (C1, C2, C3)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.campaign import Entity
from everlore.domain.person import USER_ID
from everlore.domain.records import KINDS
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.server.home import Home, home
from tests.sqlite import migrated

SEARCH = {
    "type": "tool_invocation",
    "tool_name": "search",
    "tool_inputs": {"query": "machine learning", "api_key": "quokka"},
    "tool_outputs": {"results": [{"title": "Intro to ML"}]},
    "execution_ms": 234,
}


async def _captured(here: Home, **event: Any) -> dict[str, Any]:
    answer = await here.client.post("/api/events", json=event)
    assert answer.status_code == 201, answer.text
    assert answer.json()["captured"] is True
    found: dict[str, Any] = answer.json()["event"]
    return found


async def _items(here: Home, **params: Any) -> list[dict[str, Any]]:
    answer = await here.client.get("/api/events", params=params)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_a_tool_call_is_captured_in_one_call_without_its_secrets() -> None:
    """C2."""
    async with home() as here:
        id = await here.talk()

        event = await _captured(here, **SEARCH, conversation_id=id, tags=["work"])

        assert event["content"] == (
            "Tool executed: search (query: machine learning, api_key: [redacted: api key]): "
            "results: [1 item] Intro to ML"
        )
        assert event["importance"] == 0.6
        assert event["tags"] == ["tool", "search", "work"]
        assert event["conversation_id"] == id
        assert event["metadata"]["execution_ms"] == 234
        assert "quokka" not in json.dumps(event)


@pytest.mark.parametrize(
    ("event", "content", "importance"),
    [
        (SEARCH | {"error": "No route", "success": False}, "Tool failed: search - No route", 0.8),
        (SEARCH | {"error": "No route", "exception": "OSError"}, "Tool failed: search - No route", 0.9),
        ({"type": "file_read", "path": "a/b.md", "snippet": "Hi", "size": 9}, "Read file: a/b.md: Hi", 0.5),
        ({"type": "file_write", "path": "a/b.md", "overwrite": True}, "Wrote file: a/b.md", 0.7),
        ({"type": "code_approval", "tool_name": "deploy", "approval_id": "a1"}, "Approved code change: deploy", 0.8),
        ({"type": "code_rejection", "tool_name": "deploy", "reason": "No."}, "Rejected code change: deploy: No.", 0.9),
        ({"type": "dream", "content": "A dream.", "importance": 0.2}, "A dream.", 0.2),
        (SEARCH | {"content": "Looked for it."}, "Looked for it.", 0.6),
    ],
)
async def test_every_kind_of_event_has_its_sentence_and_its_weight(
    event: dict[str, Any], content: str, importance: float
) -> None:
    """C1."""
    async with home() as here:
        made = await _captured(here, **event)

        assert made["content"].startswith(content)
        assert made["importance"] == importance


async def test_what_was_captured_is_found_by_search_at_once() -> None:
    """C1."""
    async with home() as here:
        event = await _captured(here, **SEARCH)

        found = await here.client.post("/api/memories/search", json={"query": "search", "include": ["events"]})

        assert [each["id"] for each in found.json()["items"]] == [event["id"]]


async def test_an_event_is_shown_with_what_was_too_long_for_it() -> None:
    """C1."""
    rows = [{"row": number, "text": "word " * 20} for number in range(100)]
    async with home() as here:
        event = await _captured(here, **SEARCH | {"tool_outputs": {"rows": rows}})

        seen = (await here.client.get(f"/api/events/{event['id']}")).json()

        assert seen["metadata"]["attached"] == ["tool_outputs"]
        assert [each["name"] for each in seen["attachments"]] == ["tool_outputs"]
        assert json.loads(seen["attachments"][0]["content"]) == {"rows": rows}


async def test_events_are_listed_by_type_conversation_and_time() -> None:
    async with home() as here:
        id = await here.talk()
        await _captured(here, type="dream", content="A dream.", conversation_id=id, at="2024-05-31T20:00:00Z")
        await _captured(here, **SEARCH, conversation_id=id, at="2024-06-01T20:00:00Z")
        await _captured(here, type="task", content="A task.", in_progress=True)

        async def types(**params: Any) -> list[str]:
            return [each["type"] for each in await _items(here, **params)]

        assert await types() == ["task", "tool_invocation", "dream"]
        assert await types(conversation_id=id) == ["tool_invocation", "dream"]
        assert await types(conversation_id=id, type=["dream", "task"]) == ["dream"]
        assert await types(conversation_id=id, since="2024-06-01T00:00:00Z") == ["tool_invocation"]
        assert await types(conversation_id=id, until="2024-06-01T00:00:00Z") == ["dream"]
        assert await types(conversation_id=id, person_id="user") == ["tool_invocation", "dream"]
        first = (await here.client.get("/api/events", params={"limit": 2})).json()
        rest = (await here.client.get("/api/events", params={"limit": 2, "cursor": first["next"]})).json()
        assert [each["type"] for each in (*first["items"], *rest["items"])] == ["task", "tool_invocation", "dream"]


async def test_an_event_is_tied_to_the_message_that_led_to_it() -> None:
    """C1."""
    async with home() as here:
        id = await here.talk()
        turn = (await here.say(id, "Please search.")).json()
        message = turn["reply"]["id"]
        parent = await _captured(here, type="task", content="Find it.", conversation_id=id)

        event = await _captured(here, **SEARCH, conversation_id=id, message_id=message, parent_id=parent["id"])

        assert event["parent_id"] == parent["id"]
        assert event["metadata"]["message_id"] == message


async def test_a_client_that_comes_back_with_its_session_is_in_the_same_conversation() -> None:
    """002/1.4: the id of a session is the conversation's, persists, and is another for a new conversation."""
    async with home() as here:
        nova = await here.character()

        async def started(session: str) -> str:
            headers = {"X-Conversation-Session-Id": session}
            answer = await here.client.post("/api/conversations", json={"character_id": nova}, headers=headers)
            id: str = answer.json()["id"]
            return id

        first, again, other = await started("conv-1"), await started("conv-1"), await started("conv-2")
        event = await _captured(here, **SEARCH, conversation_id=again)

        assert (first, again, other) == ("conv-1", "conv-1", "conv-2")
        assert event["metadata"]["conversation_id"] == "conv-1"


@pytest.mark.parametrize(
    ("event", "status", "says"),
    [
        ({"type": "dream"}, 400, "must say what happened"),
        ({"type": "party", "content": "x"}, 422, "body.type"),
        ({"type": "dream", "content": "x", "importance": 7}, 422, "body.importance"),
        ({"type": "dream", "content": "x", "contents": "x"}, 422, "body.contents"),
        ({"type": "dream", "content": "x", "conversation_id": "nope"}, 404, "nope"),
        ({"type": "dream", "content": "x", "parent_id": "nope"}, 404, "nope"),
        ({"type": "dream", "content": "x", "message_id": "nope"}, 404, "nope"),
        ({"type": "dream", "content": "x", "at": "2024-05-31T20:00:00"}, 422, "body.at"),
        ({"type": "dream", "content": "x", "metadata": []}, 422, "body.metadata"),
    ],
)
async def test_an_event_that_cannot_be_is_refused(event: dict[str, Any], status: int, says: str) -> None:
    async with home() as here:
        answer = await here.client.post("/api/events", json=event)

        assert answer.status_code == status
        assert says in answer.text
        assert await _items(here) == []


@pytest.mark.parametrize("path", ["events/nope", "events?conversation_id=nope", "events?person_id=nope"])
async def test_what_is_not_there_is_not_found(path: str) -> None:
    async with home() as here:
        assert (await here.client.get(f"/api/{path}")).status_code == 404


async def test_a_text_that_no_database_keeps_is_kept_readable() -> None:
    async with home() as here:
        event = await _captured(here, type="dream", content="a\x00b", metadata={"x\x00": "\x00"})

        assert (event["content"], event["metadata"]["x�"]) == ("a�b", "�")


# ── modes ────────────────────────────────────────────────────────────────────────────────────────


async def test_emulation_captures_nothing_in_any_table(tmp_path: Path) -> None:
    """C3, C11: the whole database is what it was before, and the answer says why."""
    store = await SqliteStore.open(migrated(tmp_path / "lore.db"), StoreSettings(), clock=now)
    async with home(store=store) as here:
        id = await here.talk()
        await here.say(id, "Hello!")
        await here.lore.settle()
        before = await _everything(here)

        headers = {"X-Cognitive-Mode": "emulation"}
        answers = [
            await here.client.post("/api/events", json=event, headers=headers)
            for event in (SEARCH, SEARCH | {"conversation_id": id}, {"type": "dream", "content": "A dream."})
        ]
        context = await here.client.post(
            "/api/context", json={"query": "Hello?", "conversation_id": id}, headers=headers
        )
        await here.lore.settle()

        assert {each.status_code for each in answers} == {200}
        assert answers[0].json() == {
            "captured": False,
            "why": "In emulation mode events of type tool_invocation are not captured.",
            "event": None,
        }
        assert context.json()["mode"] == "emulation"
        assert await _everything(here) == before


async def _everything(here: Home) -> str:
    lore = here.lore
    held = {kind.__name__: (await lore.store.find(lore.scope, kind, limit=10_000)).items for kind in KINDS}
    return repr(held | {"jobs": (await lore.store.jobs(lore.scope, limit=10_000)).items})


async def test_agent_mode_captures_tools_and_no_plain_replies() -> None:
    """C3."""
    async with home() as here:
        headers = {"X-Cognitive-Mode": "agent"}
        sent = [SEARCH, SEARCH | {"tool_name": "conversational_response"}, {"type": "file_read", "path": "a.md"}]

        answers = [(await here.client.post("/api/events", json=event, headers=headers)).json() for event in sent]

        assert [each["captured"] for each in answers] == [True, False, False]
        assert len(await _items(here)) == 1


async def test_a_private_conversation_keeps_nothing_beside_it() -> None:
    """F6."""
    async with home() as here:
        id = await here.talk(config={"private": True})

        answer = await here.client.post("/api/events", json=SEARCH | {"conversation_id": id})

        assert answer.status_code == 200
        assert "private" in answer.json()["why"]


async def test_when_it_happened_may_be_said() -> None:
    async with home() as here:
        at = datetime(2024, 5, 31, 20, tzinfo=UTC)

        event = await _captured(here, type="dream", content="A dream.", at=at.isoformat(), ended_at="2024-05-31T21:00Z")

        assert datetime.fromisoformat(event["at"]) == at
        assert event["ended_at"] == "2024-05-31T21:00:00Z"


async def test_a_task_ends_and_is_no_longer_active() -> None:
    """C1, C6: what was begun with `in_progress` comes to its end, and leaves the context with it."""
    async with home() as here:
        task = await _captured(here, type="task", content="Book the ferry.", in_progress=True)
        assert (await here.client.post("/api/context", json={})).json()["active_tasks"] == ["Book the ferry."]

        done = await here.client.patch(f"/api/events/{task['id']}", json={"state": "complete", "importance": 0.2})

        assert done.status_code == 200, done.text
        assert done.json()["state"] == "complete"
        assert done.json()["ended_at"] is not None
        assert done.json()["importance"] == 0.2
        assert (await here.client.post("/api/context", json={})).json()["active_tasks"] == []


async def test_what_was_said_of_it_can_be_said_better_and_is_found_by_its_new_words_alone() -> None:
    """C1, C2, M9: without secrets, as at first; what stood beside it of the old words is gone."""
    async with home() as here:
        event = await _captured(here, type="observation", content="A heron at the pond. " * 600)

        changed = await here.client.patch(
            f"/api/events/{event['id']}", json={"content": "An egret, password: hunter2", "tags": ["birds"]}
        )

        assert changed.json()["content"] == "An egret, password: [redacted: password]"
        assert changed.json()["tags"] == ["birds"]
        assert (await here.client.get(f"/api/events/{event['id']}")).json()["attachments"] == []
        assert await _searched(here, "egret") == [event["id"]]
        assert "A heron" not in (await here.client.get("/api/events")).text


async def test_a_search_for_what_happened_needs_no_flag() -> None:
    """R2: who asks is answered from what happened too."""
    async with home() as here:
        event = await _captured(here, type="observation", content="The boiler was repaired by Anselm.")

        assert await _searched(here, "boiler repaired") == [event["id"]]


async def test_the_title_of_a_talk_does_not_stand_before_what_is_known() -> None:
    """R2: beside memories a conversation as a whole tells nothing more; asked for events alone, it is there."""
    async with home() as here:
        id = await here.talk(title="The boiler")
        await here.say(id, "It is cold.", reply=False)
        known = await here.lore.remember("The boiler was repaired by Anselm.")

        alone = await here.client.post("/api/memories/search", json={"query": "boiler", "include": ["events"]})

        assert await _searched(here, "boiler") == [known.id]
        assert [each["type"] for each in alone.json()["items"]] == ["interact"]


async def _searched(here: Home, query: str) -> list[str]:
    answer = await here.client.post("/api/memories/search", json={"query": query})
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["items"]]


async def test_a_deleted_event_is_gone_with_what_stood_beside_it() -> None:
    """M9."""
    async with home() as here:
        event = await _captured(here, type="observation", content="A heron at the pond. " * 600)
        part = await _captured(here, type="observation", content="It flew off.", parent_id=event["id"])

        gone = await here.client.delete(f"/api/events/{event['id']}")

        assert gone.status_code == 204
        assert (await here.client.get(f"/api/events/{event['id']}")).status_code == 404
        assert event["id"] not in await _searched(here, "heron")
        assert (await here.client.get(f"/api/events/{part['id']}")).json()["parent_id"] is None


async def test_the_event_that_a_conversation_is_follows_the_conversation() -> None:
    """K5."""
    async with home() as here:
        id = await here.talk()
        await here.say(id)
        event = (await here.client.get(f"/api/conversations/{id}/event")).json()

        changed = await here.client.patch(f"/api/events/{event['id']}", json={"content": "Another."})
        deleted = await here.client.delete(f"/api/events/{event['id']}")

        for answer in (changed, deleted):
            assert answer.status_code == 400
            assert "Change the title of the conversation, close it, or delete it instead" in answer.json()["detail"]
        assert (await here.client.get(f"/api/conversations/{id}/event")).json() == event


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ended_at": "2020-01-01T00:00:00Z"}, "The event cannot end before it began"),
        ({"state": "in_progress", "ended_at": "2099-01-01T00:00:00Z"}, "Leave ended_at out"),
    ],
)
async def test_an_end_that_cannot_be_is_refused(changes: dict[str, Any], says: str) -> None:
    async with home() as here:
        event = await _captured(here, type="task", content="Book the ferry.", in_progress=True)

        answer = await here.client.patch(f"/api/events/{event['id']}", json=changes)

        assert answer.status_code == 400
        assert says in answer.json()["detail"]


async def test_an_event_carries_its_user_and_what_it_names_of_the_world() -> None:
    """C1, G4: entities by their names, spoilers and those of another campaign never."""
    async with home() as here:
        at = now()
        fields: dict[str, Any] = {"workspace": here.lore.scope.workspace, "created_at": at, "updated_at": at}
        library = Entity(id="library", name="Orne Library", **fields)
        secret = Entity(id="secret", name="Mole King", is_spoiler=True, **fields)
        await here.lore.store.apply(here.lore.scope, [Put(library), Put(secret)])

        event = await _captured(here, type="observation", content="They broke into Orne Library with the Mole King.")

        assert event["user_id"] == USER_ID
        assert event["entity_ids"] == ["library"]
        changed = await here.client.patch(f"/api/events/{event['id']}", json={"content": "They slept."})
        assert changed.json()["entity_ids"] == []


async def test_emulation_changes_and_deletes_no_event() -> None:
    """C3."""
    async with home() as here:
        event = await _captured(here, type="task", content="Book the ferry.", in_progress=True)
        asleep = {"X-Cognitive-Mode": "emulation"}

        changed = await here.client.patch(f"/api/events/{event['id']}", json={"state": "complete"}, headers=asleep)
        deleted = await here.client.delete(f"/api/events/{event['id']}", headers=asleep)

        assert (changed.status_code, deleted.status_code) == (403, 403)
        assert [each["state"] for each in await _items(here)] == ["in_progress"]
