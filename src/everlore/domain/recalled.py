"""What came back: records with the reason why (R5), and how the last talk ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.records import Record


@dataclass(frozen=True, slots=True)
class Recalled:
    """A record, what it scored, in which parts, and why in a sentence. `is_due`: it is offered whatever was asked;
    `is_doubtful`: it is the best there is, and yet perhaps not what was meant (R2b). `told_by`: who told it, where it
    was not witnessed; `in_short`: it is told by its summary; `at`: when it happened, where the record does not say."""

    record: Record
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    why: str = ""
    kind: PassageKind = PassageKind.MEMORY
    layer: Layer = Layer.SEMANTIC
    is_due: bool = False
    is_doubtful: bool = False
    told_by: str = ""
    in_short: bool = False
    at: datetime | None = None

    @property
    def memory(self) -> Memory:
        """The record of one that is a memory."""
        assert isinstance(self.record, Memory), f"this is of kind {self.kind.value}"
        return self.record


class Limit(StrEnum):
    """What must grow for it to come in. `depth`: what mode and role allow."""

    BUDGET = "memory_budget"
    WINDOW = "context_window"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What came back and is not told, why, and what keeps it out."""

    recalled: Recalled
    why: str
    limits: tuple[Limit, ...] = (Limit.BUDGET,)

    @property
    def record(self) -> Record:
        return self.recalled.record


@dataclass(frozen=True, slots=True)
class LastSession:
    """How the last talk of these two ended, and when that was."""

    text: str
    at: datetime | None = None
