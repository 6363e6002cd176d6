"""The library as its users hold it: remember, recall, forget, and what goes on behind (M4–M14)."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import everlore
from everlore.app import Everlore
from everlore.domain.job import JobState
from everlore.domain.memory import Durability, MemoryType, Origin, Visible
from everlore.domain.person import Person, PersonKind
from everlore.domain.revision import Why
from everlore.errors import BadAsk, Conflict, EverloreError, NotFound, StoreUnavailable
from everlore.settings import EmbeddingSettings, QueueSettings, Settings
from everlore.store.answers import Coverage
from everlore.store.port import Delete
from tests.app.conftest import Opener


def _texts(found: Any) -> list[str]:
    return [hit.record.content for hit in found.hits]


async def _moment() -> datetime:
    """A time that lies after all that was said so far, and before all that comes."""
    await asyncio.sleep(0.002)
    now = datetime.now(UTC)
    await asyncio.sleep(0.002)
    return now


# ── remember and recall ──────────────────────────────────────────────────────────────────────────


async def test_what_is_remembered_is_found_at_once(lore: Everlore) -> None:
    """M14: before its vector is there."""
    await lore.pause()

    kept = await lore.remember("The user is allergic to peanuts.", importance=9)
    found = await lore.recall("allergic")

    assert [hit.record for hit in found.hits] == [kept]
    assert (found.coverage.passages, found.coverage.embedded) == (1, 0)
    assert "vector" not in found.hits[0].parts


async def test_when_it_has_settled_meaning_counts_too(lore: Everlore) -> None:
    """M14."""
    await lore.remember("The user is allergic to peanuts.")

    await lore.settle()
    found = await lore.recall("allergic to peanuts")

    assert found.coverage.share == 1
    assert "vector" in found.hits[0].parts


async def test_who_names_nobody_speaks_of_the_user(lore: Everlore) -> None:
    """M3."""
    kept = await lore.remember("Teaches third grade.")

    user = await lore.user()
    assert (user.kind, user.id) == (PersonKind.USER, "user")
    assert kept.persons == (user.id,)
    assert (kept.origin, kept.type, kept.importance) == (Origin.USER, MemoryType.FACT, 5)
    assert _texts(await lore.recall("grade", person=user)) == ["Teaches third grade."]


async def test_a_pair_is_recalled_the_same_whoever_is_named_first(lore: Everlore) -> None:
    """M4."""
    mike, don = await lore.characters.create(name="Mike"), await lore.characters.create(name="Don")
    await lore.remember("Mike owes Don a boat.", person=mike, partner=don)
    await lore.remember("Don and Mike painted the boat.", person=don.id, partner=mike.id)
    await lore.settle()

    one = await lore.recall("boat", person=mike, partner=don)
    other = await lore.recall("boat", person=don, partner=mike)

    assert one == other
    shared: list[Any] = [hit.record for hit in one.hits]
    assert {each.persons for each in shared} == {tuple(sorted((mike.id, don.id)))}
    assert len(one.hits) == 2


async def test_what_one_knows_alone_is_not_the_pairs(lore: Everlore) -> None:
    """M3."""
    mike, don = await lore.characters.create(name="Mike"), await lore.characters.create(name="Don")
    await lore.remember("Mike hides a boat.", person=mike)

    assert _texts(await lore.recall("boat", person=mike, partner=don)) == []
    assert _texts(await lore.recall("boat", person=mike)) == ["Mike hides a boat."]
    assert _texts(await lore.recall("boat", person=don)) == []


async def test_many_are_kept_together_or_not_at_all(lore: Everlore) -> None:
    """M12."""
    kept = await lore.remember_many(["One boat.", "Two boats."], type="NOTE", importance=3)
    assert [each.content for each in kept] == ["One boat.", "Two boats."]

    with pytest.raises(BadAsk, match="empty"):
        await lore.remember_many(["Three boats.", "   "])

    assert sorted(_texts(await lore.recall("boat"))) == ["One boat.", "Two boats."]


# ── what is known already ────────────────────────────────────────────────────────────────────────


async def test_the_same_statement_is_known_and_counts_more(lore: Everlore) -> None:
    """M8: whoever saves it."""
    first = await lore.remember("Pim lives in Seattle.", tags=("home",))

    (again,) = await lore.keep(["Pim lives in Seattle"], importance=8, tags=("town",))
    (reworded,) = await lore.keep(["Pim is living in Seattle"])

    assert [again.outcome, reworded.outcome] == ["reinforced", "reinforced"]
    assert {again.memory.id, reworded.memory.id} == {first.id}
    assert (again.memory.importance, again.memory.tags) == (8, ("home", "town"))
    assert (reworded.memory.reinforcement_count, reworded.memory.valid_from) == (2, None)
    assert (await lore.stats()).counts["memory"] == 1
    assert [each.why for each in await lore.history(first.id)] == [Why.REINFORCEMENT] * 2


async def test_a_move_closes_the_home_before_it(lore: Everlore) -> None:
    """M7, M8: of a person's two words the newer one wins where it is plainly newer."""
    old = await lore.remember("Pim lives in Seattle")

    (moved,) = await lore.keep(["Pim moved to Portland"])

    closed = await lore.memories.get(old.id)
    assert (moved.outcome, moved.against) == ("superseded", (closed,))
    assert (closed.status, closed.superseded_by, closed.valid_to) == (
        "superseded",
        moved.memory.id,
        moved.memory.valid_from,
    )
    assert _texts(await lore.recall("Where does Pim live?")) == ["Pim moved to Portland"]


async def test_where_neither_is_plainly_newer_a_person_decides(lore: Everlore) -> None:
    """M8, M10: the first is believed until then, and only one of them is recalled."""
    old = await lore.remember("Pim lives in Seattle")

    (other,) = await lore.keep(["Pim lives in Portland"])
    (insisted,) = await lore.keep(["Pim lives in Portland"])

    assert (other.outcome, other.memory.status, other.against) == ("pending", "pending", (old,))
    assert (insisted.outcome, insisted.memory.id, insisted.memory.status) == ("reinforced", other.memory.id, "pending")
    assert [each.kind for each in await lore.memories.links(old.id)] == ["contradicts"]
    assert _texts(await lore.recall("Where does Pim live?")) == ["Pim lives in Seattle"]

    await lore.memories.approve(other.memory.id, by="user")

    assert _texts(await lore.recall("Where does Pim live?")) == ["Pim lives in Portland"]
    assert (await lore.memories.get(old.id)).superseded_by == other.memory.id


async def test_who_insists_keeps_both(lore: Everlore) -> None:
    """M8: `force`."""
    await lore.remember("Pim lives in Seattle")

    kept = await lore.keep(["Pim lives in Seattle", "Pim lives in Portland"], force=True)

    assert [each.outcome for each in kept] == ["formed", "formed"]
    assert (await lore.memories.list(status="active")).items.__len__() == 3


async def test_statements_of_one_list_see_each_other(lore: Everlore) -> None:
    """M8."""
    said = ["Pim likes tea", "Pim moved to Oslo", "pim likes tea!", "Pim lives in Rome", "Pim moved to Bergen"]

    kept = await lore.keep(said)

    assert [each.outcome for each in kept] == ["formed", "formed", "reinforced", "pending", "superseded"]
    assert kept[2].memory.id == kept[0].memory.id
    assert [each.content for each in kept[4].against] == ["Pim moved to Oslo"]


async def test_a_date_says_which_of_two_came_first(lore: Everlore) -> None:
    """M7."""
    now = await lore.remember("Pim lives in Oslo", valid_from=datetime(2024, 5, 1, tzinfo=UTC))

    (before,) = await lore.keep(["Pim lives in Rome"], valid_from=datetime(2019, 2, 1, tzinfo=UTC))
    (over,) = await lore.keep(["Pim lives in Kyiv"], valid_to=datetime(2011, 1, 1, tzinfo=UTC))
    (again,) = await lore.keep(["Pim lives in Kyiv"], valid_to=datetime(2011, 1, 1, tzinfo=UTC))
    (after,) = await lore.keep(["Pim lives in Bonn"], valid_from=datetime(2025, 3, 1, tzinfo=UTC))

    assert (before.outcome, before.memory.superseded_by, before.memory.valid_to) == ("formed", now.id, now.valid_from)
    assert (over.outcome, over.memory.status, again.outcome) == ("formed", "active", "reinforced")
    assert (after.outcome, [each.id for each in after.against]) == ("superseded", [now.id])


async def test_a_year_older_is_news(lore: Everlore) -> None:
    """M7: nobody has to say that they have turned thirty-five."""
    await lore.remember("Pim is 34 years old")

    assert (await lore.keep(["Pim is 35 years old"]))[0].outcome == "superseded"
    assert (await lore.keep(["Pim is 30 years old"]))[0].outcome == "pending"


async def test_who_somebody_is_is_kept_for_good(lore: Everlore) -> None:
    """M17: unless they say otherwise."""
    said = ["User lives in Leith", "The harbour closes at dusk"]

    home, harbour = await lore.remember_many(said)
    brief = await lore.remember("User lives in Rome", durability=Durability.SITUATIONAL, force=True)

    assert [each.durability for each in (home, harbour, brief)] == ["identity", "long_term", "situational"]


async def test_others_and_other_places_are_told_apart(lore: Everlore) -> None:
    """M3, M8: the same persons, the same campaign, and nothing private elsewhere."""
    mike, don = await lore.characters.create(name="Mike"), await lore.characters.create(name="Don")
    talk = await lore.conversations.start(mike)
    places: list[dict[str, Any]] = [
        {},
        {"person": mike},
        {"person": mike, "partner": don},
        {"person": mike, "visibility": Visible.PRIVATE, "conversation_id": talk.id},
    ]

    kept = [(await lore.keep(["The key is under the mat"], **place))[0] for place in places]

    assert [each.outcome for each in kept] == ["formed"] * 4
    secret = (await lore.keep(["The key is under the mat"], visibility=Visible.SECRET))[0]
    assert (secret.outcome, secret.memory.id, secret.memory.visibility) == ("reinforced", kept[0].memory.id, "secret")


async def test_what_was_rejected_can_be_written_by_hand(lore: Everlore) -> None:
    """M11: a person may change their mind; only what is learnt is blocked."""
    wrong = await lore.remember("Pim likes tea")
    await lore.memories.reject(wrong.id, by="user")

    assert (await lore.keep(["Pim likes tea"]))[0].outcome == "formed"
    assert (await lore.keep(["Pim likes tea"], origin=Origin.IMPORT))[0].outcome == "reinforced"


async def test_what_is_written_of_somebody_known_keeps_its_words(lore: Everlore) -> None:
    """M8, M11: and is known to be of the user's brother."""
    await lore.remember("User has a brother named Bram")
    glassblower = await lore.remember("Bram is a glassblower")

    (again,) = await lore.keep(["User's brother Bram is a glassblower"])

    assert glassblower.content == "Bram is a glassblower"
    assert (again.outcome, again.memory.id) == ("reinforced", glassblower.id)


async def test_an_import_does_not_overrule_a_person(lore: Everlore) -> None:
    """M8, M11."""
    wrong = await lore.remember("Pim plays chess")
    await lore.memories.reject(wrong.id, by="user")
    await lore.remember("Pim lives in Seattle")

    moved, blocked, new = await lore.keep(
        ["Pim moved to Portland", "Pim plays chess", "Pim owns a boat"], origin=Origin.IMPORT
    )

    assert [each.outcome for each in (moved, blocked, new)] == ["pending", "rejected", "formed"]
    assert (blocked.memory.id, new.memory.origin) == (wrong.id, Origin.IMPORT)


async def test_two_who_say_the_same_at_once_say_it_once(lore: Everlore) -> None:
    """M8."""
    kept = await asyncio.gather(*(lore.remember("Pim likes tea") for _ in range(8)))

    assert len({each.id for each in kept}) == 1
    assert (await lore.stats()).counts["memory"] == 1


async def test_a_recall_can_be_narrowed_to_types_and_a_number(lore: Everlore) -> None:
    """M2."""
    await lore.remember("Likes boats.", type=MemoryType.PREFERENCE)
    await lore.remember("Owns boats.", type="FACT")

    assert _texts(await lore.recall("boats", types=["PREFERENCE"])) == ["Likes boats."]
    assert len((await lore.recall("boats", limit=1)).hits) == 1
    assert (await lore.recall("boats", min_similarity=1.01)).hits == ()


async def test_a_question_without_words_finds_nothing_and_says_nothing_wrong(lore: Everlore) -> None:
    await lore.remember("Likes boats.")

    assert (await lore.recall("")).hits == ()


async def test_further_fields_of_a_memory_can_be_given(lore: Everlore) -> None:
    """M1."""
    kept = await lore.remember("Plans a trip.", tags=("travel",), confidence=0.4, source_uri="note://7")

    [read] = await lore.store.get_many(lore.scope, type(kept), [kept.id])
    assert (read.tags, read.confidence, read.source_uri) == (("travel",), 0.4, "note://7")


# ── forget, edit, history ────────────────────────────────────────────────────────────────────────


async def test_what_is_forgotten_is_gone_for_good(lore: Everlore, tmp_path: Path) -> None:
    """M9: its words are not in the file either."""
    kept = await lore.remember("The password is xyzzy-plugh.")
    await lore.settle()

    await lore.forget(kept)

    assert (await lore.recall("password xyzzy")).hits == ()
    with pytest.raises(NotFound, match=kept.id):
        await lore.history(kept.id)
    with pytest.raises(NotFound, match="nothing was deleted"):
        await lore.forget(kept.id)
    await lore.stop()
    assert b"plugh" not in (tmp_path / "lore.db").read_bytes()


async def test_an_edit_leaves_the_earlier_text_in_the_history(lore: Everlore) -> None:
    """M6: who, when, why and the text before."""
    # Nothing is embedded in this story: by meaning, "Oslo" may well find a sentence about Bergen.
    await lore.pause()
    kept = await lore.remember("Lives in Oslo.")

    edited = await lore.edit(kept.id, content="Lives in Bergen.", by="ada", why=Why.CORRECTION, note="She moved.")

    assert (edited.content, edited.revision, edited.edited_by_person) == ("Lives in Bergen.", 2, True)
    [before] = await lore.history(kept.id)
    assert (before.before, before.by, before.why, before.note) == (kept, "ada", Why.CORRECTION, "She moved.")
    assert (before.since, before.until) == (kept.updated_at, edited.updated_at)
    assert _texts(await lore.recall("Bergen")) == ["Lives in Bergen."]
    assert (await lore.recall("Oslo")).hits == ()


async def test_one_can_ask_what_was_believed_at_a_past_time(lore: Everlore) -> None:
    """M6."""
    before_all = await _moment()
    kept = await lore.remember("Lives in Oslo.")
    then = await _moment()
    await lore.edit(kept.id, content="Lives in Bergen.")

    assert _texts(await lore.recall("where does she live, Oslo or Bergen", as_of=then)) == ["Lives in Oslo."]
    assert _texts(await lore.recall("where does she live, Oslo or Bergen")) == ["Lives in Bergen."]
    assert (await lore.recall("Oslo", as_of=before_all)).hits == ()


async def test_two_edits_of_the_same_state_do_not_overwrite_each_other(lore: Everlore) -> None:
    """M6: the second is a conflict, or comes after the first; no text is lost from the history."""
    kept = await lore.remember("Lives in Oslo.")

    results = await asyncio.gather(
        lore.edit(kept.id, content="Lives in Bergen."),
        lore.edit(kept.id, content="Lives in Tromsø."),
        return_exceptions=True,
    )

    refused = [each for each in results if isinstance(each, BaseException)]
    assert all(isinstance(each, Conflict) for each in refused)
    assert len(await lore.history(kept.id)) == 2 - len(refused)


# ── helpful errors ───────────────────────────────────────────────────────────────────────────────


async def test_an_unknown_field_is_named(lore: Everlore) -> None:
    with pytest.raises(BadAsk, match="no field colour"):
        await lore.remember("Likes boats.", colour="red")  # type: ignore[call-arg]  # as an untyped caller might
    with pytest.raises(BadAsk, match="no field colour"):
        await lore.characters.create(name="Nova", colour="red")
    kept = await lore.remember("Likes boats.")
    with pytest.raises(BadAsk, match=r"no colour to change\. Known: .*content.*importance"):
        await lore.edit(kept.id, colour="red")


async def test_a_workspace_cannot_be_passed_as_a_field(lore: Everlore) -> None:
    """It is the tenant: `within` is the way to another one."""
    with pytest.raises(BadAsk, match="workspace"):
        await lore.remember("Likes boats.", workspace="elsewhere")  # type: ignore[call-arg]
    with pytest.raises(BadAsk, match="workspace"):
        await lore.characters.create(name="Nova", workspace="elsewhere")


async def test_an_unknown_type_is_answered_with_the_known_ones(lore: Everlore) -> None:
    """M2."""
    with pytest.raises(BadAsk, match=r"type is 'GUESS'; it must be one of FACT, RELATIONSHIP"):
        await lore.remember("Likes boats.", type="GUESS")
    with pytest.raises(BadAsk, match=r"types is 'GUESS'"):
        await lore.recall("boats", types=["GUESS"])
    with pytest.raises(BadAsk, match=r"include is 'dreams'; it must be one of memory, message"):
        await lore.recall("boats", include=["dreams"])


async def test_an_unknown_person_is_named_and_nothing_is_kept(lore: Everlore) -> None:
    with pytest.raises(NotFound, match=r"no Person 'nobody'"):
        await lore.remember("Likes boats.", person="nobody")

    assert (await lore.stats()).counts["memory"] == 0


async def test_a_partner_alone_is_no_pair(lore: Everlore) -> None:
    with pytest.raises(BadAsk, match="without a person"):
        await lore.recall("boats", partner="ada")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"importance": 11}, "importance is 11; it must be between 1 and 10"),
        ({"importance": "high"}, "importance is 'high'"),
        ({"tags": {"travel": 1}}, "tags is a dict; it must be a tuple"),
        ({"valid_from": datetime(2026, 1, 1)}, "without a time zone"),  # noqa: DTZ001 - the mistake
        ({"extra": {"x": object()}}, "cannot be written as JSON"),
    ],
)
async def test_a_wrong_value_is_said_with_its_field(lore: Everlore, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadAsk, match=said):
        await lore.remember("Likes boats.", **wrong)


async def test_every_error_can_be_caught_as_one(lore: Everlore) -> None:
    """The library's promise: errors derive from EverloreError."""
    with pytest.raises(everlore.EverloreError):
        await lore.remember("")
    assert issubclass(everlore.NotFound, EverloreError)


# ── persons ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_character_is_made_listed_and_found_by_id_or_name(lore: Everlore) -> None:
    """V9."""
    nova = await lore.characters.create(name="Nova", personality="warm, curious")

    assert await lore.characters.get(nova.id) == nova
    assert await lore.characters.named("Nova") == nova
    assert await lore.characters.named(nova.id) == nova
    assert (await lore.characters.list()).items == (nova,)
    assert nova.personality == "warm, curious"


async def test_a_name_that_is_unknown_or_shared_is_not_guessed_at(lore: Everlore) -> None:
    first = await lore.characters.create(name="Rex")
    await lore.characters.create(name="Rex")

    with pytest.raises(BadAsk, match=rf"Several persons are called 'Rex'.*{first.id}"):
        await lore.characters.named("Rex")
    with pytest.raises(NotFound, match="no person called 'rex'"):
        await lore.characters.named("rex")


# ── workspaces ───────────────────────────────────────────────────────────────────────────────────


async def test_another_workspace_sees_nothing_of_this_one(lore: Everlore) -> None:
    """No query ever crosses it."""
    nova = await lore.characters.create(name="Nova")
    kept = await lore.remember("Likes boats.", person=nova)
    await lore.settle()

    other = lore.within("other")

    assert (await other.recall("boats")).hits == ()
    assert (await other.characters.list()).items == ()
    assert set((await other.stats()).counts.values()) == {0}
    for ask in (
        other.recall("boats", person=nova),
        other.forget(kept),
        other.history(kept.id),
        other.edit(kept.id, content="x"),
        other.characters.get(nova.id),
    ):
        with pytest.raises(NotFound):
            await ask
    with pytest.raises(NotFound):
        await other.remember("Likes boats.", person=nova)
    assert _texts(await lore.recall("boats")) == ["Likes boats."]


async def test_each_workspace_has_a_user_of_its_own_and_settles_for_itself(lore: Everlore) -> None:
    other = lore.within("other")
    await lore.remember("Likes boats.")
    await other.remember("Likes trains.")

    await other.settle()

    assert _texts(await other.recall("likes")) == ["Likes trains."]
    assert _texts(await lore.recall("likes")) == ["Likes boats."]


async def test_a_workspace_can_be_chosen_when_opening(opened: Opener) -> None:
    async with opened(workspace="mine") as lore:
        await lore.remember("Likes boats.")

    async with opened() as lore:
        assert (await lore.recall("boats")).hits == ()
        assert _texts(await lore.within("mine").recall("boats")) == ["Likes boats."]


# ── background work ──────────────────────────────────────────────────────────────────────────────


async def test_settle_does_the_work_itself_where_there_are_no_workers(opened: Opener) -> None:
    """C5."""
    async with opened(workers=0) as lore:
        await lore.remember_many([f"Boat number {number}." for number in range(20)])
        assert (await lore.stats()).queue.pending > 0

        await lore.settle()

        stats = await lore.stats()
        assert (stats.queue.pending, stats.embedder) == (0, "hashing-64")
        assert stats.coverage is not None
        assert stats.coverage.share == 1


async def test_settle_says_when_it_waits_in_vain(lore: Everlore) -> None:
    """C5."""
    await lore.pause()
    await lore.remember("Likes boats.")

    with pytest.raises(BadAsk, match="paused with 1 jobs waiting"):
        await lore.settle()


async def test_settle_gives_up_after_its_time(opened: Opener) -> None:
    """C5."""
    async with opened(workers=0, rate_per_s=0.001) as lore:
        await lore.remember("Likes boats.")
        await lore.settle()
        await lore.remember("Likes trains.")

        with pytest.raises(StoreUnavailable, match="1 jobs are still waiting"):
            await lore.settle(timeout_s=0.1)


async def test_a_resumed_queue_goes_on_by_itself(opened: Opener) -> None:
    """C5, F7: at the next look of a worker, and these are less than half a second apart."""
    async with opened(poll_s=QueueSettings().poll_s) as lore:
        await lore.pause()
        await lore.remember("Likes boats.")
        assert (await lore.jobs(JobState.READY)).items[0].kind == "embed"

        await lore.resume()
        await lore.settle()

        assert (await lore.stats()).coverage == Coverage(1, 1)
        assert lore.settings.queue.poll_s < 0.5


async def test_only_dead_letters_can_be_retried_and_the_error_says_so(lore: Everlore) -> None:
    """C5."""
    await lore.pause()
    await lore.remember("Likes boats.")
    [waiting] = (await lore.jobs()).items

    with pytest.raises(Conflict, match="ready"):
        await lore.retry(waiting.id)
    with pytest.raises(NotFound, match="'nothing'"):
        await lore.retry("nothing")


async def test_another_embedder_embeds_everything_anew_and_search_answers_meanwhile(opened: Opener) -> None:
    """M12."""
    async with opened() as lore:
        await lore.remember_many(["Ada fears the sea.", "Bob bakes bread."])
        await lore.settle()

    async with opened(embedder="wordllama", workers=0) as lore:
        assert lore.embedder is not None
        assert (await lore.store.coverage(lore.scope, lore.embedder.name)).embedded == 0
        assert _texts(await lore.recall("sea"))[0] == "Ada fears the sea."

        await lore.settle()

        assert (await lore.store.coverage(lore.scope, lore.embedder.name)).share == 1
        assert (await lore.store.coverage(lore.scope, "hashing-64")).embedded == 0
        assert _texts(await lore.recall("who is afraid of the ocean?"))[0] == "Ada fears the sea."


async def test_the_same_embedder_asks_for_nothing_when_opened_again(opened: Opener) -> None:
    """M12."""
    async with opened() as lore:
        await lore.remember("Likes boats.")
        await lore.settle()
    async with opened() as lore:
        await lore.settle()

    async with opened(workers=0) as lore:
        assert (await lore.jobs()).items == ()


async def test_a_reindex_tells_how_far_it_is(opened: Opener) -> None:
    """M12: the progress bar."""
    async with opened(embedder="none", workers=0) as lore:
        await lore.remember_many([f"Boat number {number}." for number in range(300)])
        await lore.settle()
    async with opened(workers=0) as lore:
        told = [coverage.embedded async for coverage in lore.reindex()]

    assert told == sorted(told)
    assert {0, 256, 300} <= set(told)
    assert told[-1] == 300


async def test_without_an_embedder_words_are_enough(opened: Opener) -> None:
    """M14."""
    async with opened(embedder="none") as lore:
        await lore.remember("Likes boats.")
        await lore.settle()

        assert _texts(await lore.recall("boat")) == ["Likes boats."]
        assert (await lore.stats()).coverage is None
        with pytest.raises(BadAsk, match="No embedder is configured"):
            await anext(lore.reindex())


# ── keeping house ────────────────────────────────────────────────────────────────────────────────


async def test_stats_count_every_kind_of_record(lore: Everlore) -> None:
    """C9."""
    await lore.remember("Likes boats.")
    await lore.settle()

    stats = await lore.stats()

    assert (stats.workspace, stats.counts["memory"], stats.counts["person"]) == ("default", 1, 1)
    assert stats.counts["message"] == 0
    assert stats.coverage is not None
    assert stats.coverage.share == 1
    assert stats.queue.pending == 0
    assert not stats.queue.paused


async def test_cleanup_removes_what_belongs_to_nobody_and_nothing_else(lore: Everlore) -> None:
    """M9: counts, a dry run, and valid rows untouched."""
    gone = await lore.characters.create(name="Gone")
    await lore.remember("Liked boats.", person=gone)
    await lore.remember("Likes boats.")
    await lore.settle()
    await lore.store.apply(lore.scope, [Delete(Person, gone.id)])

    dry = await lore.cleanup(dry_run=True)
    assert len(_texts(await lore.recall("boats"))) == 2
    real = await lore.cleanup()

    assert dry == real
    assert (real.memories_without_person, real.total) == (1, 1)
    assert _texts(await lore.recall("boats")) == ["Likes boats."]
    assert (await lore.cleanup()).total == 0


async def test_what_was_remembered_is_there_when_the_file_is_opened_again(opened: Opener) -> None:
    """M12."""
    async with opened() as lore:
        kept = await lore.remember("Likes boats.")

    async with opened() as lore:
        assert [hit.record for hit in (await lore.recall("boats")).hits] == [kept]


async def test_work_that_was_waiting_at_the_end_is_done_after_the_next_start(opened: Opener) -> None:
    """C5."""
    async with opened(workers=0) as lore:
        await lore.remember("Likes boats.")

    async with opened() as lore:
        await lore.settle()
        stats = await lore.stats()
        assert stats.coverage is not None
        assert stats.coverage.share == 1


async def test_closing_twice_is_harmless_and_a_closed_one_says_so(opened: Opener) -> None:
    async with opened() as lore:
        await lore.stop()
        await lore.stop()

        with pytest.raises(StoreUnavailable, match="closed"):
            await lore.recall("boats")
        with pytest.raises(StoreUnavailable, match="closed"):
            await lore.remember("Likes boats.")


async def test_an_address_of_no_database_of_ours_is_refused() -> None:
    settings = Settings(embedding=EmbeddingSettings(provider="none"))

    with pytest.raises(BadAsk, match=r"'mysql' is no database of ours\. Use sqlite:///"):
        async with everlore.open("mysql://localhost/lore", settings=settings):
            pass


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
async def test_a_file_may_be_named_plainly_or_as_an_address(form: str, tmp_path: Path) -> None:
    settings = Settings(embedding=EmbeddingSettings(provider="none"))
    path = tmp_path / "new folder" / "lore.db"

    async with everlore.open(form.format(path), settings=settings):
        pass

    assert path.exists()


async def test_a_person_that_nobody_knows_is_not_searched_in_silence(lore: Everlore) -> None:
    with pytest.raises(NotFound, match="'nobody'"):
        await lore.recall("boats", person="nobody")


async def test_what_has_nothing_to_do_with_the_question_is_not_recalled(lore: Everlore) -> None:
    await lore.remember("Likes boats.")
    await lore.settle()

    found = await lore.recall("xylophone")

    assert all(hit.score > 0 for hit in found.hits)


async def test_recall_goes_by_words_when_the_embedder_fails(tmp_path: Path) -> None:
    """R-4: a failing model degrades one feature, never the whole."""
    nowhere = EmbeddingSettings(provider="openai", base_url="http://127.0.0.1:9/v1", timeout_s=2)
    settings = Settings(embedding=nowhere, queue=QueueSettings(workers=0))
    async with everlore.open(tmp_path / "everlore.db", settings=settings) as lore:
        await lore.remember("Likes boats.")

        found = await lore.recall("boats")

    assert [hit.memory.content for hit in found.hits] == ["Likes boats."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wie heißt meine Schwester?", "User has a sister named Mila"),
        ("¿A qué soy alérgica?", "User is allergic to nuts"),
        ("C'est quand, mon anniversaire ?", "User's birthday is on May 3"),
        ("Dove abito?", "User lives in Bremen"),
        ("Welk instrument speel ik?", "User plays violin"),
        ("Qual é a minha profissão?", "User's job is fixing lifts"),
    ],
)
async def test_what_is_kept_in_english_is_asked_for_in_another_language(
    lore: Everlore, question: str, answer: str
) -> None:
    """R2."""
    for content in (
        "User has a sister named Mila",
        "User is allergic to nuts",
        "User's birthday is on May 3",
        "User lives in Bremen",
        "User plays violin",
        "User's job is fixing lifts",
    ):
        await lore.remember(content)
    assert _texts(await lore.recall(question))[:1] == [answer]


async def test_one_text_stands_for_a_list_of_one(lore: Everlore) -> None:
    """M1: where several values are possible, a list and a set are taken too."""
    soup = await lore.remember("The soup of the day is borscht", tags="food", type="NOTE")
    stew = await lore.remember("The stew needs salt", tags=["food", "todo"])

    edited = await lore.edit(stew.id, tags="done")

    assert (soup.tags, stew.tags, edited.tags) == (("food",), ("food", "todo"), ("done",))
    assert _texts(await lore.recall("soup stew", types="NOTE", include="memory")) == ["The soup of the day is borscht"]
    with pytest.raises(BadAsk, match="tags is a int; it must be a tuple"):
        await lore.edit(stew.id, tags=7)


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


async def test_an_error_says_which_http_status_it_is(lore: Everlore) -> None:
    """For apps that pass it on; the server answers with the same."""
    with pytest.raises(EverloreError) as unknown:
        await lore.remember("Nobody knows this", person="nobody")
    with pytest.raises(EverloreError) as wrong:
        await lore.recall("boat", limit=0)
    with pytest.raises(EverloreError) as template:
        await lore.templates.create({"name": "Empty", "extends": "nothing"})

    assert [each.value.http_status for each in (unknown, wrong, template)] == [404, 400, 422]
    kinds = (Conflict, StoreUnavailable, everlore.Forbidden, everlore.ModelMisbehaved, everlore.Misconfigured)
    assert [each.http_status for each in kinds] == [409, 503, 403, 502, 500]
