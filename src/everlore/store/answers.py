"""The results of the store that are more than records."""

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
    """`cursor` reads the next page; None on the last page."""

    items: tuple[Any, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a score: `vector` is the cosine (None: not embedded), `text` the matched share of the question's
    words, weighted by rarity (None: no common word). `example` is added by recall for examples of the question's
    words."""

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
        """The record of a hit, if it is a memory."""
        assert isinstance(self.record, Memory), f"this hit is of kind {self.kind.value}"
        return self.record


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many passages the scope has, and how many of them have a vector of the model."""

    passages: int
    embedded: int

    @property
    def share(self) -> float:
        return self.embedded / self.passages if self.passages else 1.0


@dataclass(frozen=True, slots=True)
class Found:
    """Search results. `weights`: the weight of each word of the question in the scope; they add up to 1."""

    hits: tuple[Hit, ...]
    coverage: Coverage
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Partner:
    """A person who shares memories with another: how many, and when the newest was made."""

    person_id: str
    memories: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class PairActivity:
    """Two persons, the smaller id first: how many memories, conversations and interactions they share, and when the
    last of these was."""

    one_id: str
    other_id: str
    memories: int
    talks: int
    interactions: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many records of a kind and type there are, or were added in one hour (since 1970).

    Kinds: `memory`, by type; `status`, of memories; `event`, by type; `message`, by author; `conversation`; `summary`;
    `miss`; `passage`, the present ones; `vector` of present passages, by model; `count`, by the name of a `Count`.
    """

    kind: str
    type: str
    count: int
    hour: int | None = None


class MessagePosition(NamedTuple):
    """The position of a message in its conversation."""

    conversation_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What a cleanup found or removed."""

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
    """The state of a database, for operators; an empty `problems` means that it is healthy."""

    kind: str
    version: str
    schema: int
    size_bytes: int
    free_bytes: int | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the other processes on the database. `origin` is its process, which numbers its notices."""

    origin: str
    number: int
    conversation_id: str | None
    body: str
    at: datetime


class ImportOutcome(StrEnum):
    """The result of importing one record. `DIFFERENT`: another version exists, and was not changed."""

    NEW = "new"
    SAME = "same"
    DIFFERENT = "different"
    REPLACED = "replaced"
