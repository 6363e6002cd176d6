"""One live event: something that happened just now in a workspace."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """`record` is the message or memory that it is about; `text` a piece of a reply, a title, an icon or the kind of a
    job."""

    type: str
    conversation_id: str | None = None
    id: str | None = None
    text: str = ""
    record: Any = None


# For the processes themselves, and not sent to any socket: somebody may have lost their access, and a reply is to stop.
ACCESS_CHANGED = "access.changed"
STOP_REPLY = "reply.stop"
