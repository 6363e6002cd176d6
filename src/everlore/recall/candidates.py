"""Fetches all that may be relevant to a query, with one call of the store, without what may not be told here (R2, R11).

Start at `candidates_for`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from everlore.domain.conversation import Conversation
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope, pair_of
from everlore.domain.visibility import is_spoilt_for, may_see
from everlore.recall.analysis import QueryAnalysis, RecallTools
from everlore.recall.examples import with_examples
from everlore.recall.lines.gather import gathered
from everlore.recall.lines.search import best_lines
from everlore.recall.past import said_once
from everlore.recall.question import RecallQuery
from everlore.recall.question_match import coverage_of, least_of_lines
from everlore.recall.reasons import due_of, shared_of
from everlore.recall.searches import Searches, looked_up
from everlore.recall.tellable import TellableFilter
from everlore.store.answers import Coverage, Found, Hit, Parts
from everlore.store.port import Search, Store
from everlore.store.visibility_filters import as_read, as_said

Layered = tuple[Layer, Hit]
# Most candidates that are checked for whether they may be told here.
_LOOKED_AT = 100
_MOST_DUE = 12
_NOTHING = Parts(None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """`hits` by layer; `lines` are ranked already. `evidence` shows whether anything is relevant. `closed` were found
    and may not be told here. `due` are always included, `shared` only at the start of a conversation. `tellers`: who
    told the character what it has not witnessed. `traced`: the hits of the traced memory, the search for it alone
    first."""

    hits: Sequence[Layered]
    lines: Sequence[Recalled] = ()
    evidence: Sequence[Hit] = ()
    closed: Sequence[Layered] = ()
    due: Sequence[Recalled] = ()
    shared: Sequence[Recalled] = ()
    tellers: Mapping[str, str] = field(default_factory=dict, hash=False)
    traced: Sequence[Found] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0))


async def candidates_for(scope: Scope, query: RecallQuery, analysis: QueryAnalysis, tools: RecallTools) -> Candidates:
    found, due, shared = await asyncio.gather(
        _found(scope, query, analysis, tools), _due(scope, query, tools.store), _shared(scope, query, tools.store)
    )
    return found if query.here is None else await _told_in(query.here, scope, query, found, due, shared, tools.store)


async def _found(scope: Scope, query: RecallQuery, analysis: QueryAnalysis, tools: RecallTools) -> Candidates:
    known = await looked_up(scope, query, analysis, tools.store)
    searches = Searches(scope, query, analysis, known, tools.pool, tools.vector_weight)
    asks, for_lines = searches.all(), searches.lines()
    traced = [ask for _, ask in searches.traced(asks)]
    wanted = [*(ask for _, ask in asks), *traced, *([for_lines] if for_lines else [])]
    answers = await tools.store.search_all(scope, wanted)
    said = as_said(answers[len(asks) + len(traced)]) if for_lines else None
    seen = [as_read(each, query.viewer, query.place) for each in answers[: len(asks) + len(traced)]]
    seen = with_examples(await _without_hidden(scope, query, seen, tools), query.words)
    hits = [(layer, hit) for (layer, _), each in zip(asks, seen, strict=False) for hit in each.hits]
    lines = await _lines(scope, query, analysis, tools, for_lines, said) if for_lines and said else []
    beside = _hits_of(lines, said) if said and not query.recipe.cutoff.is_asked else (said.hits if said else ())
    return Candidates(
        hits=hits,
        lines=lines,
        evidence=[*(hit for _, hit in hits), *beside],
        traced=seen[len(asks) :],
        coverage=coverage_of([*seen[: len(asks)], *([said] if said else [])]),
    )


async def _without_hidden(
    scope: Scope, query: RecallQuery, found: Sequence[Found], tools: RecallTools
) -> Sequence[Found]:
    """Without what was hidden from players later, in a query about an earlier time (G9)."""
    if query.as_of is None:
        return found
    ids = dict.fromkeys(hit.record.id for each in found for hit in each.hits if isinstance(hit.record, Memory))
    now = await tools.store.get_many(scope, Memory, ids)
    hidden = {each.id for each in now if is_spoilt_for(query.viewer, each, query.place)}
    return [
        replace(each, hits=tuple(hit for hit in each.hits if hit.record.id not in hidden)) if hidden else each
        for each in found
    ]


async def _lines(
    scope: Scope, query: RecallQuery, analysis: QueryAnalysis, tools: RecallTools, ask: Search, said: Found
) -> list[Recalled]:
    """The lines that answer best, among those found and their neighbours. Without a question, a line must be likely by
    itself and compared to the best, and counts once, however often it was said."""
    near = await gathered(scope, ask, said, store=tools.store, floor=analysis.floor, seen=query.on_screen)
    if not len(near.lines):
        return []
    most = None if query.explain else max(query.recipe.ranked_lines, query.limit)
    wording, named = analysis.wording, analysis.named
    best = await best_lines(near, wording, named, words=tools.words, now=analysis.now, most=most)
    if query.recipe.cutoff.is_asked:
        return best
    least = least_of_lines(each.score for each in best[:1])
    return [each for each in said_once(best) if each.score >= least]


def _hits_of(lines: Sequence[Recalled], said: Found) -> list[Hit]:
    """The lines as hits of the store; a neighbour of a hit matches no words of the query."""
    found = {hit.record.id: hit for hit in said.hits}
    return [found.get(each.record.id) or Hit(PassageKind.MESSAGE, each.record, 0.0, _NOTHING) for each in lines]


# ── what may be told in a reply ──────────────────────────────────────────────────────────────────


async def _told_in(
    here: Conversation,
    scope: Scope,
    query: RecallQuery,
    found: Candidates,
    due: Sequence[Memory],
    shared: Sequence[Memory],
    store: Store,
) -> Candidates:
    """Without what may not be told there, be it found or offered anyhow."""
    rule = TellableFilter(scope=scope, store=store, conversation=here, viewer=query.viewer, on_screen=query.on_screen)
    offered = [
        Hit(PassageKind.MEMORY, each, 0.0, _NOTHING) for each in {each.id: each for each in (*due, *shared)}.values()
    ]
    told = await rule.allowed([*found.evidence, *offered])
    ids = {(hit.kind, hit.record.id) for hit in told}
    evidence = [hit for hit in found.evidence if (hit.kind, hit.record.id) in ids]
    may_be_told = [each for each in due if (PassageKind.MEMORY, each.id) in ids][: max(_MOST_DUE, query.limit // 2)]
    may_be_told.sort(key=lambda each: (-each.importance, each.created_at, each.id))
    begun_with = [each for each in shared if (PassageKind.MEMORY, each.id) in ids][: max(_MOST_DUE, query.limit)]
    return replace(
        found,
        hits=[(layer, hit) for layer, hit in found.hits if (hit.kind, hit.record.id) in ids],
        lines=[each for each in found.lines if (each.kind, each.record.id) in ids],
        evidence=evidence,
        closed=[(layer, hit) for layer, hit in found.hits if (hit.kind, hit.record.id) not in ids],
        tellers=await rule.tellers(evidence),
        due=[replace(due_of(each), layer=_layer_of(each, query)) for each in may_be_told],
        shared=[shared_of(each) for each in begun_with],
    )


def _layer_of(memory: Memory, query: RecallQuery) -> Layer:
    """The layer in which a search would have found it."""
    alone = {query.viewer.person_id: Layer.CHARACTER, query.place.user_id: Layer.SEMANTIC}
    return alone.get(memory.persons[0], Layer.PAIR) if len(memory.persons) == 1 else Layer.PAIR


async def _due(scope: Scope, query: RecallQuery, store: Store) -> list[Memory]:
    """Core facts about the two and the most important memories: always included (M17)."""
    two = [id for id in (query.viewer.person_id, query.place.user_id) if id is not None]
    found = await store.due(scope, two, limit=_LOOKED_AT) if query.here is not None else []
    return [each for each in found if may_see(query.viewer, each, query.place)]


async def _shared(scope: Scope, query: RecallQuery, store: Store) -> list[Memory]:
    """The most important of all that the two share, at the start of a conversation (M3)."""
    me, user, here = query.viewer.person_id, query.place.user_id, query.here
    if here is None or me is None or user is None or not query.begins:
        return []
    found = await store.shared(scope, pair_of(me, user), limit=_LOOKED_AT)
    return [each for each in found if each.conversation_id != here.id and may_see(query.viewer, each, query.place)]
