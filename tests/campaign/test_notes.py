"""The game master's notes, imported as notes (G9, G11, G12)."""

import pytest

from everlore.campaign.notes_import import sections_of
from everlore.domain.memory import MemoryType
from everlore.errors import BadAsk, Forbidden
from tests.campaign.table import at_seat, plays, seated, without_model
from tests.turn.world import World, world

NOTES = b"""The abbot is the thief.

# The Drowned Abbot
He drinks the light of Orne.

## The Lantern of Oum
It lies below the mill.
"""


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def test_each_heading_becomes_a_note_without_a_session(house: World) -> None:
    """G12: with the entities that it names."""
    made = await seated(house)
    lantern = await house.lore.world.add(made.id, "The Lantern of Oum")

    report = await house.lore.campaign_files.import_notes(made.id, NOTES, filename="Session 1.md")

    assert len(report.added) == 3
    found = {each.content: each for each in await house.lore.campaigns.memories(made.id)}
    assert found.keys() == {
        "The abbot is the thief.",
        "The Drowned Abbot: He drinks the light of Orne.",
        "The Lantern of Oum: It lies below the mill.",
    }
    assert {each.type for each in found.values()} == {MemoryType.NOTE}
    assert found["The Lantern of Oum: It lies below the mill."].entity_ids == (lantern.id,)
    assert await house.lore.sessions.list(made.id) == ()
    assert (await house.lore.sessions.start(made.id)).number == 1
    answer = await house.lore.asking.ask(made.id, "Where is the Lantern of Oum?")
    assert "below the mill" in answer.passages[0].text


async def test_players_see_neither_the_notes_nor_their_title(house: World) -> None:
    """G9."""
    made = await seated(house)
    await house.lore.campaign_files.import_notes(made.id, NOTES, filename="zephyrine.md")
    pia = at_seat(house, "pia")

    seen = (
        await pia.campaigns.memories(made.id),
        await pia.campaigns.shelves(made.id),
        await pia.sessions.list(made.id),
        await pia.campaign_files.export_vault(made.id),
        await pia.asking.ask(made.id, "Who is the drowned abbot, and what is zephyrine?"),
        await pia.recall("the abbot drinks the light"),
    )

    assert not [word for word in ("abbot is", "drinks", "mill") if word in str(seen)]
    assert "zephyrine.md" not in str(seen)
    with pytest.raises(Forbidden):
        await pia.campaign_files.import_notes(made.id, NOTES)


async def test_an_edited_file_changes_what_differs_and_leaves_what_was_edited_here(house: World) -> None:
    """G11."""
    made = await seated(house)
    files = house.lore.campaign_files
    await files.import_notes(made.id, NOTES, filename="notes.md")
    own = next(each for each in await house.lore.campaigns.memories(made.id) if "drinks" in each.content)
    await house.lore.edit(own.id, content="The Drowned Abbot: He is dead.")

    edited = NOTES.replace(b"below the mill", b"in the tower").replace(b"drinks", b"eats")
    planned = await files.import_notes(made.id, edited, filename="notes.md", dry_run=True)
    report = await files.import_notes(made.id, edited, filename="notes.md")

    assert (len(report.changed), len(report.left), report.same, report.added) == (1, 1, 1, [])
    assert planned.changed == report.changed
    found = {each.content for each in await house.lore.campaigns.memories(made.id)}
    assert {"The Lantern of Oum: It lies in the tower.", "The Drowned Abbot: He is dead."} <= found
    with pytest.raises(BadAsk, match="empty"):
        await files.import_notes(made.id, b" \n# Only a heading\n")


def test_long_notes_are_split_between_paragraphs() -> None:
    paragraphs = [f"{at} {'word ' * 150}".strip() for at in range(8)]

    found = list(sections_of("# Plot\n" + "\n\n".join(paragraphs)))

    assert len(found) > 1
    assert {each.subject for each in found} == {"Plot"}
    assert "\n\n".join(each.text for each in found).split("\n\n") == paragraphs


async def test_names_in_notes_are_proposed_as_hidden_and_become_public_once_they_are_said(house: World) -> None:
    """G4, G9: importing the notes again proposes nothing new."""
    made = await seated(house)
    notes = b"# Captain Marr\nShe pays Dzerlan by the inch. Nobody trusts Dzerlan."
    for _ in range(2):
        await house.lore.campaign_files.import_notes(made.id, notes)

    waiting = (await house.lore.review.list(made.id)).items
    assert {(each.title, each.is_spoiler, each.session_id) for each in waiting} == {
        ("Captain Marr", True, None),
        ("Dzerlan", True, None),
    }

    session = await house.lore.sessions.start(made.id)
    await plays(house, session, ("GM", "You see Dzerlan at the quay."), ("Pia", "I greet Dzerlan."))
    await house.lore.sessions.end(session.id)
    await house.works()

    waiting = (await house.lore.review.list(made.id)).items
    assert {each.title: each.is_spoiler for each in waiting} == {"Captain Marr": True, "Dzerlan": False}
