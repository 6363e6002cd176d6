"""What a whole conversation came to: its summary, themes, tone and topics (W1). Every analysis is kept (W3)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from everlore.domain.bounds import Between, Id, Line, Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    workspace: Id
    id: Id
    conversation_id: Id
    # What was read: the messages up to this one, and what they said then.
    last_seq: Annotated[int, Between(0, 10**12)] = 0
    digest: Line = ""
    summary: Prose = ""
    themes: tuple[str, ...] = ()
    tone: Line = ""
    emotional_arc: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_topics: tuple[str, ...] = ()
    # The memories that were formed of it, or found confirmed by it.
    memory_ids: tuple[Id, ...] = ()
    profile: Line = ""
    model: Line = ""
    # "asked", "closed" or "tokens": why it was made.
    trigger: Line = "asked"
    created_at: datetime
