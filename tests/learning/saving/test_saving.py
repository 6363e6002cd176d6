"""From what was extracted to what is kept (M6, M8, M10, M15, M16): the flow, over the in-memory store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from everlore.domain.claim import Claim, Slot, claim_in
from everlore.domain.memory import Category, Durability, Memory, MemoryType, Origin, Status, Visible
from everlore.domain.revision import Why, revise
from everlore.errors import ModelUnavailable
from everlore.learning.candidate import Candidate
from everlore.learning.saving.flow import saved
from everlore.models.embedder import Matrix
from everlore.settings import SavingSettings, StoreSettings
from everlore.store.port import Delete, Put
from everlore.store.sqlite.store import SqliteStore
from tests.learning.saving.mind import SCOPE, START, Mind, day, fact, furnish, mind
from tests.sqlite import migrated


async def test_a_new_memory_has_all_that_is_known_of_it() -> None:
    """M1, M5."""
    someone = await mind()

    result = await someone.hears(
        "2026-03-05",
        fact("User works as a nurse", confidence=0.9, summary="nurse", participants=("Sarah",), emotional_weight=0.25),
        message="m1",
    )

    (kept,) = await someone.memories()
    assert (result.formed, result.memory_ids) == (1, (kept.id,))
    assert (kept.content, kept.summary, kept.category) == ("User works as a nurse", "nurse", Category.PERSONAL_INFO)
    assert (kept.confidence, kept.emotional_weight, kept.participants) == (0.9, 0.25, ("Sarah",))
    assert (kept.origin, kept.status, kept.durability) == (Origin.EXTRACTOR, Status.ACTIVE, Durability.IDENTITY)
    assert (kept.persons, kept.conversation_id, kept.source_message_ids) == (("nova", "user"), "chat", ("m1",))
    assert kept.valid_from == day("2026-03-05")
    assert kept.importance == 8
    assert kept.extra == {
        "wordings": {"m1": "User works as a nurse"},
        "said": {"m1": day("2026-03-05").isoformat()},
        "claim": {"slot": "occupation", "value": "a nurse"},
    }


async def test_what_its_maker_claims_is_kept_with_it_and_its_quote_with_the_message() -> None:
    """M1, M5, M15."""
    someone = await mind()
    claim = Claim(slot=Slot.OCCUPATION, value="a nurse", quote="i'm a nurse btw")

    await someone.hears("2026-03-05", fact("User is a nurse", claim=claim), message="m1")
    await someone.hears("2026-03-06", fact("User is a nurse", claim=replace(claim, quote="nurse here")), message="m2")

    (kept,) = await someone.memories()
    assert claim_in(kept.extra) == replace(claim, quote="")
    assert kept.extra["quotes"] == {"m1": "i'm a nurse btw", "m2": "nurse here"}


async def test_a_finer_wording_brings_its_own_claim() -> None:
    """M8."""
    someone = await mind()
    coarse = fact("User lives in Portland", claim=Claim(slot=Slot.HOME, value="Portland"))
    fine = fact("User lives in Portland with a cat", claim=Claim(slot=Slot.HOME, value="Portland with a cat"))

    await someone.hears("2026-03-05", coarse)
    await someone.hears("2026-03-06", fine)

    (kept,) = await someone.memories()
    assert kept.content == "User lives in Portland with a cat"
    assert claim_in(kept.extra) == fine.claim


async def test_people_of_the_users_life_are_known_by_name() -> None:
    """M8: what is said of somebody is kept of who they are to the user, and repeated once."""
    someone = await mind()

    await someone.hears("2026-03-05", "User has a brother named Bram", "Bram is a glassblower", "Dora is a baker")
    await someone.hears("2026-03-06", "User's brother Bram is a glassblower", "Bram moved to Leith")
    await someone.hears("2026-03-07", "User's sister Dora sings", "Dora is a baker")

    assert sorted(await someone.current()) == [
        "Dora is a baker",
        "User has a brother named Bram",
        "User's brother Bram is a glassblower",
        "User's brother Bram moved to Leith",
        "User's sister Dora is a baker",
        "User's sister Dora sings",
    ]
    (leith,) = [each for each in await someone.memories() if each.content.endswith("Leith")]
    assert claim_in(leith.extra) == Claim(subject="user's brother Bram", slot=Slot.HOME, value="Leith", is_change=True)


async def test_a_name_that_two_have_is_nobodys() -> None:
    someone = await mind()

    await someone.hears("2026-03-05", "User has a brother named Sam", "User has a cousin named Sam", "Sam can sing")

    assert "Sam can sing" in await someone.current()


async def test_a_pair_is_kept_in_canonical_order() -> None:
    """M4."""
    someone = await mind()

    await someone.hears("2026-01-05", "User likes tea", persons=("user", "nova"))
    await someone.hears("2026-01-06", "User likes tea", persons=("nova", "user"))

    (kept,) = await someone.memories()
    assert kept.persons == ("nova", "user")
    assert kept.reinforcement_count == 1


async def test_the_same_words_from_another_message_are_counted() -> None:
    """M8."""
    someone = await mind()
    await someone.hears("2026-01-05", fact("User likes tea", confidence=0.8), message="m1")
    before = await someone.the("User likes tea")

    result = await someone.hears("2026-02-05", fact("User likes tea", confidence=0.9), message="m2")

    (kept,) = await someone.memories()
    assert result.formed == 0
    assert kept.source_message_ids == ("m1", "m2")
    assert kept.reinforcement_count == 1
    assert kept.confidence > 0.9
    assert kept.importance > before.importance
    assert kept.valid_from == day("2026-01-05")
    (revision,) = await someone.store.history(SCOPE, kept.id)
    assert (revision.why, revision.by) == (Why.REINFORCEMENT, "extractor")


async def test_reading_a_message_twice_changes_nothing_at_all() -> None:
    """M16."""
    someone = await mind()
    said = ("User lives in Seattle", "User likes tea", "User met the queen in 2019", "User has a sister named Emma")
    await someone.hears("2026-01-05", *said, message="m1")

    again = await someone.hears("2026-01-05", *said, message="m1")
    reworded = await someone.hears("2026-01-05", "The user resides in Seattle", "User enjoys tea", message="m1")

    assert again.changes == reworded.changes == []
    assert {each.revision for each in await someone.memories()} == {1}


async def test_reading_old_messages_again_changes_nothing_after_facts_moved_on() -> None:
    """M16: every message of a life with moves, read a second time, in any order."""
    someone = await mind()
    life = [
        ("m1", "2026-01-05", "User lives in Seattle"),
        ("m2", "2026-02-05", "User moved to Portland"),
        ("m3", "2026-03-05", "User moved back to Seattle"),
        ("m4", "2026-04-05", "User no longer likes coffee"),
    ]
    for id, on, said in life:
        await someone.hears(on, said, message=id)

    again = [await someone.hears(on, said, message=id) for id, on, said in (life[2], life[0], life[3], life[1])]

    assert [each.changes for each in again] == [[], [], [], []]


async def test_candidates_of_one_message_see_each_other() -> None:
    """M8."""
    someone = await mind()

    result = await someone.hears(
        "2026-01-05",
        "User enjoys hiking",
        "User loves weekend hiking trips",
        "User used to live in Seattle",
        "User moved to Portland",
        "User lives in Portland",
    )

    assert result.formed == 3
    assert await someone.current() == [
        "User loves weekend hiking trips",
        "User moved to Portland",
        "User used to live in Seattle",
    ]
    assert {each.reinforcement_count for each in await someone.memories()} == {0}


async def test_memories_of_other_persons_are_another_matter() -> None:
    """M8: inside the same scope, and no wider."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", persons=("max", "user"))

    await someone.hears("2026-02-05", "User lives in Portland")
    await someone.hears("2026-03-05", "User lives in Seattle", persons=("user",))

    assert await someone.current() == ["User lives in Portland", "User lives in Seattle", "User lives in Seattle"]


async def test_what_is_private_to_another_conversation_is_not_touched() -> None:
    """F6."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", conversation_id="other")
    private = await someone.the("User lives in Seattle")
    await someone.apply([Put(revise(private, someone.now, visibility=Visible.PRIVATE))])

    await someone.hears("2026-02-05", "User lives in Portland")

    assert await someone.current() == ["User lives in Portland", "User lives in Seattle"]


# ── review ───────────────────────────────────────────────────────────────────────────────────────


async def test_with_review_everything_waits_and_nothing_is_closed() -> None:
    """M10."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle")

    await someone.hears("2026-02-05", "User moved to Portland", "User likes tea", review=True)

    assert await someone.current() == ["User lives in Seattle"]
    assert await someone.waiting() == ["User likes tea", "User moved to Portland"]
    assert ("User moved to Portland", "contradicts", "User lives in Seattle") in await someone.links()


async def test_with_review_an_approved_memory_is_not_reworded() -> None:
    """M10: it is told again, and keeps the words that were approved."""
    someone = await mind()
    await someone.hears("2026-01-05", "User enjoys hiking")

    await someone.hears("2026-02-05", "User loves weekend hiking trips", review=True)

    (kept,) = await someone.memories()
    assert (kept.content, kept.reinforcement_count) == ("User enjoys hiking", 1)


async def test_what_was_only_implied_waits_until_the_user_says_so() -> None:
    """M10: confirmed by what the user says next, and then it closes what it contradicts."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", confirm=True)
    await someone.hears("2026-02-05", fact("User lives in Portland", confidence=0.8), confirm=True)

    assert await someone.current() == ["User lives in Seattle"]
    (waiting,) = await someone.memories(Status.PENDING)
    assert waiting.extra["unconfirmed"] is True

    await someone.hears("2026-02-06", "User lives in Portland", confirm=True)

    assert await someone.current() == ["User lives in Portland"]
    assert await someone.past() == ["User lives in Seattle"]
    assert "unconfirmed" not in (await someone.the("User lives in Portland")).extra


async def test_a_persons_own_words_are_never_changed() -> None:
    """M11."""
    someone = await mind()
    await someone.hears("2026-01-05", "User enjoys hiking", message="m1")
    mine = await someone.the("User enjoys hiking")
    await someone.apply([Put(revise(mine, someone.now, content="User enjoys walking uphill", edited_by_person=True))])

    await someone.hears("2026-01-05", "User enjoys hiking", message="m1")
    await someone.hears("2026-02-05", "User enjoys walking uphill in the Alps", message="m2")

    assert "User enjoys walking uphill" in await someone.current()


# ── branches ─────────────────────────────────────────────────────────────────────────────────────

FORK: dict[str, Any] = {"conversation_id": "fork", "branched_from_id": "elsewhere"}


async def test_a_fork_changes_nothing_outside_it() -> None:
    """M15: it only says what it contradicts."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", "User enjoys hiking", "User likes tea", message="m1")
    before = await someone.memories()

    result = await someone.hears(
        "2026-02-05", "User moved to Portland", "User loves weekend hiking trips", "User likes tea", **FORK
    )

    assert [each for each in await someone.memories() if each.conversation_id == "chat"] == before
    assert result.formed == 2
    assert ("User moved to Portland", "contradicts", "User lives in Seattle") in await someone.links()


async def test_inside_a_fork_facts_move_on() -> None:
    """M15."""
    someone = await mind()
    await someone.hears("2026-02-05", "User lives in Portland", **FORK)

    await someone.hears("2026-03-05", "User moved to Denver", **FORK)

    assert await someone.current() == ["User moved to Denver"]


async def test_what_a_fork_learnt_stays_in_the_fork() -> None:
    """M15."""
    someone = await mind()
    await someone.hears("2026-02-05", "User lives in Portland", **FORK)

    await someone.hears("2026-03-05", "User lives in Seattle")
    await someone.hears("2026-03-06", "User lives in Portland")

    fork = [each for each in await someone.memories() if each.conversation_id == "fork"]
    assert [(each.status, each.revision) for each in fork] == [(Status.ACTIVE, 1)]
    assert len(await someone.memories()) == 3


async def test_a_fork_does_not_know_what_its_parent_learnt_later() -> None:
    """M15."""
    someone = await mind()
    forked: dict[str, Any] = {**FORK, "branched_from_id": "chat"}
    await someone.hears("2026-01-05", "User likes tea", conversation_id="other")
    await someone.hears("2026-03-05", "User likes rum")

    result = await someone.hears("2026-04-05", "User likes tea", "User likes rum", **forked)

    assert result.formed == 1
    assert (await someone.store.get(SCOPE, Memory, result.memory_ids[0])).content == "User likes rum"


# ── readers of segments and whole conversations ──────────────────────────────────────────────────


@pytest.mark.parametrize("origin", [Origin.KEYFRAME, Origin.ANALYSIS])
async def test_a_segment_that_repeats_what_is_known_changes_nothing(origin: Origin) -> None:
    """M16: no feedback loop."""
    someone = await mind()
    await someone.hears("2026-01-05", "User enjoys hiking")

    result = await someone.hears(
        "2026-02-05", "User enjoys hiking", "User loves weekend hiking trips", origin=origin, message="m9"
    )

    assert result.changes == []


async def test_segment_memories_of_characters_move_on_too() -> None:
    """M7, K1."""
    someone = await mind()

    for on, said in (("2026-01-05", "Mira trusts Don"), ("2026-02-05", "Mira no longer trusts Don")):
        candidate = Candidate(content=said, type=MemoryType.RELATIONSHIP, importance=7)
        await someone.hears(on, candidate, origin=Origin.KEYFRAME)

    assert await someone.current() == ["Mira no longer trusts Don"]
    assert (await someone.the("Mira no longer trusts Don")).importance == 7


# ── rough weather ────────────────────────────────────────────────────────────────────────────────


async def test_rubbish_is_refused_or_made_to_fit() -> None:
    """S-8: a model can answer anything."""
    someone = await mind()

    result = await someone.hears(
        "2026-01-05",
        "   ",
        "x" * 20_001,
        fact("User likes \x00tea\ud800", summary="y" * 5_000),
    )

    assert [each.filter.value for each in result.refused] == ["bad_shape", "bad_shape"]
    assert await someone.current() == ["User likes tea"]


class Away:
    """A model server that is down."""

    name = "away"

    async def embed(self, texts: Sequence[str]) -> Matrix:
        raise ModelUnavailable("The server is away.")

    async def close(self) -> None:
        """Nothing is open."""


async def test_without_its_embedding_model_words_decide() -> None:
    """M8."""
    someone = await mind(None)
    await someone.hears("2026-01-05", "User lives in Seattle", "User once met the old queen in a small shop")
    batch = someone.batch([fact("User once met the old queen in small shops")], "m2", day("2026-02-05"))
    await someone.hears("2026-02-05", "User likes tea", message="m2")

    result = await saved(someone.store, Away(), SCOPE, batch, someone.now, someone.new_id)

    assert result.formed == 0
    assert len(result.changes) == 1


async def test_thresholds_can_be_chosen() -> None:
    """M8: all configurable."""
    someone = await mind()
    await someone.hears("2026-01-05", "User broke an arm while skiing")
    batch = someone.batch([fact("User fractured an arm in a skiing accident")], "m2", day("2026-02-05"))

    strict = await saved(someone.store, someone.embedder, SCOPE, batch, someone.now, someone.new_id)
    loose = await saved(
        someone.store, someone.embedder, SCOPE, batch, someone.now, someone.new_id, chosen=SavingSettings(facts=0.6)
    )

    assert (strict.formed, loose.formed) == (1, 0)


async def test_changes_that_are_on_their_way_count_already() -> None:
    """M15: what is about to be withdrawn is not known any more, and what is about to be put is."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", "User likes tea", message="m1")
    seattle, tea = await someone.the("User lives in Seattle"), await someone.the("User likes tea")
    gone = Put(revise(seattle, someone.now, status=Status.DELETED), why=Why.WITHDRAWAL)
    reworded = Put(revise(tea, someone.now, content="User likes rum"))
    batch = someone.batch([fact("User lives in Seattle"), fact("User likes rum")], "m2", day("2026-02-05"))
    await someone.hears("2026-02-05", "User reads", message="m2")

    result = await saved(
        someone.store, someone.embedder, SCOPE, batch, someone.now, someone.new_id, after=[gone, reworded]
    )
    await someone.apply([gone, reworded, *result.changes])

    assert result.formed == 1
    assert await someone.current() == ["User likes rum", "User lives in Seattle", "User reads"]


async def test_a_deletion_that_is_on_its_way_counts_already() -> None:
    someone = await mind()
    await someone.hears("2026-01-05", "User likes tea", message="m1")
    tea = await someone.the("User likes tea")
    batch = someone.batch([fact("User likes tea")], "m1", day("2026-01-05"))

    result = await saved(
        someone.store, someone.embedder, SCOPE, batch, someone.now, someone.new_id, after=[Delete(Memory, tea.id)]
    )

    assert result.formed == 1


async def test_in_a_large_memory_the_one_that_matters_is_found() -> None:
    """M7: two hundred other facts stand between the homes."""
    someone = await mind()
    await someone.hears("2026-01-05", "User lives in Seattle", "User is a nurse", "User's name is Jon")
    for part in range(5):
        things = [f"User likes the song number {40 * part + each} of the band" for each in range(40)]
        await someone.hears("2026-02-05", *things)

    await someone.hears("2026-03-05", "User moved to Portland", "User now works as a teacher", "User's name is John")

    assert await someone.past() == ["User is a nurse", "User lives in Seattle", "User's name is Jon"]


async def test_a_database_takes_what_the_double_takes(tmp_path: Path) -> None:
    """M12: references inside one list of changes, in whatever order."""
    store = await SqliteStore.open(migrated(tmp_path / "everlore.db"), StoreSettings(), clock=lambda: START)
    try:
        await furnish(store)
        someone = Mind(store)

        await someone.hears("2026-01-05", "User lives in Seattle", "User enjoys hiking")
        await someone.hears("2026-02-05", "User moved to Denver", "User moved to Portland", "User loves hiking trips")

        assert await someone.current() == ["User loves hiking trips", "User moved to Portland"]
        assert await someone.past() == ["User lives in Seattle", "User moved to Denver"]
    finally:
        await store.close()


async def test_times_of_other_zones_are_understood() -> None:
    someone = await mind()
    tokyo = datetime.fromisoformat("2026-02-01T05:00:00+09:00")
    batch = replace(someone.batch([fact("User quit smoking yesterday")], "m1", tokyo), source_message_ids=())

    result = await saved(someone.store, someone.embedder, SCOPE, batch, START, someone.new_id)
    await someone.apply(result.changes)

    (kept,) = await someone.memories()
    assert kept.valid_from == datetime(2026, 1, 30, 15, tzinfo=UTC)
