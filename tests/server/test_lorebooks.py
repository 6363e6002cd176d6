"""Lorebooks over HTTP: attached, listed, given back, switched off and removed (V18)."""

import json
from typing import Any

from tests.server.home import home

BOOK: dict[str, Any] = {
    "name": "Ferries",
    "entries": {"0": {"uid": 0, "key": ["ferry"], "comment": "Ferry", "content": "The ferry sails at dawn."}},
}


async def test_a_lorebook_is_attached_fires_and_is_removed() -> None:
    """V18."""
    async with home() as here:
        mira = (await here.client.post("/api/characters", json={"name": "Mira"})).json()["id"]
        talk = (await here.client.post("/api/conversations", json={"character_id": mira})).json()["id"]
        for_mira = {"person_id": mira}

        made = await here.client.post("/api/lorebooks", params=for_mira, content=json.dumps(BOOK))
        id = made.json()["lorebook"]["id"]
        prompt = await here.client.post(f"/api/conversations/{talk}/prompt", json={"content": "When is the ferry?"})
        listed = await here.client.get("/api/lorebooks", params=for_mira)
        document = await here.client.get(f"/api/lorebooks/{id}", params=for_mira)
        off = await here.client.patch(f"/api/lorebooks/{id}", params=for_mira, json={"enabled": False})
        gone = await here.client.delete(f"/api/lorebooks/{id}", params=for_mira)

        assert made.status_code == 201
        assert prompt.json()["lore"] == [
            {
                "book": "Ferries",
                "uid": "0",
                "name": "Ferry",
                "position": "before_char",
                "tokens": prompt.json()["lore"][0]["tokens"],
                "why": "Matched key 'ferry'.",
                "left_out": "",
            }
        ]
        assert prompt.json()["messages"][0]["content"].startswith("The ferry sails at dawn.")
        assert [each["id"] for each in listed.json()["items"]] == [id]
        assert document.json() == BOOK
        assert off.json()["enabled"] is False
        assert gone.status_code == 204
        assert (await here.client.get(f"/api/lorebooks/{id}", params=for_mira)).status_code == 404
        assert (await here.client.post("/api/lorebooks", content=b'{"entries": 3}')).status_code == 400


async def test_a_lorebook_is_edited_and_exported_over_http() -> None:
    """V18: the same fields for every file; other fields of the file stay."""
    async with home() as here:
        created = await here.client.post("/api/lorebooks", content=b'{"name": "New", "entries": {}}')
        id = created.json()["lorebook"]["id"]
        content = (await here.client.get(f"/api/lorebooks/{id}/content")).json()
        assert content == {"name": "New", "scan_depth": 2, "token_budget": None, "recursive": False, "entries": []}

        content["entries"] = [{"name": "Ferry", "keys": [" ferry ", ""], "content": "It sails.", "hidden": True}]
        saved = await here.client.put(f"/api/lorebooks/{id}/content", json=content | {"name": "Ferries"})
        (entry,) = saved.json()["entries"]
        assert (saved.json()["name"], entry["uid"], entry["keys"], entry["hidden"]) == ("Ferries", "0", ["ferry"], True)

        book = (await here.client.get(f"/api/lorebooks/{id}", params={"form": "character_book"})).json()
        assert [each["keys"] for each in book["data"]["entries"]] == [["ferry"]]
        bad = await here.client.put(f"/api/lorebooks/{id}/content", json=content | {"name": " "})
        assert bad.status_code == 400
        both = await here.client.get("/api/lorebooks", params={"person_id": "a", "campaign_id": "b"})
        assert both.status_code == 400
        assert (await here.client.get("/api/lorebooks", params={"campaign_id": "none"})).status_code == 404
