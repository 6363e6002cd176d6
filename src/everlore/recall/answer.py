"""What a question found, and what it did not, with the reasons, in the form that callers get (R5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from everlore.domain.recalled import Recalled
from everlore.store.answers import Coverage


class Step(StrEnum):
    """Where a candidate was dropped, in the order of the pipeline."""

    SCOPE = "scope"
    CANDIDATES = "candidates"
    FLOOR = "floor"
    DIVERSITY = "diversity"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was not returned: the step that dropped it, and a sentence why."""

    recalled: Recalled
    step: Step
    why: str


@dataclass(frozen=True, slots=True)
class WhyNotVerdict:
    """Why a question does or does not find one memory. `place`: its rank from 1, if it was found."""

    memory_id: str
    step: Step | None
    why: str
    place: int | None = None
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """`hits` best first; `coverage` is the share of the scope that has a vector; `steps` the seconds that each step
    took; `dropped` is empty unless it was requested."""

    hits: tuple[Recalled, ...]
    coverage: Coverage
    dropped: tuple[Dropped, ...] = ()
    steps: Mapping[str, float] = field(default_factory=dict, hash=False, compare=False)

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)
