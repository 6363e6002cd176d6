"""Looking into the queue, and the worker in a process of its own (C5)."""

import signal

from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.store.port import Enqueue, Retry
from everlore.wiring import now, open_store, read_settings
from tests.cli.process import Command, SilentServer

SCOPE = Scope("default")


async def test_a_dead_job_says_why_and_can_be_tried_again(cli: Command) -> None:
    await _leave_a_dead_job(cli)

    listed = cli.ok("jobs", "list", "--state", "dead").out
    revived = cli.ok("jobs", "retry", "the-job", "--json").document
    waiting = cli.ok("jobs", "list", "--state", "ready", "--json").document
    unknown = cli("jobs", "retry", "nope")

    assert "the-job" in listed
    assert "no such model" in listed
    assert (revived["id"], revived["state"], revived["attempts"]) == ("the-job", "ready", 0)
    assert [job["id"] for job in waiting["items"]] == ["the-job"]
    assert waiting["next"] is None
    assert unknown.code == 3


async def _leave_a_dead_job(cli: Command) -> None:
    store = await open_store(read_settings(database_url=str(cli.database)))
    at = now()
    job = Job(workspace="default", id="the-job", kind="embed", max_attempts=1, run_at=at, created_at=at)
    await store.apply(SCOPE, [Enqueue(job)])
    (claimed,) = await store.claim(SCOPE, lease="test", now=at, lease_s=30, limit=1)
    await store.apply(SCOPE, [Retry(claimed, "no such model", at, at)])
    await store.close()


def test_a_paused_queue_says_so_until_it_goes_on(cli: Command) -> None:
    paused = cli.ok("jobs", "pause", "--json").document
    meanwhile = cli.ok("stats").out
    resumed = cli.ok("jobs", "resume", "--json").document

    assert paused == {"paused": True}
    assert "paused" in meanwhile
    assert "memory" in meanwhile
    assert resumed == {"paused": False}


def test_a_worker_that_is_told_to_stop_gives_back_what_it_cannot_finish(
    cli_of_silent_server: Command, silent_server: SilentServer
) -> None:
    """C5: no job is lost, and stopping does not use up an attempt."""
    cli = cli_of_silent_server
    cli.ok("remember", "Rex barks")

    with cli.started("worker", "--workers", "2", "--json") as worker:
        silent_server.is_asked()
        stopped = worker.ends_after(signal.SIGTERM)
    jobs = cli.ok("jobs", "list", "--json").document["items"]

    assert stopped.code == 0
    assert stopped.document == {"workers": 2, "drained": True}
    assert {(job["state"], job["attempts"], job["lease"]) for job in jobs} == {("ready", 0, "")}


def test_an_idle_worker_stops_with_ctrl_c(cli: Command) -> None:
    with cli.started("worker") as worker:
        assert worker.line() == "Ready: 1 worker running."
        stopped = worker.ends_after(signal.SIGINT)

    assert (stopped.code, stopped.out) == (0, "Stopped. No job is left running.\n")
    assert stopped.err == ""
