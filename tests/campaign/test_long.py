"""A long campaign is told, searched and asked from a part of what there is, with the same result as from all of it (G5,
G9, G13)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from benchmarks.legend import CAMPAIGN, PLAYERS, SCOPE, Legend, load, make_legend
from everlore.app import Everlore
from everlore.campaign.naming import all_entities, meant_by
from everlore.campaign.recap import Recap, recapped
from everlore.campaign.seats import seat_at
from everlore.campaign.showing import shown
from everlore.domain.campaign import Chapter, Session
from everlore.domain.conversation import Message
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.sessions import Sittings, parts_of
from everlore.models.hashing import HashingEmbedder
from tests.campaign.table import without_model
from tests.turn.world import world

_ALL = 10_000
_OF = {"campaign_id": CAMPAIGN}


async def _kept(legend: Legend) -> Everlore:
    house = world(settings=without_model())
    await load(house.store, legend, HashingEmbedder())
    return house.lore.within(SCOPE.workspace)


@pytest.fixture(scope="module")
def legend() -> Legend:
    return make_legend(18, 4)


def _untold(legend: Legend, sessions: int) -> Legend:
    """Nobody summed up the last sessions, and players do not know of some before."""
    last = {f"session-{number}" for number in range(legend.sessions - sessions, legend.sessions + 1)}
    kept = [
        each
        for each in legend.records
        if not (isinstance(each, Memory) and each.type is MemoryType.SUMMARY and each.session_id in last)
    ]
    hidden = f"session-{legend.sessions - sessions - 1}"
    records = [
        replace(each, is_spoiler=True) if isinstance(each, Memory) and each.session_id == hidden else each
        for each in kept
    ]
    return replace(legend, records=tuple(records))


async def _from_all(lore: Everlore, player: str | None, days: int | None, legend: Legend) -> Recap:
    seat = await seat_at(lore.store, lore.scope, CAMPAIGN, player=player)
    chapters, sessions, memories = [
        (await lore.store.find(lore.scope, kind, _OF, limit=_ALL)).items for kind in (Chapter, Session, Memory)
    ]
    active = [each for each in memories if each.status is Status.ACTIVE]
    seen = await shown(lore.store, lore.scope, seat, active)
    since = None if days is None else legend.until - timedelta(days=days)
    return recapped(seat.campaign, chapters, sessions, seen, since=since)


@pytest.mark.parametrize("untold", [0, 7])
@pytest.mark.parametrize("player", [None, "", PLAYERS[0]])
@pytest.mark.parametrize("days", [None, 28, 10_000])
async def test_a_recap_is_the_same_as_one_of_all_there_is(
    legend: Legend, untold: int, player: str | None, days: int | None
) -> None:
    """G13: also where the last sessions have nothing to tell, or nothing for players."""
    told = _untold(legend, untold) if untold else legend
    lore = await _kept(told)
    since = None if days is None else legend.until - timedelta(days=days)

    recap = await lore.campaigns.recap(CAMPAIGN, player=player, since=since)

    assert recap == await _from_all(lore, player, days, told)
    assert recap.threads
    assert len(recap.sessions) == 1 or days is not None


async def test_a_name_is_found_as_if_the_whole_world_were_read(legend: Legend) -> None:
    """G5: whole names, parts of them, letters, slips of the pen, and nobody."""
    lore = await _kept(legend)
    seat = await seat_at(lore.store, lore.scope, CAMPAIGN)
    world_ = await all_entities(lore.store, lore.scope, seat)
    named = [each.name for each in legend.entities[::9]]
    words = [*named, *(each.split()[0] for each in named), *(each[1:5] for each in named), "Mirra Ashdown", "Nobody"]

    for each in words:
        found = {one.id for one in await lore.world.entities(CAMPAIGN, named=each)}
        assert found == {one.id for one in meant_by(each, world_)}, each


async def test_a_player_finds_no_name_that_is_kept_from_them(legend: Legend) -> None:
    """G9."""
    lore = await _kept(legend)
    hidden = next(each for each in legend.entities if each.is_spoiler)

    assert hidden.id in {each.id for each in await lore.world.entities(CAMPAIGN, named=hidden.name)}
    assert hidden.id not in {each.id for each in await lore.world.entities(CAMPAIGN, named=hidden.name, player="")}


async def test_a_changed_name_is_found_at_once(legend: Legend) -> None:
    """G5: what finds names is kept, and not beyond a change of them."""
    lore = await _kept(legend)
    entity = legend.entities[3]
    await lore.world.entities(CAMPAIGN, named="ulgrist")

    await lore.world.change(entity.id, name="Vulgrist")

    assert [each.id for each in await lore.world.entities(CAMPAIGN, named="ulgrist")] == [entity.id]
    kept = await lore.campaigns.remember(CAMPAIGN, "Vulgrist owns the mill.")
    assert kept.memory.entity_ids == (entity.id,)


def test_a_line_belongs_to_the_session_that_it_was_said_in(legend: Legend) -> None:
    """G1."""
    sessions = [each for each in legend.records if isinstance(each, Session)]
    played = Sittings(sessions)

    said = [replace(each, seq=1) for each in legend.records if isinstance(each, Message)]
    for numbered in said[::5]:
        holding = [each for each in sessions if any(part.holds(numbered) for part in parts_of(each))]
        assert list(played.sessions_of(numbered)) == holding
        assert len(holding) == 1
    assert played.sessions_of(replace(said[0], conversation_id="elsewhere")) == ()
