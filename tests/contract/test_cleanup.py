"""Cleanup finds orphans, says how many, and never touches a valid row (M9)."""

from everlore.domain.job import JobState
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.store.answers import Cleanup
from everlore.store.port import Delete, Enqueue, Finish, Store
from tests.contract.builders import (
    MODEL,
    OTHER,
    SCOPE,
    axis,
    campaign,
    conversation,
    embed,
    entity,
    event,
    found_ids,
    ids,
    job,
    memory,
    message,
    minute,
    miss,
    person,
    roll,
    save,
    snapshot,
    summary,
    telling,
    world,
)
from tests.contract.conftest import Dump

NOTHING = Cleanup(0, 0, 0, 0)


async def _full_house(store: Store) -> None:
    """Valid rows of every kind, with vectors, revisions and jobs, and not one orphan."""
    await save(
        store,
        person("ada"),
        campaign(),
        conversation(),
        message("said", "We sailed at dawn."),
        summary("sum", "They sailed."),
        event("ev", "A ship left."),
        entity("ship"),
        memory("mine", "Ada sails.", persons=("ada",)),
        memory("canon", "The sea is red.", campaign_id="quest"),
        person("bo"),
        telling("told", "mine", "ada", "bo", message_id="said"),
        roll("rolled", memory_id="mine"),
        miss("missed"),
    )
    await store.apply(SCOPE, [Enqueue(job("waiting", key="waiting"))])
    await embed(store, {"Ada sails.": axis(0), "We sailed at dawn.": axis(1)})


async def _finished(store: Store, id: str, at: float) -> None:
    await store.apply(SCOPE, [Enqueue(job(id, kind=id, key=id))])
    [running] = await store.claim(SCOPE, lease="w", now=minute(at), lease_s=30, limit=1, kinds=frozenset({id}))
    await store.apply(SCOPE, [Finish(running, minute(at))])


async def test_cleanup_leaves_valid_rows_alone(store: Store) -> None:
    """M9."""
    await _full_house(store)
    before = await snapshot(store)

    report = await store.cleanup(SCOPE, dry_run=False, keys_before=minute(99))

    assert report == NOTHING
    assert report.total == 0
    assert await snapshot(store) == before


async def test_cleanup_removes_memories_without_any_person(store: Store) -> None:
    """M9: also those whose last person was deleted."""
    await _full_house(store)
    await save(store, person("cy"), memory("cys", "Cy rows.", persons=("cy",)), memory("nobodys", "Rain falls."))
    await save(store, telling("rain", "nobodys", "ada", "bo"))
    await store.apply(SCOPE, [Delete(Person, "cy")])

    report = await store.cleanup(SCOPE, dry_run=False, keys_before=minute(-1))

    assert report == Cleanup(0, 0, 2, 0)
    assert set(ids((await store.find(SCOPE, Memory)).items)) == {"mine", "canon"}
    assert await found_ids(store, "Cy rows, rain falls") == []
    assert ids((await store.find(SCOPE, Telling)).items) == ["told"]
    assert (await store.coverage(SCOPE, MODEL)).embedded == 2


async def test_a_dry_run_only_counts(store: Store) -> None:
    """M9."""
    await _full_house(store)
    await save(store, memory("nobodys", "Rain falls."))
    await _finished(store, "old", 1)
    before = await snapshot(store)

    dry = await store.cleanup(SCOPE, dry_run=True, keys_before=minute(2))
    unchanged = await snapshot(store) == before
    wet = await store.cleanup(SCOPE, dry_run=False, keys_before=minute(2))

    assert unchanged
    assert dry == wet == Cleanup(0, 0, 1, 1)
    assert await store.cleanup(SCOPE, dry_run=True, keys_before=minute(2)) == NOTHING


async def test_cleanup_forgets_only_the_keys_of_jobs_that_finished_before(store: Store) -> None:
    """C5: a key protects against doing work twice for as long as it is kept."""
    await _finished(store, "old", 1)
    await _finished(store, "young", 5)
    await store.apply(SCOPE, [Enqueue(job("waiting", kind="waiting", key="waiting"))])

    report = await store.cleanup(SCOPE, dry_run=False, keys_before=minute(5))

    assert report == Cleanup(0, 0, 0, 1)
    assert ids((await store.jobs(SCOPE)).items) == ["young", "waiting"]
    assert (await store.queue(SCOPE)).counts[JobState.DONE] == 1


async def test_cleanup_leaves_no_trace_of_what_it_removes(store: Store, dump: Dump) -> None:
    """M9: but for what the audit log says (C10), which has no words."""
    await save(store, memory("nobodys-id", "The word is quoxblat."))

    await store.cleanup(SCOPE, dry_run=False, keys_before=minute(0))

    assert "nobodys-id" not in "\n".join(await dump(without="deeds"))
    assert "quoxblat" not in "\n".join(await dump())


async def test_cleanup_stays_in_its_workspace(store: Store) -> None:
    await save(store, *world("two"), scope=OTHER)
    before = await store.count(OTHER, Memory)

    assert await store.cleanup(SCOPE, dry_run=False, keys_before=minute(99)) == NOTHING
    assert await store.count(OTHER, Memory) == before == 1
