"""The commands for background work: serve, worker, and jobs to inspect the queue."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer, Commands
from everlore.cli.options import Cursor, argument, option, optional
from everlore.cli.output import emit, more_lines, note, shown
from everlore.cli.session import CommandOptions, stop_on_signals, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.job import JobState
    from everlore.settings import Settings
    from everlore.store.answers import Page

jobs = Commands(name="jobs", help="The queue of background jobs.")


def serve(
    asked: CommandOptions,
    host: Annotated[
        str | None,
        optional("--host", "HOST", "Address to listen on.  [env: EVERLORE_SERVER__HOST; default: 127.0.0.1]"),
    ] = None,
    port: Annotated[
        int | None,
        optional(
            "--port", "PORT", "Port; 0 for any free one.  [env: EVERLORE_SERVER__PORT; default: 8420]", min=0, max=65535
        ),
    ] = None,
) -> None:
    """Start the server and print its URL.

    Background workers run inside it. SIGTERM and Ctrl-C stop it after the running work is done.
    """

    def ready(url: str, told: str) -> None:
        emit(asked.as_json, {"url": url}, [url])
        note(told)

    async def run(settings: "Settings") -> None:
        from everlore.server.run import serve as run_server

        given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        chosen = settings.model_copy(update={"server": settings.server.model_copy(update=given)})
        with stop_on_signals() as stop:
            await run_server(chosen, stop=stop, ready=ready)

    with_settings(asked, run)


def worker(
    asked: CommandOptions,
    workers: Annotated[
        int | None,
        optional("--workers", "N", "Workers in this process.  [env: EVERLORE_QUEUE__WORKERS; default: 1]", min=1),
    ] = None,
) -> None:
    """Run background jobs in a separate process.

    Use it next to a server, or several at once. SIGTERM and Ctrl-C stop it after the running job; a job that does not
    finish in time goes back to the queue.
    """

    async def work(settings: "Settings") -> int:
        from everlore.wiring import opened

        count = workers or max(settings.queue.workers, 1)
        queue = settings.queue.model_copy(update={"workers": count})
        with stop_on_signals() as stop:
            async with opened(settings.model_copy(update={"queue": queue}), working=False) as lore:
                ready = f"Ready: {count} worker{'s' if count > 1 else ''} running."
                if asked.as_json:
                    note(ready)
                else:
                    emit(False, None, [ready])
                await lore.work(stop)
        return count

    count = with_settings(asked, work)
    emit(asked.as_json, {"workers": count, "drained": True}, ["Stopped. No job is left running."])


@jobs.command("list")
async def list_jobs(
    lore: "Everlore",
    state: Annotated[
        str | None, optional("--state", "STATE", "Only jobs that are ready, running, done or dead.")
    ] = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of jobs.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List jobs, oldest first.

    Dead jobs failed on their last try; each shows its error.
    """
    page = await lore.jobs(_state(state), limit=limit, cursor=cursor)
    return Answer({"items": page.items, "next": page.cursor}, _job_lines(page))


@jobs.command()
async def retry(lore: "Everlore", id: Annotated[str, argument("ID", "The id of a dead job.")]) -> Answer:
    """Try a dead job again."""
    job = await lore.retry(id)
    return Answer(job, [f"{job.id} will be tried again."])


@jobs.command()
async def pause(lore: "Everlore") -> Answer:
    """Pause the queue: no new jobs start in this workspace."""
    await lore.pause()
    return Answer({"paused": True}, ["The queue is paused. Run `everlore jobs resume` to continue."])


@jobs.command()
async def resume(lore: "Everlore") -> Answer:
    """Resume the queue of this workspace."""
    await lore.resume()
    return Answer({"paused": False}, ["The queue is running again."])


def _state(name: str | None) -> "JobState | None":
    from everlore.domain.job import JobState

    if name is None:
        return None
    try:
        return JobState(name.lower())
    except ValueError:
        known = ", ".join(state.value for state in JobState)
        raise BadAsk(f"There is no state {name!r} of a job. Possible: {known}.") from None


def _job_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No jobs."
    for job in page.items:
        yield f"{job.state:<7}  {job.kind:<8}  tried {job.attempts} of {job.max_attempts}  {shown(job.id)}"
        if job.error:
            yield f"         {shown(job.error)}"
    yield from more_lines(page.cursor)
