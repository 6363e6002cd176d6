"""Canon: what contradicts it is raised with both sources, ruled on, and stays ruled on (G7, G9, G11)."""

import ast
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from everlore.campaign.canon.disputes import Dispute, Ruling
from everlore.campaign.canon.weighing import weighed
from everlore.domain.campaign import Campaign, Entity, EntityKind, Session
from everlore.domain.memory import LinkKind, Memory, MemoryType, Origin, Status
from everlore.domain.person import PersonKind
from everlore.domain.proposal import Decision
from everlore.errors import BadAsk, Conflict, Forbidden, NotFound
from everlore.learning.saving.draft import SaveResult
from everlore.settings import StoreSettings
from everlore.store.port import Put
from everlore.store.postgres.store import PostgresStore
from tests.campaign.table import at_seat, plays, seated, with_scribe
from tests.turn.world import World, on_sqlite, world
from tests.worker.crew import FakeClock

BRONZE = "The Drowned Bell is made of bronze."
GLASS = "The Drowned Bell is made of glass."
BONE = "The Drowned Bell is made of bone."
QUAY = ("GM", "You arrive at the quay of Orne, where every lamp is dark and the tide is out.")


@pytest.fixture
def house() -> World:
    """With a model that reads these statements out of a session, and finds that they contradict each other."""
    return world(models=with_scribe(BRONZE, GLASS, BONE))


async def knows(house: World, made: Campaign, name: str = "Drowned Bell", *aliases: str) -> None:
    now = house.clock()
    entity = Entity(
        workspace=made.workspace,
        id=name.lower(),
        kind=EntityKind.ITEM,
        name=name,
        aliases=aliases,
        campaign_id=made.id,
        created_at=now,
        updated_at=now,
    )
    await house.store.apply(house.scope, [Put(entity)])


async def played(house: World, made: Campaign, *texts: str, name: str = "", behind_the_screen: bool = False) -> Session:
    """A session in which the game master says this, and that was read."""
    session = await house.lore.sessions.start(made.id, name=name)
    lines = [("GM", each) for each in texts]
    await plays(house, session, QUAY, *([] if behind_the_screen else lines))
    if behind_the_screen:
        await plays(house, session, *lines, behind_the_screen=True)
    ended = await house.lore.sessions.end(session.id)
    await house.works()
    house.clock.pass_time(86_400)
    return ended


async def disputed(house: World, made: Campaign) -> Dispute:
    (found,) = await house.lore.canon.conflicts(made.id)
    return found


async def bell(house: World) -> tuple[Campaign, Dispute]:
    """Two sessions that say of the bell what cannot both be so."""
    made = await seated(house)
    await knows(house, made)
    await played(house, made, BRONZE, name="The dark quay")
    await played(house, made, GLASS)
    return made, await disputed(house, made)


async def told(house: World, made: Campaign, *statuses: Status) -> str:
    """All that is told of the campaign, but for its rulings."""
    found = await house.lore.campaigns.memories(made.id, statuses=statuses or (Status.ACTIVE,))
    return "\n".join(f"{each.content} {each.summary}" for each in found if each.type is not MemoryType.CANON_RULING)


async def memory(house: World, id: str) -> Memory:
    found: Memory = await house.store.get(house.scope, Memory, id)
    return found


# ── raising ──────────────────────────────────────────────────────────────────────────────────────


async def test_two_sessions_that_contradict_each_other_raise_a_conflict_with_both_sources(house: World) -> None:
    """G7: what is canon holds until it is ruled on."""
    made, found = await bell(house)

    first, second = await house.lore.sessions.list(made.id)
    log = {
        each.id: each.content
        for each in (*await house.lore.sessions.log(first.id), *await house.lore.sessions.log(second.id))
    }
    assert (found.old.text, found.new.text) == (BRONZE, GLASS)
    assert (found.old.session_id, found.old.session) == (first.id, "session 1, The dark quay")
    assert (found.new.session_id, found.new.session) == (second.id, "session 2")
    assert [log[id] for id in (*found.old.message_ids, *found.new.message_ids)] == [BRONZE, GLASS]
    assert found.reason == f"against “{BRONZE}”"
    assert (await memory(house, found.old.memory_id)).status is Status.ACTIVE
    assert (await memory(house, found.new.memory_id)).status is Status.PENDING
    (link,) = await house.lore.memories.links(found.new.memory_id)
    assert (link.other_id, link.kind) == (found.old.memory_id, LinkKind.CONTRADICTS)


async def test_each_pair_is_raised_once_however_often_a_session_is_read(house: World) -> None:
    """G7, G10."""
    made, found = await bell(house)

    for session in await house.lore.sessions.list(made.id):
        await house.lore.sessions.digest(session.id)
        await house.works()
    await played(house, made, GLASS)

    assert (await disputed(house, made)).proposal == found.proposal
    assert (await told(house, made, Status.PENDING)).count(GLASS) == 1


async def test_what_a_game_master_writes_against_canon_waits_too(house: World) -> None:
    """G7, G11: and no machine closes what they wrote."""
    made = await seated(house)
    first = await house.lore.campaigns.remember(made.id, "Reth lives in Orne.")
    second = await house.lore.campaigns.remember(made.id, "Reth lives in Vell.")
    again = await house.lore.campaigns.remember(made.id, "Reth resides in Vell.")
    beside = await house.lore.campaigns.remember(made.id, "Ama lives in Vell.")
    forced = await house.lore.campaigns.remember(made.id, "Reth lives in Tarn.", force=True)

    assert (second.outcome, second.against) == (SaveResult.PENDING, (first.memory,))
    assert (again.memory.id, again.outcome) == (second.memory.id, SaveResult.PENDING)
    assert [each.outcome for each in (first, beside, forced)] == [SaveResult.FORMED] * 3
    found = await disputed(house, made)
    assert (found.new.memory_id, found.reason) == (second.memory.id, "home of Reth: Orne or Vell")
    assert (await memory(house, first.memory.id)).status is Status.ACTIVE


async def test_a_session_closes_nothing_that_a_game_master_wrote(house: World) -> None:
    """G7, G11."""
    made = await seated(house)
    await knows(house, made)
    kept = await house.lore.campaigns.remember(made.id, BRONZE)

    await played(house, made, GLASS)

    assert (await memory(house, kept.memory.id)) == kept.memory
    assert (await disputed(house, made)).old.memory_id == kept.memory.id


async def test_what_time_has_changed_or_somebody_claims_is_no_conflict(house: World) -> None:
    """G7."""
    made = await seated(house)
    await house.lore.campaigns.remember(made.id, "Reth lives in Orne.")

    for text in ("People say that Reth lives in Vell.", "Reth is as tall as a door.", "Reth has moved to Vell."):
        assert (await house.lore.campaigns.remember(made.id, text)).outcome is not SaveResult.PENDING

    assert await house.lore.canon.conflicts(made.id) == []


async def test_many_are_several_things_and_no_conflict_is_seen_in_that(house: World) -> None:
    """G7: what would close a fact of a user's life closes nothing in a world."""
    made = await seated(house)

    for text in ("Ilka works as a keeper.", "Ilka works as a spy."):
        assert (await house.lore.campaigns.remember(made.id, text)).outcome is SaveResult.FORMED
    assert len(await house.lore.campaigns.memories(made.id)) == 2


async def test_a_name_that_is_known_by_another_is_the_same(house: World) -> None:
    """G4, G7."""
    made = await seated(house)
    await knows(house, made, "Countess Imre", "the Grey Widow")
    await house.lore.campaigns.remember(made.id, "The Grey Widow lives in Orne.")

    kept = await house.lore.campaigns.remember(made.id, "Countess Imre lives in Vell.")

    assert kept.outcome is SaveResult.PENDING


async def test_a_conflict_of_which_one_side_is_gone_is_over(house: World) -> None:
    """G7, G10: what waited for its sake waits no more."""
    made, found = await bell(house)
    first, second = await house.lore.sessions.list(made.id)

    await house.lore.sessions.delete(first.id)
    await house.lore.sessions.digest(second.id)
    await house.works()

    assert await house.lore.canon.conflicts(made.id) == []
    assert (await memory(house, found.new.memory_id)).status is Status.ACTIVE


async def test_what_is_brought_in_is_weighed_in_the_same_way(house: World) -> None:
    """G7, G12: whoever imports statements gives them as changes; those among them are compared too."""
    made = await seated(house)
    now = house.clock()
    brought = [
        Memory(
            workspace=made.workspace,
            id=f"brought-{at}",
            content=text,
            origin=Origin.IMPORT,
            campaign_id=made.id,
            created_at=now,
            updated_at=now,
        )
        for at, text in enumerate(("Reth lives in Orne.", "Reth lives in Vell.", "Reth rings the bell at low tide."))
    ]

    changes = await weighed(
        house.store, house.scope, made.id, [Put(each) for each in brought], now=now, new_id=house.resources.new_id
    )
    await house.store.apply(house.scope, changes)

    statuses = [(await memory(house, each.id)).status for each in brought]
    assert statuses == [Status.ACTIVE, Status.PENDING, Status.ACTIVE]
    assert (await disputed(house, made)).new.memory_id == "brought-1"


# ── ruling ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_ruling_is_a_memory_and_wins_in_recall_and_in_the_prompt(house: World) -> None:
    """G7: of two sessions that contradict each other, the one that was ruled for is all that comes back."""
    made, found = await bell(house)

    ruling = await house.lore.canon.rule(found.proposal.id, "new", by="vesna")

    assert (ruling.type, ruling.origin, ruling.persons, ruling.campaign_id) == (
        MemoryType.CANON_RULING,
        Origin.GM,
        (),
        made.id,
    )
    assert "holds that “The Drowned Bell is made of glass”. It is not so that “The Drowned" in ruling.content
    assert {each.other_id for each in await house.lore.memories.links(ruling.id)} == {
        found.old.memory_id,
        found.new.memory_id,
    }
    old, new = await memory(house, found.old.memory_id), await memory(house, found.new.memory_id)
    assert (old.status, old.superseded_by, old.valid_to) == (Status.SUPERSEDED, new.id, new.valid_from)
    assert new.status is Status.ACTIVE

    recalled = [each.record for each in (await house.lore.recall("the Drowned Bell", campaign=made.id)).hits]
    texts = [each.content for each in recalled if isinstance(each, Memory) and each.id != ruling.id]
    assert GLASS in texts
    assert not any("bronze" in each for each in texts)
    assert ruling.id in {each.id for each in recalled}

    await house.meets("Vey", kind=PersonKind.NARRATOR)
    session = await house.lore.sessions.start(made.id)
    talk = await house.lore.sessions.talk(session.id, "vey", user="vesna", config={"auto_title": False})
    house.model.answers("It is made of glass.")
    await house.says(talk, "What is the Drowned Bell made of?")
    assert ruling.content in house.model.prompt
    assert "bronze" not in house.model.prompt.replace(ruling.content, "")


async def test_what_was_ruled_out_does_not_come_back_by_being_said_again(house: World) -> None:
    """G7: not when its session is read again, not in another, and not by hand; nor in what is told of a session."""
    made, found = await bell(house)
    assert BRONZE in await told(house, made)
    await house.lore.canon.rule(found.proposal.id, Ruling.NEW)

    assert BRONZE not in await told(house, made)
    for session in await house.lore.sessions.list(made.id):
        await house.lore.sessions.clear(session.id)
        await house.lore.sessions.digest(session.id)
        await house.works()
    await played(house, made, BRONZE)
    kept = await house.lore.campaigns.remember(made.id, "The Drowned Bell is made of bronze")

    assert kept.outcome is SaveResult.REJECTED
    assert kept.against[0].type is MemoryType.CANON_RULING
    assert await house.lore.canon.conflicts(made.id) == []
    assert "bronze" not in await told(house, made)
    assert GLASS in await told(house, made)


async def test_the_old_one_can_hold(house: World) -> None:
    """G7: what was said against it is rejected, and not raised again."""
    made, found = await bell(house)

    await house.lore.canon.rule(found.proposal.id, "old", by="vesna")
    await house.lore.sessions.digest(found.new.session_id or "")
    await house.works()

    assert (await memory(house, found.old.memory_id)).status is Status.ACTIVE
    assert (await memory(house, found.new.memory_id)).status is Status.REJECTED
    assert GLASS not in await told(house, made)
    (ruled,) = await house.lore.canon.conflicts(made.id, open=False)
    assert (ruled.ruling, ruled.proposal.status, ruled.proposal.decided_by) == (Ruling.OLD, Decision.REJECTED, "vesna")


async def test_both_can_be_true_in_their_time(house: World) -> None:
    """G7, M7: both stay known, and the ruling says which holds now."""
    made, found = await bell(house)

    ruling = await house.lore.canon.rule(found.proposal.id, "both")

    old, new = await memory(house, found.old.memory_id), await memory(house, found.new.memory_id)
    assert (old.status, new.status) == (Status.ACTIVE, Status.ACTIVE)
    assert old.valid_to == new.valid_from
    assert new.valid_to is None
    assert ruling.content.index("holds now that “The Drowned Bell is made of glass”") < ruling.content.index("bronze")
    await played(house, made, BRONZE)
    await house.lore.campaigns.remember(made.id, GLASS)
    assert await house.lore.canon.conflicts(made.id) == []
    active = await house.lore.campaigns.memories(made.id, types=[MemoryType.FACT])
    assert [each.content for each in active if each.valid_to is None] == [GLASS]


async def test_what_is_no_conflict_is_never_raised_again(house: World) -> None:
    """G7."""
    made, found = await bell(house)

    await house.lore.canon.rule(found.proposal.id, "none", "Its clapper is bronze.")
    await played(house, made, GLASS)
    await played(house, made, BRONZE)

    assert await house.lore.canon.conflicts(made.id) == []
    for side in (found.old, found.new):
        known = await memory(house, side.memory_id)
        assert (known.status, known.valid_to) == (Status.ACTIVE, None)


async def test_a_third_statement_is_another_conflict(house: World) -> None:
    """G7: a ruling wins over what it was about, and is no verdict on all else."""
    made, found = await bell(house)
    await house.lore.canon.rule(found.proposal.id, "new")

    await played(house, made, BONE)

    assert (await disputed(house, made)).old.text == GLASS


@pytest.mark.parametrize("ruling", list(Ruling))
async def test_a_ruling_can_be_taken_back_and_made_anew(house: World, ruling: Ruling) -> None:
    """G7: all is as it was, and the question is open."""
    made, found = await bell(house)
    before = await told(house, made)
    old = await memory(house, found.old.memory_id)
    made_by_ruling = await house.lore.canon.rule(found.proposal.id, ruling)

    again = await house.lore.canon.undo(found.proposal.id)

    assert (again.proposal.status, again.proposal.outcome, again.ruling) == (Decision.PENDING, {}, None)
    assert await told(house, made) == before
    now = await memory(house, found.old.memory_id)
    assert replace(now, revision=old.revision, updated_at=old.updated_at) == old
    assert (await memory(house, found.new.memory_id)).status is not Status.ACTIVE
    assert not await house.store.get_many(house.scope, Memory, [made_by_ruling.id])
    await house.lore.canon.rule(found.proposal.id, Ruling.NEW)
    assert (await memory(house, found.new.memory_id)).status is Status.ACTIVE


async def test_one_statement_against_two_waits_for_both_rulings(house: World) -> None:
    """G7."""
    made = await seated(house)
    for text in ("Reth lives in Orne.", "Reth lives in Tarn."):
        await house.lore.campaigns.remember(made.id, text, force=True)
    kept = await house.lore.campaigns.remember(made.id, "Reth lives in Vell.")
    first, second = await house.lore.canon.conflicts(made.id)

    await house.lore.canon.rule(first.proposal.id, "new")
    assert (await memory(house, kept.memory.id)).status is Status.PENDING
    await house.lore.canon.rule(second.proposal.id, "new")
    assert (await memory(house, kept.memory.id)).status is Status.ACTIVE

    await house.lore.canon.undo(second.proposal.id)
    await house.lore.canon.undo(first.proposal.id)
    await house.lore.canon.rule(first.proposal.id, "old")
    assert await house.lore.canon.conflicts(made.id) == []
    await house.lore.canon.undo(first.proposal.id)
    assert len(await house.lore.canon.conflicts(made.id)) == 2


async def test_all_who_say_the_same_as_what_fell_fall(house: World) -> None:
    """G7: two sessions may have said it."""
    made = await seated(house)
    await knows(house, made)
    await played(house, made, BRONZE)
    await played(house, made, BRONZE)
    await played(house, made, GLASS)

    await house.lore.canon.rule((await disputed(house, made)).proposal.id, "new")

    assert "bronze" not in await told(house, made)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def kept_house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """The same on a real database."""
    if request.param == "sqlite":
        made = await on_sqlite(tmp_path / "lore.db", models=with_scribe(BRONZE, GLASS))
        yield made
        await made.store.close()
        return
    clock = FakeClock()
    async with request.getfixturevalue("postgres").emptied_database() as url:
        store = await PostgresStore.open(url, StoreSettings(), clock=clock)
        yield World(store, clock=clock, models=with_scribe(BRONZE, GLASS))
        await store.close()


@pytest.mark.parametrize("ruling", list(Ruling))
async def test_on_both_databases_it_is_all_the_same(kept_house: World, ruling: Ruling) -> None:
    """G7: raised, ruled, said again, taken back, ruled anew."""
    made, found = await bell(kept_house)
    canon, before = kept_house.lore.canon, await told(kept_house, made)

    await canon.rule(found.proposal.id, ruling)
    await played(kept_house, made, BRONZE, GLASS)
    assert await canon.conflicts(made.id) == []
    lost = {Ruling.OLD: GLASS, Ruling.NEW: BRONZE}.get(ruling)
    assert lost is None or lost not in await told(kept_house, made)

    await kept_house.lore.sessions.delete((await kept_house.lore.sessions.list(made.id))[-1].id)
    await canon.undo(found.proposal.id)
    assert await told(kept_house, made) == before
    await canon.rule(found.proposal.id, Ruling.NEW)
    assert (await memory(kept_house, found.new.memory_id)).status is Status.ACTIVE
    assert BRONZE not in await told(kept_house, made)


async def test_the_page_on_campaigns_shows_how_to_rule(house: World) -> None:
    """G7: as a reader would try it."""
    made, found = await bell(house)
    page = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text(encoding="utf-8")
    (block,) = [each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "lore.canon.rule" in each]
    names: dict[str, object] = {"lore": house.lore, "campaign": made}

    code = compile(block, "docs/campaigns.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    await eval(code, names)

    assert (await house.lore.canon.get(found.proposal.id)).ruling is Ruling.NEW


# ── who may ──────────────────────────────────────────────────────────────────────────────────────


async def test_only_whoever_runs_the_game_rules(house: World) -> None:
    """G7, G9: a player is not shown that there is a question."""
    made, found = await bell(house)
    pia = at_seat(house, "pia").canon

    with pytest.raises(Forbidden, match="Only the game master"):
        await pia.conflicts(made.id)
    for ask in (pia.rule(found.proposal.id, "new"), pia.undo(found.proposal.id), pia.get(found.proposal.id)):
        with pytest.raises(Forbidden, match="Only the game master"):
            await ask
    await at_seat(house, "vesna").canon.rule(found.proposal.id, "new")


async def test_what_rests_on_a_spoiler_is_one(house: World) -> None:
    """G7, G9: the conflict, and the ruling."""
    made = await seated(house)
    await knows(house, made)
    await played(house, made, BRONZE)
    await played(house, made, GLASS, behind_the_screen=True)
    found = await disputed(house, made)

    ruling = await house.lore.canon.rule(found.proposal.id, "old")

    assert found.proposal.is_spoiler
    assert ruling.is_spoiler
    seen = await at_seat(house, "pia").campaigns.memories(made.id, statuses=tuple(Status))
    assert "glass" not in "\n".join(each.content for each in seen)


async def test_what_cannot_be_ruled_is_refused_in_words(house: World) -> None:
    """G7."""
    _, found = await bell(house)
    canon = house.lore.canon

    with pytest.raises(BadAsk, match="old, new, both, none"):
        await canon.rule(found.proposal.id, "perhaps")
    with pytest.raises(BadAsk, match="at most 1,000"):
        await canon.rule(found.proposal.id, "new", "x" * 1_001)
    with pytest.raises(NotFound, match="no conflict 'nothing'"):
        await canon.rule("nothing", "new")
    with pytest.raises(Conflict, match="nothing to undo"):
        await canon.undo(found.proposal.id)
    await canon.rule(found.proposal.id, "new")
    with pytest.raises(Conflict, match="resolved already"):
        await canon.rule(found.proposal.id, "old")


async def test_where_the_old_one_is_gone_the_new_one_can_still_hold(house: World) -> None:
    """G7: and where the new one is gone there is nothing to rule on."""
    made, found = await bell(house)
    await house.lore.forget(found.old.memory_id)

    ruling = await house.lore.canon.rule(found.proposal.id, "new")

    assert (await memory(house, found.new.memory_id)).status is Status.ACTIVE
    assert [each.other_id for each in await house.lore.memories.links(ruling.id)] == [found.new.memory_id]
    await house.lore.canon.undo(found.proposal.id)
    await house.lore.forget(found.new.memory_id)
    assert await house.lore.canon.conflicts(made.id) == []
    with pytest.raises(Conflict, match="deleted, approved or rejected meanwhile"):
        await house.lore.canon.rule(found.proposal.id, "new")


async def test_what_a_game_master_notes_of_a_ruling_is_for_them_alone(house: World) -> None:
    """G9: it may be a secret, while the ruling is everybody's."""
    made, found = await bell(house)

    ruling = await house.lore.canon.rule(found.proposal.id, "new", "Oswin swapped it for the zephyrine.")

    assert (await house.lore.canon.get(found.proposal.id)).note == "Oswin swapped it for the zephyrine."
    assert not ruling.is_spoiler
    seen = await at_seat(house, "pia").campaigns.memories(made.id, statuses=tuple(Status))
    assert ruling.id in {each.id for each in seen}
    assert "zephyrine" not in f"{seen}"
    for each in seen:
        assert "zephyrine" not in f"{await house.lore.history(each.id)}"
