"""One recall for every purpose: analyse the query, fetch candidates, rank them, and select (R1, R2, R5).

A reply, a search, gossip, the context of an agent and a question about a campaign differ only in their recipes
(`recall/recipes.py`). Dropped candidates are in the same trace as the selected ones, so that "why not?" examines the
very recall that it asks about. Start at `recall`.
"""

from everlore.domain.layer import Layer
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.recall.analysis import QueryAnalysis, RecallTools, analysed
from everlore.recall.candidates import Candidates, candidates_for
from everlore.recall.question import RecallQuery
from everlore.recall.ranking import rank
from everlore.recall.selection import select
from everlore.recall.stopwatch import Stopwatch
from everlore.recall.trace import Trace


async def recall(scope: Scope, query: RecallQuery, tools: RecallTools) -> Trace:
    watch = Stopwatch()
    analysis = await analysed(scope, query, tools, watch)
    found = await candidates_for(scope, query, analysis, tools)
    watch.lap("search")
    kept, dropped = select(found, query, analysis)
    watch.lap("rank")
    return Trace(
        query=query,
        kept=kept,
        dropped=dropped,
        is_seen=any(each.hits for each in found.traced[:1]),
        behind=_behind(found, query, analysis),
        pool=max(query.recipe.pool or tools.pool, query.limit),
        coverage=found.coverage,
        steps=watch.laps,
    )


def _behind(found: Candidates, query: RecallQuery, analysis: QueryAnalysis) -> Recalled | None:
    """The traced memory if one of the searches finds it, even beyond the limit of that search."""
    ways = found.traced[1:] if query.here is not None else found.traced
    hits = [(Layer.SEMANTIC, hit) for each in ways for hit in each.hits]
    return next((each.recalled for each in rank(hits, query, analysis)), None)
