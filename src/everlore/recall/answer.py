"""What a question brought back, and what it did not, with the reasons, as whoever asked is told it (R5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from everlore.domain.recalled import Recalled
from everlore.store.answers import Coverage


class Step(StrEnum):
    """Where something was dropped, in the order of the flow."""

    SCOPE = "scope"
    CANDIDATES = "candidates"
    FLOOR = "floor"
    DIVERSITY = "diversity"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was looked at and not brought back: at which step, and why in a sentence."""

    recalled: Recalled
    step: Step
    why: str


@dataclass(frozen=True, slots=True)
class WhyNotVerdict:
    """Why one memory is not, or is, brought back by one question. `place`: counted from 1, where it is."""

    memory_id: str
    step: Step | None
    why: str
    place: int | None = None
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """`hits` best first; `coverage` says how much of the scope has a vector; `steps` how long each step took, in
    seconds; `dropped` is empty unless it was asked for."""

    hits: tuple[Recalled, ...]
    coverage: Coverage
    dropped: tuple[Dropped, ...] = ()
    steps: Mapping[str, float] = field(default_factory=dict, hash=False, compare=False)

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)
