"""The verbs for what runs in the background: serve, worker, and jobs to look into the queue."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.options import AsJson, Cursor, Db, Workspace
from everlore.cli.output import emit, note, shown
from everlore.cli.session import CommandOptions, stop_on_signals, with_lore, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.job import Job, JobState
    from everlore.settings import Settings
    from everlore.store.port import Page

jobs = typer.Typer(help="The queue of background jobs.", rich_markup_mode=None)


def serve(
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="HOST",
            help="Address to listen on.  [env: EVERLORE_SERVER__HOST; default: 127.0.0.1]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="PORT",
            min=0,
            max=65535,
            help="Port; 0 for any free one.  [env: EVERLORE_SERVER__PORT; default: 8420]",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Start the server and print its URL.

    Background workers run inside it. SIGTERM and Ctrl-C stop it after the running work is done.
    """

    def ready(url: str, told: str) -> None:
        emit(as_json, {"url": url}, [url])
        note(told)

    async def run(settings: "Settings") -> None:
        from everlore.server.run import serve as run_server

        given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
        chosen = settings.model_copy(update={"server": settings.server.model_copy(update=given)})
        with stop_on_signals() as stop:
            await run_server(chosen, stop=stop, ready=ready)

    with_settings(CommandOptions(db, workspace, as_json), run)


def worker(
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Workers in this process.  [env: EVERLORE_QUEUE__WORKERS; default: 1]",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
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
                if as_json:
                    note(ready)
                else:
                    emit(False, None, [ready])
                await lore.work(stop)
        return count

    count = with_settings(CommandOptions(db, workspace, as_json), work)
    emit(as_json, {"workers": count, "drained": True}, ["Stopped. No job is left running."])


@jobs.command("list")
def list_jobs(
    state: Annotated[
        str | None,
        typer.Option(
            "--state", metavar="STATE", help="Only jobs that are ready, running, done or dead.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of jobs.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List jobs, oldest first.

    Dead jobs failed on their last try; each shows its error.
    """

    async def find(lore: "Everlore") -> "Page":
        return await lore.jobs(_state(state), limit=limit, cursor=cursor)

    page = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": page.items, "next": page.cursor}, _job_lines(page))


@jobs.command()
def retry(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of a dead job.")],
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Try a dead job again."""

    async def revive(lore: "Everlore") -> "Job":
        return await lore.retry(id)

    job = with_lore(CommandOptions(db, workspace, as_json), revive)
    emit(as_json, job, [f"{job.id} will be tried again."])


@jobs.command()
def pause(db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Pause the queue: no new jobs start in this workspace."""

    async def stop_queue(lore: "Everlore") -> None:
        await lore.pause()

    with_lore(CommandOptions(db, workspace, as_json), stop_queue)
    emit(as_json, {"paused": True}, ["The queue is paused. Run `everlore jobs resume` to continue."])


@jobs.command()
def resume(db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Resume the queue of this workspace."""

    async def start_queue(lore: "Everlore") -> None:
        await lore.resume()

    with_lore(CommandOptions(db, workspace, as_json), start_queue)
    emit(as_json, {"paused": False}, ["The queue is running again."])


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
    if page.cursor is not None:
        yield f"(more: --cursor {page.cursor})"
