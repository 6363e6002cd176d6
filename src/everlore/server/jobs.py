"""Routes for the queue of background jobs: list, pause, resume, retry a dead job (F7)."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from everlore.app import Everlore
from everlore.domain.job import Job, JobState
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import RecordModel

router = Router(prefix="/api/jobs", tags=["jobs"])


class JobOut(RecordModel):
    """`error` says why the last try failed; a `dead` job used up its tries."""

    id: str
    kind: str
    state: JobState
    conversation_id: str | None
    payload: dict[str, Any]
    priority: int
    attempts: int
    max_attempts: int
    error: str
    run_at: datetime
    created_at: datetime
    finished_at: datetime | None


class QueueOut(BaseModel):
    """`pending` is what waits or runs."""

    paused: bool
    pending: int
    ready: int
    running: int
    dead: int


class JobList(BaseModel):
    items: list[JobOut]
    next: str | None
    queue: QueueOut


@router.get("")
async def list_jobs(
    lore: Lore,
    state: JobState | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: str | None = None,
) -> JobList:
    """Lists jobs, oldest first. A finished job is kept only to prevent the same work from being queued twice."""
    page = await lore.jobs(state, limit=limit, cursor=cursor)
    return JobList(items=[_job_out(each) for each in page.items], next=page.cursor, queue=await _queue(lore))


@router.post("/pause")
async def pause_jobs(lore: Lore) -> QueueOut:
    """Starts no further jobs. Running jobs finish, waiting jobs stay."""
    await lore.pause()
    return await _queue(lore)


@router.post("/resume")
async def resume_jobs(lore: Lore) -> QueueOut:
    await lore.resume()
    return await _queue(lore)


@router.post("/{id}/retry")
async def retry_job(lore: Lore, id: str) -> JobOut:
    """Retries a dead job, from its first attempt."""
    return _job_out(await lore.retry(id))


async def _queue(lore: Everlore) -> QueueOut:
    queue = await lore.store.queue(lore.scope)
    ready, running, dead = (queue.counts.get(state, 0) for state in (JobState.READY, JobState.RUNNING, JobState.DEAD))
    return QueueOut(paused=queue.paused, pending=queue.pending, ready=ready, running=running, dead=dead)


def _job_out(job: Job) -> JobOut:
    about = job.payload.get("conversation_id")
    return JobOut.of(job, conversation_id=str(about) if about else None)
