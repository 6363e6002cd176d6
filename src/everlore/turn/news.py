"""One live event: something that just happened in a workspace."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """`record` is the message or memory concerned; `text` a piece of a reply, a title, an icon or the kind of a job."""

    type: str
    conversation_id: str | None = None
    id: str | None = None
    text: str = ""
    record: Any = None


# For the processes only, never sent to a socket: somebody may have lost their access, and a running reply must stop.
ACCESS_CHANGED = "access.changed"
STOP_REPLY = "reply.stop"
