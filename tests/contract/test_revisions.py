"""What a memory was before: history, closed facts, and the belief of a past time (M6, M7, M10)."""

import asyncio
from dataclasses import replace
from itertools import product

import pytest

from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.revision import Why, may_become, revise, supersede
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store.port import Delete, Put, Search, Store, Touch
from tests.contract.builders import SCOPE, case, found_ids, ids, memory, minute, person, save

HOME = "Ada lives in Seattle."
MOVED = "Ada lives in Portland."


# ── history (M6) ─────────────────────────────────────────────────────────────────────────────────


async def test_a_change_leaves_a_revision_with_who_when_why_and_the_earlier_text(store: Store) -> None:
    """M6."""
    first = memory("m", HOME)
    await save(store, first)

    second = revise(first, minute(5), content=MOVED)
    [stored] = await store.apply(SCOPE, [Put(second, by="ada", why=Why.CORRECTION, note="She said so.")])

    [revision] = await store.history(SCOPE, "m")
    assert stored == second
    assert revision.before == first
    assert (revision.workspace, revision.memory_id, revision.number) == ("one", "m", 1)
    assert (revision.since, revision.until) == (first.updated_at, minute(5))
    assert (revision.by, revision.why, revision.note) == ("ada", Why.CORRECTION, "She said so.")


async def test_history_runs_from_the_oldest_to_the_last_but_one(store: Store) -> None:
    """M6."""
    state = memory("m", "Version 1.")
    await save(store, state)
    for number in range(2, 13):
        state = revise(state, minute(number), content=f"Version {number}.")
        await save(store, state)

    history = await store.history(SCOPE, "m")

    assert [each.number for each in history] == list(range(1, 12))
    assert [each.before.content for each in history] == [f"Version {number}." for number in range(1, 12)]
    assert [each.until for each in history[:-1]] == [each.since for each in history[1:]]


@pytest.mark.parametrize("why", Why)
async def test_every_reason_is_kept(store: Store, why: Why) -> None:
    """M6: edit, merge, reinforcement, correction, supersession, approval …"""
    first = memory("m")
    await save(store, first)

    await store.apply(SCOPE, [Put(revise(first, minute(1)), why=why)])

    assert [each.why for each in await store.history(SCOPE, "m")] == [why]


async def test_a_memory_that_never_changed_has_no_history(store: Store) -> None:
    await save(store, memory("m"))

    assert await store.history(SCOPE, "m") == []


async def test_the_history_of_an_unknown_memory_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="'nothing'"):
        await store.history(SCOPE, "nothing")


async def test_the_earlier_state_keeps_the_recalls_it_had(store: Store) -> None:
    first = memory("m")
    await save(store, first)
    await store.apply(SCOPE, [Touch(("m",), minute(1))])

    await save(store, revise(first, minute(2)))

    [revision] = await store.history(SCOPE, "m")
    assert (revision.before.recall_count, revision.before.last_recalled_at) == (1, minute(1))


# ── nobody overwrites what they have not seen ────────────────────────────────────────────────────


async def test_a_change_made_from_an_old_state_is_a_conflict(store: Store) -> None:
    """M6: somebody else changed it first, and nothing of theirs is lost."""
    first = memory("m", HOME)
    await save(store, first)
    await save(store, revise(first, minute(1), content=MOVED))

    with pytest.raises(Conflict, match=r"(?s)'m'.*[Rr]ead it again"):
        await save(store, revise(first, minute(2), content="Ada lives on the moon."))

    assert (await store.get(SCOPE, Memory, "m")).content == MOVED
    assert len(await store.history(SCOPE, "m")) == 1


@pytest.mark.parametrize("revision", [2, 7])
async def test_a_new_memory_begins_at_its_first_revision(store: Store, revision: int) -> None:
    with pytest.raises(Conflict, match=r"'m'"):
        await save(store, memory("m", revision=revision))

    assert await store.count(SCOPE, Memory) == 0


@pytest.mark.parametrize("revision", [1, 3])
async def test_a_changed_memory_is_exactly_the_next_revision(store: Store, revision: int) -> None:
    await save(store, memory("m"))

    with pytest.raises(Conflict, match=r"'m'"):
        await save(store, memory("m", "Something else.", revision=revision))

    assert (await store.get(SCOPE, Memory, "m")).content == memory("m").content


async def test_of_changes_that_come_at_once_one_wins(store: Store) -> None:
    """M6: the others are told, and the history has no gap."""
    first = memory("m")
    await save(store, first)
    rivals = [revise(first, minute(1), content=f"Rival {number}.") for number in range(8)]

    results = await asyncio.gather(*(save(store, each) for each in rivals), return_exceptions=True)

    winners = [each for each in results if not isinstance(each, BaseException)]
    assert len(winners) == 1
    assert all(isinstance(each, Conflict) for each in results if isinstance(each, BaseException))
    assert await store.get(SCOPE, Memory, "m") == winners[0][0]
    assert len(await store.history(SCOPE, "m")) == 1


# ── status (M10) ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", Status)
async def test_a_new_memory_may_begin_in_any_status(store: Store, status: Status) -> None:
    """M10, M13."""
    [stored] = await save(store, memory("m", status=status))

    assert stored.status is status


async def test_status_changes_only_along_its_path(store: Store) -> None:
    """M10: pending → active → superseded / rejected / deleted; a person may bring a closed one back."""
    for before, after in product(Status, Status):
        id = f"{before.value}-{after.value}"
        with case(id):
            first = memory(id, status=before)
            await save(store, first)
            change = revise(first, minute(1), status=after)

            if may_become(before, after):
                await save(store, change)
            else:
                with pytest.raises(BadAsk, match=rf"(?s)'{id}'.*{before.value}.*{after.value}"):
                    await save(store, change)

            stored = await store.get(SCOPE, Memory, id)
            assert stored.status is (after if may_become(before, after) else before)


async def test_a_pending_memory_is_found_only_once_it_is_approved(store: Store) -> None:
    """M10."""
    waiting = memory("m", HOME, status=Status.PENDING)
    await save(store, waiting)
    before = await found_ids(store, "Seattle")
    asked_for = await found_ids(store, Search(text="Seattle", statuses=frozenset({"pending"})))

    await store.apply(SCOPE, [Put(revise(waiting, minute(1), status=Status.ACTIVE), why=Why.APPROVAL)])

    assert before == []
    assert asked_for == ["m"]
    assert await found_ids(store, "Seattle") == ["m"]


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.REJECTED, Status.DELETED])
async def test_a_closed_memory_is_not_found_until_it_is_brought_back(store: Store, status: Status) -> None:
    """M10."""
    first = memory("m", HOME)
    await save(store, first)
    closed = revise(first, minute(1), status=status)
    await save(store, closed)
    hidden = await found_ids(store, "Seattle")

    await save(store, revise(closed, minute(2), status=Status.ACTIVE))

    assert hidden == []
    assert await found_ids(store, "Seattle") == ["m"]
    assert len(await store.history(SCOPE, "m")) == 2


# ── what was believed when (M6, M7) ──────────────────────────────────────────────────────────────


async def test_as_of_gives_the_state_that_was_believed_then(store: Store) -> None:
    """M6: a state counts from the moment it was saved until just before the next."""
    first = memory("m", HOME, at=minute(0))
    second = revise(first, minute(10), content=MOVED)
    third = revise(second, minute(20), content="Ada lives in Bergen.")
    await save(store, first, second, third)

    believed = {at: await store.as_of(SCOPE, ["m"], minute(at)) for at in (-1, 0, 9, 10, 19, 20, 99)}

    assert believed[-1] == []
    assert believed[0] == believed[9] == [first]
    assert believed[10] == believed[19] == [second]
    assert believed[20] == believed[99] == [third]


async def test_as_of_answers_in_the_order_of_the_ids(store: Store) -> None:
    await save(store, memory("a"), memory("b"), memory("later", at=minute(5)))

    believed = await store.as_of(SCOPE, ["later", "b", "unknown", "a"], minute(1))

    assert ids(believed) == ["b", "a"]


async def test_a_contradicted_fact_is_closed_and_points_on(store: Store) -> None:
    """M7: one current fact and one past one; nothing is deleted."""
    seattle = memory("seattle", HOME)
    await save(store, seattle)

    portland = memory("portland", MOVED, at=minute(10))
    closed = supersede(seattle, portland, at=minute(10), since=minute(10))
    await store.apply(SCOPE, [Put(portland), Put(closed, why=Why.SUPERSESSION)])

    stored = await store.get(SCOPE, Memory, "seattle")
    assert (stored.status, stored.valid_to, stored.superseded_by) == (
        Status.SUPERSEDED,
        minute(10),
        "portland",
    )
    assert await found_ids(store, "Where does Ada live?") == ["portland"]
    assert ids((await store.find(SCOPE, Memory, {"superseded_by": "portland"})).items) == ["seattle"]


async def test_a_search_as_of_a_past_time_finds_what_was_believed_then(store: Store) -> None:
    """M6, M7: with the text of that time, though the memory reads differently today."""
    seattle = memory("home", HOME)
    await save(store, seattle)
    await save(store, revise(seattle, minute(10), content=MOVED))

    then = await store.search(SCOPE, Search(text="Seattle", as_of=minute(5)))
    now = await store.search(SCOPE, Search(text="Seattle"))
    before = await store.search(SCOPE, Search(text="Seattle", as_of=minute(-5)))

    assert [hit.record for hit in then.hits] == [seattle]
    assert now.hits == ()
    assert before.hits == ()
    assert await found_ids(store, Search(text="Portland", as_of=minute(5))) == []
    assert await found_ids(store, Search(text="Portland", as_of=minute(10))) == ["home"]


async def test_a_search_as_of_gives_the_whole_earlier_state(store: Store) -> None:
    """M6: also where only something that is not searched has changed since."""
    first = memory("m", HOME, importance=3)
    await save(store, first, revise(first, minute(10), importance=9))

    found = await store.search(SCOPE, Search(text="Seattle", as_of=minute(5)))

    assert [hit.record for hit in found.hits] == [first]


async def test_a_search_as_of_respects_when_a_fact_holds(store: Store) -> None:
    """M7: valid_from counts, valid_to does not any more."""
    await save(store, memory("m", HOME, valid_from=minute(10), valid_to=minute(20)))

    found = {at: await found_ids(store, Search(text="Seattle", as_of=minute(at))) for at in (9, 10, 19, 20)}

    assert found == {9: [], 10: ["m"], 19: ["m"], 20: []}


async def test_a_search_as_of_finds_what_was_closed_later(store: Store) -> None:
    """M7, M10."""
    first = memory("m", HOME)
    await save(store, first, revise(first, minute(10), status=Status.DELETED))

    assert await found_ids(store, "Seattle") == []
    assert await found_ids(store, Search(text="Seattle", as_of=minute(9))) == ["m"]
    assert await found_ids(store, Search(text="Seattle", as_of=minute(10))) == []


async def test_a_memory_changed_back_is_found_once_at_every_time(store: Store) -> None:
    """M6: each time has one state."""
    first = memory("m", HOME)
    second = revise(first, minute(10), content=MOVED)
    third = revise(second, minute(20), content=HOME)
    await save(store, first, second, third)

    found = {at: await found_ids(store, Search(text="Seattle", as_of=minute(at))) for at in (5, 15, 25)}

    assert found == {5: ["m"], 15: [], 25: ["m"]}
    assert await found_ids(store, "Seattle") == ["m"]


async def test_a_deleted_person_is_gone_from_the_past_as_well(store: Store) -> None:
    """M9: no id outlives what it names, not even in a revision; the number of revisions stays."""
    first = memory("m", HOME, persons=("ada", "bo"))
    await save(store, person("ada"), person("bo"), first, revise(first, minute(10), content=MOVED))

    await store.apply(SCOPE, [Delete(Person, "bo")])

    [revision] = await store.history(SCOPE, "m")
    current = await store.get(SCOPE, Memory, "m")
    assert revision.before == replace(first, persons=("ada",))
    assert (current.persons, current.revision) == (("ada",), 2)
    assert [each.persons for each in await store.as_of(SCOPE, ["m"], minute(5))] == [("ada",)]
    assert await found_ids(store, Search(text="Seattle", as_of=minute(5), person_id="bo")) == []
    assert await found_ids(store, Search(text="Seattle", as_of=minute(5), person_id="ada")) == ["m"]
