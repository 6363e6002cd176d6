"""Characters over HTTP: made, changed, deleted, and as cards that come and go (V9)."""

import json
from typing import Any

import pytest

from everlore.interchange.pngfile import avatar
from tests.server.home import home

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mira",
        "description": "{{char}} keeps bees. 🐝",
        "personality": "calm",
        "scenario": "",
        "first_mes": "Hello {{user}}, I am {{char}}.",
        "mes_example": "",
        "creator_notes": "not for the prompt",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["You again!"],
        "tags": ["bees"],
        "creator": "somebody",
        "character_version": "1",
        "extensions": {"unknown/thing": {"deep": [1, 2.5, None, "ü"]}},
        "character_book": {
            "entries": [
                {"keys": ["honey"], "content": "Sweet.", "extensions": {}, "enabled": True, "insertion_order": 1}
            ],
            "extensions": {},
        },
    },
}


async def test_a_character_is_made_changed_and_deleted() -> None:
    async with home() as here:
        made = await here.client.post("/api/characters", json={"name": "Mira", "greetings": ["Hello."], "age": 30})
        path = f"/api/characters/{made.json()['id']}"

        changed = await here.client.patch(path, json={"personality": "calm", "age": None})
        gone = await here.client.delete(path)

        assert made.status_code == 201
        assert (changed.json()["personality"], changed.json()["age"], changed.json()["name"]) == ("calm", None, "Mira")
        assert gone.status_code == 204
        assert (await here.client.get(path)).status_code == 404


async def test_the_fields_of_a_card_are_counted_as_they_are_written() -> None:
    """U4: what is not saved yet counts too, as the prompts count it."""
    async with home() as here:
        texts = {"personality": "calm and dry", "scenario": ""}

        counted = await here.client.post("/api/characters/tokens", json={"texts": texts})

        count = here.lore.resources.tokenizer.count
        assert counted.json() == {"tokens": {"personality": count("calm and dry"), "scenario": 0}}


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({}, 422, "errors"),
        ({"name": "Mira", "colour": "red"}, 422, "colour"),
        ({"name": "Mira", "age": "old"}, 422, "age"),
        ({"name": "  "}, 400, "Person.name is empty"),
        ({"name": "x" * 301}, 400, "the most is 300"),
        ({"name": "Mira", "description": "a\x00b"}, 400, "NUL"),
        ({"name": "Mira", "statistics": {"charisma": 99}}, 400, "from 1 to 20"),
    ],
    ids=["nothing", "unknown field", "wrong type", "blank", "too long", "NUL", "beyond the sheet"],
)
async def test_a_character_that_cannot_be_is_refused_with_the_reason(body: Any, status: int, says: str) -> None:
    async with home() as here:
        answer = await here.client.post("/api/characters", json=body)

        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert says in answer.text


@pytest.mark.parametrize(
    ("format", "version"), [("json", 2), ("json", 3), ("png", 2), ("png", 3), ("charx", 3)], ids=lambda each: str(each)
)
async def test_a_card_goes_in_and_out_and_in_again(format: str, version: int) -> None:
    """V9: equal data, unknown fields and the lorebook included."""
    async with home() as here:
        imported = await _import(here, json.dumps(CARD).encode(), "mira.json")
        path = f"/api/characters/{imported['character']['id']}/export?format={format}&version={version}"
        exported = await here.client.get(path)
        again = await _import(here, exported.content, f"mira.{format}")

        ours = {"id", "created_at", "updated_at", "avatar", "avatar_url", "extensions"}
        assert {k: v for k, v in again["character"].items() if k not in ours} == {
            k: v for k, v in imported["character"].items() if k not in ours
        }
        data = again["character"]["extensions"]["card"]["data"]
        assert data["extensions"]["unknown/thing"] == CARD["data"]["extensions"]["unknown/thing"]
        assert data["character_book"]["entries"][0]["content"] == "Sweet."
        assert imported["character"]["greetings"] == ["Hello {{user}}, I am {{char}}.", "You again!"]
        assert imported["report"]["format"] == "Character Card V2 (JSON)"


async def test_the_picture_of_a_png_card_is_the_picture_of_the_character() -> None:
    """V9."""
    async with home() as here:
        mira = (await _import(here, json.dumps(CARD).encode(), "mira.json"))["character"]
        png = await here.client.get(f"/api/characters/{mira['id']}/export?format=png")
        twin = (await _import(here, png.content, "mira.png"))["character"]

        picture = await here.client.get(twin["avatar_url"])

        assert picture.headers["content-type"] == "image/png"
        assert picture.content.startswith(b"\x89PNG")
        assert b"ccv3" not in picture.content
        assert "immutable" in picture.headers["cache-control"]


async def test_a_picture_is_given_and_replaced() -> None:
    async with home() as here:
        id = await here.character()

        given = await here.client.put(f"/api/characters/{id}/avatar", content=avatar("Nova"))
        refused = await here.client.put(f"/api/characters/{id}/avatar", content=b"<svg onload='alert(1)'/>")

        assert (await here.client.get(given.json()["avatar_url"])).content == avatar("Nova")
        broken = await here.client.put(f"/api/characters/{id}/avatar", content=b"\x89PNG\r\n\x1a\nGARBAGE")

        assert (refused.status_code, broken.status_code) == (400, 400)
        assert "can't show this file as a picture" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "has no body"),
        (b"hello", "card"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"PK\x03\x04" + b"\0" * 50, "zip"),
        (b'{"spec": "chara_card_v2", "data": [1]}', ""),
    ],
    ids=["empty", "text", "broken PNG", "broken zip", "no card"],
)
async def test_a_file_that_is_no_card_is_refused_with_the_reason(data: bytes, says: str) -> None:
    """S-5."""
    async with home() as here:
        answer = await here.client.post("/api/characters/import?filename=x", content=data)

        assert answer.status_code == 400
        assert says.lower() in answer.json()["detail"].lower()
        assert (await here.client.get("/api/characters?kind=character")).json()["items"] == []


async def test_a_file_that_is_too_large_is_refused_before_it_is_read() -> None:
    """S-5, S-7."""
    async with home() as here:
        answer = await here.client.post("/api/characters/import?filename=x.json", content=bytes(51_000_000))

        assert answer.status_code == 413
        assert "larger than 50 MB" in answer.json()["detail"]


async def test_a_greeting_opens_the_conversation_with_its_alternatives() -> None:
    """V9."""
    async with home() as here:
        mira = (await _import(here, json.dumps(CARD).encode(), "mira.json"))["character"]
        talk = await here.client.post("/api/conversations", json={"character_id": mira["id"]})

        (greeting,) = await here.messages(talk.json()["id"])

        assert greeting["alternatives"] == ["Hello User, I am Mira.", "You again!"]
        assert (greeting["display_content"], greeting["name"]) == ("Hello User, I am Mira.", "Mira")
        assert talk.json()["characters"] == [{"id": mira["id"], "name": "Mira", "avatar_url": None}]


async def test_whoever_asks_is_told_who_they_are() -> None:
    async with home() as here:
        me = (await here.client.get("/api/me")).json()
        await here.client.patch(f"/api/characters/{me['user']['id']}", json={"name": "Ada"})

        assert (me["workspace"], me["role"], me["user"]["kind"]) == ("default", "owner", "user")
        assert (await here.client.get("/api/me")).json()["user"]["name"] == "Ada"
        assert (await here.client.delete(f"/api/characters/{me['user']['id']}")).status_code == 400


async def _import(here: Any, data: bytes, filename: str) -> Any:
    answer = await here.client.post(f"/api/characters/import?filename={filename}", content=data)
    assert answer.status_code == 201, answer.text
    return answer.json()
