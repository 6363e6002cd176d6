"""Translates each source of a recipe into searches of the store, with the layer that each fills (R1, R4).

None of them includes what the viewer may not see. Each kind has its own pool: thousands of events must not crowd out a
few memories. Start at `Searches`; `looked_up` fetches what they need first.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from everlore.domain.event import EventType
from everlore.domain.knowledge import Telling
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.policy import visibility
from everlore.domain.scope import Scope
from everlore.recall.analysis import QueryAnalysis
from everlore.recall.lines.search import line_search
from everlore.recall.question import RecallQuery, search_of
from everlore.recall.recipes import Source
from everlore.recall.tellable import other_users
from everlore.store.port import Search, Store
from everlore.store.visibility_filters import as_passed_on, of_the_game, with_what_is_open_of

_MEMORIES = frozenset({PassageKind.MEMORY})
_MESSAGES = frozenset({PassageKind.MESSAGE})
_HAPPENINGS = frozenset(each.value for each in EventType if each is not EventType.INTERACT)
# Most named persons, and most memories of each, that are ranked for the name alone.
_MOST_NAMED = 3
_ABOUT_ONE = 20
_MOST_TIED = 60
_MOST_TOLD = 200
# Most gossip candidates that are ranked before the least relevant are dropped.
_GOSSIP_POOL = 60


@dataclass(frozen=True, slots=True)
class LookedUp:
    """`told`: memories that one of the two who talk told the other; `tied`: those about other named people, or about
    what is related to them, whatever their words (R4); `strangers`: other users."""

    told: frozenset[str] = frozenset()
    tied: frozenset[str] = frozenset()
    strangers: frozenset[str] = frozenset()


async def looked_up(scope: Scope, query: RecallQuery, analysis: QueryAnalysis, store: Store) -> LookedUp:
    if PassageKind.MEMORY not in query.all_kinds:
        return LookedUp()
    ids = {"entity_ids": tuple(analysis.others.steps)}
    if query.here is None:
        return LookedUp(tied=await _tied(scope, ids, store))
    ids["persons"] = tuple(analysis.others.person_ids)
    told, tied, strangers = await asyncio.gather(
        _told_between(scope, query, store), _tied(scope, ids, store), other_users(scope, store, query.place.user_id)
    )
    return LookedUp(told, tied, strangers)


async def _told_between(scope: Scope, query: RecallQuery, store: Store) -> frozenset[str]:
    two = (query.viewer.person_id, query.place.user_id)
    if None in two:
        return frozenset()
    where = {"listener_id": two, "teller_id": two}
    page = await store.find(scope, Telling, where, limit=_MOST_TOLD, newest_first=True)
    return frozenset(each.memory_id for each in page.items)


async def _tied(scope: Scope, wheres: Mapping[str, tuple[str, ...]], store: Store) -> frozenset[str]:
    pages = await asyncio.gather(
        *(
            store.find(scope, Memory, {name: ids}, limit=_MOST_TIED, newest_first=True)
            for name, ids in wheres.items()
            if ids
        )
    )
    return frozenset(each.id for page in pages for each in page.items)


@dataclass(frozen=True, slots=True)
class Searches:
    """`pool` is the setting, for recipes that have none of their own."""

    scope: Scope
    query: RecallQuery
    analysis: QueryAnalysis
    found: LookedUp
    pool: int
    vector_weight: float

    def all(self) -> list[tuple[Layer, Search]]:
        of = {
            Source.KINDS: self._kinds,
            Source.NAMED: self._named,
            Source.OWN: self._own,
            Source.SHARED: self._shared,
            Source.OPEN: self._open,
            Source.TOLD: self._told,
            Source.LOG: self._log,
            Source.OTHERS: self._others,
            Source.GAME: self._game,
        }
        return [each for source in self.query.recipe.sources for each in of[source]()]

    def lines(self) -> Search | None:
        """The search for lines that match the query."""
        if PassageKind.MESSAGE not in self.query.all_kinds:
            return None
        within = self._search(_MESSAGES, pool=max(self.query.recipe.lines, self.query.limit))
        return line_search(within, self.analysis.wording, self.analysis.meanings)

    def traced(self, asks: list[tuple[Layer, Search]]) -> list[tuple[Layer, Search]]:
        """The same for one memory alone: first whether the viewer may see it at all, then each of the searches."""
        if self.query.traced is None or PassageKind.MEMORY not in self.query.all_kinds:
            return []
        refs = frozenset({self.query.traced})
        theirs = [
            (layer, replace(ask, refs=refs, kinds=_MEMORIES))
            for layer, ask in asks
            if PassageKind.MEMORY in ask.kinds and refs <= (ask.refs or refs)
        ]
        return [(Layer.SEMANTIC, self._search(_MEMORIES, refs=refs)), *theirs]

    # ── questions ──

    def _kinds(self) -> list[tuple[Layer, Search]]:
        kinds = sorted(self.query.all_kinds - _MESSAGES)
        return [(Layer.SEMANTIC, self._of_kind(kind)) for kind in kinds]

    def _of_kind(self, kind: PassageKind) -> Search:
        """Memories say more than the event of a whole conversation, which has only a title."""
        ask = self._search(frozenset({kind}))
        if kind is PassageKind.EVENT and PassageKind.MEMORY in self.query.all_kinds and not ask.types:
            return replace(ask, types=_HAPPENINGS)
        return ask

    def _named(self) -> list[tuple[Layer, Search]]:
        if PassageKind.MEMORY not in self.query.all_kinds:
            return []
        persons = sorted(self.analysis.others.person_ids)[:_MOST_NAMED]
        asks = [replace(self._search(_MEMORIES, pool=_ABOUT_ONE), person_id=id) for id in persons]
        asks += [self._search(_MEMORIES, refs=self.found.tied)] if self.found.tied else []
        return [(Layer.SEMANTIC, ask) for ask in asks]

    # ── replies ──

    def _own(self) -> list[tuple[Layer, Search]]:
        return self._also_tied(Layer.CHARACTER, replace(self._search(_MEMORIES), persons=self._alone(self._me)))

    def _shared(self) -> list[tuple[Layer, Search]]:
        if self._user is None:
            return []
        return self._also_tied(Layer.PAIR, replace(self._search(_MEMORIES), person_id=self._user))

    def _open(self) -> list[tuple[Layer, Search]]:
        if self._user is None:
            return []
        ask = replace(self._search(_MEMORIES), persons=self._alone(self._user))
        return self._also_tied(Layer.SEMANTIC, with_what_is_open_of(ask, self._user))

    def _told(self) -> list[tuple[Layer, Search]]:
        return [(Layer.PAIR, self._search(_MEMORIES, refs=self.found.told))] if self.found.told else []

    def _log(self) -> list[tuple[Layer, Search]]:
        """Without summaries for a caller who may not see any (C4)."""
        kinds = self.query.all_kinds - _MEMORIES - _MESSAGES
        readable = kinds if visibility(self.scope.role).summaries else kinds - {PassageKind.SUMMARY}
        # A search without kinds would find all of them.
        return [(Layer.SEMANTIC, self._search(readable))] if readable else []

    def _others(self) -> list[tuple[Layer, Search]]:
        if self.query.gossip_threshold is None or self._me is None:
            return []
        text, meaning = self.analysis.gossip
        ask = Search(
            text=text,
            vector=meaning.vector,
            model=meaning.model,
            kinds=_MEMORIES,
            # What the character shares with nobody is not gossip.
            besides=self._alone(self._me),
            without=self.found.strangers or None,
            limit=_GOSSIP_POOL,
            pool=_GOSSIP_POOL,
            vector_weight=self.vector_weight,
        )
        return [(Layer.CROSS, as_passed_on(ask, self._me, self.query.listener_id))]

    def _game(self) -> list[tuple[Layer, Search]]:
        """Canon is for all who play here, and the game master knows what happened to each of them."""
        ask = replace(self._search(_MEMORIES), without=None)
        viewer = self.query.viewer
        return [(Layer.SEMANTIC, of_the_game(ask, id)) for id in viewer.runs | viewer.plays]

    @property
    def _me(self) -> str | None:
        return self.query.viewer.person_id

    @property
    def _user(self) -> str | None:
        return self.query.place.user_id

    def _alone(self, person_id: str | None) -> frozenset[str]:
        return frozenset({person_id} if person_id is not None else ())

    def _also_tied(self, layer: Layer, ask: Search) -> list[tuple[Layer, Search]]:
        return [(layer, ask), *([(layer, replace(ask, refs=self.found.tied))] if self.found.tied else [])]

    def _search(
        self, kinds: frozenset[PassageKind], *, pool: int | None = None, refs: frozenset[str] | None = None
    ) -> Search:
        pool = pool or max(self.query.recipe.pool or self.pool, self.query.limit)
        meaning = self.analysis.meanings[0]
        ask = search_of(self.query, meaning, kinds, pool=pool, vector_weight=self.vector_weight, refs=refs)
        return replace(ask, without=self.query.without | self.found.strangers or None)
