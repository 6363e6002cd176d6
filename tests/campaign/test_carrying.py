"""One campaign to a file and into another house, with nothing lost (G10, G12, M13)."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from everlore.campaign.campaign_files import export_campaign, import_campaign
from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Forbidden
from everlore.settings import StoreSettings
from everlore.store.answers import ImportOutcome
from everlore.store.postgres.store import PostgresStore
from tests.campaign.played import played
from tests.campaign.table import at_seat, without_model
from tests.postgres import Server
from tests.turn.world import World, on_sqlite, world
from tests.worker.crew import FakeClock


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


@pytest.mark.parametrize("format", ["jsonl", "json"])
async def test_a_campaign_comes_back_byte_for_byte(house: World, tmp_path: Path, format: str) -> None:
    """G12, M13: out, into an empty house of another kind, out again; the dry run says the same and writes nothing."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id, format=format)  # type: ignore[arg-type]
    other = await on_sqlite(tmp_path / "other.db", settings=without_model())

    dry = await import_campaign(other.resources, other.scope, out, dry_run=True)
    before = await other.store.count(other.scope, Campaign)
    arrival = await import_campaign(other.resources, other.scope, out)
    again = await export_campaign(other.resources, other.scope, story.campaign.id, format=format)  # type: ignore[arg-type]
    twice = await import_campaign(other.resources, other.scope, out)

    assert again == out
    assert (before, dry.counts) == (0, arrival.counts)
    assert arrival.total(ImportOutcome.NEW) == sum(arrival.counts[kind]["new"] for kind in arrival.counts)
    for kind in (
        "campaign",
        "chapter",
        "session",
        "entity",
        "relationship",
        "proposal",
        "memory",
        "message",
        "telling",
    ):
        assert arrival.counts[kind]["new"], kind
    assert (twice.total(ImportOutcome.NEW), twice.total(ImportOutcome.DIFFERENT)) == (0, 0)
    await other.store.close()


@pytest.mark.postgres
async def test_it_goes_to_postgresql_and_back(house: World, postgres: Server) -> None:
    """G12, M13: the databases agree."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    async with postgres.fresh_database() as url:
        clock = FakeClock()
        store = await PostgresStore.open(url, StoreSettings(), clock=clock)
        there = World(store, clock=clock, settings=without_model())
        await import_campaign(there.resources, there.scope, out)
        assert await export_campaign(there.resources, there.scope, story.campaign.id) == out
        await store.close()


async def test_it_has_its_past_its_log_and_everybody_in_it_and_nothing_else(house: World) -> None:
    """G10, M6: history, messages and persons; not what is of no campaign."""
    story = await played(house)
    await house.meets("Stranger")
    talk = await house.sits_down("Stranger")
    await house.says(talk, "The weather is fine.")
    other = world(settings=without_model())
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    await import_campaign(other.resources, other.scope, out)

    names = {each.name for each in (await other.store.find(other.scope, Person, limit=100)).items}
    assert {"Vesna", "Pia", "Jon"} <= names
    assert "Stranger" not in names
    assert b"weather" not in out
    edited = next(
        each
        for each in (await other.store.find(other.scope, Memory, limit=500)).items
        if each.content == "The lamps burn old light."
    )
    assert [each.before.content for each in await other.store.history(other.scope, edited.id)] == [
        "The lamps burn whale oil."
    ]
    log = await other.lore.sessions.log(story.first.id)
    assert log == await house.lore.sessions.log(story.first.id)
    assert await other.store.count(other.scope, Message) == sum(
        each.message_count for each in (await other.store.find(other.scope, Conversation, limit=50)).items
    )


async def test_what_is_here_otherwise_is_left_or_replaced(house: World) -> None:
    """M13."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    await house.lore.campaigns.change(story.campaign.id, premise="Another.")

    left = await import_campaign(house.resources, house.scope, out)
    told = (await house.lore.campaigns.get(story.campaign.id)).campaign.premise
    replaced = await import_campaign(house.resources, house.scope, out, replace=True)

    assert [(each.kind, each.id) for each in left.different] == [("campaign", story.campaign.id)]
    assert told == "Another."
    assert replaced.total(ImportOutcome.REPLACED) == 1
    assert (await house.lore.campaigns.get(story.campaign.id)).campaign.premise == story.campaign.premise


async def test_a_packed_file_is_read_too(house: World) -> None:
    story = await played(house)
    out = gzip.compress(await export_campaign(house.resources, house.scope, story.campaign.id))
    other = world(settings=without_model())

    assert (await import_campaign(other.resources, other.scope, out)).campaign.name == "The Lamps of Orne"


async def test_it_goes_into_a_workspace_of_another_name(house: World) -> None:
    """M13, S-3."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    elsewhere = Scope("elsewhere")
    await import_campaign(house.resources, elsewhere, out)

    assert await export_campaign(house.resources, elsewhere, story.campaign.id) == out


async def test_only_the_owner_carries_a_campaign(house: World) -> None:
    """C4, S-3: it holds everybody's profile whole."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)

    for person in ("vesna", "pia"):
        scope = at_seat(house, person).scope
        with pytest.raises(Forbidden, match="Only the owner"):
            await export_campaign(house.resources, scope, story.campaign.id)
        with pytest.raises(Forbidden, match="Only the owner"):
            await import_campaign(house.resources, scope, out)


async def test_a_file_that_is_not_as_it_was_written_is_refused_whole(house: World) -> None:
    """S-5: cut off, changed, with something behind its end, of another kind; nothing of it is kept."""
    story = await played(house)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    lines = out.splitlines(keepends=True)
    newer = json.loads(lines[0])
    newer["format"] = 99
    broken = {
        b"".join(lines[:-1]): "stops before its last line",
        out.replace(b"Sister Ilka", b"Brother Ilka"): "checksum",
        out + lines[1]: "comes after the end",
        b"".join([lines[0], *lines[2:]]): "counts other lines",
        b'{"everlore":"workspace"}\n': "no exported campaign",
        b"nonsense": "Line 1 of the campaign's file",
        b"": "no exported campaign",
        b"".join([json.dumps(newer).encode() + b"\n", *lines[1:]]): "format 99",
        b"\x1f\x8b\x08nonsense": "cannot be unpacked",
        b'{"header": 1}': "not the JSON of a campaign",
    }
    other = world(settings=without_model())
    for data, message in broken.items():
        with pytest.raises(BadAsk, match=message):
            await import_campaign(other.resources, other.scope, data)
    assert not await other.store.count(other.scope, Person)


async def test_a_conversation_that_is_gone_does_not_hold_a_campaign_back(house: World) -> None:
    """M9: what a session names and is not there is left out."""
    story = await played(house)
    page = await house.store.find(house.scope, Conversation, {"campaign_id": story.campaign.id}, limit=50)
    await house.lore.conversations.delete(page.items[0].id)
    out = await export_campaign(house.resources, house.scope, story.campaign.id)
    other = world(settings=without_model())

    arrival = await import_campaign(other.resources, replace(other.scope), out)

    assert arrival.counts["conversation"]["new"] == len(page.items) - 1
    assert await export_campaign(other.resources, other.scope, story.campaign.id) == out
