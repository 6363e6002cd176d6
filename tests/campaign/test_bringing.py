"""Finished logs at the table: who spoke, what players may read of them, once and not twice (G1, G3, G9, G12)."""

import asyncio
from datetime import UTC, date, datetime

import pytest

from everlore.campaign.log_import import BroughtLog, LogFile, bring_log
from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Author, Conversation, ConversationState
from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.sessions import SPEAKER, is_merely_read
from everlore.errors import Conflict, Forbidden, NotFound
from tests.campaign.table import at_seat, of_kind, seated, without_model
from tests.turn.world import World, world

LOG = """Vesna — 11/17/2026 8:31 PM
You arrive at the harbour of Orne, where every lamp is dark.
[GM] The guild master Oswin drinks the light.
Pia — 11/17/2026 8:33 PM
I look into the lamp house.
GM — 11/17/2026 8:35 PM
You find a silver funnel, still warm.
Jon — 11/17/2026 8:36 PM
We decide to take the funnel to Sister Ilka.
Marten — 11/17/2026 8:40 PM
I was never here. %% Marten is a spy of zephyrine %%
"""


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


async def brings(house: World, made: Campaign, text: str = LOG, *, force: bool = False, **how: object) -> BroughtLog:
    file = LogFile(**{"filename": "The dark quay.txt", **how})  # type: ignore[arg-type]
    return await bring_log(house.resources, house.scope, made.id, text, file, force=force)


async def test_a_log_is_a_session_with_its_speakers_and_times(house: World) -> None:
    """G12, G1: who is known by name is that person, whoever is not keeps their name."""
    made = await seated(house)
    brought = await brings(house, made)

    log = await house.lore.sessions.log(brought.session.id)
    assert [(each.person_id, each.metadata.get(SPEAKER)) for each in log] == [
        ("vesna", None),
        ("vesna", None),
        ("pia", None),
        ("vesna", "GM"),
        ("jon", None),
        (None, "Marten"),
        (None, "Marten"),
    ]
    assert [each.author for each in log][:3] == [Author.NARRATOR, Author.NARRATOR, Author.USER]
    assert log[2].created_at == datetime(2026, 11, 17, 20, 33, tzinfo=UTC)
    assert brought.session.started_at == datetime(2026, 11, 17, 20, 31, tzinfo=UTC)
    assert (brought.session.number, brought.session.name) == (1, "The dark quay")
    assert (brought.conversation.state, brought.conversation.message_count) == (ConversationState.CLOSED, 7)
    assert brought.conversation.user_id == "vesna"


async def test_a_cancelled_import_of_a_long_log_leaves_nothing(house: World) -> None:
    """It is saved in batches, so that others can write in between."""
    made = await seated(house)
    long = LOG + "".join(f"Pia — 11/17/2026 8:50 PM\nI count lamp {number}.\n" for number in range(1_500))

    async def is_begun() -> bool:
        return bool((await house.store.find(house.scope, Conversation, {"campaign_id": made.id})).items)

    importing = asyncio.create_task(brings(house, made, long))
    while not await is_begun():
        assert not importing.done()
        await asyncio.sleep(0)
    importing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await importing

    assert not await is_begun()
    assert not await house.lore.sessions.list(made.id)
    assert (await brings(house, made)).session.number == 1


async def test_players_read_nothing_of_it_that_is_the_game_masters(house: World) -> None:
    """G9: neither in the log nor in what it comes to."""
    made = await seated(house)
    brought = await brings(house, made)
    await house.works()

    log = await at_seat(house, "pia").sessions.log(brought.session.id)
    theirs = await at_seat(house, "pia").sessions.memories(brought.session.id)
    everything = await house.lore.sessions.memories(brought.session.id)

    assert len(log) == 5
    for text in [*(each.content for each in log), *(each.content for each in theirs)]:
        assert "Oswin" not in text
        assert "zephyrine" not in text
    assert any("Oswin" in each.content for each in everything)
    assert of_kind(everything, MemoryType.SUMMARY)
    hidden = [each for each in await house.lore.sessions.log(brought.session.id) if each not in log]
    assert {each.present for each in hidden} == {("vesna",)}


async def test_a_log_that_is_merely_read_has_no_digest_and_is_still_found(house: World) -> None:
    """G12, G3: it is kept, searched and marked; not even a correction has it digested."""
    made = await seated(house)
    brought = await brings(house, made, read_only=True)
    await house.works()
    log = await house.lore.sessions.log(brought.session.id)
    await house.lore.messages.edit(brought.conversation.id, log[4].id, content="We take the funnel to Ilka.")
    await house.works()

    assert is_merely_read(brought.session)
    assert not brought.digested
    assert not await house.lore.sessions.memories(brought.session.id)
    assert len(log) == 7


async def test_a_log_of_the_game_master_is_wholly_theirs(house: World) -> None:
    """G9."""
    made = await seated(house)
    brought = await brings(house, made, gm_only=True)
    await house.works()

    with pytest.raises(NotFound):
        await at_seat(house, "pia").sessions.log(brought.session.id)
    with pytest.raises(NotFound):
        await at_seat(house, "pia").sessions.memories(brought.session.id)
    assert len(await house.lore.sessions.log(brought.session.id)) == 7


async def test_the_same_log_is_refused_the_second_time_unless_forced(house: World) -> None:
    """G12: also where only the ends of its lines differ."""
    made = await seated(house)
    await brings(house, made)

    with pytest.raises(Conflict, match=r"session 1, The dark quay, of The Lamps of Orne already\. Delete"):
        await brings(house, made, LOG.replace("\n", "\r\n"))

    assert (await brings(house, made, force=True)).session.number == 2


async def test_only_whoever_runs_the_game_brings_a_log(house: World) -> None:
    """G9, S-3: and a chapter must be one of the campaign."""
    made = await seated(house)
    player = at_seat(house, "pia")

    with pytest.raises(Forbidden):
        await bring_log(house.resources, player.scope, made.id, LOG, LogFile())
    with pytest.raises(NotFound, match="no chapter"):
        await brings(house, made, chapter="nowhere")


async def test_a_game_master_with_a_token_of_their_own_brings_one(house: World) -> None:
    made = await seated(house)
    chapter = await house.lore.campaigns.begin_chapter(made.id, "Dusk")

    brought = await bring_log(house.resources, at_seat(house, "vesna").scope, made.id, LOG, LogFile(name="First"))

    assert (brought.session.chapter_id, brought.session.name) == (chapter.id, "First")


async def test_notes_are_told_by_a_narrator_and_have_the_day_that_was_given(house: World) -> None:
    """G12: where nobody speaks, the owner keeps the log, and its conversation is with who tells it."""
    made = await seated(house, gm=None)
    notes = "# The quay\n\nThe party arrived at [[Orne]].\n\n# GM notes\n\nOswin did it."
    brought = await brings(house, made, notes, day=date(2026, 11, 1))
    again = await brings(house, made, "# The tower\n\nThey climbed.")

    log = await house.lore.sessions.log(brought.session.id)
    (narrator,) = await house.store.get_many(
        house.scope, type(await house.meets("Ilka")), brought.conversation.system_ids
    )
    assert [each.author for each in log] == [Author.NARRATOR, Author.NARRATOR]
    assert log[1].present == ("user",)
    assert brought.session.started_at == datetime(2026, 11, 1, tzinfo=UTC)
    assert narrator.kind is PersonKind.NARRATOR
    assert again.conversation.system_ids == brought.conversation.system_ids


async def test_a_character_that_a_player_plays_speaks_as_that_player(house: World) -> None:
    """G12: by the name of the entity that is tied to them."""
    from everlore.domain.campaign import Entity
    from everlore.store.port import Put

    made = await seated(house)
    now = house.clock()
    hero = Entity(
        workspace=house.scope.workspace,
        id="hero",
        name="Brenna Ashdown",
        aliases=("Brenna",),
        campaign_id=made.id,
        person_id="pia",
        created_at=now,
        updated_at=now,
    )
    await house.store.apply(house.scope, [Put(hero)])
    brought = await brings(house, made, "Brenna: I run.\nJon: Me too.\nBrenna: Faster!")

    log = await house.lore.sessions.log(brought.session.id)
    assert [each.person_id for each in log] == ["pia", "jon", "pia"]
    assert [each.author for each in log] == [Author.USER] * 3
    assert await house.store.count(house.scope, Conversation) == 1
