"""The JSON documents that several commands share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlore.domain.conversation import Message
    from everlore.store.answers import Coverage, QueueState


def coverage_document(coverage: "Coverage | None") -> dict[str, object] | None:
    """None if no embedder is configured."""
    if coverage is None:
        return None
    return {"passages": coverage.passages, "embedded": coverage.embedded, "share": coverage.share}


def queue_document(queue: "QueueState") -> dict[str, object]:
    from everlore.domain.job import JobState

    counts = {state.value: queue.counts.get(state, 0) for state in JobState}
    return {"paused": queue.paused, "pending": queue.pending, **counts}


def message_document(message: "Message", name: str) -> dict[str, object]:
    """`display_content` is the part that a reader sees; `name` is the speaker."""
    from everlore.domain.display import display
    from everlore.domain.tokens import unresolved_in

    return {
        "id": message.id,
        "conversation_id": message.conversation_id,
        "author": message.author,
        "name": name,
        "display_content": display(message.content).text,
        "state": message.state,
        "error": message.error,
        "model": message.metadata.get("model", ""),
        "built_in": message.metadata.get("built_in", False),
        "notice": message.metadata.get("notice", ""),
        "unresolved": [*unresolved_in(message.metadata)],
        "alternatives": [display(each).text for each in message.alternatives],
        "chosen": message.chosen,
        "created_at": message.created_at,
    }
