"""Background jobs: rows in a queue, stored in the same database as the data (C5).

The rules of the queue are here and pure: when a failed job is retried, and how many jobs may start now under a rate
limit.
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
    """`lane`: jobs of one lane run one after the other, in order (for example of one conversation). `key`: work
    requested twice is queued once. `subject`: deleting this record cancels the job."""

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
    # Assigned by the store: the order in which jobs were added.
    seq: Annotated[int, Between(0, 2**62)] = 0
    created_at: datetime
    finished_at: datetime | None = None


# How many more jobs of a lane are claimed with its first, for kinds that are processed together.
MOST_BEHIND = 31
# The longest time for a lease or a retry delay. A time further ahead was set by a clock that has been set back since,
# and must not block the queue until the clock gets there again.
LONGEST_WAIT_S = 1_800.0


def is_due(job: Job, now: datetime) -> bool:
    """Whether a ready job may run: its time has come, or is too far ahead to be intended. A job that was to run at once
    when it was added may also run if that time seems to lie in the future."""
    if job.attempts:
        return not now < job.run_at <= _furthest(now)
    return job.run_at <= now or job.run_at <= job.created_at


def is_expired(job: Job, now: datetime) -> bool:
    """Whether the lease of a running job has expired."""
    return job.lease_until is not None and not now <= job.lease_until <= _furthest(now)


def _furthest(now: datetime) -> datetime:
    return now + timedelta(seconds=LONGEST_WAIT_S)


# Vectors are not urgent: after a night without its embedding server, the queue continues in the morning.
PATIENT = 100


EMBED = "embed"


def embed_job(workspace: str, first_row: int, at: datetime) -> Job:
    """Makes vectors for all passages from this row on that have none when it runs: passages that are added while it
    waits need no job of their own. Rows are unique, so they serve as the id."""
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
    """When to retry after failed attempt number `attempt` (from 1).

    The delay doubles each time. `jitter` in 0…1 spreads it over its upper half, so that jobs that failed together are
    not retried together.
    """
    wait_s = min(backoff.first_s * 2 ** (min(attempt, 60) - 1), backoff.most_s)
    return now + timedelta(seconds=wait_s * (0.5 + jitter / 2))


# The tolerance for the clocks of two machines.
_CLOCKS_DIFFER_S = 5.0


@dataclass(frozen=True, slots=True)
class Bucket:
    """A token bucket for a rate limit: each started job takes a token."""

    tokens: float
    filled_at: datetime


def refill(bucket: Bucket | None, now: datetime, rate_per_s: float) -> Bucket:
    """At most one second's worth, so that an idle hour does not allow a burst."""
    most = max(rate_per_s, 1.0)
    if bucket is None:
        return Bucket(most, now)
    passed_s = (now - bucket.filled_at).total_seconds()
    if passed_s < -_CLOCKS_DIFFER_S:
        # The clock was set back after the last refill. Continue from here, with one token to start with.
        return Bucket(max(bucket.tokens, 1.0), now)
    passed_s = max(passed_s, 0.0)
    return Bucket(min(bucket.tokens + passed_s * rate_per_s, most), now)
