"""What came back for a turn: memories with the reason why (R5), and how the last talk ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from everlore.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory, what it scored, in which parts, and why in a sentence."""

    memory: Memory
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    why: str = ""


@dataclass(frozen=True, slots=True)
class LastSession:
    """How the last talk of these two ended, and when that was."""

    text: str
    at: datetime | None = None
