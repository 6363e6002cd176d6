"""The durable job queue as statements (C5). Its rules are in `domain/job.py`.

A worker holds a job by a lease, a name that it made up. Whatever a worker writes about a job must name that lease;
after it has expired and another worker has the job, the write is refused.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from everlore.domain.job import LONGEST_WAIT_S, MOST_BEHIND, Bucket, Job, JobState, is_due, refill
from everlore.errors import Conflict, LeaseLost, NotFound
from everlore.store.answers import QueueState
from everlore.store.sql.flow import Dialect, Flow, alone, ask
from everlore.store.sql.rows import columns
from everlore.store.tables import JOBS, moment, seconds

# `domain.job.is_due` and `is_expired`, as conditions; their values come from `_at`.
_DUE = (
    "(state = 'ready' AND (CASE WHEN attempts > 0 THEN NOT (run_at > ? AND run_at <= ?) "
    "ELSE run_at <= ? OR run_at <= created_at END))"
)
_EXPIRED = "(state = 'running' AND NOT (lease_until >= ? AND lease_until <= ?))"
_FREE = f"({_DUE} OR {_EXPIRED})"
_WAITING = "state IN ('ready', 'running')"
# A lane runs one job at a time: none may start while an earlier one is unfinished. The first job of each lane comes
# from an index, because thousands may be waiting in one lane.
_HEADS = (
    f"WITH RECURSIVE lanes (lane) AS (SELECT MIN(lane) FROM jobs WHERE workspace = ? AND lane <> '' AND {_WAITING} "
    f"UNION ALL SELECT (SELECT MIN(lane) FROM jobs WHERE workspace = ? AND lane > lanes.lane AND lane <> '' "
    f"AND {_WAITING}) FROM lanes WHERE lanes.lane IS NOT NULL), "
    f"heads (head) AS (SELECT (SELECT MIN(seq) FROM jobs WHERE workspace = ? AND lane = lanes.lane AND lane <> '' "
    f"AND {_WAITING}) FROM lanes WHERE lanes.lane IS NOT NULL)"
)
_GONE = "The worker that ran this job vanished {attempts} times. See what it does to the process, then retry it."


def _at(now: datetime) -> tuple[float, ...]:
    at, furthest = seconds(now), seconds(now + timedelta(seconds=LONGEST_WAIT_S))
    return at, furthest, at, at, furthest


def enqueue(sql: Dialect, job: Job) -> Flow[Job]:
    known = yield from _by_key(job)
    if known is not None:
        return known
    yield from _check_id(job)
    (seq,) = yield from sql.next_numbers("jobs", 1)
    stored = replace(job, seq=seq)
    marks = ", ".join("?" * len(JOBS.names))
    yield from ask(
        f"INSERT INTO jobs ({columns(JOBS)}) VALUES ({marks}) "
        "ON CONFLICT (workspace, kind, key) WHERE key IS NOT NULL DO NOTHING",
        *JOBS.row_of(stored),
    )
    # Two transactions may add the same key at once; the job of the first one is kept.
    return (yield from _by_key(job)) or stored


def _check_id(job: Job) -> Flow[None]:
    rows = yield from ask("SELECT 1 FROM jobs WHERE workspace = ? AND id = ?", job.workspace, job.id)
    if rows:
        raise Conflict(f"There is a job {job.id!r} already. Give the new one an id of its own.")


def _by_key(job: Job) -> Flow[Job | None]:
    if job.key is None:
        return None
    rows = yield from ask(
        f"SELECT {columns(JOBS)} FROM jobs WHERE workspace = ? AND kind = ? AND key = ?",
        job.workspace,
        job.kind,
        job.key,
    )
    return JOBS.record_of(rows[0]) if rows else None


def embed(sql: Dialect, job: Job) -> Flow[None]:
    """Request vectors, unless a job that has not started will make them anyway. That job is locked until this
    transaction ends, so that it cannot start before it can see the new passages."""
    waiting = yield from ask(
        f"SELECT 1 FROM jobs WHERE workspace = ? AND lane = '' AND {_WAITING} AND state = 'ready' AND kind = ? "
        f"AND attempts = 0 AND run_at <= ? LIMIT 1{sql.lock_shared}",
        job.workspace,
        job.kind,
        seconds(job.run_at),
    )
    if not waiting:
        yield from enqueue(sql, job)


def finish(workspace: str, job: Job, at: datetime) -> Flow[Job]:
    if job.key is None:
        rows = yield from ask(f"DELETE FROM jobs WHERE {_HELD} RETURNING id", *_held(workspace, job))
    else:
        rows = yield from ask(
            f"UPDATE jobs SET state = 'done', lease = '', lease_until = NULL, finished_at = ? WHERE {_HELD} "
            "RETURNING id",
            seconds(at),
            *_held(workspace, job),
        )
    _require(rows, job)
    return replace(job, state=JobState.DONE, lease="", lease_until=None, finished_at=at)


def retry(workspace: str, job: Job, error: str, at: datetime, run_at: datetime) -> Flow[Job]:
    given_up = job.attempts >= job.max_attempts
    after = replace(
        job,
        state=JobState.DEAD if given_up else JobState.READY,
        error=error[:4000],
        run_at=job.run_at if given_up else run_at,
        finished_at=at if given_up else None,
        lease="",
        lease_until=None,
    )
    return (yield from _rewrite(workspace, job, after))


def release(workspace: str, job: Job) -> Flow[Job]:
    after = replace(job, state=JobState.READY, attempts=max(job.attempts - 1, 0), lease="", lease_until=None)
    return (yield from _rewrite(workspace, job, after))


def revive(workspace: str, job_id: str, at: datetime) -> Flow[Job]:
    rows = yield from ask(f"SELECT {columns(JOBS)} FROM jobs WHERE workspace = ? AND id = ?", workspace, job_id)
    if not rows:
        raise NotFound(f"There is no job {job_id!r} in this workspace.")
    job: Job = JOBS.record_of(rows[0])
    if job.state is not JobState.DEAD:
        raise Conflict(f"Job {job_id!r} is {job.state.value}; only a dead letter can be tried again.")
    yield from ask(
        "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ?, finished_at = NULL WHERE workspace = ? AND id = ?",
        seconds(at),
        workspace,
        job_id,
    )
    return replace(job, state=JobState.READY, attempts=0, run_at=at, finished_at=None)


_HELD = "workspace = ? AND id = ? AND lease = ? AND state = 'running'"


def _held(workspace: str, job: Job) -> tuple[str, str, str]:
    return workspace, job.id, job.lease


def _require(rows: Any, job: Job) -> None:
    if not rows:
        raise LeaseLost(
            f"Job {job.id!r} is no longer held by {job.lease!r}: its lease ran out and another worker has it, or "
            "it was deleted. What was done for it here is not kept."
        )


def _rewrite(workspace: str, job: Job, after: Job) -> Flow[Job]:
    rows = yield from ask(
        "UPDATE jobs SET state = ?, attempts = ?, error = ?, run_at = ?, finished_at = ?, lease = '', "
        f"lease_until = NULL WHERE {_HELD} RETURNING id",
        after.state.value,
        after.attempts,
        after.error,
        seconds(after.run_at),
        seconds(after.finished_at) if after.finished_at else None,
        *_held(workspace, job),
    )
    _require(rows, job)
    return after


def pause(workspace: str, paused: bool) -> Flow[None]:
    yield from ask(
        "INSERT INTO queues (workspace, paused) VALUES (?, ?) "
        "ON CONFLICT (workspace) DO UPDATE SET paused = excluded.paused",
        workspace,
        int(paused),
    )


def touch(sql: Dialect, workspace: str) -> Flow[None]:
    """A write without a visible change. It uses up a number: SQLite would skip writing an identical row."""
    yield from sql.next_numbers("jobs", 1)
    yield from ask(
        "INSERT INTO queues (workspace, paused) VALUES (?, 0) "
        "ON CONFLICT (workspace) DO UPDATE SET paused = queues.paused",
        workspace,
    )


def claim(
    sql: Dialect,
    workspace: str,
    *,
    lease: str,
    now: datetime,
    lease_s: float,
    limit: int,
    rate_per_s: float | None,
    kinds: frozenset[str] | None,
    together: frozenset[str],
) -> Flow[list[Job]]:
    yield from ask("INSERT INTO queues (workspace, paused) VALUES (?, 0) ON CONFLICT (workspace) DO NOTHING", workspace)
    ((paused, tokens, filled_at),) = yield from ask(
        f"SELECT paused, tokens, filled_at FROM queues WHERE workspace = ?{sql.lock}", workspace
    )
    if paused:
        return []
    bucket = _bucket(tokens, filled_at, now, rate_per_s)
    allowed = limit if bucket is None else min(limit, int(bucket.tokens))
    if allowed < 1:
        return []
    yield from _bury_vanished(workspace, now)
    jobs = yield from _next(sql, workspace, now, allowed, kinds)
    if jobs and jobs[0].kind in together:
        most = MOST_BEHIND * len(jobs) if bucket is None else int(bucket.tokens) - len(jobs)
        jobs += yield from _following(workspace, now, jobs, most)
    if bucket is not None:
        yield from _spend(workspace, bucket, len(jobs))
    return (yield from _hold(sql, workspace, jobs, lease, now + timedelta(seconds=lease_s)))


def _bucket(tokens: float | None, filled_at: float | None, now: datetime, rate_per_s: float | None) -> Bucket | None:
    if rate_per_s is None:
        return None
    kept = None if tokens is None or filled_at is None else Bucket(tokens, moment(filled_at))
    return refill(kept, now, rate_per_s)


def _spend(workspace: str, bucket: Bucket, started: int) -> Flow[None]:
    yield from ask(
        "UPDATE queues SET tokens = ?, filled_at = ? WHERE workspace = ?",
        bucket.tokens - started,
        seconds(bucket.filled_at),
        workspace,
    )


def _bury_vanished(workspace: str, now: datetime) -> Flow[None]:
    rows = yield from ask(
        f"SELECT id, attempts FROM jobs WHERE workspace = ? AND {_EXPIRED} AND attempts >= max_attempts",
        workspace,
        *_at(now)[-2:],
    )
    for id, attempts in rows:
        yield from ask(
            "UPDATE jobs SET state = 'dead', error = ?, lease = '', lease_until = NULL, finished_at = ? "
            "WHERE workspace = ? AND id = ?",
            _GONE.format(attempts=attempts),
            seconds(now),
            workspace,
            id,
        )


def _next(sql: Dialect, workspace: str, now: datetime, limit: int, kinds: frozenset[str] | None) -> Flow[list[Job]]:
    """The jobs that may run, of the kind of the first one, in the order in which they should."""
    only = f" AND {sql.among('kind')}" if kinds is not None else ""
    free = [*_at(now), *([sql.listed(kinds)] if kinds is not None else [])]
    order = f"ORDER BY priority DESC, seq LIMIT ?{sql.lock_free}"
    loose = yield from ask(
        f"SELECT {columns(JOBS)} FROM jobs WHERE workspace = ? AND lane = '' AND {_WAITING} AND {_FREE}{only} {order}",
        workspace,
        *free,
        limit,
    )
    first = yield from ask(
        # Join order matters: there are few heads, and many other waiting jobs.
        f"{_HEADS} SELECT {columns(JOBS)} FROM heads CROSS JOIN jobs WHERE workspace = ? AND seq = head "
        f"AND {_FREE}{only} {order}",
        *(workspace,) * 4,
        *free,
        limit,
    )
    jobs: list[Job] = [JOBS.record_of(row) for row in (*loose, *first)]
    jobs.sort(key=lambda job: (-job.priority, job.seq))
    return [job for job in jobs if job.kind == jobs[0].kind][:limit]


def _following(workspace: str, now: datetime, heads: list[Job], most: int) -> Flow[list[Job]]:
    """The jobs directly behind these in their lanes, as long as they are of the same kind and may run."""
    found: list[Job] = []
    for head in heads:
        if not head.lane or len(found) == most:
            continue
        rows = yield from ask(
            f"SELECT {columns(JOBS)} FROM jobs WHERE workspace = ? AND lane = ? AND lane <> '' AND {_WAITING} "
            "AND seq > ? ORDER BY seq LIMIT ?",
            workspace,
            head.lane,
            head.seq,
            min(MOST_BEHIND, most - len(found)),
        )
        for job in map(JOBS.record_of, rows):
            if job.kind != head.kind or job.state is not JobState.READY or not is_due(job, now):
                break
            found.append(job)
    return found


def _hold(sql: Dialect, workspace: str, jobs: list[Job], lease: str, until: datetime) -> Flow[list[Job]]:
    if jobs:
        yield from ask(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease = ?, lease_until = ? "
            f"WHERE workspace = ? AND {sql.among('id')}",
            lease,
            seconds(until),
            workspace,
            sql.listed(job.id for job in jobs),
        )
    return [
        replace(job, state=JobState.RUNNING, attempts=job.attempts + 1, lease=lease, lease_until=until) for job in jobs
    ]


def renew(workspace: str, jobs: list[Job], until: datetime) -> Flow[list[Job]]:
    kept: list[Job] = []
    for job in jobs:
        rows = yield from ask(
            f"UPDATE jobs SET lease_until = ? WHERE {_HELD} RETURNING id", seconds(until), *_held(workspace, job)
        )
        if rows:
            kept.append(replace(job, lease_until=until))
    return kept


def state(workspace: str) -> Flow[QueueState]:
    paused = yield from ask("SELECT paused FROM queues WHERE workspace = ?", workspace)
    counts = yield from ask("SELECT state, COUNT(*) FROM jobs WHERE workspace = ? GROUP BY state", workspace)
    return QueueState(paused=bool(paused and paused[0][0]), counts={JobState(name): count for name, count in counts})


@alone
def with_work(now: datetime) -> Flow[list[str]]:
    rows = yield from ask(
        "SELECT id FROM workspaces WHERE EXISTS (SELECT 1 FROM jobs WHERE jobs.workspace = workspaces.id "
        f"AND {_WAITING} AND {_FREE}) ORDER BY id",
        *_at(now),
    )
    return [row[0] for row in rows]
