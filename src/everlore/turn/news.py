"""One live event: something that just happened in a workspace."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from everlore.domain.conversation import Author, Message


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


def said_news(records: Iterable[Any]) -> list[News]:
    """What people said in a session of a campaign, for the others at the table."""
    said = (each for each in records if isinstance(each, Message) and each.author is not Author.ASSISTANT)
    return [News(type="message.said", conversation_id=each.conversation_id, id=each.id, record=each) for each in said]
