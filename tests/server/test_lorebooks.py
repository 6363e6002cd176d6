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
                "why": "Its key 'ferry' was said.",
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
