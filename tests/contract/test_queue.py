"""The durable queue: order, keys, leases, retries, dead letters, rate and pause (C5)."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from everlore.domain.job import MOST_BEHIND, Job, JobState
from everlore.domain.memory import Memory
from everlore.errors import Conflict, LeaseLost, NotFound
from everlore.store.port import (
    Change,
    Delete,
    Enqueue,
    Finish,
    PauseQueue,
    Put,
    Release,
    Retry,
    Revive,
    Store,
)
from tests.contract.builders import AWKWARD, OTHER, SCOPE, ids, job, memory, minute, person, save


async def _add(store: Store, *jobs: Job) -> list[Job]:
    return await store.apply(SCOPE, [Enqueue(each) for each in jobs])


async def _claim(store: Store, at: float = 0, *, lease: str = "w", limit: int = 10, **how: Any) -> list[Job]:
    return await store.claim(SCOPE, lease=lease, now=minute(at), lease_s=30, limit=limit, **how)


async def _only(store: Store) -> Job:
    [kept] = (await store.jobs(SCOPE)).items
    assert isinstance(kept, Job)
    return kept


async def _dead(store: Store, id: str = "j") -> Job:
    """A job that failed once too often."""
    await _add(store, job(id, max_attempts=1))
    [running] = await _claim(store)
    [letter] = await store.apply(SCOPE, [Retry(running, "It broke.", minute(1), minute(2))])
    assert isinstance(letter, Job)
    return letter


# ── in and out ───────────────────────────────────────────────────────────────────────────────────


async def test_a_job_comes_back_as_it_was_given(store: Store) -> None:
    """C5: with its place in the order."""
    given = job(
        "j",
        payload={"text": AWKWARD, "list": [1, None]},
        lane="chat",
        key=AWKWARD,
        subject="x/y",
        priority=-3,
    )

    [stored] = await _add(store, given)

    assert stored.seq > 0
    assert (await _only(store)) == stored
    assert {**_fields(stored), "seq": 0} == _fields(given)


def _fields(each: Job) -> dict[str, Any]:
    return {name: getattr(each, name) for name in Job.__dataclass_fields__}


async def test_jobs_are_numbered_in_the_order_they_came(store: Store) -> None:
    stored = await _add(store, *(job(f"j{number}") for number in (3, 1, 2)))

    assert [each.seq for each in stored] == sorted({each.seq for each in stored})
    assert ids((await store.jobs(SCOPE)).items) == ["j3", "j1", "j2"]


async def test_jobs_are_found_by_their_ids(store: Store) -> None:
    """C5: those that are still there, in the order they came."""
    await _add(store, job("a"), job("b"), job("c"))

    assert ids((await store.jobs(SCOPE, ids=["c", "a", "gone"])).items) == ["a", "c"]
    assert (await store.jobs(SCOPE, ids=[])).items == ()
    assert (await store.jobs(SCOPE, ids=["a"], state=JobState.DEAD)).items == ()


async def test_a_claimed_job_is_held_under_its_lease(store: Store) -> None:
    await _add(store, job("j"))

    [running] = await _claim(store, 1, lease="worker 7")

    assert running == await _only(store)
    assert (running.state, running.attempts) == (JobState.RUNNING, 1)
    assert (running.lease, running.lease_until) == ("worker 7", minute(1.5))
    assert await _claim(store, 1, lease="worker 8") == []


async def test_a_finished_job_is_gone(store: Store) -> None:
    await _add(store, job("j"))
    [running] = await _claim(store)

    [done] = await store.apply(SCOPE, [Finish(running, minute(1))])

    assert (done.id, done.state, done.finished_at) == ("j", JobState.DONE, minute(1))
    assert (await store.jobs(SCOPE)).items == ()


async def test_a_job_waits_for_its_time(store: Store) -> None:
    await _add(store, job("j", run_at=minute(5)))

    early = await _claim(store, 4.9)
    in_time = await _claim(store, 5)

    assert early == []
    assert ids(in_time) == ["j"]


async def test_jobs_are_listed_by_state_and_in_pages(store: Store) -> None:
    """C5: dead letters can be inspected."""
    letter = await _dead(store)
    await _add(store, *(job(f"r{number}") for number in range(5)))

    first = await store.jobs(SCOPE, state=JobState.READY, limit=3)
    second = await store.jobs(SCOPE, state=JobState.READY, limit=3, cursor=first.cursor)

    assert ids(first.items) == ["r0", "r1", "r2"]
    assert (ids(second.items), second.cursor) == (["r3", "r4"], None)
    assert (await store.jobs(SCOPE, state=JobState.DEAD)).items == (letter,)
    assert len((await store.jobs(SCOPE)).items) == 6


async def test_the_queue_counts_its_jobs_by_state(store: Store) -> None:
    await _dead(store)
    await _add(store, job("a"), job("b"), job("c"))
    await _claim(store, limit=1)

    queue = await store.queue(SCOPE)

    assert {state: queue.counts.get(state, 0) for state in JobState} == {
        JobState.READY: 2,
        JobState.RUNNING: 1,
        JobState.DONE: 0,
        JobState.DEAD: 1,
    }
    assert queue.pending == 3


async def test_two_jobs_cannot_have_one_id(store: Store) -> None:
    await _add(store, job("j", payload={"first": True}))

    with pytest.raises(Conflict, match="'j'"):
        await _add(store, job("j", payload={"second": True}))

    assert (await _only(store)).payload == {"first": True}


# ── one transaction with the data ────────────────────────────────────────────────────────────────


async def test_a_job_and_what_it_is_about_are_kept_together(store: Store) -> None:
    """C5: what was acknowledged has its work queued, what was refused has none."""
    with pytest.raises(NotFound, match="nobody"):
        await store.apply(SCOPE, [Enqueue(job("j")), Put(memory("m", persons=("nobody",)))])
    refused = (await store.jobs(SCOPE)).items

    await store.apply(SCOPE, [Put(person("ada")), Enqueue(job("j"))])

    assert refused == ()
    assert (await _only(store)).id == "j"


async def test_a_jobs_result_and_its_end_are_kept_together(store: Store) -> None:
    """C5: idempotent: a result is written exactly once."""
    await _add(store, job("j"))
    [running] = await _claim(store)
    await store.apply(SCOPE, [Put(person("result")), Finish(running, minute(1))])

    with pytest.raises(LeaseLost, match="'j'"):
        await store.apply(SCOPE, [Put(person("again")), Finish(running, minute(1))])

    assert await store.get_many(SCOPE, type(person()), ["again"]) == []


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("state", JobState)
async def test_the_same_work_asked_for_twice_is_kept_once(store: Store, state: JobState) -> None:
    """C5: whether the first one waits, runs, is done or has failed."""
    first = await _in_state(store, state)

    [second] = await _add(store, job("again", key="once", payload={"again": True}))

    assert second == first == await _only(store)


async def _in_state(store: Store, state: JobState) -> Job:
    await _add(store, job("first", key="once", max_attempts=1))
    if state is not JobState.READY:
        [running] = await _claim(store)
        if state is JobState.DONE:
            await store.apply(SCOPE, [Finish(running, minute(1))])
        elif state is JobState.DEAD:
            await store.apply(SCOPE, [Retry(running, "No.", minute(1), minute(2))])
    kept = await _only(store)
    assert kept.state is state
    return kept


async def test_a_key_belongs_to_a_kind(store: Store) -> None:
    await _add(store, job("a", "one", key="k"), job("b", "two", key="k"), job("c", "one", key="l"))

    assert ids((await store.jobs(SCOPE)).items) == ["a", "b", "c"]


async def test_jobs_without_a_key_are_all_kept(store: Store) -> None:
    await _add(store, job("a"), job("b"))

    assert ids((await store.jobs(SCOPE)).items) == ["a", "b"]


async def test_the_same_key_twice_in_one_list_is_one_job(store: Store) -> None:
    first, second = await _add(store, job("a", key="k"), job("b", key="k"))

    assert first == second == await _only(store)


async def test_the_same_key_asked_for_at_once_is_one_job(store: Store) -> None:
    """C5: two requests that race still queue the work once."""
    results = await asyncio.gather(*(_add(store, job(f"j{number}", key="k")) for number in range(8)))

    kept = await _only(store)
    assert [each.id for [each] in results] == [kept.id] * 8


# ── order ────────────────────────────────────────────────────────────────────────────────────────


async def test_the_oldest_job_comes_first_whatever_its_times(store: Store) -> None:
    await _add(store, job("a", run_at=minute(1)), job("b", run_at=minute(0)), job("c", run_at=minute(-1)))

    assert ids(await _claim(store, 2)) == ["a", "b", "c"]


async def test_a_higher_priority_goes_before_an_older_job(store: Store) -> None:
    await _add(store, job("low", priority=-5), job("old"), job("young"), job("high", priority=9))

    assert ids(await _claim(store)) == ["high", "old", "young", "low"]


async def test_limit_bounds_the_batch(store: Store) -> None:
    await _add(store, *(job(f"j{number}") for number in range(5)))

    batches = [ids(await _claim(store, lease=f"w{number}", limit=2)) for number in range(4)]

    assert batches == [["j0", "j1"], ["j2", "j3"], ["j4"], []]


async def test_a_batch_holds_one_kind(store: Store) -> None:
    """C5: that of the job whose turn it is."""
    await _add(store, job("a", "x"), job("b", "y"), job("c", "x"), job("d", "y"))

    assert ids(await _claim(store)) == ["a", "c"]
    assert ids(await _claim(store)) == ["b", "d"]
    assert await _claim(store) == []


async def test_the_kind_of_the_highest_priority_goes_first(store: Store) -> None:
    await _add(store, job("a", "x"), job("b", "y", priority=1), job("c", "y"))

    assert ids(await _claim(store)) == ["b", "c"]


async def test_a_worker_may_take_some_kinds_only(store: Store) -> None:
    await _add(store, job("a", "x"), job("b", "y"), job("c", "z"))

    assert ids(await _claim(store, kinds=frozenset({"y", "z"}))) == ["b"]
    assert await _claim(store, kinds=frozenset()) == []
    assert await _claim(store, kinds=frozenset({"unheard of"})) == []
    assert ids(await _claim(store, kinds=frozenset({"y", "z"}))) == ["c"]


async def test_workers_that_claim_at_once_share_no_job(store: Store) -> None:
    """C5."""
    await _add(store, *(job(f"j{number}") for number in range(20)))

    batches = await asyncio.gather(*(_claim(store, lease=f"w{number}", limit=3) for number in range(8)))

    claimed = [each.id for batch in batches for each in batch]
    assert len(claimed) == len(set(claimed)) == 20


# ── lanes ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_lane_runs_one_job_at_a_time_and_in_order(store: Store) -> None:
    """C5: also where a later one has a higher priority."""
    await _add(store, *(job(f"j{number}", lane="chat", priority=number) for number in range(3)))
    order = []

    for at in range(3):
        [running] = await _claim(store, at)
        assert await _claim(store, at) == []
        order.append(running.id)
        await store.apply(SCOPE, [Finish(running, minute(at))])

    assert order == ["j0", "j1", "j2"]


async def test_lanes_do_not_wait_for_each_other(store: Store) -> None:
    await _add(store, job("a1", lane="a"), job("a2", lane="a"), job("b1", lane="b"), job("free"))

    assert ids(await _claim(store)) == ["a1", "b1", "free"]


async def test_jobs_of_a_kind_that_is_done_together_are_claimed_with_the_first_of_their_lane(store: Store) -> None:
    """C5: up to one that is of another kind or may not run yet, and in order."""
    await _add(store, job("a1", "x", lane="a"), job("a2", "x", lane="a"), job("a3", "y", lane="a"))
    await _add(
        store, job("a4", "x", lane="a"), *(job(f"b{number}", "x", lane="b") for number in range(MOST_BEHIND + 3))
    )
    await _add(store, job("c1", "x", lane="c"), job("c2", "x", lane="c", run_at=minute(5)), job("free", "x"))

    claimed = await _claim(store, limit=2, together=frozenset({"x"}))
    rest = await _claim(store, limit=8, together=frozenset({"x"}))

    assert ids(claimed) == ["a1", "b0", "a2", *(f"b{number}" for number in range(1, MOST_BEHIND + 1))]
    assert ids(rest) == ["c1", "free"]


async def test_a_bounded_rate_holds_for_jobs_that_are_claimed_together(store: Store) -> None:
    await _add(store, *(job(f"a{number}", "x", lane="a") for number in range(9)))

    claimed = await _claim(store, limit=8, rate_per_s=3, together=frozenset({"x"}))

    assert ids(claimed) == ["a0", "a1", "a2"]


async def test_a_job_that_waits_to_be_retried_holds_up_its_lane(store: Store) -> None:
    """C5: order is kept through a failure."""
    await _add(store, job("first", lane="chat"), job("second", lane="chat"))
    [running] = await _claim(store)
    await store.apply(SCOPE, [Retry(running, "Not now.", minute(0), minute(5))])

    waiting = await _claim(store, 1)
    later = await _claim(store, 5)

    assert waiting == []
    assert ids(later) == ["first"]


async def test_a_job_of_another_kind_holds_up_its_lane_too(store: Store) -> None:
    await _add(store, job("first", "x", lane="chat"), job("second", "y", lane="chat"))

    assert await _claim(store, kinds=frozenset({"y"})) == []


async def test_a_dead_letter_does_not_hold_up_its_lane(store: Store) -> None:
    """C5: one poisoned message does not stop a conversation for ever."""
    await _add(store, job("first", lane="chat", max_attempts=1), job("second", lane="chat"))
    [running] = await _claim(store)
    await store.apply(SCOPE, [Retry(running, "No.", minute(0), minute(1))])

    assert ids(await _claim(store)) == ["second"]


async def test_a_finished_key_does_not_hold_up_its_lane(store: Store) -> None:
    await _add(store, job("first", lane="chat", key="k"), job("second", lane="chat"))
    [running] = await _claim(store)
    await store.apply(SCOPE, [Finish(running, minute(0))])

    assert ids(await _claim(store)) == ["second"]


# ── leases ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_job_whose_worker_went_silent_is_taken_over(store: Store) -> None:
    """C5: kill -9 loses nothing."""
    await _add(store, job("j"))
    await _claim(store, 0, lease="first")

    still_held = await _claim(store, 0.5, lease="second")
    [taken] = await _claim(store, 0.51, lease="second")

    assert still_held == []
    assert (taken.id, taken.lease, taken.attempts) == ("j", "second", 2)


AFTERWARDS: dict[str, Callable[[Job], Change]] = {
    "finish": lambda each: Finish(each, minute(2)),
    "retry": lambda each: Retry(each, "No.", minute(2), minute(3)),
    "release": Release,
}


@pytest.mark.parametrize("what", AFTERWARDS)
async def test_who_lost_the_lease_cannot_write_any_more(store: Store, what: str) -> None:
    """C5: and neither can the data it wanted to write with it."""
    await _add(store, job("j"))
    [mine] = await _claim(store, 0, lease="first")
    [theirs] = await _claim(store, 1, lease="second")
    changes: list[Change] = [Put(memory("late")), AFTERWARDS[what](mine)]

    with pytest.raises(LeaseLost, match="'j'"):
        await store.apply(SCOPE, changes)

    assert await _only(store) == theirs
    assert await store.count(SCOPE, Memory) == 0


@pytest.mark.parametrize("what", AFTERWARDS)
async def test_what_is_not_running_cannot_be_finished(store: Store, what: str) -> None:
    [waiting] = await _add(store, job("j"))

    with pytest.raises(LeaseLost, match="'j'"):
        await store.apply(SCOPE, [AFTERWARDS[what](waiting)])

    assert await _only(store) == waiting


async def test_an_expired_lease_that_nobody_took_over_still_counts(store: Store) -> None:
    await _add(store, job("j"))
    [mine] = await _claim(store, 0)

    [done] = await store.apply(SCOPE, [Finish(mine, minute(9))])

    assert done.state is JobState.DONE


async def test_a_renewed_lease_is_held_longer(store: Store) -> None:
    await _add(store, job("j"))
    [mine] = await _claim(store, 0)

    [renewed] = await store.renew(SCOPE, [mine], until=minute(10))

    assert renewed == await _only(store)
    assert renewed.lease_until == minute(10)
    assert await _claim(store, 9) == []


async def test_only_what_is_still_held_is_renewed(store: Store) -> None:
    await _add(store, job("kept"), job("lost", "other"), job("done", "third"))
    [kept] = await _claim(store, 0.9, kinds=frozenset({"work"}))
    [lost] = await _claim(store, 0, kinds=frozenset({"other"}))
    [done] = await _claim(store, 0.9, kinds=frozenset({"third"}))
    await _claim(store, 1, lease="thief", kinds=frozenset({"other"}))
    await store.apply(SCOPE, [Finish(done, minute(1))])

    renewed = await store.renew(SCOPE, [lost, kept, done], until=minute(10))

    assert ids(renewed) == ["kept"]
    assert await store.renew(SCOPE, [], until=minute(10)) == []


async def test_a_job_that_silences_its_workers_becomes_a_dead_letter(store: Store) -> None:
    """C5: a job that kills its process does not kill one after the other for ever."""
    await _add(store, job("poison", lane="chat", max_attempts=2), job("next", lane="chat"))
    attempts = [ids(await _claim(store, at, lease=f"w{at}")) for at in (0, 1)]

    await _claim(store, 2)
    await _claim(store, 2)

    poison, following = (await store.jobs(SCOPE)).items
    assert attempts == [["poison"], ["poison"]]
    assert (poison.state, poison.attempts, poison.finished_at) == (JobState.DEAD, 2, minute(2))
    assert poison.error
    assert following.state is JobState.RUNNING


# ── retries and dead letters ─────────────────────────────────────────────────────────────────────


async def test_a_failed_job_comes_back_later_with_its_error(store: Store) -> None:
    """C5: retries with backoff; the wait is the caller's."""
    await _add(store, job("j"))
    [running] = await _claim(store)

    [waiting] = await store.apply(SCOPE, [Retry(running, "Time out.", minute(1), minute(5))])

    assert waiting == await _only(store)
    assert (waiting.state, waiting.attempts, waiting.error) == (JobState.READY, 1, "Time out.")
    assert (waiting.run_at, waiting.lease, waiting.lease_until) == (minute(5), "", None)
    assert await _claim(store, 4.9) == []
    assert [each.attempts for each in await _claim(store, 5)] == [2]


async def test_a_job_that_failed_too_often_becomes_a_dead_letter(store: Store) -> None:
    """C5: it stays, with the last error, and is not tried again by itself."""
    await _add(store, job("j", max_attempts=3))

    for at in range(3):
        [running] = await _claim(store, at)
        await store.apply(SCOPE, [Retry(running, f"Error {at}.", minute(at), minute(at + 1))])

    letter = await _only(store)
    assert (letter.state, letter.attempts, letter.error) == (JobState.DEAD, 3, "Error 2.")
    assert (letter.finished_at, letter.lease) == (minute(2), "")
    assert await _claim(store, 99) == []


async def test_an_error_longer_than_there_is_room_for_is_cut(store: Store) -> None:
    """C5: a job must be able to fail whatever the reason says."""
    await _add(store, job("j"))
    [running] = await _claim(store)

    await store.apply(SCOPE, [Retry(running, "Long. " * 10_000, minute(1), minute(2))])

    error = (await _only(store)).error
    assert error.startswith("Long. Long. ")
    assert len(error) <= 4_000


async def test_a_dead_letter_can_be_tried_again_from_the_start(store: Store) -> None:
    """C5."""
    await _dead(store)

    [revived] = await store.apply(SCOPE, [Revive("j", minute(7))])

    assert revived == await _only(store)
    assert (revived.state, revived.attempts, revived.run_at) == (JobState.READY, 0, minute(7))
    assert revived.finished_at is None
    assert await _claim(store, 6.9) == []
    assert ids(await _claim(store, 7)) == ["j"]


@pytest.mark.parametrize("state", [JobState.READY, JobState.RUNNING, JobState.DONE])
async def test_only_a_dead_letter_can_be_revived(store: Store, state: JobState) -> None:
    before = await _in_state(store, state)

    with pytest.raises(Conflict, match=f"'first'.*{state.value}"):
        await store.apply(SCOPE, [Revive("first", minute(7))])

    assert await _only(store) == before


async def test_an_unknown_job_cannot_be_revived(store: Store) -> None:
    with pytest.raises(NotFound, match="'nothing'"):
        await store.apply(SCOPE, [Revive("nothing", minute(7))])


async def test_a_job_given_back_does_not_use_up_an_attempt(store: Store) -> None:
    """C5: SIGTERM drains; what could not start is as if it had not been claimed."""
    [before] = await _add(store, job("j", max_attempts=1))
    [running] = await _claim(store)

    [released] = await store.apply(SCOPE, [Release(running)])

    assert released == before == await _only(store)
    assert ids(await _claim(store)) == ["j"]


# ── rate ─────────────────────────────────────────────────────────────────────────────────────────


async def _started(store: Store, second: float, rate_per_s: float, limit: int = 100) -> int:
    return len(await _claim(store, second / 60, limit=limit, rate_per_s=rate_per_s))


async def test_no_more_jobs_start_than_the_rate_allows(store: Store) -> None:
    """C5: bounded rate."""
    await _add(store, *(job(f"j{number}") for number in range(40)))

    started = [await _started(store, second, 4) for second in (0, 0, 0.25, 0.3, 1.5, 3.5)]

    assert started == [4, 0, 1, 0, 4, 4]


async def test_a_rate_below_one_still_starts_a_job_now_and_then(store: Store) -> None:
    await _add(store, *(job(f"j{number}") for number in range(9)))

    started = [await _started(store, second, 0.5) for second in (0, 1, 2, 3, 4, 60)]

    assert started == [1, 0, 1, 0, 1, 1]


async def test_what_is_not_started_is_not_counted_against_the_rate(store: Store) -> None:
    await _add(store, *(job(f"j{number}") for number in range(9)))

    started = [await _started(store, 0, 4, limit=limit) for limit in (1, 1, 9)]

    assert started == [1, 1, 2]


async def test_without_a_rate_everything_may_start(store: Store) -> None:
    await _add(store, *(job(f"j{number}") for number in range(9)))
    await _started(store, 0, 1)

    assert len(await _claim(store, 0)) == 8


async def test_each_workspace_has_a_rate_of_its_own(store: Store) -> None:
    """C5."""
    await _add(store, *(job(f"j{number}") for number in range(9)))
    await store.apply(OTHER, [Enqueue(job(f"j{number}", workspace="two")) for number in range(9)])

    mine = await _started(store, 0, 3)
    theirs = await store.claim(OTHER, lease="w", now=minute(0), lease_s=30, limit=9, rate_per_s=3)

    assert mine == len(theirs) == 3


# ── pause ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_paused_queue_gives_out_nothing_and_takes_in_everything(store: Store) -> None:
    """C5: pause and resume."""
    await _add(store, job("a"))
    await store.apply(SCOPE, [PauseQueue(True)])
    await _add(store, job("b"))
    paused = await store.queue(SCOPE)
    claimed = await _claim(store)

    await store.apply(SCOPE, [PauseQueue(False)])

    assert paused.paused
    assert claimed == []
    assert not (await store.queue(SCOPE)).paused
    assert ids(await _claim(store)) == ["a", "b"]


async def test_what_runs_when_the_queue_is_paused_may_finish(store: Store) -> None:
    await _add(store, job("a"))
    [running] = await _claim(store)
    await store.apply(SCOPE, [PauseQueue(True)])

    await store.apply(SCOPE, [Finish(running, minute(1))])

    assert (await store.jobs(SCOPE)).items == ()


async def test_a_pause_is_the_workspaces_own(store: Store) -> None:
    await store.apply(SCOPE, [PauseQueue(True)])
    await store.apply(OTHER, [Enqueue(job("j", workspace="two"))])

    claimed = await store.claim(OTHER, lease="w", now=minute(0), lease_s=30, limit=9)

    assert ids(claimed) == ["j"]


# ── which workspaces have work ───────────────────────────────────────────────────────────────────


async def _with_work(store: Store, at: float | None) -> set[str]:
    moment: datetime | None = None if at is None else minute(at)
    return set(await store.workspaces(with_work_at=moment))


async def test_workspaces_with_work_are_those_where_a_job_may_run(store: Store) -> None:
    """C5: workers look here, so that an idle workspace costs nothing."""
    await save(store, person("ada"))
    await store.apply(OTHER, [Enqueue(job("j", workspace="two", run_at=minute(5)))])

    everywhere = await _with_work(store, None)
    early, due = await _with_work(store, 4), await _with_work(store, 5)
    [running] = await store.claim(OTHER, lease="w", now=minute(5), lease_s=30, limit=1)
    held, expired = await _with_work(store, 5.5), await _with_work(store, 5.6)
    await store.apply(OTHER, [Finish(running, minute(6))])

    assert everywhere == {"one", "two"}
    assert (early, due) == (set(), {"two"})
    assert (held, expired) == (set(), {"two"})
    assert await _with_work(store, 99) == set()


async def test_a_dead_letter_is_no_work(store: Store) -> None:
    await _dead(store)

    assert await _with_work(store, 99) == set()


async def test_deleting_in_the_list_that_enqueues_leaves_only_what_was_asked_later(store: Store) -> None:
    await save(store, person("ada"))

    await store.apply(
        SCOPE,
        [
            Enqueue(job("a", subject="persons/ada")),
            Delete(type(person()), "ada"),
            Enqueue(job("b", subject="x")),
        ],
    )

    assert (await _only(store)).id == "b"


# ── a clock that is set back (R-4) ───────────────────────────────────────────────────────────────

# By two hours, from minute 120: the jobs were made, held and put off by the old time.
THEN, BACK = 120, 0


async def test_what_was_to_run_at_once_runs_though_the_clock_was_set_back(store: Store) -> None:
    """R-4: a failing clock degrades nothing that is not about the time."""
    await _add(store, job("j", run_at=minute(THEN), created_at=minute(THEN)))

    assert await store.workspaces(with_work_at=minute(BACK)) == ["one"]
    assert ids(await _claim(store, BACK)) == ["j"]


async def test_what_was_put_off_on_purpose_still_waits(store: Store) -> None:
    await _add(store, job("j", run_at=minute(THEN), created_at=minute(BACK)))

    assert await store.workspaces(with_work_at=minute(BACK)) == []
    assert await _claim(store, BACK) == []
    assert ids(await _claim(store, THEN)) == ["j"]


async def test_a_retry_that_lies_further_ahead_than_any_can_is_due(store: Store) -> None:
    """R-4: the longest wait is half an hour, and an hour ahead was another clock's."""
    await _add(store, job("j", run_at=minute(BACK), created_at=minute(BACK)))
    [running] = await _claim(store, THEN)
    await store.apply(SCOPE, [Retry(running, "Not now.", minute(THEN), minute(THEN + 5))])

    soon = await _claim(store, THEN - 20)
    assert (soon, await store.workspaces(with_work_at=minute(THEN - 20))) == ([], [])
    assert await store.workspaces(with_work_at=minute(BACK)) == ["one"]
    assert ids(await _claim(store, BACK)) == ["j"]


async def test_a_lease_that_lies_further_ahead_than_any_can_has_run_out(store: Store) -> None:
    """R-4: and whoever held it writes nothing any more."""
    await _add(store, job("j", run_at=minute(BACK), created_at=minute(BACK)))
    [lost] = await _claim(store, THEN, lease="old")

    assert await _claim(store, THEN - 20) == []
    assert await store.workspaces(with_work_at=minute(BACK)) == ["one"]
    [held] = await _claim(store, BACK, lease="new")
    assert (held.lease, held.lease_until) == ("new", minute(BACK + 0.5))
    with pytest.raises(LeaseLost):
        await store.apply(SCOPE, [Finish(lost, minute(BACK))])
    await store.apply(SCOPE, [Finish(held, minute(BACK))])


async def test_a_vanished_worker_is_buried_though_the_clock_was_set_back(store: Store) -> None:
    await _add(store, job("j", max_attempts=1, run_at=minute(BACK), created_at=minute(BACK)))
    await _claim(store, THEN)

    assert await _claim(store, BACK) == []
    assert (await _only(store)).state is JobState.DEAD


async def test_a_bounded_rate_goes_on_though_the_clock_was_set_back(store: Store) -> None:
    """R-4: one starts, and counting goes on from there."""
    await _add(store, *(job(f"j{number}") for number in range(4)))
    first = await _claim(store, THEN, rate_per_s=1)
    none = await _claim(store, THEN, rate_per_s=1)

    back = await _claim(store, BACK, rate_per_s=1)
    more = await _claim(store, BACK, rate_per_s=1)
    later = await _claim(store, BACK + 1, rate_per_s=1)

    assert [len(each) for each in (first, none, back, more, later)] == [1, 0, 1, 0, 1]


async def test_what_is_new_to_embed_waits_for_no_job_of_another_time(store: Store, clock: Any) -> None:
    clock.now = minute(THEN)
    await save(store, memory("a", "Ada fears the sea."))
    clock.now = minute(BACK)
    await save(store, memory("b", "Bo loves hills."))

    assert {each.kind for each in await _claim(store, BACK)} == {"embed"}
