"""What only the game master knows: given away at the table, in hidden names, and in logs of their own (G9)."""

from collections.abc import Callable
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.campaign import Campaign
from everlore.domain.proposal import ProposalKind
from everlore.errors import NotFound
from tests.campaign.table import at_seat, plays, seated, without_model
from tests.turn.world import World, world

SECRET = "Captain Marr sank the ferry herself."
SAID = "The widow whispers: it was Captain Marr who sank the ferry herself."


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def game_night(house: World, *more: tuple[str, str]) -> tuple[Campaign, str]:
    """Pia hears what she should not; Jon is not there."""
    game = await seated(house)
    lore = at_seat(house, "vesna")
    await lore.world.add(game.id, "Captain Marr", description="Runs the quay.")
    await lore.campaigns.remember(game.id, "The ferry of Orne lies at the bottom of the bay.")
    await lore.campaigns.remember(game.id, SECRET, spoiler=True)
    session = await lore.sessions.start(game.id, name="The quay")
    lines = [("GM", "Captain Marr greets you at the quay of Orne."), ("GM", SAID), *more]
    await plays(house, session, *lines, present=("pia", "teller"))
    await lore.sessions.end(session.id)
    await house.works()
    return game, session.id


async def all_that_is_told(lore: Everlore, game: str, session: str, player: str | None = None) -> str:
    """By every way that a player has into a campaign."""
    told: list[Any] = [
        (await lore.campaigns.recap(game, player=player)).text,
        [each.content for each in await lore.campaigns.memories(game, player=player)],
        [each.content for each in await lore.sessions.log(session, player=player)],
        [each.content for each in await lore.sessions.memories(session, player=player)],
        (await lore.asking.ask(game, "Who sank the ferry?", player=player)).text,
        await lore.world.entities(game, player=player),
        [
            each.messages
            for entity in await lore.world.entities(game, player=player)
            for each in [await lore.world.mentions(entity.id, player=player)]
        ],
        str([getattr(each.record, "content", "") for each in await lore.recall("Who sank the ferry?", person=player)]),
    ]
    return "\n".join(map(str, told))


async def test_what_was_given_away_at_the_table_is_public_only_when_the_game_master_says_so(house: World) -> None:
    game, session = await game_night(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")

    before = await all_that_is_told(jon, game.id, session)
    (waiting,) = (await gm.review.list(game.id, kind=ProposalKind.REVEAL)).items
    rests_hidden = [each for each in await gm.campaigns.memories(game.id) if "sank the ferry" in each.content]
    await gm.review.approve(waiting.id, by="vesna")
    await house.works()
    after = await all_that_is_told(jon, game.id, session)

    assert "sank" not in before
    assert "greets you" in before, "what gives nothing away is told"
    assert (waiting.title, waiting.is_spoiler) == (SECRET, True)
    assert rests_hidden
    assert all(each.is_spoiler for each in rests_hidden)
    assert "sank" in after

    await gm.review.undo(waiting.id)
    await house.works()

    assert "sank" not in await all_that_is_told(jon, game.id, session)


async def test_who_heard_it_still_reads_it_and_any_player_does_not(house: World) -> None:
    _, session = await game_night(house)
    gm, pia = at_seat(house, "vesna"), at_seat(house, "pia")

    assert SAID in [each.content for each in await pia.sessions.log(session)]
    assert SAID in [each.content for each in await gm.sessions.log(session)]
    assert SAID not in [each.content for each in await gm.sessions.log(session, player="")]


async def test_a_rejected_reveal_stays_hidden_and_is_not_proposed_again(house: World) -> None:
    game, session = await game_night(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")
    (waiting,) = (await gm.review.list(game.id, kind=ProposalKind.REVEAL)).items

    await gm.review.reject(waiting.id)
    await gm.sessions.digest(session)
    await house.works()

    assert not (await gm.review.list(game.id, kind=ProposalKind.REVEAL)).items
    assert "sank" not in await all_that_is_told(jon, game.id, session)


async def test_whom_everybody_knows_may_be_spoken_of(house: World) -> None:
    """The guard's other error: a line that only names the same people gives nothing away."""
    game, session = await game_night(house, ("GM", "Captain Marr shows you the ferry timetable and the harbour bell."))

    told = await all_that_is_told(at_seat(house, "jon"), game.id, session)

    assert "timetable" in told


# ── hidden names ─────────────────────────────────────────────────────────────────────────────────


async def known_names(lore: Everlore, game: str) -> set[str]:
    entities = await lore.world.entities(game)
    return {name for each in entities for name in (each.name, *each.aliases, *each.hidden_aliases)}


async def test_a_hidden_entity_merged_into_a_known_one_leaves_players_what_they_knew(house: World) -> None:
    game = await seated(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")
    baron = await gm.world.add(game.id, "Baron Aldous", description="A man in grey.")
    tower = await gm.world.add(game.id, "Karth Keep")
    ilvane = await gm.world.add(game.id, "Ilvane", aliases=["The Pale Lord"], description="Plots.", spoiler=True)
    await gm.world.tie(ilvane.id, "haunts", tower.id)

    await gm.world.merge(ilvane.id, baron.id)
    await house.works()

    assert await known_names(jon, game.id) == {"Baron Aldous", "Karth Keep"}
    assert await known_names(gm, game.id) == {"Baron Aldous", "Karth Keep", "Ilvane", "The Pale Lord"}
    assert not await jon.world.ties(game.id)
    assert not await jon.world.entities(game.id, named="Ilvane")
    assert [each.id for each in await gm.world.entities(game.id, named="Ilvane")] == [baron.id]
    assert (await jon.world.entity(baron.id)).description == "A man in grey."
    assert any("Plots." in each.content and each.is_spoiler for each in await gm.campaigns.memories(game.id))
    assert not await jon.campaigns.memories(game.id)
    found = await jon.recall("Ilvane the Pale Lord", include=["entity"])
    assert not any("Aldous" in str(each.record) for each in found if not each.is_doubtful)


async def test_a_name_from_behind_the_screen_that_is_merged_is_hidden_until_it_is_revealed(house: World) -> None:
    game = await seated(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")
    baron = await gm.world.add(game.id, "Baron Aldous")
    first = await gm.sessions.start(game.id)
    note = "Note to self: Zorvath Quill speaks to Zorvath Quill's mirror. Zorvath Quill is the baron."
    await plays(house, first, ("GM", note), behind_the_screen=True)
    await gm.sessions.end(first.id)
    await house.works()
    (named,) = [each for each in (await gm.review.list(game.id)).items if "Zorvath" in each.title]
    await gm.review.merge(named.id, baron.id)

    assert await known_names(jon, game.id) == {"Baron Aldous"}
    assert "Zorvath Quill" in await known_names(gm, game.id)

    second = await gm.sessions.start(game.id, name="The ball")
    await plays(house, second, ("GM", "The masked man bows: I am Zorvath Quill, at your service."))
    await gm.sessions.end(second.id)
    await house.works()
    reveals = (await gm.review.list(game.id, kind=ProposalKind.REVEAL)).items
    (alias,) = [each for each in reveals if each.detail["what"] == "alias"]

    assert "Zorvath" not in str(await known_names(jon, game.id))
    assert "Zorvath" not in (await jon.campaigns.recap(game.id)).text

    await gm.review.approve(alias.id)

    assert await known_names(jon, game.id) == {"Baron Aldous", "Zorvath Quill"}


async def test_a_revealed_entity_is_known_by_the_name_that_was_said_alone(house: World) -> None:
    game = await seated(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")
    await gm.world.add(game.id, "Ilvane", aliases=["The Pale Lord"], spoiler=True)
    session = await gm.sessions.start(game.id)
    await plays(house, session, ("GM", "The door opens, and The Pale Lord steps in."))
    await gm.sessions.end(session.id)
    await house.works()
    (reveal,) = (await gm.review.list(game.id, kind=ProposalKind.REVEAL)).items

    assert await known_names(jon, game.id) == set()

    await gm.review.approve(reveal.id)

    assert await known_names(jon, game.id) == {"The Pale Lord"}
    assert await known_names(gm, game.id) == {"Ilvane", "The Pale Lord"}

    await gm.review.undo(reveal.id)

    assert await known_names(jon, game.id) == set()


# ── logs of the game master's own ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["Vesna: The heir is Tam.", "[GM] The heir is Tam.\n[GM] Nobody must know."])
async def test_a_log_that_only_the_game_master_has_is_not_there_for_players(house: World, text: str) -> None:
    """Neither its name nor its date nor that there is one."""
    game = await seated(house)
    gm, jon = at_seat(house, "vesna"), at_seat(house, "jon")
    is_hidden = "[GM]" not in text
    brought = await gm.campaign_files.bring_log(game.id, text, name="The heir's secret", gm_only=is_hidden)
    await house.works()
    session = brought.session.id

    ways: list[Callable[[], Any]] = [
        lambda: jon.sessions.get(session),
        lambda: jon.sessions.log(session),
        lambda: jon.sessions.memories(session),
    ]
    for way in ways:
        with pytest.raises(NotFound):
            await way()
    shelves = await jon.campaigns.shelves(game.id)
    told = f"{await jon.sessions.list(game.id)} {shelves} {(await jon.campaigns.recap(game.id)).text}"
    assert "heir" not in told
    assert "The heir's secret" in str(await gm.sessions.list(game.id))
