"""A part of an event that is too long for it: stored whole, while the event has a short form (C1)."""

from dataclasses import dataclass
from datetime import datetime

from everlore.domain.bounds import Id, Log, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """`name`: the part of the event, such as `outputs`."""

    workspace: Id
    id: Id
    event_id: Id
    name: Name
    content: Log
    created_at: datetime
