"""What was too long to stand in an event: kept whole beside it, while the event has a short form (C1)."""

from dataclasses import dataclass
from datetime import datetime

from everlore.domain.bounds import Id, Log, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """`name`: which part of the event it is, such as `outputs`."""

    workspace: Id
    id: Id
    event_id: Id
    name: Name
    content: Log
    created_at: datetime
