"""The job that digests an ended session (G3). Sessions of a campaign run one at a time, in order."""

from collections.abc import Callable
from datetime import datetime

from everlore.domain.campaign import Session
from everlore.domain.job import Job

DIGEST = "digest"
_PRIORITY = -10
# About two hours of retries, enough for a model server to be restarted.
_PATIENT = 20


def digest_job(session: Session, at: datetime, new_id: Callable[[], str]) -> Job:
    return Job(
        workspace=session.workspace,
        id=new_id(),
        kind=DIGEST,
        payload={"session_id": session.id},
        lane=f"campaign-{session.campaign_id}",
        subject=f"sessions/{session.id}",
        priority=_PRIORITY,
        max_attempts=_PATIENT,
        run_at=at,
        created_at=at,
    )
