"""The queue of the double: which jobs may run now, and what becomes of them (C5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from everlore.domain.job import EMBED, MOST_BEHIND, Job, JobState, embed_job, is_due, is_expired, refill
from everlore.domain.webhook import Webhook, deliveries
from everlore.errors import Conflict, LeaseLost, NotFound
from everlore.store.audit import ChangeContext, happenings
from everlore.store.port import Finish, Release, Retry, Revive
from everlore.store.tables import JOBS
from tests.store_double.room import Room

_UNFINISHED = (JobState.READY, JobState.RUNNING)
# An error is cut rather than refused: a job must be able to fail whatever the reason says.
_MOST_ERROR_CHARS = 4_000


def own_copy(job: Job) -> Job:
    copy: Job = JOBS.record_of(JOBS.row_of(job))
    return copy


def enqueue(room: Room, job: Job) -> Job:
    for other in room.jobs.values():
        if job.key is not None and (other.kind, other.key) == (job.kind, job.key):
            return other
    if job.id in room.jobs:
        raise Conflict(f"There is a job {job.id!r} already. Give every job an id of its own.")
    room.counters.seq += 1
    return _keep(room, replace(own_copy(job), seq=room.counters.seq))


def enqueue_embedding(room: Room, workspace: str, rows: list[int], at: datetime) -> None:
    """One job for all new passages, unless one that was not begun yet will take them along."""
    waiting = (job for job in room.jobs.values() if job.kind == EMBED and job.state is JobState.READY)
    if not any(job.attempts == 0 and job.run_at <= at for job in waiting):
        enqueue(room, embed_job(workspace, rows[0], at))


def enqueue_deliveries(room: Room, occasion: ChangeContext) -> None:
    """What webhooks are told of the change that is about to be logged."""
    told = happenings(occasion, room.entries)
    for job in deliveries(room.records[Webhook].values(), told, occasion.at):
        enqueue(room, job)


def finish(room: Room, change: Finish) -> Job:
    done = _freed(_held(room, change.job), state=JobState.DONE, finished_at=change.at)
    if done.key is None:
        del room.jobs[done.id]
        return done
    return _keep(room, done)


def retry(room: Room, change: Retry) -> Job:
    job, error = _held(room, change.job), change.error[:_MOST_ERROR_CHARS]
    if job.attempts >= job.max_attempts:
        return _keep(room, _dead(job, error, change.at))
    return _keep(room, _freed(job, state=JobState.READY, run_at=change.run_at, error=error))


def release(room: Room, change: Release) -> Job:
    job = _held(room, change.job)
    return _keep(room, _freed(job, state=JobState.READY, attempts=job.attempts - 1))


def revive(room: Room, change: Revive) -> Job:
    job = room.jobs.get(change.job_id)
    if job is None:
        raise NotFound(f"There is no job {change.job_id!r} in this workspace. List the dead letters with jobs.")
    if job.state is not JobState.DEAD:
        raise Conflict(f"Job {job.id!r} is {job.state}, and only a dead letter can be revived. Leave it to run.")
    return _keep(room, replace(job, state=JobState.READY, attempts=0, run_at=change.at, finished_at=None))


def renew(room: Room, jobs: Sequence[Job], until: datetime) -> list[Job]:
    held = [room.jobs[job.id] for job in jobs if _is_held(room, job)]
    return [_keep(room, replace(job, lease_until=until)) for job in held]


def claim(
    room: Room,
    *,
    lease: str,
    now: datetime,
    lease_s: float,
    limit: int,
    rate_per_s: float | None,
    kinds: frozenset[str] | None,
    together: frozenset[str],
) -> list[Job]:
    if room.paused:
        return []
    _bury(room, now)
    free = [job for job in runnable(room, now) if kinds is None or job.kind in kinds]
    free.sort(key=lambda job: (-job.priority, job.seq))
    allowed = _allowed(room, now, limit, rate_per_s)
    batch = [job for job in free if job.kind == free[0].kind][:allowed]
    if batch and batch[0].kind in together:
        most = MOST_BEHIND * len(batch) if rate_per_s is None else allowed - len(batch)
        batch += [job for head in list(batch) for job in _following(room, head, now)[:MOST_BEHIND]][:most]
    if rate_per_s is not None and room.bucket is not None:
        room.bucket = replace(room.bucket, tokens=room.bucket.tokens - len(batch))
    until = now + timedelta(seconds=lease_s)
    return [_keep(room, _leased(job, lease, until)) for job in batch]


def _following(room: Room, head: Job, now: datetime) -> list[Job]:
    lane = [job for job in room.jobs.values() if head.lane and job.lane == head.lane and job.state in _UNFINISHED]
    behind = sorted((job for job in lane if job.seq > head.seq), key=lambda job: job.seq)
    return list(
        takewhile(lambda job: job.kind == head.kind and job.state is JobState.READY and is_due(job, now), behind)
    )


def runnable(room: Room, now: datetime) -> list[Job]:
    first: dict[str, int] = {}
    for job in room.jobs.values():
        if job.state in _UNFINISHED:
            first[job.lane] = min(job.seq, first.get(job.lane, job.seq))
    return [job for job in room.jobs.values() if _is_free(job, now) and (not job.lane or first[job.lane] == job.seq)]


def _is_free(job: Job, now: datetime) -> bool:
    return (job.state is JobState.READY and is_due(job, now)) or _is_expired(job, now)


def _is_expired(job: Job, now: datetime) -> bool:
    return job.state is JobState.RUNNING and is_expired(job, now)


def _bury(room: Room, now: datetime) -> None:
    for job in list(room.jobs.values()):
        if _is_expired(job, now) and job.attempts >= job.max_attempts:
            error = f"Its worker went silent on attempt {job.attempts}, which was the last."
            _keep(room, _dead(job, error, now))


def _allowed(room: Room, now: datetime, limit: int, rate_per_s: float | None) -> int:
    if rate_per_s is None:
        return limit
    room.bucket = refill(room.bucket, now, rate_per_s)
    return min(limit, int(room.bucket.tokens))


def _leased(job: Job, lease: str, until: datetime) -> Job:
    return replace(job, state=JobState.RUNNING, attempts=job.attempts + 1, lease=lease, lease_until=until)


def _freed(job: Job, **changes: Any) -> Job:
    return replace(job, lease="", lease_until=None, **changes)


def _dead(job: Job, error: str, at: datetime) -> Job:
    return _freed(job, state=JobState.DEAD, error=error, finished_at=at)


def _is_held(room: Room, job: Job) -> bool:
    stored = room.jobs.get(job.id)
    return stored is not None and stored.state is JobState.RUNNING and stored.lease == job.lease


def _held(room: Room, job: Job) -> Job:
    if not _is_held(room, job):
        raise LeaseLost(
            f"Job {job.id!r} is no longer held under lease {job.lease!r}. Drop what was done with it; "
            "whoever holds it now does it again."
        )
    return room.jobs[job.id]


def _keep(room: Room, job: Job) -> Job:
    room.jobs[job.id] = job
    return job
