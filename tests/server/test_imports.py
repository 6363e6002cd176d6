"""Every file that can be imported goes through one route: previewed in words, then imported, never twice (U18)."""

import json
from typing import Any

import pytest

from tests.interchange.exports import chatgpt, claude, zipped
from tests.server.home import Home, home

CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Odile", "first_mes": "Mind the step."}}
BOOK = {"name": "Harbor", "entries": {"0": {"uid": 0, "key": ["ferry"], "content": "It leaves at dawn."}}}
CHAT = (
    '{"user_name": "Robin", "character_name": "Odile"}\n'
    '{"name": "Robin", "is_user": true, "mes": "Hello?"}\n'
    '{"name": "Odile", "is_user": false, "mes": "You are late."}\n'
)


async def sent(here: Home, data: bytes, **query: Any) -> dict[str, Any]:
    answer = await here.client.post("/api/imports", params=query, content=data)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (json.dumps(CARD).encode(), "character", "A character: Odile."),
        (json.dumps(BOOK).encode(), "lorebook", "A lorebook: Harbor, with 1 entry, for all chats."),
        (CHAT.encode(), "chat", "A chat with Odile: 2 messages."),
        (json.dumps([chatgpt()]).encode(), "chats", "1 chat from ChatGPT (4 messages in the file, 2023)."),
        (zipped([claude("a"), claude("b")]), "chats", "2 chats from Claude (4 messages in the file, 2024)."),
    ],
)
async def test_a_file_is_previewed_imported_and_not_imported_again(data: bytes, kind: str, says: str) -> None:
    """U18: the preview changes nothing."""
    async with home() as here:
        preview = await sent(here, data, dry_run=True)
        empty = (await here.client.get("/api/conversations")).json()["items"]
        done = await sent(here, data)
        once = await counts(here)
        again = await sent(here, data)

        assert (preview["kind"], preview["summary"][0], preview["is_new"]) == (kind, says, True)
        assert empty == []
        assert (done["dry_run"], done["is_new"]) == (False, True)
        assert (again["is_new"], await counts(here)) == (False, once)


async def counts(here: Home) -> list[int]:
    paths = ("/api/conversations", "/api/characters", "/api/lorebooks")
    return [len((await here.client.get(path)).json()["items"]) for path in paths]


async def test_chats_of_an_export_are_whole_and_can_be_continued() -> None:
    """U18: with their times and versions; only the chats that are new are added."""
    async with home() as here:
        first = await sent(here, zipped([chatgpt("one", "Ferries")]))
        second = await sent(here, zipped([chatgpt("one", "Ferries"), chatgpt("two", "Trains")]))
        (id,) = first["conversation_ids"]
        chat = (await here.client.get(f"/api/conversations/{id}")).json()
        messages = (await here.client.get(f"/api/conversations/{id}/messages")).json()["items"]
        said = await here.say(id, "And tomorrow?")

        assert (chat["title"], chat["created_at"][:4]) == ("Ferries", "2023")
        assert [each["content"] for each in messages][:2] == ["When does the ferry leave?", "At dawn."]
        assert second["summary"] == [
            "1 chat imported from ChatGPT.",
            "1 chat already here: skipped.",
        ]
        assert said.status_code == 200


async def test_a_workspace_is_previewed_without_names_of_tables() -> None:
    """U18, M13."""
    async with home() as here:
        await here.talk()
        exported = (await here.client.get("/api/export")).content
        same = await sent(here, exported, dry_run=True)
    async with home() as there:
        new = await sent(there, exported, dry_run=True)
        done = await sent(there, exported)

    assert (same["kind"], same["is_new"]) == ("workspace", False)
    assert new["is_new"] is True
    assert "1 chat" in new["summary"][0]
    assert done["summary"][0] == new["summary"][0].replace("New: ", "Imported: ")
    assert "_" not in " ".join(new["summary"])


@pytest.mark.parametrize("data", [b"just some text", b"[1, 2, 3]", b'{"colour": "red"}', b"\x1f\x8bnot really"])
async def test_what_cannot_be_read_is_refused_with_what_can(data: bytes) -> None:
    """U18."""
    async with home() as here:
        answer = await here.client.post("/api/imports", content=data)

        assert answer.status_code == 400
        assert "You can import character cards" in answer.json()["detail"]
