"""What a campaign puts into the prompt of whoever answers in it: its tiers, who is spoken of, and no more than it may
(G1, G2, G5, G6, G9)."""

import pytest

from everlore.domain.campaign import Campaign, EntityKind
from everlore.domain.conversation import Conversation
from everlore.domain.memory import MemoryType
from tests.campaign.table import PREMISE, says, seated
from tests.turn.world import World, world


@pytest.fixture
def house() -> World:
    return world()


async def _at_table(house: World, *, gm: str = "ilka") -> tuple[Campaign, Conversation]:
    """A session with Ilka, whom the model plays; she runs the game unless another does."""
    await house.meets("Ilka")
    made = await seated(house, gm=None)
    await house.lore.campaigns.change(made.id, gm=gm)
    await house.lore.campaigns.begin_chapter(made.id, "Dusk", goals=["Light the harbour again"])
    session = await house.lore.sessions.start(made.id, name="The dark quay")
    config = {"auto_title": False, "extract_memories": False, "template": "game-master"}
    return made, await house.lore.sessions.talk(session.id, "ilka", user="pia", config=config)


async def test_every_tier_is_told_and_canon_of_any_kind(house: World) -> None:
    """G1, G2: a plain fact and a relationship too."""
    made, talk = await _at_table(house)
    campaigns = house.lore.campaigns
    (chapter,) = await campaigns.chapters(made.id)
    await campaigns.remember(made.id, "Orne stands on stilts.", type=MemoryType.SETTING)
    await campaigns.remember(made.id, "Brass does not rust in Orne.")
    await campaigns.remember(made.id, "The guild fears the choir.", type=MemoryType.RELATIONSHIP)
    await campaigns.remember(made.id, "The harbour master has fled.", chapter=chapter.id)
    session = (await house.lore.sessions.list(made.id))[0]
    await campaigns.remember(made.id, "Jon dropped the key.", type=MemoryType.MOMENT, session=session.id)

    await house.says(talk, "What now?")

    prompt = house.model.prompt
    for told in (
        PREMISE,
        "Orne stands on stilts.",
        "Brass does not rust in Orne.",
        "The guild fears the choir.",
        "Light the harbour again",
        "The harbour master has fled.",
        "Jon dropped the key.",
    ):
        assert told in prompt, told


async def test_who_is_spoken_of_is_told_of_also_in_short_and_brings_whom_they_are_tied_to(house: World) -> None:
    """G5, G6: "the library" is Orne Library where there is no other."""
    made, talk = await _at_table(house)
    library = await house.lore.world.add(
        made.id, "Orne Library", kind=EntityKind.LOCATION, description="Seven floors of wet books."
    )
    keeper = await house.lore.world.add(made.id, "Maud Thimble", kind=EntityKind.NPC, description="She never sleeps.")
    await house.lore.world.add(made.id, "Vell Harbour", kind=EntityKind.LOCATION, description="Cold water.")
    await house.lore.world.tie(keeper.id, "guards", library.id)

    await house.says(talk, "We go to the library at last.")

    prompt = house.model.prompt
    assert "Seven floors of wet books." in prompt
    assert "Maud Thimble → guards → Orne Library" in prompt
    assert "She never sleeps." in prompt
    assert "Cold water." not in prompt


async def test_a_game_master_that_a_model_plays_knows_its_secrets_and_others_do_not(house: World) -> None:
    """G9: it must run the plot; an ordinary character never gets them."""
    for gm, knows in (("ilka", True), ("vesna", False)):
        house = world()
        if gm == "vesna":
            await house.meets("Vesna")
        made, talk = await _at_table(house, gm=gm)
        await house.lore.campaigns.remember(made.id, "The guild drinks zephyrine.", spoiler=True)
        hidden = await house.lore.world.add(made.id, "The Choir", description="They hum zephyrine.", spoiler=True)
        guild = await house.lore.world.add(made.id, "The Guild")
        await house.lore.world.tie(guild.id, "fears", hidden.id, evidence="Because of zephyrine.")

        await house.says(talk, "What of the Guild and the Choir?")

        assert ("zephyrine" in house.model.prompt) is knows, gm


async def test_what_was_played_before_is_told_with_its_session(house: World) -> None:
    """G2: of the last sessions, the game master's telling where there are two."""
    made, talk = await _at_table(house)
    session = (await house.lore.sessions.list(made.id))[0]
    await says(house, talk, ("Pia", "We promise Ilka to light the harbour before midwinter."))
    for _ in range(2):
        house.model.answers('{"scenes": [], "facts": []}')
    await house.lore.sessions.end(session.id)
    await house.works()
    again = await house.lore.sessions.start(made.id, name="The next night", conversation=talk.id)
    assert again.number == 2

    await house.says(talk, "Where were we?")

    assert "The dark quay" in house.model.prompt
    assert "light the harbour before midwinter" in house.model.prompt


async def test_what_is_over_is_not_told_as_if_it_held(house: World) -> None:
    """G1: a thread that was closed is none any more."""
    made, talk = await _at_table(house)
    kept = await house.lore.campaigns.remember(
        made.id, "Somebody must find the brass key.", type=MemoryType.PLOT_THREAD
    )
    await house.lore.edit(kept.memory.id, valid_to=house.clock())

    await house.says(talk, "What now?")

    assert "brass key" not in house.model.prompt
