"""A campaign as a vault: out, edited by hand, and in again, with its identities (G9, G10, G11, G12)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from everlore.campaign.canon.disputes import Ruling
from everlore.campaign.vaults import VaultFiles, export_vault, import_vault
from everlore.domain.campaign import Entity, EntityKind, Relationship, Session
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.errors import BadAsk, Forbidden
from everlore.store.port import Put
from tests.campaign.played import SECRETS, Played, played
from tests.campaign.table import at_seat, without_model
from tests.turn.world import World, world

Files = dict[str, bytes]


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def sends(house: World, story: Played, **how: Any) -> Files:
    return await export_vault(house.resources, house.scope, story.campaign.id, **how)


async def brings(house: World, story: Played, files: Files, **how: Any) -> Any:
    return await import_vault(house.resources, house.scope, story.campaign.id, files, VaultFiles(**how))


def edited(files: Files, path: str, change: Callable[[str], str]) -> Files:
    return {**files, path: change(files[path].decode()).encode()}


async def entity(house: World, id: str) -> Entity:
    found: Entity = await house.store.get(house.scope, Entity, id)
    return found


def page_of(files: Files, ending: str) -> tuple[str, str]:
    (path,) = [each for each in files if each.endswith(ending)]
    return path, files[path].decode()


ILKA, ORNE = "NPCs/Sister Ilka.md", "Locations/Orne.md"


async def test_a_vault_has_a_page_for_everything_with_links_between_them(house: World) -> None:
    """G10, G12: properties, text, ties and mentions."""
    story = await played(house)
    files = await sends(house, story)

    assert {ILKA, ORNE, "NPCs/Oswin.md", "Canon.md", "The Lamps of Orne.md"} <= files.keys()
    ilka = files[ILKA].decode()
    assert ilka.startswith("---\nid: ilka\neverlore: entity\nname: Sister Ilka\nkind: npc\naliases:\n- Ilka\n")
    assert "She lives in [[Orne]]." in ilka
    assert "- lives in [[Orne]]: She lives in Orne. ^t1" in ilka
    assert "## Mentioned in\n\n- [[Session 01 The dark quay]]" in ilka
    path, session = page_of(files, "The dark quay.md")
    assert path == "Sessions/Session 01 The dark quay.md"
    assert "chapter: '[[Chapter 1 Dusk]]'" in session
    assert "## Summary" in session
    assert "- [[Sister Ilka]]" in session
    assert "The lamps burn old light. ^" in files["Canon.md"].decode()
    assert "spoiler: true" in files["NPCs/Oswin.md"].decode()


async def test_a_vault_that_nobody_edited_changes_nothing(house: World) -> None:
    """G12: out, in, out: the same, and nothing was written."""
    story = await played(house)
    files = await sends(house, story)
    before = len(house.store.applied)
    arrival = await brings(house, story, files)

    assert [*arrival.added, *arrival.changed, *arrival.left, *arrival.missing] == []
    assert arrival.same > 5
    assert (arrival.report.dropped, arrival.report.warnings) == ((), ())
    assert len(house.store.applied) == before
    assert await sends(house, story) == files


async def test_edits_by_hand_come_back_as_the_game_masters(house: World) -> None:
    """G11, G12: text, names, properties, a renamed file, a new tie, a changed memory; each with its identity."""
    story = await played(house)
    files = await sends(house, story)
    files = edited(files, ILKA, lambda text: text.replace("The last keeper.", "The very last keeper."))
    files = edited(
        files, ILKA, lambda text: text.replace("- Ilka\n", "- Ilka\n- Mother\n").replace("kind:", "age: 71\nkind:")
    )
    files = edited(
        files, ILKA, lambda text: text.replace("^t1", "^t1\n- mourns [[Harbour of Orne]] #spoiler: Ever since.")
    )
    files["Locations/Harbour of Orne.md"] = files.pop(ORNE)
    files = edited(files, "Canon.md", lambda text: text.replace("burn old light.", "burn old light, and hum."))
    house.clock.pass_time(60)
    arrival = await brings(house, story, files)

    ilka, orne = await entity(house, "ilka"), await entity(house, "orne")
    assert (ilka.description, ilka.aliases) == ("The very last keeper. She lives in [[Orne]].", ("Ilka", "Mother"))
    assert (ilka.gm_edited, ilka.attributes["vault"]) == (True, {"age": 71})
    assert (orne.name, orne.gm_edited) == ("Harbour of Orne", True)
    assert "Orne, now Harbour of Orne" in arrival.changed
    ties = (await house.store.find(house.scope, Relationship, {"source_id": "ilka"}, limit=10)).items
    new = next(each for each in ties if each.type == "mourns")
    assert (new.target_id, new.evidence, new.is_spoiler, new.gm_edited) == ("orne", "Ever since.", True, True)
    page = await house.store.find(house.scope, Memory, {"campaign_id": story.campaign.id}, limit=500)
    hums = next(each for each in page.items if each.content == "The lamps burn old light, and hum.")
    assert (hums.edited_by_person, hums.revision) == (True, 3)
    assert [each.note for each in await house.store.history(house.scope, hums.id)][-1] == "edited in a vault"
    assert arrival.missing == []
    again = await brings(house, story, await sends(house, story))
    assert [*again.added, *again.changed] == []
    assert "age: 71" in page_of(await sends(house, story), "Sister Ilka.md")[1]


async def test_a_page_without_an_id_is_new(house: World) -> None:
    """G12: by its folder or its properties; sessions and chapters too, and items in lists."""
    story = await played(house)
    files = await sends(house, story)
    files["NPCs/Captain Brant.md"] = b"A smuggler with one eye."
    files["Notes/Midwinter.md"] = b"---\nkind: event\naliases: The Long Night\n---\nThe lamps must burn by then."
    files["README.md"] = b"My own notes."
    files["Sessions/The wake.md"] = (
        b"---\nstarted: 2026-11-20\n---\nThey buried the keeper.\n\n## Facts\n\n- It rained.\n"
    )
    files = edited(files, "Canon.md", lambda text: text + "\n## Theme\n\n- Light is debt. #spoiler\n")
    arrival = await brings(house, story, files)

    page = await house.store.find(house.scope, Entity, {"campaign_id": story.campaign.id}, limit=50)
    known = {each.name: each for each in page.items}
    assert (known["Captain Brant"].kind, known["Captain Brant"].gm_edited) == (EntityKind.NPC, True)
    assert (known["Midwinter"].kind, known["Midwinter"].aliases) == (EntityKind.EVENT, ("The Long Night",))
    assert "README" not in known
    assert "README.md was passed over" in arrival.report.warnings[0]
    sessions = await house.store.find(house.scope, Session, {"campaign_id": story.campaign.id}, limit=50)
    wake = next(each for each in sessions.items if each.name == "The wake")
    assert (wake.number, wake.started_at.day) == (3, 20)
    memories = await house.lore.sessions.memories(wake.id)
    assert {(each.type, each.content) for each in memories} == {
        (MemoryType.FACT, "It rained."),
        (MemoryType.SUMMARY, "They buried the keeper."),
    }
    everything = (await house.store.find(house.scope, Memory, {"campaign_id": story.campaign.id}, limit=500)).items
    debt = next(each for each in everything if each.content == "Light is debt.")
    assert (debt.type, debt.is_spoiler, debt.origin) == (MemoryType.THEME, True, Origin.GM)
    again = await brings(house, story, await sends(house, story))
    assert [*again.added, *again.changed, *again.missing] == []


async def test_a_new_line_that_contradicts_canon_waits_for_a_ruling(house: World) -> None:
    """G7, G12: and a line that was ruled out does not come back by way of a vault."""
    story = await played(house)
    await house.lore.campaigns.remember(story.campaign.id, "Reth lives in Orne.", type=MemoryType.FACT)
    files = await sends(house, story)
    heavier = edited(files, "Canon.md", lambda text: text + "\n## Fact\n\n- Reth lives in Vell.\n")
    arrival = await brings(house, story, heavier)

    (found,) = await house.lore.canon.conflicts(story.campaign.id)
    assert (found.old.text, found.new.text) == ("Reth lives in Orne.", "Reth lives in Vell.")
    assert arrival.report.warnings == ("'Reth lives in Vell.' contradicts canon, and waits for your ruling.",)
    assert b"Vell" not in (await sends(house, story))["Canon.md"]

    await house.lore.canon.rule(found.proposal.id, Ruling.OLD)
    arrival = await brings(house, story, heavier)
    assert "was ruled out" in arrival.report.warnings[0]
    assert await house.lore.canon.conflicts(story.campaign.id) == []


async def test_what_is_missing_is_told_and_deleted_only_when_asked(house: World) -> None:
    """G12: a page, a line, a tie; what came since the export is not missing, and sessions are never deleted so."""
    story = await played(house)
    files = await sends(house, story)
    del files[ORNE]
    session, _ = page_of(files, "The tower.md")
    del files[session]
    files = edited(
        files, "Canon.md", lambda text: "\n".join(line for line in text.split("\n") if "old light" not in line)
    )
    house.clock.pass_time(60)
    await house.lore.campaigns.remember(story.campaign.id, "Something new.")
    told = await brings(house, story, files)

    assert set(told.missing) == {"Orne", "The tower", "'The lamps burn old light.'"}
    assert told.deleted == []
    assert (await entity(house, "orne")).name == "Orne"

    dry = await brings(house, story, files, delete_missing=True, dry_run=True)
    assert await house.store.get_many(house.scope, Entity, ["orne"])
    gone = await brings(house, story, files, delete_missing=True)
    assert dry.deleted == gone.deleted == ["Orne", "'The lamps burn old light.'"]
    assert not await house.store.get_many(house.scope, Entity, ["orne"])
    assert await house.store.get_many(house.scope, Session, [story.second.id])
    contents = {each.content for each in (await house.store.find(house.scope, Memory, limit=500)).items}
    assert "The lamps burn old light." not in contents
    assert "Something new." in contents


async def test_what_cannot_be_read_is_named_and_nothing_is_deleted_then(house: World) -> None:
    """G12, S-5: the other pages are still read."""
    story = await played(house)
    files = await sends(house, story)
    files["NPCs/Oswin.md"] = b"---\nid: [oswin\n---\nBroken."
    files = edited(
        files, ILKA, lambda text: text.replace("The last keeper.", "Gone.").replace("[[Orne]]: She", "[[Nowhere]]: She")
    )
    files["NPCs/Copy.md"] = files[ILKA]

    with pytest.raises(BadAsk, match=r"Nothing is deleted while something cannot be read: .*Oswin\.md"):
        await brings(house, story, files, delete_missing=True)
    arrival = await brings(house, story, files)

    told = "\n".join(arrival.report.dropped)
    assert "NPCs/Oswin.md are not YAML" in told
    assert "no tie to a page that is there" in told
    assert "has the id of another page" in told
    names = {each.name for each in (await house.store.find(house.scope, Entity, limit=50)).items}
    assert len(names) == 3
    with pytest.raises(BadAsk, match="no page of a campaign"):
        await brings(house, story, {"README.md": b"Nothing."})


async def test_what_was_changed_here_since_is_left_unless_the_vault_is_to_win(house: World) -> None:
    """G11."""
    story = await played(house)
    files = await sends(house, story)
    files = edited(files, ILKA, lambda text: text.replace("The last keeper.", "By hand."))
    house.clock.pass_time(60)
    before = await entity(house, "ilka")
    mine = replace(before, description="Here.", updated_at=house.clock())
    await house.store.apply(house.scope, [Put(mine)])

    left = await brings(house, story, files)
    kept = (await entity(house, "ilka")).description
    won = await brings(house, story, files, replace=True)

    assert (left.left, left.changed, kept) == (["Sister Ilka"], [], "Here.")
    assert won.changed == ["Sister Ilka"]
    assert (await entity(house, "ilka")).description.startswith("By hand.")


async def test_the_premise_and_the_names_of_chapters_and_sessions_come_back(house: World) -> None:
    """G10, G12."""
    story = await played(house)
    files = await sends(house, story)
    files = edited(files, "The Lamps of Orne.md", lambda text: text.replace("go out one by one", "are gone"))
    chapter, _ = page_of(files, "Dusk.md")
    files = edited(
        files, chapter, lambda text: text.replace("name: Dusk", "name: Night").replace("Find the light", "Flee")
    )
    session, _ = page_of(files, "The tower.md")
    files = edited(files, session, lambda text: text.replace("name: The tower", "name: The bell"))
    await brings(house, story, files)

    campaign = (await house.lore.campaigns.get(story.campaign.id)).campaign
    (after,) = await house.lore.campaigns.chapters(story.campaign.id)
    assert campaign.premise == "The lamps of Orne are gone."
    assert (after.name, after.goals) == ("Night", ("Flee",))
    assert (await house.lore.sessions.get(story.second.id)).name == "The bell"


async def test_a_vault_for_players_holds_no_hidden_string(house: World) -> None:
    """G9: no name, property, link, tie, mention or file name; and nobody imports it by mistake."""
    story = await played(house)
    visible = await entity(house, "ilka")
    linked = replace(visible, description=f"{visible.description} See [[The undercroft|below]].")
    hidden = replace(visible, id="under", name="The undercroft", aliases=(), description="", is_spoiler=True)
    await house.store.apply(house.scope, [Put(linked), Put(hidden)])
    whole = "\n".join(f"{path}\n{data.decode()}" for path, data in (await sends(house, story)).items())

    for files in (
        await sends(house, story, player="pia"),
        await sends(house, story, player=""),
        await export_vault(house.resources, at_seat(house, "jon").scope, story.campaign.id),
    ):
        text = "\n".join(f"{path}\n{data.decode()}" for path, data in files.items())
        for secret in SECRETS:
            assert secret in whole
            assert secret not in text
        assert "spoiler" not in text
        assert "Sister Ilka" in text
        with pytest.raises(BadAsk, match="made for players"):
            await brings(house, story, files)


async def test_a_session_of_the_game_masters_own_has_no_page_for_players(house: World) -> None:
    """G9: not even its name."""
    from everlore.campaign.log_import import LogFile, bring_log

    story = await played(house)
    file = LogFile(name="The fall of Harrowgate", gm_only=True)
    await bring_log(house.resources, house.scope, story.campaign.id, "GM: Oswin plots.\nGM: He waits.", file)
    theirs = await sends(house, story, player="pia")

    assert any("Harrowgate" in path for path in await sends(house, story))
    assert not any("Harrowgate" in path + data.decode() for path, data in theirs.items())


async def test_a_vault_keeps_identities_in_an_empty_campaign(house: World) -> None:
    """G12: in another house; where ids are taken by others, new ones are given."""
    story = await played(house)
    files = await sends(house, story)
    other = world(settings=without_model())
    empty = await other.lore.campaigns.make("Empty")
    arrival = await import_vault(other.resources, other.scope, empty.id, files, VaultFiles())
    beside = await house.lore.campaigns.make("Beside")
    await import_vault(house.resources, house.scope, beside.id, files, VaultFiles())

    assert {"Sister Ilka", "Orne", "Oswin"} <= set(arrival.added)
    assert (await entity(other, "ilka")).campaign_id == empty.id
    assert (await entity(house, "ilka")).campaign_id == story.campaign.id
    copies = (await house.store.find(house.scope, Entity, {"campaign_id": beside.id}, limit=50)).items
    assert {each.name for each in copies} == {"Sister Ilka", "Orne", "Oswin"}
    assert any("of another campaign" in each for each in arrival.report.warnings)


async def test_only_whoever_runs_the_game_brings_a_vault(house: World) -> None:
    """G9, S-3: the game master with a token of their own does."""
    story = await played(house)
    files = await sends(house, story)

    with pytest.raises(Forbidden):
        await import_vault(house.resources, at_seat(house, "pia").scope, story.campaign.id, files, VaultFiles())
    own = await import_vault(house.resources, at_seat(house, "vesna").scope, story.campaign.id, files, VaultFiles())
    assert own.changed == []
