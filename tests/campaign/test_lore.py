"""Lorebooks at the table: entries become things of the world, and go out again (G9, G11, G12)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from everlore.campaign.lore import LoreFile, export_lore, import_lore
from everlore.domain.campaign import Campaign, Entity, EntityKind
from everlore.errors import Forbidden
from everlore.store.port import Put
from tests.campaign.table import at_seat, seated, without_model
from tests.interchange.test_lorebooks import BOOK, NOVELAI, WORLD_INFO
from tests.turn.world import World, world

FILE = json.dumps(WORLD_INFO).encode()


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def entities(house: World, made: Campaign) -> dict[str, Entity]:
    page = await house.store.find(house.scope, Entity, {"campaign_id": made.id}, limit=100)
    return {each.name: each for each in page.items}


async def brings(house: World, made: Campaign, data: bytes = FILE, **how: Any) -> Any:
    return await import_lore(house.resources, house.scope, made.id, data, LoreFile(filename="orne.json", **how))


async def sends(house: World, made: Campaign, **how: Any) -> Any:
    return json.loads(await export_lore(house.resources, house.scope, made.id, **how))


async def test_entries_become_things_of_the_world(house: World) -> None:
    """G12, G11: with their names, their text and all of their fields; no machine overwrites them."""
    made = await seated(house)
    arrival = await brings(house, made)
    known = await entities(house, made)

    assert arrival.added == ["Ilka", "The drowned tower", "zephyrine"]
    assert (known["Ilka"].kind, known["Ilka"].aliases) == (EntityKind.NPC, ("Sister Ilka",))
    assert all(each.gm_edited for each in known.values())
    assert known["Ilka"].attributes["lorebook"]["entry"]["unheardOf"] == {"deep": [1, 2.5, None]}  # type: ignore[index]


async def test_import_export_import_is_the_same(house: World) -> None:
    """G12: the same file changes nothing, and neither does what went out; each export is the same."""
    made = await seated(house)
    await brings(house, made)
    before = await entities(house, made)
    out = await export_lore(house.resources, house.scope, made.id)

    again = await brings(house, made)
    back = await brings(house, made, out)

    assert (again.same, again.added, again.changed) == (3, [], [])
    assert (back.added, back.left) == ([], [])
    after = await entities(house, made)
    for name in before:
        assert replace(after[name], attributes={}, updated_at=before[name].updated_at) == replace(
            before[name], attributes={}
        )
    assert await export_lore(house.resources, house.scope, made.id) == out
    assert json.loads(out)["name"] == "Orne"


async def test_what_was_edited_here_is_left_unless_the_file_is_to_win(house: World) -> None:
    """G11: and what was only edited in the file comes in."""
    made = await seated(house)
    await brings(house, made)
    known = await entities(house, made)
    mine = replace(known["Ilka"], description="She is dead.")
    await house.store.apply(house.scope, [Put(mine)])
    newer = json.loads(FILE)
    newer["entries"]["0"]["content"] = "She lives."
    newer["entries"]["7"]["content"] = "It rings twice."
    data = json.dumps(newer).encode()

    dry = await brings(house, made, data, dry_run=True)
    first = await brings(house, made, data)
    told = (await entities(house, made))["Ilka"].description
    await brings(house, made, data, replace=True)
    after = await entities(house, made)

    assert (dry.left, dry.changed) == (first.left, first.changed) == (["Ilka"], ["The drowned tower"])
    assert told == "She is dead."
    assert after["Ilka"].description == "She lives."
    assert after["The drowned tower"].description == "It rings twice."


async def test_an_entry_that_only_has_the_name_of_something_adds_to_it(house: World) -> None:
    """G4, G12: what is known of it stays."""
    made = await seated(house)
    now = house.clock()
    known = Entity(
        workspace=house.scope.workspace, id="ilka", name="Ilka", description="A nun.", campaign_id=made.id,
        created_at=now, updated_at=now,
    )  # fmt: skip
    await house.store.apply(house.scope, [Put(known)])
    arrival = await brings(house, made)
    after = (await entities(house, made))["Ilka"]

    assert (after.id, after.description, after.aliases) == ("ilka", "A nun.", ("Sister Ilka",))
    assert arrival.changed == ["Ilka"]


async def test_a_lorebook_in_a_card_is_brought_from_the_cards_file(house: World) -> None:
    """G12, V9."""
    made = await seated(house)
    card = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": "Mira", "description": "A sailor.", "character_book": BOOK["data"]},
    }
    arrival = await brings(house, made, json.dumps(card).encode())
    again = await brings(house, made, json.dumps(card).encode())

    assert arrival.added == ["Lamp Guild"]
    assert (await entities(house, made))["Lamp Guild"].kind is EntityKind.FACTION
    assert again.added == []


async def test_players_get_nothing_that_is_hidden(house: World) -> None:
    """G9: neither spoilers, nor what an open entry came with, nor what its book says of itself."""
    made = await seated(house)
    await brings(house, made)
    secret = {"name": "Secrets of Oswin", "entries": {"0": {"uid": 0, "key": ["Oswin"], "content": "He drinks light."}}}
    await brings(house, made, json.dumps(secret).encode(), gm_only=True)

    whole = json.dumps(await sends(house, made))
    for form in ("world_info", "character_book"):
        theirs = json.dumps(await sends(house, made, player="pia", form=form))
        assert "The last keeper." in theirs
        for hidden in ("Oswin", "drinks light", "Mira", "unheardOf", "Secrets"):
            assert hidden in whole
            assert hidden not in theirs
    own = json.loads(await export_lore(house.resources, at_seat(house, "pia").scope, made.id))
    assert "Oswin" not in json.dumps(own)


async def test_only_whoever_runs_the_game_brings_lore(house: World) -> None:
    """G9, S-3."""
    made = await seated(house)

    with pytest.raises(Forbidden):
        await import_lore(house.resources, at_seat(house, "pia").scope, made.id, FILE, LoreFile())


async def test_a_novelai_book_goes_out_as_world_info(house: World) -> None:
    """G12: and spoilers stay spoilers when they come back elsewhere."""
    made = await seated(house)
    await brings(house, made, json.dumps(NOVELAI).encode(), gm_only=True)
    out = await export_lore(house.resources, house.scope, made.id)
    other = await house.lore.campaigns.make("Another")
    await brings(house, other, out)

    there = (await entities(house, other))["The Long Quay"]
    assert (there.kind, there.is_spoiler, there.description) == (EntityKind.LOCATION, True, "A quay.")
