"""A message for which recall found nothing (R12), saved to show what recall misses."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from everlore.domain.bounds import Between, Id, Line

# Shorter messages ask for nothing.
LEAST_CHARS = 20
_HEAD_CHARS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """`passages` and `embedded` count the index in the scope of the search."""

    workspace: Id
    id: Id
    query: Line
    mode: Line = ""
    conversation_id: Id | None = None
    # The message that asked; the miss is deleted with it.
    message_id: Id | None = None
    person_id: Id | None = None
    passages: Annotated[int, Between(0, 10**12)] = 0
    embedded: Annotated[int, Between(0, 10**12)] = 0
    embedder: Line = ""
    created_at: datetime


def head_of(query: str) -> str:
    """The beginning of the query, in one line."""
    line = " ".join(query.split())
    return line if len(line) <= _HEAD_CHARS else f"{line[: _HEAD_CHARS - 1]}…"


def is_worth_noting(query: str) -> bool:
    return len(query.strip()) > LEAST_CHARS
