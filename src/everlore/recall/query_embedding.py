"""The embedding of a question: by the embedder if it answers; the keyword search always works."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from everlore.errors import Misconfigured, ModelMisbehaved
from everlore.models.embedder import Embedder
from everlore.store.port import Vector

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """A text as a vector, and the model of the vector; both None for a search by keywords alone."""

    model: str | None = None
    vector: Vector | None = None


async def meaning_of(text: str, embedder: Embedder | None) -> QueryEmbedding:
    return (await meanings_of([text], embedder))[0]


async def meanings_of(texts: Sequence[str], embedder: Embedder | None) -> list[QueryEmbedding]:
    """If the embedder fails, the search uses keywords alone (R-4)."""
    if embedder is None:
        return [QueryEmbedding() for _ in texts]
    wanted = list(dict.fromkeys(text for text in texts if text.strip()))
    try:
        rows = dict(zip(wanted, await embedder.embed(wanted), strict=True)) if wanted else {}
    except (ModelMisbehaved, Misconfigured) as error:
        log.warning("recall.by_words_alone", embedder=embedder.name, error=str(error))
        return [QueryEmbedding(embedder.name) for _ in texts]
    return [QueryEmbedding(embedder.name, rows[text]) if text in rows else QueryEmbedding() for text in texts]
