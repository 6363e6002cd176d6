"""Results of recall: records with the reason (R5), and how the last conversation ended."""

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
    """A record, its score, the parts of the score, and the reason as a sentence. `is_due`: it is always offered;
    `is_doubtful`: the best result, but possibly not what was meant (R2b). `told_by`: who told it, if it was not
    witnessed; `in_short`: it is told by its summary; `at`: when it happened, if the record does not say."""

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
        """The record, if it is a memory."""
        assert isinstance(self.record, Memory), f"this is of kind {self.kind.value}"
        return self.record


class Limit(StrEnum):
    """The limit that keeps it out. `depth`: the limit of mode and role."""

    BUDGET = "memory_budget"
    WINDOW = "context_window"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A result that is not in the prompt, the reason, and the limit."""

    recalled: Recalled
    why: str
    limits: tuple[Limit, ...] = (Limit.BUDGET,)

    @property
    def record(self) -> Record:
        return self.recalled.record


@dataclass(frozen=True, slots=True)
class LastSession:
    """How the last conversation of these two ended, and when."""

    text: str
    at: datetime | None = None
