"""One question to the index: by meaning where an embedder answers, by words always."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from everlore.errors import Misconfigured, ModelMisbehaved
from everlore.models.embedder import Embedder
from everlore.store.port import Vector

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A text as a vector, and whose vector it is; both None where words alone must do."""

    model: str | None = None
    vector: Vector | None = None


async def meaning_of(text: str, embedder: Embedder | None) -> QueryEmbedding:
    return (await meanings_of([text], embedder))[0]


async def meanings_of(texts: Sequence[str], embedder: Embedder | None) -> list[QueryEmbedding]:
    """Where the embedder fails, words alone must do (R-4)."""
    if embedder is None:
        return [QueryEmbedding() for _ in texts]
    wanted = list(dict.fromkeys(text for text in texts if text.strip()))
    try:
        rows = dict(zip(wanted, await embedder.embed(wanted), strict=True)) if wanted else {}
    except (ModelMisbehaved, Misconfigured) as error:
        log.warning("recall.by_words_alone", embedder=embedder.name, error=str(error))
        return [QueryEmbedding(embedder.name) for _ in texts]
    return [QueryEmbedding(embedder.name, rows[text]) if text in rows else QueryEmbedding() for text in texts]
