"""What a run found: plain values, made by `measure.py`, judged by `bars.py`, shown by `report.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.startup import Startup
from benchmarks.timing import Timing


@dataclass(frozen=True, slots=True)
class Loading:
    memories_per_s: float
    vectors_per_s: float


@dataclass(frozen=True, slots=True)
class Saves:
    """`batch_row` is the time for one memory of a batch; `fsync` what the disk took in between."""

    one: Timing
    batch_row: Timing
    fsync: Timing

    @property
    def ratio(self) -> float:
        return self.one.p50_ms / self.batch_row.p50_ms


@dataclass(frozen=True, slots=True)
class Searches:
    """All over the same rows; `references` are the plain ways to search them."""

    hybrid: Timing
    scoped: Timing
    references: Mapping[str, Timing]
    recall: float
    recall_scoped: float


@dataclass(frozen=True, slots=True)
class SizeResult:
    size: int
    loading: Loading
    startup: Startup
    size_mb: float
    searches: Searches
    saves: Saves


@dataclass(frozen=True, slots=True)
class Producers:
    """Single saves per second, one after the other and from many producers at once."""

    size: int
    producers: int
    sequential_per_s: float
    concurrent_per_s: float

    @property
    def ratio(self) -> float:
        return self.concurrent_per_s / self.sequential_per_s


@dataclass(frozen=True, slots=True)
class StoreResult:
    """`sizes` from the smallest to the largest."""

    store: str
    sizes: tuple[SizeResult, ...]
    producers: Producers

    @property
    def largest(self) -> SizeResult:
        return self.sizes[-1]


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    python: str
    sqlite: str
    numpy: str
    postgres: str | None = None


@dataclass(frozen=True, slots=True)
class Results:
    machine: Machine
    model: str
    embed_question: Timing
    stores: tuple[StoreResult, ...]
    left_out: tuple[str, ...] = field(default=())
