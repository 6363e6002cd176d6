"""The analysis of a whole conversation: its summary, themes, tone and topics (W1). Every analysis is kept (W3)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from everlore.domain.bounds import Between, Id, Line, Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    workspace: Id
    id: Id
    conversation_id: Id
    # The last message that was read; the analysis is of the messages as they were then.
    last_seq: Annotated[int, Between(0, 10**12)] = 0
    digest: Line = ""
    summary: Prose = ""
    themes: tuple[str, ...] = ()
    tone: Line = ""
    emotional_arc: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_topics: tuple[str, ...] = ()
    # The memories that were formed or confirmed by it.
    memory_ids: tuple[Id, ...] = ()
    profile: Line = ""
    model: Line = ""
    # Why it was made: "asked", "closed" or "tokens".
    trigger: Line = "asked"
    created_at: datetime
