"""Results for the tests, with nothing but the numbers that a test is about."""

from benchmarks.homes import FTS5, HALFVEC, NUMPY
from benchmarks.results import Loading, Machine, Producers, Results, Saves, Searches, SizeResult, StoreResult
from benchmarks.startup import Startup
from benchmarks.timing import Timing


def timing(milliseconds: float) -> Timing:
    """Slow only in the tail, so that a bar that looked at the median would be found out."""
    return Timing(milliseconds / 10, milliseconds, milliseconds / 5, 100)


def size_result(
    size: int = 1000,
    *,
    hybrid: float = 10,
    scoped: float = 2,
    references: dict[str, float] | None = None,
    recall: float = 1.0,
    recall_scoped: float = 1.0,
    one_ms: float = 3.0,
    batch_row_ms: float = 0.1,
) -> SizeResult:
    plain = references if references is not None else {NUMPY: 4.0, FTS5: 5.0, HALFVEC: 6.0}
    searches = Searches(
        timing(hybrid), timing(scoped), {name: timing(value) for name, value in plain.items()}, recall, recall_scoped
    )
    saves = Saves(Timing(one_ms, one_ms, one_ms, 10), Timing(batch_row_ms, batch_row_ms, batch_row_ms, 5), timing(1))
    return SizeResult(size, Loading(5000, 9000), Startup(5, 20, 3, 50, 60), 2.5, searches, saves)


def store_result(store: str, *sizes: SizeResult) -> StoreResult:
    return StoreResult(store, sizes, Producers(sizes[-1].size, 32, 250, 1000))


def results(*stores: StoreResult) -> Results:
    machine = Machine(cores=2, python="3.11.7", sqlite="3.40.1", numpy="2.4.6", postgres="18.6")
    return Results(machine, "wordllama-l2-256", timing(0.1), stores)
