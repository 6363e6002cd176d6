"""What the store answers, where that is more than the records themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from everlore.domain.job import JobState
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.records import Record


@dataclass(frozen=True, slots=True)
class Page:
    """`cursor` asks for the next page; None says that this was the last."""

    items: tuple[Any, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is made of: `vector` the cosine (None: not embedded), `text` the covered share of the
    question's words, weighted by how telling they are (None: no word in common). `example` is what recall counts for
    words of which it names an example."""

    vector: float | None
    text: float | None
    example: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    kind: PassageKind
    record: Record
    score: float
    parts: Parts

    @property
    def memory(self) -> Memory:
        """The record of a hit that is a memory."""
        assert isinstance(self.record, Memory), f"this hit is of kind {self.kind.value}"
        return self.record


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many passages there are in the scope, and how many of them have a vector of the model."""

    passages: int
    embedded: int

    @property
    def share(self) -> float:
        return self.embedded / self.passages if self.passages else 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """`weights`: what each word of the question weighs in the scope; they add up to 1."""

    hits: tuple[Hit, ...]
    coverage: Coverage
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Partner:
    """Somebody with whom a person shares memories: how many, and since when there was no new one."""

    person_id: str
    memories: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PairActivity:
    """Two persons, the smaller id first: how many memories they share, how many talks they were in together, how often
    something passed between them, and when the last of all that was."""

    one_id: str
    other_id: str
    memories: int
    talks: int
    interactions: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many there are of a kind and type, or came in one hour (since 1970), as `tallies` was asked.

    Kinds: `memory`, by type; `status`, of memories; `event`, by type; `message`, by author; `conversation`; `summary`;
    `miss`; `passage`, those of the present; `vector` of present passages, by model; `count`, by the name of a `Count`.
    """

    kind: str
    type: str
    count: int
    hour: int | None = None


class MessagePosition(NamedTuple):
    """Where a message stands."""

    conversation_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage that waits for its vector."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What cleanup found, or removed."""

    orphaned_vectors: int
    orphaned_passages: int
    memories_without_person: int
    old_job_keys: int

    @property
    def total(self) -> int:
        return self.orphaned_vectors + self.orphaned_passages + self.memories_without_person + self.old_job_keys


@dataclass(frozen=True, slots=True)
class QueueState:
    paused: bool
    counts: Mapping[JobState, int]

    @property
    def pending(self) -> int:
        return self.counts.get(JobState.READY, 0) + self.counts.get(JobState.RUNNING, 0)


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What an operator wants to know of a database; no `problems` means that it is well."""

    kind: str
    version: str
    schema: int
    size_bytes: int
    free_bytes: int | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """What one process tells the others on the same database. `origin` is that process, which numbers its notices."""

    origin: str
    number: int
    conversation_id: str | None
    body: str
    at: datetime


class ImportOutcome(StrEnum):
    """What became of something that was brought. `DIFFERENT`: it is there already, otherwise, and was left so."""

    NEW = "new"
    SAME = "same"
    DIFFERENT = "different"
    REPLACED = "replaced"
