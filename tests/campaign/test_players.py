"""Players of a campaign: typed in by name, whom they play, and the names that a log shows (G1, G4, G9)."""

import pytest

from everlore.campaign.log_import import LogFile, bring_log
from everlore.domain.proposal import Decision
from everlore.errors import BadAsk, Conflict, Forbidden, NotFound
from tests.campaign.table import at_seat, plays, seated, without_model
from tests.turn.world import World, world

LOG = """GM: You stand on the quay of Orne with Brother Ulric, and the lamps are dark.
Ada: I light the signal fire and call for Captain Ferris Doon.
Jonas: Ada, wait! Captain Ferris Doon sails with Brother Ulric, and Ada knows it.
GM: Captain Ferris Doon hears you. Brother Ulric kneels.
"""


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def names_of_log(house: World, session: str) -> list[str]:
    return [each.name for each in await house.lore.sessions.lines(session)]


async def test_a_player_is_added_by_name_without_an_account(house: World) -> None:
    """G1."""
    made = await seated(house)

    added = await house.lore.campaigns.players.add(made.id, " Ada ", character="Mira Sallow")

    assert (added.name, added.character) == ("Ada", "Mira Sallow")
    assert added.id in (await house.lore.campaigns.get(made.id)).campaign.player_ids
    assert [each.name for each in await house.lore.world.entities(made.id)] == ["Mira Sallow"]
    with pytest.raises(Conflict, match="ada plays"):
        await house.lore.campaigns.players.add(made.id, "ada")
    with pytest.raises(BadAsk, match="needs a name"):
        await house.lore.campaigns.players.add(made.id, " ")
    with pytest.raises(Conflict, match="game master"):
        await house.lore.campaigns.players.add(made.id, person="vesna")


async def test_a_dead_character_is_followed_by_another(house: World) -> None:
    """G1: each message shows the name of the character that was played then."""
    made = await seated(house)
    players = house.lore.campaigns.players
    await players.play(made.id, "pia", "Mira Sallow")
    first = await house.lore.sessions.start(made.id)
    await plays(house, first, ("GM", "The quay is dark."), ("Pia", "I jump."), ("Jon", "No!"))
    await house.lore.sessions.end(first.id, digest=False)
    house.clock.pass_time(7 * 86_400)

    await players.play(made.id, "pia", died=True)
    assert [each.character for each in await players.list(made.id)] == ["", ""]
    followed = await players.play(made.id, "pia", "Tomas Reed")

    second = await house.lore.sessions.start(made.id)
    await plays(house, second, ("Pia", "I am new here."))
    assert [(each.entity.name, each.died) for each in followed.roles] == [("Mira Sallow", True), ("Tomas Reed", False)]
    assert await names_of_log(house, first.id) == ["Narrator", "Mira Sallow", "Jon"]
    assert await names_of_log(house, second.id) == ["Tomas Reed"]


async def test_a_log_shows_characters_where_it_names_players(house: World) -> None:
    """G1: also a log that was imported before the players were typed in, and one that names both."""
    made = await seated(house, players=())
    brought = await bring_log(house.resources, house.scope, made.id, "Ada: I row.\nMira Sallow: We row.", LogFile())

    assert await names_of_log(house, brought.session.id) == ["Ada", "Mira Sallow"]
    await house.lore.campaigns.players.add(made.id, "Ada", character="Mira Sallow")

    assert await names_of_log(house, brought.session.id) == ["Mira Sallow", "Mira Sallow"]


async def test_the_names_of_players_are_not_proposed(house: World) -> None:
    """G4: neither those who speak nor those who are spoken to, and what waits under such a name is withdrawn."""
    made = await seated(house, players=())
    await bring_log(
        house.resources, house.scope, made.id, "GM: Ada Vance greets Jonas Pell, and Ada Vance bows.", LogFile()
    )
    await house.works()
    before = {each.title for each in (await house.lore.review.list(made.id)).items}
    assert {"Ada Vance", "Jonas Pell"} <= before

    await house.lore.campaigns.players.add(made.id, "Ada Vance")
    await house.lore.campaigns.players.add(made.id, "Ada", character="Jonas Pell")
    await house.lore.campaigns.players.add(made.id, "Jonas")
    await bring_log(house.resources, house.scope, made.id, LOG, LogFile())
    await house.works()

    after = {each.title for each in (await house.lore.review.list(made.id, status=Decision.PENDING)).items}
    assert "Captain Ferris Doon" in after
    assert not after & {"Ada", "Jonas", "Ada Vance", "Jonas Pell"}


async def test_only_the_game_master_seats_players_and_players_see_no_hidden_character(house: World) -> None:
    """G9."""
    made = await seated(house)
    await house.lore.world.add(made.id, "The Pale Heir", spoiler=True, person="jon")
    await house.lore.campaigns.players.play(made.id, "pia", "Mira Sallow")
    pia = at_seat(house, "pia").campaigns.players

    seen = {each.name: [role.entity.name for role in each.roles] for each in await pia.list(made.id)}

    assert seen == {"Pia": ["Mira Sallow"], "Jon": []}
    with pytest.raises(Forbidden):
        await pia.add(made.id, "Eve")
    with pytest.raises(Forbidden):
        await pia.play(made.id, "pia", "The Pale Heir")
    with pytest.raises(NotFound):
        await house.lore.campaigns.players.remove(made.id, "vesna")
    await house.lore.campaigns.players.remove(made.id, "jon")
    assert [each.name for each in await house.lore.campaigns.players.list(made.id)] == ["Pia"]
