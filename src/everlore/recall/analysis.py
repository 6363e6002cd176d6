"""Analyses a query once: the names in it, its words in several forms, their embeddings, and the time it asks about.

Start at `analysed`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.passage import PassageKind
from everlore.domain.scope import Scope
from everlore.models.embedder import Embedder
from everlore.recall.about import telling
from everlore.recall.lines.features import Words
from everlore.recall.names import QueryNames, first_names_in, named_in, without_names
from everlore.recall.noise import NoiseModel, NoiseModels
from everlore.recall.query_embedding import QueryEmbedding, meanings_of
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import Source
from everlore.recall.stopwatch import Stopwatch
from everlore.recall.times import AskedTime, asked_time
from everlore.recall.topic import topic_of
from everlore.recall.wording import Wording
from everlore.store.port import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTools:
    """The dependencies of recall, given by the caller."""

    store: Store
    embedder: Embedder | None
    floors: NoiseModels
    words: Words
    pool: int
    vector_weight: float
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnalysis:
    """`others`: those who are `named`, without the two who talk; `telling`: the number of significant words each kind
    is searched with; `gossip`: the words that gossip about others must match."""

    wording: Wording
    named: QueryNames
    others: QueryNames
    meanings: Sequence[QueryEmbedding]
    gossip: tuple[str, QueryEmbedding]
    telling: Mapping[PassageKind, int]
    floor: NoiseModel
    time: AskedTime
    now: datetime


async def analysed(scope: Scope, query: RecallQuery, tools: RecallTools, watch: Stopwatch) -> QueryAnalysis:
    words = query.words
    named = await named_in(scope, words, store=tools.store, viewer=query.viewer, place=query.place)
    gossip = await _gossip_words(scope, words, named, query, tools.store)
    watch.lap("names")
    # In a search for gossip only, a name alone does not make a memory relevant.
    wording = Wording.of(gossip if query.recipe.sources == (Source.OTHERS,) else words, named)
    texts = wording.texts(with_lines=PassageKind.MESSAGE in query.all_kinds)
    *meanings, of_gossip = await meanings_of([*texts, gossip], tools.embedder)
    floor = await tools.floors.of(tools.embedder)
    watch.lap("embed")
    counts = dict.fromkeys(PassageKind, telling(wording.words))
    two = (query.viewer.person_id, query.place.user_id) if query.here is not None else ()
    return QueryAnalysis(
        wording=wording,
        named=named,
        others=named.besides(two),
        meanings=meanings,
        gossip=(gossip, of_gossip),
        telling=counts | {PassageKind.MESSAGE: telling(wording.topic)},
        floor=floor,
        time=asked_time(words, tools.now),
        now=tools.now,
    )


async def _gossip_words(scope: Scope, words: str, named: QueryNames, query: RecallQuery, store: Store) -> str:
    """The words that gossip must match. A person's name occurs in most memories about them, relevant or not: so names
    are removed before anything is compared, and a name alone does not make a memory relevant; it only helps its rank
    (R6)."""
    if query.gossip_threshold is None:
        return ""
    parts = await first_names_in(scope, words, store=store)
    return without_names(topic_of(words), (*named.people, *parts))
