"""One question to the index: by meaning where an embedder answers, by words always."""

from dataclasses import dataclass
from datetime import datetime

import structlog

from everlore.domain.passage import PassageKind
from everlore.domain.scope import Pair, Scope
from everlore.errors import Misconfigured, ModelMisbehaved
from everlore.models.embedder import Embedder
from everlore.settings import SearchSettings
from everlore.store.port import Found, Search, Store, Vector

log = structlog.get_logger(__name__)

# A passage that shares neither a word nor a direction with the question scores nothing.
RELATED = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`pair` asks for what two persons share; `person_id` for all that one of them has."""

    text: str
    person_id: str | None = None
    pair: Pair | None = None
    conversation_id: str | None = None
    campaign_id: str | None = None
    types: frozenset[str] = frozenset()
    kinds: frozenset[PassageKind] = frozenset({PassageKind.MEMORY})
    as_of: datetime | None = None
    min_similarity: float = RELATED
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Meaning:
    """A text as a vector, and whose vector it is; both None where words alone must do."""

    model: str | None = None
    vector: Vector | None = None


async def meaning_of(text: str, embedder: Embedder | None) -> Meaning:
    """Where the embedder fails, words alone must do (R-4)."""
    if embedder is None or not text.strip():
        return Meaning()
    try:
        return Meaning(embedder.name, (await embedder.embed([text]))[0])
    except (ModelMisbehaved, Misconfigured) as error:
        log.warning("recall.by_words_alone", embedder=embedder.name, error=str(error))
        return Meaning(embedder.name)


async def recall(
    scope: Scope, question: Question, meaning: Meaning, *, store: Store, settings: SearchSettings
) -> Found:
    return await store.search(
        scope,
        Search(
            text=question.text,
            vector=meaning.vector,
            model=meaning.model,
            kinds=question.kinds,
            person_id=question.person_id,
            pair=question.pair,
            conversation_id=question.conversation_id,
            campaign_id=question.campaign_id,
            types=question.types,
            as_of=question.as_of,
            min_similarity=question.min_similarity,
            limit=question.limit,
            pool=max(settings.pool, question.limit),
            vector_weight=settings.vector_weight,
        ),
    )
