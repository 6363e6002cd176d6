"""Background work: a row in the queue, kept in the same database as the data (C5).

The decisions of the queue are here and pure: when a failed job is tried again, and how many jobs may
start now under a bounded rate.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Chars, Id, Json, Line


class JobState(StrEnum):
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`lane`: jobs of one lane run one after the other, in order (a conversation's id, say).
    `key`: the same work asked for twice is kept once. `subject`: the record whose deletion ends the job."""

    workspace: Id
    id: Id
    kind: Id
    payload: Json = field(default_factory=dict)
    lane: Line = ""
    key: Line | None = None
    subject: Line = ""
    priority: Annotated[int, Between(-100, 100)] = 0
    state: JobState = JobState.READY
    attempts: Annotated[int, Between(0, 10**6)] = 0
    max_attempts: Annotated[int, Between(1, 10**6)] = 5
    run_at: datetime
    lease: Line = ""
    lease_until: datetime | None = None
    error: Annotated[str, Chars(4_000)] = ""
    # Given by the store: the order in which jobs came in.
    seq: Annotated[int, Between(0, 2**62)] = 0
    created_at: datetime
    finished_at: datetime | None = None


# So many more of one lane are claimed with its first, of a kind that is done together.
MOST_BEHIND = 31
# Nothing is held, or put off after a failure, for longer than this. What lies further ahead was set by a clock that was
# set back since, and must not hold up the queue until the clock is there again.
LONGEST_WAIT_S = 1_800.0


def is_due(job: Job, now: datetime) -> bool:
    """Whether a ready job may run: its time has come, or cannot have been meant so far ahead. What was to run at once
    when it came, may run also where that seems to lie ahead."""
    if job.attempts:
        return not now < job.run_at <= _furthest(now)
    return job.run_at <= now or job.run_at <= job.created_at


def is_expired(job: Job, now: datetime) -> bool:
    """Whether the lease of a running job has run out."""
    return job.lease_until is not None and not now <= job.lease_until <= _furthest(now)


def _furthest(now: datetime) -> datetime:
    return now + timedelta(seconds=LONGEST_WAIT_S)


# Vectors can wait: an embedding server that is away for a night should find its work in the morning.
PATIENT = 100


EMBED = "embed"


def embed_job(workspace: str, first_row: int, at: datetime) -> Job:
    """Asks for the vectors of all passages from a row on that have none when it runs: whatever is added while it waits
    needs no job of its own. Rows are given once, so they make the id."""
    return Job(
        workspace=workspace,
        id=f"embed-{first_row}",
        kind=EMBED,
        payload={"after": first_row - 1},
        max_attempts=PATIENT,
        run_at=at,
        created_at=at,
    )


@dataclass(frozen=True, slots=True)
class Backoff:
    first_s: float
    most_s: float


def retry_at(attempt: int, now: datetime, backoff: Backoff, jitter: float) -> datetime:
    """When to try again after failed attempt number `attempt` (from 1).

    The wait doubles each time. `jitter` in 0…1 spreads it over its upper half, so that jobs that failed
    together do not come back together.
    """
    wait_s = min(backoff.first_s * 2 ** (min(attempt, 60) - 1), backoff.most_s)
    return now + timedelta(seconds=wait_s * (0.5 + jitter / 2))


# The clocks of two machines may, by so much.
_CLOCKS_DIFFER_S = 5.0


@dataclass(frozen=True, slots=True)
class Bucket:
    """Tokens of a bounded rate: each job started takes one."""

    tokens: float
    filled_at: datetime


def refill(bucket: Bucket | None, now: datetime, rate_per_s: float) -> Bucket:
    """One second's worth at most: a quiet hour does not buy a storm."""
    most = max(rate_per_s, 1.0)
    if bucket is None:
        return Bucket(most, now)
    passed_s = (now - bucket.filled_at).total_seconds()
    if passed_s < -_CLOCKS_DIFFER_S:
        # Filled in the future: the clock was set back. With one to start with, counting goes on from here.
        return Bucket(max(bucket.tokens, 1.0), now)
    passed_s = max(passed_s, 0.0)
    return Bucket(min(bucket.tokens + passed_s * rate_per_s, most), now)
