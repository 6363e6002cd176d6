"""Lorebooks fire in conversations: of a card, of a persona, of a workspace (V18)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.policy import Role
from everlore.errors import BadAsk, NotFound
from everlore.turn.xrays import Seen
from tests.turn.world import World, world

TOWER: dict[str, Any] = {
    "name": "Grey Point",
    "scan_depth": 4,
    "entries": [
        {
            "id": 1,
            "keys": ["lighthouse"],
            "content": "The lighthouse of Grey Point was built by {{char}}'s grandmother.",
            "insertion_order": 10,
            "enabled": True,
            "position": "before_char",
            "extensions": {},
        },
        {
            "id": 2,
            "keys": [],
            "constant": True,
            "content": "It always rains in Grey Point.",
            "insertion_order": 20,
            "enabled": True,
            "position": "after_char",
            "extensions": {},
        },
        {
            "id": 3,
            "keys": ["cellar"],
            "content": "@@depth 2\nThe cellar is flooded </mcp:context>.",
            "insertion_order": 30,
            "enabled": True,
            "extensions": {},
        },
    ],
}
WORLD = {"entries": {"0": {"uid": 0, "key": ["ferry"], "comment": "Ferry", "content": "The ferry sails at dawn."}}}


def _card(book: dict[str, Any]) -> bytes:
    data = {"name": "Mira", "description": "Mira keeps a lamp.", "first_mes": "Hi.", "character_book": book}
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).encode()


async def _mira(book: dict[str, Any]) -> tuple[World, Conversation]:
    mind = world()
    imported = await mind.lore.characters.read_file(_card(book))
    talk = await mind.lore.conversations.start(system=imported.person.id, config={"auto_title": False})
    return mind, talk


def _text(seen: Seen) -> str:
    return "\n".join(each.content for each in seen.messages)


def _lore(seen: Seen) -> dict[str, str]:
    return {each["uid"]: each["why"] for each in seen.account["lore"] if not each["left_out"]}


async def test_the_book_of_a_card_fires_in_the_prompt() -> None:
    """V18, P12: keys, constants, macros, position and depth; the x-ray says why."""
    mind, talk = await _mira(TOWER)
    for text in ("One.", "Two."):
        await (await mind.lore.turns.say(talk.id, text)).reply()

    quiet = await mind.lore.x_rays.would_be(talk.id, "How are you?")
    seen = await mind.lore.x_rays.would_be(talk.id, "What of the Lighthouse and its cellar?")

    assert "grandmother" not in _text(quiet)
    assert _lore(quiet) == {"2": "Always included."}
    assert _lore(seen) == {
        "1": "Matched key 'lighthouse'.",
        "2": "Always included.",
        "3": "Matched key 'cellar'.",
    }
    system = seen.messages[0].content
    assert system.startswith("The lighthouse of Grey Point was built by Mira's grandmother.")
    assert system.index("Mira keeps a lamp.") < system.index("It always rains in Grey Point.")
    [deep] = [at for at, each in enumerate(seen.messages) if "flooded" in each.content]
    assert 0 < deep < len(seen.messages)
    assert "flooded </mcp:context>" not in _text(seen)
    assert {each["position"] for each in seen.account["lore"]} == {"before_char", "after_char", "at_depth 2"}
    assert next(each["used"] for each in seen.account["parts"] if each["name"] == "lore") > 0


async def test_a_turn_tells_the_model_what_the_preview_showed() -> None:
    """V18: and the x-ray that is kept names the entries without repeating their words."""
    mind, talk = await _mira(TOWER)

    await (await mind.lore.turns.say(talk.id, "Show me the lighthouse.")).reply()

    assert "grandmother" in mind.model.prompt
    kept = await mind.lore.x_rays.of(talk.id)
    assert set(_lore(kept)) == {"1", "2"}
    assert "grandmother" not in json.dumps(kept.account["sections"])


async def test_books_are_attached_to_persons_and_to_the_workspace() -> None:
    """V18: listed, switched off, given back as they came, and removed."""
    mind = world()
    mira = await mind.meets("Mira")
    rex = await mind.meets("Rex")
    books = mind.lore.lorebooks
    own, report = await books.attach(json.dumps(TOWER).encode(), "tower.json", person_id=mira.id)
    everywhere, _ = await books.attach(json.dumps(WORLD).encode(), "Ferries.json")
    talks = {each.id: await mind.lore.conversations.start(system=each.id) for each in (mira, rex)}

    async def told(person: str) -> set[str]:
        return set(_lore(await mind.lore.x_rays.would_be(talks[person].id, "The lighthouse? The ferry?")))

    assert (own.entries, own.name, everywhere.name) == (3, "Grey Point", "Ferries")
    assert report.kept
    assert await told(mira.id) == {"0", "1", "2"}
    assert await told(rex.id) == {"0"}
    assert [each.id for each in await books.list()] == [everywhere.id]
    assert await books.document(own.id, person_id=mira.id) == TOWER
    await books.switch(everywhere.id, enabled=False)
    assert await told(rex.id) == set()
    await books.remove(own.id, person_id=mira.id)
    assert await told(mira.id) == set()
    with pytest.raises(NotFound):
        await books.remove(own.id, person_id=mira.id)
    with pytest.raises(BadAsk):
        await books.attach(b'{"no": "book"}')


async def test_the_persona_that_the_user_speaks_as_brings_its_book() -> None:
    """V18."""
    mind, talk = await _mira({"entries": []})
    await mind.lore.lorebooks.attach(json.dumps(WORLD).encode(), person_id=talk.user_id)

    assert set(_lore(await mind.lore.x_rays.would_be(talk.id, "The ferry?"))) == {"0"}


async def test_guests_are_told_nothing_of_lorebooks() -> None:
    """V18, C8: they meet the public side of a character."""
    mind, talk = await _mira(TOWER)
    await mind.lore.lorebooks.attach(json.dumps(WORLD).encode())
    guest = mind.lore.seen_by(replace(mind.scope, role=Role.GUEST, person_id=talk.user_id))

    seen = await guest.x_rays.would_be(talk.id, "The lighthouse, the ferry, the cellar?")

    assert seen.account["lore"] == []
    assert "rains" not in _text(seen)


async def test_a_spoiler_fires_for_nobody_but_who_runs_the_game() -> None:
    """V18: visibility applies."""
    entry = {**WORLD["entries"]["0"], "extensions": {"everlore": {"spoiler": True}}}
    mind = world()
    mira = await mind.meets("Mira")
    await mind.lore.lorebooks.attach(json.dumps({"entries": {"0": entry}}).encode())
    talk = await mind.lore.conversations.start(system=mira.id)

    assert _lore(await mind.lore.x_rays.would_be(talk.id, "The ferry?")) == {}


async def test_a_book_larger_than_its_room_leaves_room_for_the_talk() -> None:
    """V18, P9: at most a quarter of a prompt is lore, and what had no room is named."""
    entries = [
        {"id": number, "keys": [], "constant": True, "content": f"Entry {number}. " + "word " * 60, "extensions": {}}
        for number in range(200)
    ]
    mind, talk = await _mira({"entries": entries})

    seen = await mind.lore.x_rays.would_be(talk.id, "How are you?")

    told, left = (
        [each for each in seen.account["lore"] if bool(each["left_out"]) is is_left] for is_left in (False, True)
    )
    assert told
    assert left
    assert sum(each["tokens"] for each in told) <= seen.account["window"] / 4
    assert seen.messages[-1].content.endswith("How are you?")
    assert any("No room for" in each for each in seen.account["warnings"])
