"""Campaigns as their game masters look after them (G1, G9, G10, G11)."""

import pytest

from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.errors import BadAsk, Conflict, Forbidden, NotFound
from everlore.learning.saving.draft import SaveResult
from tests.campaign.table import PREMISE, at_seat, seated
from tests.turn.world import World, world


@pytest.fixture
def house() -> World:
    return world()


async def test_a_campaign_is_made_found_by_name_and_changed(house: World) -> None:
    """G10."""
    made = await seated(house)

    assert (await house.lore.campaigns.get("The Lamps of Orne")).campaign == made
    assert (made.premise, made.gm_id, made.player_ids) == (PREMISE, "vesna", ("pia", "jon"))

    changed = await house.lore.campaigns.change(made.id, name="The Dark of Orne", players=["pia"])

    assert (changed.name, changed.premise, changed.player_ids) == ("The Dark of Orne", PREMISE, ("pia",))
    assert [each.id for each in (await house.lore.campaigns.list()).items] == [made.id]


async def test_nobody_runs_a_game_that_they_play_in(house: World) -> None:
    """G9: whoever runs it knows its secrets."""
    made = await seated(house)

    with pytest.raises(Conflict, match="can't be a player"):
        await house.lore.campaigns.change(made.id, gm="pia")
    with pytest.raises(NotFound, match="no person 'nemo'"):
        await house.lore.campaigns.change(made.id, players=["nemo"])


async def test_a_name_that_two_campaigns_have_is_not_enough(house: World) -> None:
    """G10."""
    for _ in range(2):
        await house.lore.campaigns.make("Twins")

    with pytest.raises(BadAsk, match="Use an id"):
        await house.lore.campaigns.get("Twins")


async def test_chapters_follow_each_other(house: World) -> None:
    """G1: a new one ends the one before it."""
    made = await seated(house)

    first = await house.lore.campaigns.begin_chapter(made.id, "Dusk", goals=["Find who dims the lamps", " "])
    second = await house.lore.campaigns.begin_chapter(made.id, "Night")

    before, now = await house.lore.campaigns.chapters(made.id)
    assert (before.id, before.number, before.goals) == (first.id, 1, ("Find who dims the lamps",))
    assert before.closed_at is not None
    assert (now.id, now.number, now.closed_at) == (second.id, 2, None)

    again = await house.lore.campaigns.change_chapter(first.id, closed=False, goals=[])
    assert (again.closed_at, again.goals) == (None, ())


async def test_what_a_game_master_writes_is_canon_and_nobodys_own(house: World) -> None:
    """G1, G11: it belongs to the campaign, not to whoever wrote it down."""
    made = await seated(house)

    kept = await house.lore.campaigns.remember(made.id, "The Lamplighters' Guild rules Orne.", type=MemoryType.FACTION)

    assert (kept.outcome, kept.memory.persons, kept.memory.campaign_id) == (SaveResult.FORMED, (), made.id)
    again = await house.lore.campaigns.remember(made.id, "The Lamplighters' Guild rules Orne.", type=MemoryType.FACTION)
    assert again.outcome is SaveResult.REINFORCED


async def test_what_is_known_stands_on_the_shelf_that_it_belongs_to(house: World) -> None:
    """G1: campaign, chapter, session."""
    campaigns = house.lore.campaigns
    made = await seated(house)
    chapter = await campaigns.begin_chapter(made.id, "Dusk")
    session = await house.lore.sessions.start(made.id)
    await campaigns.remember(made.id, "Orne is a city on stilts.", type=MemoryType.SETTING)
    await campaigns.remember(made.id, "The lamps of the harbour are out.", chapter=chapter.id)
    await campaigns.remember(made.id, "Pia fell into the canal.", type=MemoryType.MOMENT, session=session.id)

    shelves = await campaigns.shelves(made.id)

    assert [each.content for each in shelves.memories] == ["Orne is a city on stilts."]
    assert [[each.content for each in shelf.memories] for shelf in shelves.chapters] == [
        ["The lamps of the harbour are out."]
    ]
    assert [[each.content for each in shelf.memories] for shelf in shelves.sessions] == [["Pia fell into the canal."]]


async def test_players_see_canon_and_no_spoiler(house: World) -> None:
    """G9: in their lists, on their shelves, with a token of their own or with the game master's eyes on them."""
    campaigns = house.lore.campaigns
    made = await seated(house)
    await campaigns.remember(made.id, "The harbour lamps are out.")
    await campaigns.remember(made.id, "The guild master eats the light.", spoiler=True)

    for lore, player in ((house.lore, ""), (house.lore, "pia"), (at_seat(house, "pia"), None)):
        seen = await lore.campaigns.memories(made.id, player=player)
        assert [each.content for each in seen] == ["The harbour lamps are out."]
    for lore in (house.lore, at_seat(house, "vesna")):
        assert len(await lore.campaigns.memories(made.id)) == 2


async def test_a_campaign_is_not_there_for_whoever_does_not_sit_at_it(house: World) -> None:
    """G9, C4: in the words in which a store says it."""
    made = await seated(house)
    await house.lore.characters.create(name="Eve", id="eve", kind=PersonKind.USER)
    stranger = at_seat(house, "eve")

    with pytest.raises(NotFound, match="no campaign"):
        await stranger.campaigns.get(made.id)
    with pytest.raises(NotFound, match="no campaign"):
        await stranger.campaigns.get("The Lamps of Orne")
    assert (await stranger.campaigns.list()).items == ()


async def test_only_whoever_runs_the_game_shapes_it(house: World) -> None:
    """G9, G10."""
    made = await seated(house)
    chapter = await house.lore.campaigns.begin_chapter(made.id, "Dusk")
    pia, vesna = at_seat(house, "pia").campaigns, at_seat(house, "vesna").campaigns

    for act in (
        pia.change(made.id, name="Mine"),
        pia.delete(made.id),
        pia.begin_chapter(made.id, "Mine"),
        pia.change_chapter(chapter.id, name="Mine"),
        pia.remember(made.id, "Pia is queen of Orne."),
        pia.memories(made.id, player="jon"),
    ):
        with pytest.raises(Forbidden):
            await act

    assert (await vesna.change_chapter(chapter.id, name="Nightfall")).name == "Nightfall"


async def test_a_deleted_campaign_takes_its_world_along(house: World) -> None:
    """G10, M9."""
    made = await seated(house)
    kept = await house.lore.campaigns.remember(made.id, "The harbour lamps are out.")

    await house.lore.campaigns.delete(made.id)

    with pytest.raises(NotFound):
        await house.lore.campaigns.get(made.id)
    with pytest.raises(NotFound):
        await house.lore.memories.get(kept.memory.id)
