"""The job loop: whatever happens to a worker, a job takes effect once, and what failed can be seen (C5)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.errors import StoreUnavailable
from everlore.settings import QueueSettings
from everlore.store.port import Change, Delete, PauseQueue, Put, Revive
from tests.contract.builders import OTHER, SCOPE, START, memory
from tests.store_double.store import DoubleStore
from tests.waiting import until
from tests.worker.crew import Crew, Script, outcomes, real_clock

# ── one transaction ──────────────────────────────────────────────────────────────────────────────


async def test_what_a_job_came_to_is_kept_and_the_job_is_gone() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j")

    worked = await crew.worker(Script()).step()

    assert worked
    assert await crew.done() == {"j"}
    assert await crew.jobs() == {}


async def test_the_changes_of_a_job_and_its_end_are_kept_together_or_not_at_all() -> None:
    """C5: the last change is refused, so the first is not kept and the job is not done."""
    crew = Crew()
    await crew.asks_for("j")

    async def names_a_stranger(_: Sequence[Job]) -> list[Change]:
        return [Put(memory("good")), Put(memory("bad", persons=("nobody",)))]

    await crew.worker(Script(names_a_stranger)).step()

    assert await crew.done() == set()
    left = await crew.job()
    assert left.state is JobState.READY
    assert left.error.startswith("NotFound: ")
    assert "nobody" in left.error


async def test_without_work_a_step_says_so() -> None:
    """C5."""
    assert not await Crew().worker(Script()).step()


async def test_a_job_of_a_kind_that_nobody_here_knows_waits_for_another_worker() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j", kind="something_else")

    assert not await crew.worker(Script()).step()

    waiting = await crew.job()
    assert (waiting.state, waiting.attempts) == (JobState.READY, 0)


# ── failing ──────────────────────────────────────────────────────────────────────────────────────


async def _fails(_: Sequence[Job]) -> list[Change]:
    raise RuntimeError("the model sulks")


async def test_a_failed_job_comes_back_later_and_later_and_then_is_a_dead_letter() -> None:
    """C5: with the reason, in words."""
    crew = Crew()
    await crew.asks_for("j", max_attempts=3)
    worker = crew.worker(Script(_fails), backoff_s=2)

    for longest_s in (2, 4):
        await worker.step()
        failed = await crew.job()
        assert failed.state is JobState.READY
        assert failed.error == "RuntimeError: the model sulks"
        assert longest_s / 2 <= (failed.run_at - crew.clock()).total_seconds() <= longest_s
        assert not await worker.step()
        crew.fake.pass_time(longest_s)
    await worker.step()

    dead = await crew.job()
    assert (dead.state, dead.attempts, dead.finished_at) == (JobState.DEAD, 3, crew.clock())
    assert dead.error == "RuntimeError: the model sulks"
    crew.fake.pass_time(10**6)
    assert not await worker.step()


async def test_a_dead_letter_that_is_retried_is_done_like_any_other() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j", max_attempts=1)
    await crew.worker(Script(_fails)).step()

    await crew.store.apply(SCOPE, [Revive("j", crew.clock())])
    await crew.worker(Script()).step()

    assert await crew.done() == {"j"}
    assert await crew.jobs() == {}


@pytest.mark.parametrize("words", ["x" * 100_000, "nul \x00 nul", "half a pair \ud800", ""])
async def test_a_job_can_fail_whatever_the_reason_says(words: str) -> None:
    """C5: an error that did not fit would leave the job running for ever."""
    crew = Crew()
    await crew.asks_for("j", max_attempts=1)

    async def fails(_: Sequence[Job]) -> list[Change]:
        raise ValueError(words)

    await crew.worker(Script(fails)).step()

    dead = await crew.job()
    assert dead.state is JobState.DEAD
    assert dead.error.startswith("ValueError: ")
    assert len(dead.error) <= 4000


async def test_one_bad_job_does_not_take_the_others_of_its_batch_with_it() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("a", "bad", "c", max_attempts=1)

    async def chokes_on_one(jobs: Sequence[Job]) -> None:
        if "bad" in [each.id for each in jobs]:
            raise RuntimeError("not that one")

    script = Script(chokes_on_one)
    await crew.worker(script).step()

    assert script.seen == [["a", "bad", "c"], ["a"], ["bad"], ["c"]]
    assert await crew.done() == {"a", "c"}
    assert await crew.states() == {"bad": JobState.DEAD}


async def test_a_job_deleted_while_it_ran_does_not_take_the_others_of_its_batch_with_it() -> None:
    """C5, M9: its lease is gone, theirs are not."""
    crew = Crew()
    await crew.store.apply(SCOPE, [Put(memory("source"))])
    await crew.asks_for("a", "c")
    await crew.asks_for("b", subject="memories/source")

    async def loses_one(jobs: Sequence[Job]) -> None:
        if len(jobs) == 3:
            await crew.store.apply(SCOPE, [Delete(Memory, "source")])

    await crew.worker(Script(loses_one)).step()

    assert await crew.done() == {"a", "c"}
    assert await crew.jobs() == {}


async def test_a_worker_outlives_a_store_that_cannot_be_reached_for_a_while() -> None:
    """C5: what was acknowledged is done when the store is back."""

    class Shaky(DoubleStore):
        away = 2

        async def workspaces(self, *, with_work_at: datetime | None = None) -> list[str]:
            if self.away:
                self.away -= 1
                raise StoreUnavailable("The cable is out.")
            return await super().workspaces(with_work_at=with_work_at)

    crew = Crew(Shaky(clock=real_clock), real_clock)
    await crew.asks_for("j")
    stop = asyncio.Event()

    running = asyncio.create_task(crew.worker(Script(), poll_s=0.01).run(stop))
    await until(lambda: _is_done(crew, "j"))
    stop.set()
    await running

    assert await crew.jobs() == {}


async def _is_done(crew: Crew, *ids: str) -> bool:
    return set(ids) <= await crew.done()


# ── leases ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_worker_that_lost_its_lease_leaves_no_effect_and_the_others_stands_once() -> None:
    """C5: it froze, another one took over, and then it woke up."""
    crew = Crew()
    await crew.asks_for("j")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def freezes(jobs: Sequence[Job]) -> list[Change]:
        begun.set()
        await go_on.wait()
        return outcomes(jobs, by=" by the first")

    async def is_quick(jobs: Sequence[Job]) -> list[Change]:
        return outcomes(jobs, by=" by the second")

    frozen = asyncio.create_task(crew.worker(Script(freezes), name="first").step())
    await begun.wait()
    crew.fake.pass_time(31)
    await crew.worker(Script(is_quick), name="second").step()
    go_on.set()
    await frozen

    assert await crew.done() == {"j by the second"}
    assert await crew.jobs() == {}


async def test_a_worker_that_lost_its_lease_cannot_fail_the_job_for_the_other() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j")
    begun, go_on, taken_over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def freezes_and_fails(_: Sequence[Job]) -> list[Change]:
        begun.set()
        await go_on.wait()
        raise RuntimeError("too late")

    async def lets_the_first_one_fail_meanwhile(_: Sequence[Job]) -> None:
        go_on.set()
        await taken_over.wait()

    frozen = asyncio.create_task(crew.worker(Script(freezes_and_fails), name="first").step())
    await begun.wait()
    crew.fake.pass_time(31)
    other = asyncio.create_task(crew.worker(Script(lets_the_first_one_fail_meanwhile), name="second").step())
    await frozen
    meanwhile = await crew.job()
    taken_over.set()
    await other

    assert (meanwhile.state, meanwhile.error) == (JobState.RUNNING, "")
    assert await crew.done() == {"j"}
    assert await crew.jobs() == {}


async def test_leases_are_renewed_for_as_long_as_the_work_takes() -> None:
    """C5: it takes many times its lease, and nobody else gets it meanwhile."""
    crew = Crew(clock=real_clock)
    await crew.asks_for("j")
    renewals: list[datetime] = []

    async def takes_long(_: Sequence[Job]) -> None:
        async def renewed_four_times() -> bool:
            lease_until = (await crew.job()).lease_until
            if lease_until is not None and lease_until not in renewals:
                renewals.append(lease_until)
            return len(renewals) > 4

        await until(renewed_four_times)

    script, idle = Script(takes_long), Script()
    stop = asyncio.Event()
    busy = asyncio.create_task(crew.worker(script, name="busy", lease_s=0.3).step())
    eager = asyncio.create_task(crew.worker(idle, name="eager", lease_s=0.3, poll_s=0.01).run(stop))
    await busy
    stop.set()
    await eager

    assert renewals == sorted(renewals)
    assert script.seen == [["j"]]
    assert idle.seen == []
    assert await crew.done() == {"j"}


async def test_while_a_spoiled_batch_is_done_one_by_one_the_last_ones_lease_is_renewed_too() -> None:
    """C5."""
    crew = Crew(clock=real_clock)
    await crew.asks_for("a", "b")
    renewed: list[datetime | None] = []

    async def is_slow_alone(jobs: Sequence[Job]) -> None:
        if len(jobs) > 1:
            raise RuntimeError("too many")
        if jobs[0].id == "a":
            first = (await crew.job("b")).lease_until
            await until(lambda: _lease_moved(crew, "b", first))
            renewed.append(first)

    await crew.worker(Script(is_slow_alone), lease_s=0.1).step()

    assert len(renewed) == 1
    assert await crew.done() == {"a", "b"}


async def _lease_moved(crew: Crew, id: str, since: datetime | None) -> bool:
    now = (await crew.job(id)).lease_until
    return now is not None and since is not None and now > since


async def test_a_store_that_is_away_for_a_moment_does_not_cost_a_running_job_its_lease() -> None:
    """C5: renewing is tried again."""

    class Shaky(DoubleStore):
        away = 1

        async def renew(self, scope: Scope, jobs: Sequence[Job], *, until: datetime) -> list[Job]:
            if self.away:
                self.away -= 1
                raise StoreUnavailable("The cable is out.")
            return await super().renew(scope, jobs, until=until)

    store = Shaky(clock=real_clock)
    crew = Crew(store, real_clock)
    await crew.asks_for("j")

    async def takes_long(jobs: Sequence[Job]) -> None:
        await until(lambda: _lease_moved(crew, "j", jobs[0].lease_until))

    await crew.worker(Script(takes_long), lease_s=0.15).step()

    assert store.away == 0
    assert await crew.done() == {"j"}


# ── order ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_lane_runs_in_order_and_one_at_a_time_however_many_workers_there_are() -> None:
    """C5: two conversations side by side, each strictly in order."""
    crew = Crew(clock=real_clock)
    lanes = {"red": [f"r{number}" for number in range(6)], "blue": [f"b{number}" for number in range(6)]}
    for reds, blues in zip(lanes["red"], lanes["blue"], strict=True):
        await crew.asks_for(reds, lane="red")
        await crew.asks_for(blues, lane="blue")
    log: list[str] = []

    async def notes(jobs: Sequence[Job]) -> None:
        log.extend(f"{each.lane} starts {each.id}" for each in jobs)
        await asyncio.sleep(0.002)
        log.extend(f"{each.lane} ends {each.id}" for each in jobs)

    stop = asyncio.Event()
    workers = [crew.worker(Script(notes), name=f"w{number}", poll_s=0.001) for number in range(3)]
    running = [asyncio.create_task(worker.run(stop)) for worker in workers]
    await until(lambda: _is_done(crew, *lanes["red"], *lanes["blue"]))
    stop.set()
    await asyncio.gather(*running)

    for lane, ids in lanes.items():
        assert [line for line in log if line.startswith(lane)] == [
            f"{lane} {what} {id}" for id in ids for what in ("starts", "ends")
        ]


async def test_what_comes_first_and_never_ends_does_not_hold_up_unhurried_jobs() -> None:
    """C5: they have every other turn, and whatever else waits keeps its place."""
    crew = Crew()
    await crew.asks_for("e0", "e1", "e2", kind="first", priority=10)
    await crew.asks_for("l0", "l1", kind="later")
    await crew.asks_for("last", kind="last", priority=-50)
    script = Script()
    kinds = dict.fromkeys(("first", "later", "last"), script)
    worker = crew.worker(kinds, unhurried=frozenset({"later"}), batch=1)

    while await worker.step():
        pass

    assert script.seen == [["l0"], ["e0"], ["l1"], ["e1"], ["e2"], ["last"]]


async def test_a_job_that_fails_among_others_of_its_lane_holds_up_those_behind_it() -> None:
    """C5: they were claimed together, and are done in order all the same."""
    crew = Crew()
    await crew.asks_for("r0", "r1", "r2", lane="red")
    await crew.asks_for("b0", "b1", lane="blue")

    async def stumbles(jobs: Sequence[Job]) -> list[Change] | None:
        return await _fails(jobs) if any(each.id == "r1" and each.attempts == 1 for each in jobs) else None

    script = Script(stumbles)
    worker = crew.worker(script, together=frozenset({"work"}), backoff_s=2)
    await worker.step()

    assert script.seen[0] == ["r0", "b0", "r1", "r2", "b1"]
    assert await crew.done() == {"r0", "b0", "b1"}
    left = await crew.jobs()
    assert {id: (each.state, each.attempts) for id, each in left.items()} == {
        "r1": (JobState.READY, 1),
        "r2": (JobState.READY, 0),
    }
    crew.fake.pass_time(10)
    await worker.step()
    assert script.seen[-1] == ["r1", "r2"]
    assert await crew.done() == {"r0", "r1", "r2", "b0", "b1"}


async def test_workspaces_take_turns() -> None:
    """C5: one that asks for much does not keep the other waiting."""
    crew = Crew()
    await crew.asks_for(*(f"many{number}" for number in range(20)), scope=SCOPE)
    await crew.asks_for("few0", "few1", scope=OTHER)
    script = Script()
    worker = crew.worker(script, batch=1)

    for _ in range(4):
        await worker.step()

    assert sorted(script.workspaces) == ["one", "one", "two", "two"]
    assert await crew.done(OTHER) == {"few0", "few1"}


async def test_what_somebody_waits_for_goes_first() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("later", priority=-50)
    await crew.asks_for("now", priority=10)
    script = Script()
    worker = crew.worker(script, batch=1)

    await worker.step()
    await worker.step()

    assert script.seen == [["now"], ["later"]]


async def test_no_more_jobs_start_than_the_rate_allows() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for(*(f"j{number}" for number in range(6)))
    worker = crew.worker(Script(), rate_per_s=2, batch=10)

    await worker.step()
    assert len(await crew.done()) == 2
    assert not await worker.step()

    crew.fake.pass_time(1)
    await worker.step()
    assert len(await crew.done()) == 4


# ── stopping ─────────────────────────────────────────────────────────────────────────────────────


async def test_stopping_lets_a_running_job_finish() -> None:
    """C5: SIGTERM drains."""
    crew = Crew()
    await crew.asks_for("running", "waiting")
    begun, go_on, stop = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def takes_its_time(_: Sequence[Job]) -> None:
        begun.set()
        await go_on.wait()

    running = asyncio.create_task(crew.worker(Script(takes_its_time), batch=1).run(stop))
    await begun.wait()
    stop.set()
    await asyncio.sleep(0)
    go_on.set()
    await running

    assert await crew.done() == {"running"}
    assert await crew.states() == {"waiting": JobState.READY}


async def test_a_job_that_outlasts_the_drain_goes_back_without_losing_an_attempt() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j", max_attempts=1)
    begun, stop = asyncio.Event(), asyncio.Event()

    async def never_ends(_: Sequence[Job]) -> None:
        begun.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(crew.worker(Script(never_ends), drain_s=0.02).run(stop))
    await begun.wait()
    stop.set()
    await running

    left = await crew.job()
    assert (left.state, left.attempts, left.lease, left.lease_until) == (JobState.READY, 0, "", None)
    assert await crew.done() == set()
    await crew.worker(Script()).step()
    assert await crew.done() == {"j"}


async def test_all_of_a_batch_that_outlasts_the_drain_goes_back_also_when_it_is_done_one_by_one() -> None:
    """C5: none of them waits for its lease to run out."""
    crew = Crew()
    await crew.asks_for("a", "b", "c")
    alone, stop = asyncio.Event(), asyncio.Event()

    async def fails_together_and_hangs_alone(jobs: Sequence[Job]) -> None:
        if len(jobs) > 1:
            raise RuntimeError("too many")
        alone.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(crew.worker(Script(fails_together_and_hangs_alone), drain_s=0.02).run(stop))
    await alone.wait()
    stop.set()
    await running

    left = await crew.jobs()
    assert {id: (each.state, each.attempts) for id, each in left.items()} == {
        "a": (JobState.READY, 0),
        "b": (JobState.READY, 0),
        "c": (JobState.READY, 0),
    }


async def test_an_idle_worker_stops_at_once() -> None:
    """C5: it does not sleep through its turn."""
    crew = Crew(clock=real_clock)
    stop = asyncio.Event()

    running = asyncio.create_task(crew.worker(Script(), poll_s=0.4).run(stop))
    await asyncio.sleep(0.01)
    started = real_clock()
    stop.set()
    await running

    assert real_clock() - started < timedelta(seconds=0.35)


# ── pausing ──────────────────────────────────────────────────────────────────────────────────────


def test_an_idle_worker_never_sleeps_longer_than_a_resume_may_take() -> None:
    """C5: work goes on within half a second, so the bound of the setting leaves a margin."""
    assert QueueSettings(poll_s=0.4).poll_s == 0.4

    with pytest.raises(ValidationError, match=r"less than or equal to 0\.4"):
        QueueSettings(poll_s=0.41)


async def test_a_paused_queue_starts_nothing_and_a_resumed_one_goes_on() -> None:
    """C5."""
    crew = Crew(clock=real_clock)
    await crew.store.apply(SCOPE, [PauseQueue(True)])
    await crew.asks_for("j")
    await crew.asks_for("elsewhere", scope=OTHER)
    stop = asyncio.Event()
    running = asyncio.create_task(crew.worker(Script()).run(stop))

    # It did look into the queue: the other workspace, which is not paused, is done.
    await until(lambda: _is_elsewhere_done(crew))
    assert await crew.done() == set()
    await crew.store.apply(SCOPE, [PauseQueue(False)])
    await until(lambda: _is_done(crew, "j"))
    stop.set()
    await running

    assert await crew.done() == {"j"}


async def _is_elsewhere_done(crew: Crew) -> bool:
    return await crew.done(OTHER) == {"elsewhere"}


async def test_a_job_that_runs_when_the_queue_is_paused_finishes() -> None:
    """C5: pausing starts nothing new, and throws nothing away."""
    crew = Crew()
    await crew.asks_for("running", "waiting")

    async def pauses(_: Sequence[Job]) -> None:
        await crew.store.apply(SCOPE, [PauseQueue(True)])

    worker = crew.worker(Script(pauses), batch=1)
    await worker.step()

    assert await crew.done() == {"running"}
    assert not await worker.step()
    assert await crew.states() == {"waiting": JobState.READY}


# ── batches ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_batch_holds_jobs_of_one_kind_and_no_more_than_was_set() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("a", "b", "c")
    await crew.asks_for("x", kind="other")
    work, other = Script(), Script()
    worker = crew.worker({"work": work, "other": other}, batch=2)

    while await worker.step():
        pass

    assert work.seen == [["a", "b"], ["c"]]
    assert other.seen == [["x"]]


async def test_a_job_is_handed_over_with_its_scope_and_the_time() -> None:
    """C5."""
    crew = Crew()
    await crew.asks_for("j", scope=OTHER, payload={"turn": 3})
    given: list[tuple[Scope, object, datetime]] = []

    async def looks(scope: Scope, jobs: Sequence[Job], now: datetime, /) -> list[Change]:
        given.extend((scope, each.payload, now) for each in jobs)
        return []

    await crew.worker(looks).step()

    assert given == [(replace(OTHER, actor="background"), {"turn": 3}, START)]


class SlowToAnswer(DoubleStore):
    """Claims at once, and takes a while to say so."""

    async def claim(self, scope: Scope, **options: Any) -> list[Job]:
        jobs = await super().claim(scope, **options)
        await asyncio.sleep(0.05)
        return jobs


async def test_a_worker_cancelled_while_it_claims_gives_the_jobs_back() -> None:
    """C5: otherwise nobody could touch them until the lease runs out."""
    crew = Crew(SlowToAnswer(clock=real_clock), real_clock)
    await crew.asks_for("a")
    step = asyncio.create_task(crew.worker(Script()).step())
    await until(lambda: _is_running(crew))

    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step

    left = (await crew.jobs())["a"]
    assert (left.state, left.attempts) == (JobState.READY, 0)


async def _is_running(crew: Crew) -> bool:
    return (await crew.jobs())["a"].state is JobState.RUNNING


# ── giving way to whoever waits for a reply ──────────────────────────────────────────────────────


async def test_learning_waits_while_somebody_waits_for_a_reply_and_nothing_else_does() -> None:
    """V14: extraction adds nothing to a reply's time."""
    crew = Crew()
    quiet = False
    await crew.asks_for("thought", kind="learn")
    await crew.asks_for("vector", kind="work")
    script = Script()
    worker = crew.worker(
        {"learn": script, "work": script}, unhurried=frozenset({"learn"}), is_quiet=lambda: quiet, patience_s=60
    )

    while await worker.step():
        pass
    assert await crew.done() == {"vector"}

    quiet = True
    while await worker.step():
        pass
    assert await crew.done() == {"vector", "thought"}


async def test_where_people_never_stop_talking_learning_gets_its_turn_all_the_same() -> None:
    """C5: nothing waits for ever."""
    crew = Crew()
    await crew.asks_for("thought", kind="learn")
    worker = crew.worker({"learn": Script()}, unhurried=frozenset({"learn"}), is_quiet=lambda: False, patience_s=60)
    assert not await worker.step()

    crew.fake.pass_time(61)

    assert await worker.step()
    assert await crew.done() == {"thought"}


async def test_short_pauses_do_not_make_learning_wait_again_before_it_has_caught_up() -> None:
    """C5: ten people who talk leave gaps of half a second, and each of these is enough for one job only."""
    crew = Crew()
    quiet = False
    jobs = ["first", "second", "third", "fourth"]
    for each in jobs:
        await crew.asks_for(each, kind="learn")
    worker = crew.worker(
        {"learn": Script()}, unhurried=frozenset({"learn"}), is_quiet=lambda: quiet, patience_s=60, batch=1
    )
    assert not await worker.step()
    crew.fake.pass_time(61)

    for quiet in (False, True, False, False):  # noqa: B007 - read by the worker
        assert await worker.step()
    assert await crew.done() == set(jobs)

    quiet = True
    assert not await worker.step()
    await crew.asks_for("later", kind="learn")
    quiet = False
    assert not await worker.step()
