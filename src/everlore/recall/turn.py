"""What one character may know when it answers one user: what the two share, its own, what the user keeps for everyone,
what was said between them before, and, where gossip is let in, what it has with others (R1, R6).

Never what the user shares with somebody else, nor what the character shares with another user. Fetch, decide: every
layer is one or two questions to the store, which lets only through what the character knows (R11); what comes back is
weighed, and gets its part of the room.

Start at `known_for`.
"""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from everlore.domain.config import RecipeName
from everlore.domain.conversation import Conversation, Message
from everlore.domain.knowledge import Telling
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.policy import is_held_back, most_recalled, visibility
from everlore.domain.recalled import LastSession, LeftOut, Limit, Recalled
from everlore.domain.scope import Scope, pair_of
from everlore.domain.visibility import Place, Viewer, may_see, place_of
from everlore.domain.words import query_terms, terms_of
from everlore.models.embedder import Embedder
from everlore.recall.about import telling
from everlore.recall.diversity import spread
from everlore.recall.examples import with_examples
from everlore.recall.gossip import gossip_search, opening_words
from everlore.recall.layers import Allotted, allot
from everlore.recall.lines.features import Words
from everlore.recall.lines.gather import gathered
from everlore.recall.lines.search import best_lines, line_search
from everlore.recall.names import QueryNames, is_about, named_in
from everlore.recall.noise import NoiseModel
from everlore.recall.past import denied_here, heard_by, hidden_from, is_hidden_here, last_talk, said_once, words_of
from everlore.recall.query_embedding import QueryEmbedding, meaning_of, meanings_of
from everlore.recall.question import focus_of
from everlore.recall.question_match import QuestionMatch, coverage_of, few_of, least_of, least_of_lines, opening_of
from everlore.recall.ranking import eased, for_named, weights_of
from everlore.recall.reasons import also_due, doubted, due_of, shared_of, time_of, told, weighed_of
from everlore.recall.recipes import RECIPES, Recipe, Shares
from everlore.recall.tellable import TellableFilter
from everlore.recall.times import asked_time, time_weight
from everlore.recall.wording import Wording
from everlore.settings import SearchSettings
from everlore.store.port import Coverage, Found, Hit, Parts, Search, Store
from everlore.store.visibility_filters import as_said, as_seen_by, of_the_game, with_what_is_open_of

# As many are told of that had no room.
_MOST_LEFT = 20
# More tokens than anything takes.
_ANY_ROOM = 10**9
# As many of each layer are weighed at least, and at most.
_POOL = 40
_MOST_POOL = 400
_MOST_LINES = 8
# So many lines of past talks are brought by each arm, and so many of the best are offered, if they are likely enough.
_LINES = 24
_MOST_RANKED = 20
# What a memory and a summary count beside how likely a line is, where all are after the same room.
_MEMORY = 0.5
_SUMMARY = 0.4
# So many memories come along beside what is plain, and whatever they weigh.
_MOST_BESIDE = 2
_ANY = (0.0, 0.0)
_MOST_DUE = 12
# Of so many it is looked whether they may be told here.
_LOOKED_AT = 100
_MOST_TOLD = 200
_MOST_TIED = 60
_MESSAGES = frozenset({PassageKind.MESSAGE})


@dataclass(frozen=True, slots=True)
class Gossiping:
    """How relevant what the character has with others must be (R6)."""

    threshold: float = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuery:
    """Who is to know what, and where. `on_screen` are the messages that stand in the prompt anyhow; `budget` is the
    room in tokens, and `shares` how it is divided where the recipe is not to say it."""

    conversation: Conversation
    character_id: str
    text: str
    now: datetime
    on_screen: frozenset[str] = frozenset()
    recipe: RecipeName = RecipeName.COMPANION
    shares: Shares = field(default_factory=dict, hash=False)
    budget: int = 500
    gossiping: Gossiping | None = None
    # The character as a viewer: where a campaign is played, who runs its game may know what players must not (G9).
    viewer: Viewer
    with_earlier: bool = False
    with_last: bool = True
    # The talk has just begun: it starts with what the two have shared before (M3).
    begins: bool = False

    @property
    def user_id(self) -> str | None:
        return self.conversation.user_id

    @property
    def place(self) -> Place:
        return place_of(self.conversation)

    def divided(self) -> Shares:
        if self.shares:
            return self.shares
        recipe = RECIPES[self.recipe]
        return recipe.shares_with_gossip if self.gossiping else recipe.shares


@dataclass(frozen=True, slots=True)
class TurnRecall:
    """`recalled` best first, each with its reason; `left` had no room, and says why; `earlier` are lines of earlier
    conversations, oldest first. `coverage` is of what was looked through; `shares`: how layers divide the room."""

    recalled: tuple[Recalled, ...]
    earlier: tuple[Message, ...] = ()
    last_session: LastSession | None = None
    left: tuple[LeftOut, ...] = ()
    coverage: Coverage = field(default_factory=lambda: Coverage(0, 0))
    shares: Shares = field(default_factory=dict, hash=False)

    @property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(each.memory for each in self.recalled if each.kind is PassageKind.MEMORY)


async def known_for(
    scope: Scope,
    asked: TurnQuery,
    *,
    store: Store,
    embedder: Embedder | None,
    settings: SearchSettings,
    floor: NoiseModel,
    words: Words,
    cost: Callable[[str], int],
) -> TurnRecall:
    asked = replace(asked, text=focus_of(asked.text))
    named = await named_in(scope, asked.text, store=store, viewer=asked.viewer, place=asked.place)
    wording = Wording.of(asked.text, named)
    meanings = await meanings_of(wording.texts(with_lines=True), embedder)
    counts = {kind: telling(wording.words) for kind in PassageKind}
    counts[PassageKind.MESSAGE] = telling(wording.topic)
    most = most_recalled(scope.mode, scope.role, asked.budget)
    opens = await opening_words(scope, asked.text, named, store=store) if asked.gossiping else ""
    looking = _Looking(
        scope=scope,
        store=store,
        here=TellableFilter(
            scope=scope,
            store=store,
            conversation=asked.conversation,
            viewer=asked.viewer,
            on_screen=asked.on_screen,
        ),
        asked=asked,
        wording=wording,
        named=named,
        others=named.besides((asked.character_id, asked.user_id)),
        meanings=meanings,
        telling=counts,
        vector_weight=settings.vector_weight,
        floor=floor,
        word_vectors=words,
        most=min(most, _MOST_POOL),
        gossip=(opens, await meaning_of(opens, embedder)),
    )
    (found, coverage), due, shared, (last, last_told) = await asyncio.gather(
        looking.layers(),
        looking.due(),
        looking.shared(),
        last_talk(
            scope, store, asked.conversation, asked.character_id, looked_for=asked.with_last or asked.with_earlier
        ),
    )
    found = with_due(found, due, shared)
    lines = [each.record for each in found[Layer.SEMANTIC] if isinstance(each.record, Message)]
    said = [each for each in lines if each.conversation_id != asked.conversation.id]
    shares = asked.divided()
    # A share of nothing that was set is a layer that is not wanted.
    offered = {layer: spread(each) for layer, each in found.items() if shares.get(layer) != 0}

    def allotted_within(room: int) -> Allotted:
        return allot(offered, shares, room, lambda each: cost(getattr(each.record, "content", "")), most)

    allotted = allotted_within(asked.budget)
    again = {words_of(each) for each in last}
    said = [each for each in said if words_of(each) not in again]
    earlier = heard_by([*said[:_MOST_LINES], *last], asked.character_id) if asked.with_earlier else ()
    recalled = tuple(map(told, allotted.kept))
    # A depth that no budget lifts keeps out what stands behind it in any room.
    behind = allotted_within(_ANY_ROOM).left if is_held_back(scope.mode, scope.role) else ()
    left = _left(scope, asked, allotted, {each.record.id for each in behind}, most)
    return TurnRecall(recalled, earlier, last_told if asked.with_last else None, left, coverage, shares)


def _left(scope: Scope, asked: TurnQuery, allotted: Allotted, behind: set[str], most: int) -> tuple[LeftOut, ...]:
    """What does not come along, and why."""
    deep = f"depth: in mode {scope.mode.value} at most {most} come to whoever is {scope.role.value}"
    many = f"no room: {most} others come before it, as many as a memory_budget of {asked.budget} brings"
    full = f"no room: better ones fill a memory_budget of {asked.budget}"
    why = many if len(allotted.kept) >= most else full
    return tuple(
        LeftOut(told(each), deep, (Limit.DEPTH,)) if each.record.id in behind else LeftOut(told(each), why)
        for each in allotted.left[:_MOST_LEFT]
    )


def with_due(
    found: Mapping[Layer, Sequence[Recalled]], due: Sequence[Recalled], shared: Sequence[Recalled] = ()
) -> dict[Layer, list[Recalled]]:
    """With those that are offered whatever was said; of what was found as well, both reasons are told. `shared` is what
    a talk of the two begins with, beside all that is there for another reason."""
    wanted = {each.record.id for each in due}
    there = {each.record.id for members in found.values() for each in members}
    layers = {
        layer: [also_due(each) if each.record.id in wanted else each for each in members]
        for layer, members in found.items()
    }
    beside = [each for each in shared if each.record.id not in wanted]
    for layer, members in layers.items():
        offered = [each for each in (*due, *beside) if each.layer is layer and each.record.id not in there]
        layers[layer] = [*offered, *members]
    return layers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looking:
    scope: Scope
    store: Store
    here: TellableFilter
    asked: TurnQuery
    wording: Wording
    named: QueryNames
    # Of these, whoever is not one of the two who talk.
    others: QueryNames
    meanings: Sequence[QueryEmbedding]
    # How many words that say something each kind is looked for with.
    telling: Mapping[PassageKind, int]
    vector_weight: float
    floor: NoiseModel
    word_vectors: Words
    # How many may come back at most: more are weighed where more may come.
    most: int
    # What must bear on what the character has with others, and its meaning.
    gossip: tuple[str, QueryEmbedding]

    async def layers(self) -> tuple[dict[Layer, list[Recalled]], Coverage]:
        heard, tied, strangers = await asyncio.gather(self._told_between(), self._tied(), self.here.strangers())
        searches, ask = self._searches(heard, tied, strangers), self._line_search(strangers)
        *found, lines = await self.store.search_all(self.scope, [*(each for _, each in searches), ask])
        said = as_said(lines)
        answers = with_examples(found, self.asked.text)
        ranked = await self._ranked(ask, said)
        hits = await self.here.allowed(
            [
                *((layer, hit) for (layer, _), found in zip(searches, answers, strict=True) for hit in found.hits),
                *((Layer.SEMANTIC, hit) for hit in _hits_of(ranked, said)),
            ]
        )
        coverage = coverage_of([*answers, said])
        return await self._told(hits, ranked, coverage.passages), coverage

    async def _told(
        self, hits: Sequence[tuple[Layer, Hit]], ranked: Mapping[str, Recalled], passages: int
    ) -> dict[Layer, list[Recalled]]:
        """What bears enough on what was said, each layer best first."""
        allowed = [hit for _, hit in hits]
        tellers = await self.here.tellers(allowed)
        opening = self._opening(allowed, passages)
        least = self._least(allowed, opening)
        fits = self._fitting(allowed)
        beside = self._beside(allowed, least[0], opening)
        lines = _told_lines([ranked[hit.record.id] for hit in allowed if hit.record.id in ranked], opening)
        layers: dict[Layer, list[Recalled]] = {layer: [] for layer in Layer}
        for layer, hit in hits:
            if not (opening.is_plain or isinstance(hit.record, Memory) or hit.record.id in lines):
                continue
            line = lines.get(hit.record.id) if hit.kind is PassageKind.MESSAGE else None
            is_beside = hit.record.id in beside
            recalled = line or self._weighed(layer, hit, _ANY if is_beside else least, fits(hit))
            if recalled is not None:
                recalled = doubted(recalled) if is_beside or not opening.is_plain else recalled
                teller = tellers.get(hit.record.id)
                layers[layer].append(replace(recalled, told_by=teller) if teller else recalled)
        for members in layers.values():
            members.sort(key=lambda each: (-each.score, each.record.id))
        return layers

    # ── what is asked ──

    def _line_search(self, strangers: frozenset[str]) -> Search:
        """For what was said when the character was there."""
        within = replace(
            self._search(kinds=_MESSAGES),
            without=strangers,
            pool=max(_LINES, self.most),
        )
        return line_search(within, self.wording, self.meanings)

    async def _ranked(self, ask: Search, said: Found) -> dict[str, Recalled]:
        """Of the lines that were found, and those around them, the ones that answer best, by their ids: each likely
        enough by itself, and beside the best."""
        lines = await gathered(self.scope, ask, said, store=self.store, floor=self.floor, seen=self.asked.on_screen)
        if not len(lines.lines):
            return {}
        best = await best_lines(
            lines,
            self.wording,
            self.named,
            words=self.word_vectors,
            now=self.asked.now,
            most=max(_MOST_RANKED, self.most),
        )
        least = least_of_lines(each.score for each in best[:1])
        return {each.record.id: each for each in said_once(best) if each.score >= least}

    def _searches(
        self, heard: frozenset[str], tied: frozenset[str], strangers: frozenset[str]
    ) -> list[tuple[Layer, Search]]:
        """One or two for each layer. What the character does not know is in none of them."""
        asked, memories = self.asked, frozenset({PassageKind.MEMORY})
        me, user = asked.character_id, asked.user_id
        found = [(Layer.CHARACTER, self._search(kinds=memories, persons=frozenset({me})))]
        if user is not None:
            found.append((Layer.PAIR, self._search(kinds=memories, person_id=user)))
            own = self._search(kinds=memories, persons=frozenset({user}))
            found.append((Layer.SEMANTIC, with_what_is_open_of(own, user)))
        if tied:
            found += [(layer, replace(ask, refs=tied)) for layer, ask in found]
        if heard:
            found.append((Layer.PAIR, self._search(kinds=memories, refs=heard)))
        log = _readable(RECIPES[asked.recipe].kinds - memories - _MESSAGES, self.scope)
        found.append((Layer.SEMANTIC, self._search(kinds=log)))
        if asked.gossiping is not None:
            found.append((Layer.CROSS, gossip_search(me, user, *self.gossip, self.vector_weight)))
        found = [(layer, replace(ask, without=strangers)) for layer, ask in found]
        for campaign_id in asked.viewer.runs | asked.viewer.plays:
            # Canon is for all who play here, and who runs the game knows what happened to each of them.
            found.append((Layer.SEMANTIC, of_the_game(self._search(kinds=memories), campaign_id)))
        return found

    def _search(
        self,
        *,
        kinds: frozenset[PassageKind],
        persons: frozenset[str] | None = None,
        person_id: str | None = None,
        refs: frozenset[str] | None = None,
    ) -> Search:
        """For what the character may see here, without what its user keeps for everybody."""
        asked = Search(
            text=self.asked.text,
            vector=self._meaning.vector,
            model=self._meaning.model,
            kinds=kinds,
            persons=persons,
            person_id=person_id,
            refs=refs,
            limit=max(_POOL, self.most),
            pool=max(_POOL, self.most),
            vector_weight=self.vector_weight,
        )
        return as_seen_by(asked, self.asked.viewer, replace(self.asked.place, user_id=None))

    @property
    def _meaning(self) -> QueryEmbedding:
        return self.meanings[0]

    async def _told_between(self) -> frozenset[str]:
        """What one of the two told the other."""
        me, user = self.asked.character_id, self.asked.user_id
        if user is None:
            return frozenset()
        where = {"listener_id": (me, user), "teller_id": (me, user)}
        page = await self.store.find(self.scope, Telling, where, limit=_MOST_TOLD, newest_first=True)
        return frozenset(each.memory_id for each in page.items)

    async def _tied(self) -> frozenset[str]:
        """Memories of whoever else is named, or of what is tied to them, whatever their words are (R4)."""
        wheres = {"persons": tuple(self.others.person_ids), "entity_ids": tuple(self.others.steps)}
        pages = await asyncio.gather(
            *(
                self.store.find(self.scope, Memory, {name: ids}, limit=_MOST_TIED, newest_first=True)
                for name, ids in wheres.items()
                if ids
            )
        )
        return frozenset(each.id for page in pages for each in page.items)

    # ── what it weighs ──

    def _least(self, hits: Sequence[Hit], opening: QuestionMatch) -> tuple[float, float]:
        """The relevance that each must have, a part of what the best has; and what those about somebody who is named
        must have, whatever else. Who talks says more than one thing at a time: in doubt a few memories come along."""
        least = least_of(map(self._relevance, hits))
        if opening.is_plain:
            return least, least
        memories = {hit.record.id: self._relevance(hit) for hit in hits if isinstance(hit.record, Memory)}
        few = sorted(memories.values(), reverse=True)[: few_of(PassageKind.MEMORY, opening)]
        return (max(least, few[-1]) if few else math.inf), least

    def _beside(self, hits: Sequence[Hit], least: float, opening: QuestionMatch) -> frozenset[str]:
        """The memories that come along beside what is plainly meant, for a word that none of those has: who asks after
        two things at once, of which one is known well, asks after the other too."""
        if not opening.is_plain:
            return frozenset()
        memories = {hit.record.id: hit for hit in hits if isinstance(hit.record, Memory)}
        relevance = {id: self._relevance(hit) for id, hit in memories.items()}
        words = {id: frozenset(terms_of(hit.memory.content)) for id, hit in memories.items()}
        plain = (words[id] for id in memories if relevance[id] >= least)
        left = frozenset(query_terms(self.wording.topic)).difference(*plain)
        beside = [id for id in memories if relevance[id] < least and left & words[id]]
        return frozenset(sorted(beside, key=lambda id: (-relevance[id], id))[:_MOST_BESIDE])

    def _relevance(self, hit: Hit) -> float:
        relevance = self.floor.relevance(hit.parts, self.telling[hit.kind])
        return for_named(relevance, hit.record, self.others) if isinstance(hit.record, Memory) else relevance

    def _opens(self, hit: Hit, gossiping: Gossiping) -> bool:
        """Whether what the character has with others bears on what was said, whoever is named (R6)."""
        return self.floor.relevance(hit.parts, telling(self.gossip[0])) >= gossiping.threshold

    def _is_about_others(self, hit: Hit) -> bool:
        return isinstance(hit.record, Memory) and is_about(hit.record, self.others) is not None

    def _fitting(self, hits: Sequence[Hit]) -> Callable[[Hit], float]:
        """How well each fits the time that is spoken of, if one is (R3)."""
        asked = asked_time(self.asked.text, self.asked.now)
        times = [at for hit in hits if (at := time_of(hit.record)) is not None] if asked else []
        if not times:
            return lambda _: 1.0
        return lambda hit: time_weight(asked, time_of(hit.record), min(times), max(times))

    def _opening(self, hits: Sequence[Hit], passages: int) -> QuestionMatch:
        vector = self._meaning.vector
        return opening_of(hits, self.wording, self.named, floor=self.floor, passages=passages, vector=vector)

    def _weighed(self, layer: Layer, hit: Hit, least: tuple[float, float], fit: float) -> Recalled | None:
        relevance = self._relevance(hit)
        if layer is Layer.CROSS and self.asked.gossiping and not self._opens(hit, self.asked.gossiping):
            return None
        if relevance < least[self._is_about_others(hit)]:
            return None
        weights = {"time": fit} if fit < 1 else {}
        if isinstance(hit.record, Memory):
            weights |= weights_of(hit.record, self._recipe, self.asked.now, self.asked.on_screen)
        score = eased(relevance, _MEMORY if hit.kind is PassageKind.MEMORY else 1.0, *weights.values())
        # A summary tells of many things, and takes the room of many lines.
        score *= _SUMMARY if hit.kind is PassageKind.SUMMARY else 1.0
        return weighed_of(hit, score=score, layer=layer, weights=weights)

    @property
    def _recipe(self) -> Recipe:
        return RECIPES[self.asked.recipe]

    async def due(self) -> list[Recalled]:
        """Who the two are, and what matters most: offered whatever was said (M17)."""
        pair = [id for id in (self.asked.character_id, self.asked.user_id) if id is not None]
        found = [each for each in await self.store.due(self.scope, pair, limit=_LOOKED_AT) if self._may_see(each)]
        hidden = await hidden_from(
            self.scope, self.store, self.asked.conversation, [each.conversation_id for each in found]
        )
        here = self.asked.conversation
        denied = await denied_here(self.scope, self.store, found, here)
        known = (each for each in found if not is_hidden_here(each, here, hidden) and each.id not in denied)
        offered = list(known)[: max(_MOST_DUE, self.most // 2)]
        offered.sort(key=lambda each: (-each.importance, each.created_at, each.id))
        return [replace(due_of(each), layer=self._layer_of(each)) for each in offered]

    def _layer_of(self, memory: Memory) -> Layer:
        """Where a search would have found it."""
        alone = {self.asked.character_id: Layer.CHARACTER, self.asked.user_id: Layer.SEMANTIC}
        return alone.get(memory.persons[0], Layer.PAIR) if len(memory.persons) == 1 else Layer.PAIR

    async def shared(self) -> list[Recalled]:
        """What weighs most of all that the two have shared, when they begin to talk again (M3)."""
        user = self.asked.user_id
        if user is None or not self.asked.begins:
            return []
        found = await self.store.shared(self.scope, pair_of(self.asked.character_id, user), limit=_LOOKED_AT)
        before = [each for each in found if each.conversation_id != self.asked.conversation.id]
        hits = [Hit(PassageKind.MEMORY, each, 0.0, Parts(None, None)) for each in before if self._may_see(each)]
        allowed = await self.here.allowed([(Layer.PAIR, hit) for hit in hits])
        return [shared_of(hit.memory) for _, hit in allowed[: max(_MOST_DUE, self.most)]]

    def _may_see(self, memory: Memory) -> bool:
        return may_see(self.asked.viewer, memory, self.asked.place)


def _readable(kinds: frozenset[PassageKind], scope: Scope) -> frozenset[PassageKind]:
    """Without summaries for a caller who may not see any (C4)."""
    return kinds if visibility(scope.role).summaries else kinds - {PassageKind.SUMMARY}


def _told_lines(best: Sequence[Recalled], opening: QuestionMatch) -> dict[str, Recalled]:
    """Of the lines that answer best, those that are told: all where they are plainly meant, else a few or none."""
    most = len(best) if opening.is_plain else few_of(PassageKind.MESSAGE, opening)
    return {each.record.id: each for each in sorted(best, key=lambda each: -each.score)[:most]}


def _hits_of(ranked: Mapping[str, Recalled], said: Found) -> list[Hit]:
    """The lines as the store found them; what stands beside a hit shares nothing with what was said."""
    found = {hit.record.id: hit for hit in said.hits}
    return [
        found.get(id) or Hit(PassageKind.MESSAGE, line.record, 0.0, Parts(None, None)) for id, line in ranked.items()
    ]
