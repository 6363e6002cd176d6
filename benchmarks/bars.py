"""The bars: what the foundation promises, and whether this run kept it. Pure; start at `bars_of`."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.homes import FTS5, HALFVEC, NUMPY
from benchmarks.results import SizeResult, StoreResult

# How much slower than the plain ways a hybrid search may be.
HYBRID_SQLITE = 3.0
HYBRID_POSTGRES = 2.0
# How much slower the same scope may be when the workspace around it grows.
SCOPED = 2.0
# How much faster, per row, a batch must be than single saves.
BATCH = 20.0
RECALL = 1.0


@dataclass(frozen=True, slots=True)
class Bar:
    """`measured` against `limit`, both in the unit that `claim` speaks of."""

    store: str
    claim: str
    measured: float
    limit: float
    at_least: bool = False

    @property
    def holds(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


def bars_of(result: StoreResult) -> list[Bar]:
    return [_hybrid(result), *_scoped(result), *_batches(result), _recall(result)]


def _hybrid(result: StoreResult) -> Bar:
    at = result.largest
    names, limit = ((FTS5, NUMPY), HYBRID_SQLITE) if result.store == "sqlite" else ((HALFVEC,), HYBRID_POSTGRES)
    slower = max(names, key=lambda name: at.searches.references[name].p95_ms)
    ratio = at.searches.hybrid.p95_ms / at.searches.references[slower].p95_ms
    return Bar(result.store, f"hybrid p95 at {at.size:,}, as a multiple of {slower}", ratio, limit)


def _scoped(result: StoreResult) -> list[Bar]:
    smallest, *larger = result.sizes
    return [
        Bar(
            result.store,
            f"scoped p95 at {each.size:,}, as a multiple of that at {smallest.size:,}",
            each.searches.scoped.p95_ms / smallest.searches.scoped.p95_ms,
            SCOPED,
        )
        for each in larger
    ]


def _batches(result: StoreResult) -> list[Bar]:
    return [
        Bar(
            result.store,
            f"batch against single saves at {each.size:,}",
            each.saves.ratio,
            BATCH,
            at_least=True,
        )
        for each in result.sizes
    ]


def _recall(result: StoreResult) -> Bar:
    return Bar(
        result.store, "recall of the vector arm, worst of all sizes", _worst_recall(result.sizes), RECALL, at_least=True
    )


def _worst_recall(sizes: Sequence[SizeResult]) -> float:
    return min(min(each.searches.recall, each.searches.recall_scoped) for each in sizes)
