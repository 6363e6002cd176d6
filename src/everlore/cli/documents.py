"""The JSON forms that several verbs share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlore.store.port import Coverage, QueueState


def coverage_document(coverage: "Coverage | None") -> dict[str, object] | None:
    """None where no embedder is configured."""
    if coverage is None:
        return None
    return {"passages": coverage.passages, "embedded": coverage.embedded, "share": coverage.share}


def queue_document(queue: "QueueState") -> dict[str, object]:
    from everlore.domain.job import JobState

    counts = {state.value: queue.counts.get(state, 0) for state in JobState}
    return {"paused": queue.paused, "pending": queue.pending, **counts}
