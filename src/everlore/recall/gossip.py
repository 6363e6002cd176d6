"""What somebody could tell of others: memories they have with others, or were told, that the listener does not know
(R6, R7). Secrets, private things and spoilers are never among them.

Whoever is named is in most of what is known of them, and not all of that bears on what was said: names are taken out
before anything is compared (`opening_words`), so that being named does not open; it helps to rank.

Start at `gossip_of`.
"""

from collections.abc import Iterable

from everlore.domain.layer import Layer
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.domain.visibility import person_in
from everlore.models.embedder import Embedder
from everlore.recall.about import telling
from everlore.recall.names import QueryNames, first_names_in, named_in, without_names
from everlore.recall.noise import NoiseModel
from everlore.recall.query_embedding import QueryEmbedding, meaning_of
from everlore.recall.ranking import for_named
from everlore.recall.reasons import recalled_of
from everlore.recall.topic import topic_of
from everlore.settings import SearchSettings
from everlore.store.port import Hit, Search, Store
from everlore.store.visibility_filters import as_passed_on

# How many are weighed, at most, before those of least relevance go.
_POOL = 60


async def opening_words(scope: Scope, text: str, named: QueryNames, *, store: Store) -> str:
    """What must bear on a memory for it to be gossip."""
    parts = await first_names_in(scope, text, store=store)
    return without_names(topic_of(text), (*named.people, *parts))


def gossip_search(
    person_id: str,
    listener_id: str | None,
    text: str,
    meaning: QueryEmbedding,
    weight: float,
) -> Search:
    asked = Search(
        text=text,
        vector=meaning.vector,
        model=meaning.model,
        kinds=frozenset({PassageKind.MEMORY}),
        # What nobody else has to do with is no gossip.
        besides=frozenset({person_id}),
        limit=_POOL,
        pool=_POOL,
        vector_weight=weight,
    )
    return as_passed_on(asked, person_id, listener_id)


async def gossip_of(
    scope: Scope,
    person_id: str,
    listener_id: str | None,
    text: str,
    embedder: Embedder | None,
    *,
    store: Store,
    settings: SearchSettings,
    floor: NoiseModel,
    limit: int,
    threshold: float,
) -> tuple[Recalled, ...]:
    """Each at least as relevant as `threshold`; the most relevant first, those of whoever is named before others."""
    if limit < 1:
        return ()
    # Of no game, whoever runs it: what players must not know is not passed on.
    named = await named_in(scope, text, store=store, viewer=person_in(scope.workspace, person_id))
    words = await opening_words(scope, text, named, store=store)
    meaning = await meaning_of(words, embedder)
    found = await store.search(scope, gossip_search(person_id, listener_id, words, meaning, settings.vector_weight))
    return tuple(_ranked(found.hits, named, telling(words), floor=floor, threshold=threshold))[:limit]


def _ranked(
    hits: Iterable[Hit], named: QueryNames, words: int, *, floor: NoiseModel, threshold: float
) -> list[Recalled]:
    relevant = [(relevance, hit) for hit in hits if (relevance := floor.relevance(hit.parts, words)) >= threshold]
    told = [
        recalled_of(
            hit, score=for_named(relevance, hit.memory, named), layer=Layer.CROSS, weights={"relevance": relevance}
        )
        for relevance, hit in relevant
    ]
    return sorted(told, key=lambda each: (-each.score, each.record.id))
