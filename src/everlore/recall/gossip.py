"""What somebody could tell of others: memories they have with others, or were told, that the listener does not know
(R6, R7). Secrets, private things and spoilers are never among them.

Start at `gossip_of`.
"""

from everlore.domain.layer import Layer
from everlore.domain.memory import Visible
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.recall.about import telling
from everlore.recall.floor import Floor
from everlore.recall.meaning import Meaning
from everlore.recall.reasons import recalled_of
from everlore.settings import SearchSettings
from everlore.store.port import Search, Store

# How many are weighed, at most, before those of least relevance go.
_POOL = 60


def gossip_search(
    person_id: str,
    listener_id: str | None,
    text: str,
    meaning: Meaning,
    weight: float,
) -> Search:
    return Search(
        text=text,
        vector=meaning.vector,
        model=meaning.model,
        kinds=frozenset({PassageKind.MEMORY}),
        knower_id=person_id,
        unknown_to=listener_id,
        # What nobody else has to do with is no gossip.
        besides=frozenset({person_id}),
        visibilities=frozenset({Visible.NORMAL.value}),
        with_spoilers=False,
        limit=_POOL,
        pool=_POOL,
        vector_weight=weight,
    )


async def gossip_of(
    scope: Scope,
    person_id: str,
    listener_id: str | None,
    text: str,
    meaning: Meaning,
    *,
    store: Store,
    settings: SearchSettings,
    floor: Floor,
    limit: int,
    threshold: float,
) -> tuple[Recalled, ...]:
    """Most relevant first, each at least as relevant as `threshold`."""
    if limit < 1:
        return ()
    found = await store.search(scope, gossip_search(person_id, listener_id, text, meaning, settings.vector_weight))
    words = telling(text)
    scored = [(floor.relevance(hit.parts, words), hit) for hit in found.hits]
    scored.sort(key=lambda each: (-each[0], each[1].record.id))
    return tuple(
        recalled_of(hit, score=relevance, layer=Layer.CROSS) for relevance, hit in scored if relevance >= threshold
    )[:limit]
