"""One recall: fetch what may bear on a question, weigh it, and give back the best, each with its reason (R2, R5).

Start at `recall`.
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.domain.event import EventType
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.domain.visibility import is_spoilt_for
from everlore.models.embedder import Embedder
from everlore.recall.about import telling
from everlore.recall.answer import Dropped, RecallAnswer, Step, WhyNotVerdict
from everlore.recall.diversity import best_first, spread
from everlore.recall.examples import with_examples
from everlore.recall.lines.features import Words
from everlore.recall.lines.gather import Gathered, gathered
from everlore.recall.lines.search import best_lines, line_search
from everlore.recall.names import QueryNames, named_in
from everlore.recall.noise import NoiseModel, NoiseModels
from everlore.recall.query_embedding import QueryEmbedding, meaning_of, meanings_of
from everlore.recall.question import RecallQuery, search_of
from everlore.recall.question_match import (
    Bearing,
    QuestionMatch,
    bearing_of,
    coverage_of,
    few_of,
    least_of,
    least_of_lines,
    opening_of,
)
from everlore.recall.ranking import eased, for_named, weights_of
from everlore.recall.reasons import doubted, outside, time_of, told, weighed_of
from everlore.recall.recipes import RECIPES, Recipe
from everlore.recall.stopwatch import Stopwatch
from everlore.recall.times import AskedTime, asked_time, time_weight
from everlore.recall.wording import Wording
from everlore.store.port import Found, Hit, Search, Store
from everlore.store.visibility_filters import as_read, as_said

_MEMORIES = frozenset({PassageKind.MEMORY})
_MESSAGES = frozenset({PassageKind.MESSAGE})
_HAPPENINGS = frozenset(each.value for each in EventType if each is not EventType.INTERACT)
# So many lines are brought by each arm.
_LINES = 120
# Of each of so many persons, so many memories are weighed for their being named alone.
_MOST_NAMED = 3
_ABOUT_ONE = 20
_MOST_TIED = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTools:
    """What recall works with, given by whoever asks."""

    store: Store
    embedder: Embedder | None
    floors: NoiseModels
    words: Words
    pool: int
    vector_weight: float
    now: datetime


async def recall(scope: Scope, question: RecallQuery, resources: RecallTools, *, explain: bool = False) -> RecallAnswer:
    watch = Stopwatch()
    named = await named_in(scope, question.words, store=resources.store, viewer=question.viewer, place=question.place)
    watch.lap("names")
    asked = Wording.of(question.words, named)
    meanings = await meanings_of(asked.texts(with_lines=PassageKind.MESSAGE in question.kinds), resources.embedder)
    floor = await resources.floors.of(resources.embedder)
    watch.lap("embed")
    found, lines = await asyncio.gather(
        Looking(scope, question, meanings[0], named, resources).found(),
        _lines(scope, question, asked, meanings, floor, resources),
    )
    watch.lap("search")
    searched = [*found, *([lines.found] if lines else [])]
    hits = [hit for each in searched for hit in each.hits]
    time, recipe = asked_time(question.words, resources.now), RECIPES[question.recipe]
    weighing = RankingInput(floor, named, time, resources.now, telling(asked.words), recipe)
    weighed = weighing.weighed([hit for each in found for hit in each.hits])
    ranked: list[Recalled] = []
    if lines is not None:
        most = None if explain else question.limit
        ranked = await best_lines(lines, asked, named, words=resources.words, now=resources.now, most=most)
    coverage = coverage_of(searched)
    vector, passages = meanings[0].vector, coverage.passages
    opening = opening_of(hits, asked, named, floor=floor, passages=passages, vector=vector)
    kept, dropped = chosen(question, judged(weighed, ranked, opening), opening)
    hits_told = tuple(told(each) for each in kept)
    dropped_told = tuple(replace(each, recalled=told(each.recalled)) for each in dropped) if explain else ()
    watch.lap("rank")
    return RecallAnswer(hits_told, coverage, dropped_told, watch.laps)


async def _lines(
    scope: Scope,
    question: RecallQuery,
    wording: Wording,
    meanings: Sequence[QueryEmbedding],
    floor: NoiseModel,
    resources: RecallTools,
) -> Gathered | None:
    if PassageKind.MESSAGE not in question.kinds:
        return None
    pool = max(_LINES, question.limit)
    within = search_of(question, meanings[0], _MESSAGES, pool=pool, vector_weight=resources.vector_weight)
    ask = line_search(within, wording, meanings)
    found = as_said(await resources.store.search(scope, ask))
    return await gathered(scope, ask, found, store=resources.store, floor=floor)


# ── what may bear on it ──────────────────────────────────────────────────────────────────────────


class Looking:
    """Asks the store. Each kind has a pool of its own: thousands of events must not crowd out a few memories."""

    def __init__(
        self, scope: Scope, question: RecallQuery, meaning: QueryEmbedding, named: QueryNames, resources: RecallTools
    ) -> None:
        self._scope = scope
        self._question = question
        self._meaning = meaning
        self._named = named
        self._store = resources.store
        self._pool = max(resources.pool, question.limit)
        self._weight = resources.vector_weight

    async def found(self) -> Sequence[Found]:
        kinds = sorted(self._question.kinds - {PassageKind.MESSAGE})
        asked = [self._of_kind(kind) for kind in kinds]
        if PassageKind.MEMORY in self._question.kinds and self._named:
            asked += await self._about_the_named()
        found = await self._without_hidden(await self._store.search_all(self._scope, asked))
        viewer, place = self._question.viewer, self._question.place
        return with_examples([as_read(each, viewer, place) for each in found], self._question.words)

    async def _without_hidden(self, found: Sequence[Found]) -> Sequence[Found]:
        """Of an earlier time: what was hidden from players since is hidden (G9)."""
        if self._question.as_of is None:
            return found
        ids = dict.fromkeys(hit.record.id for each in found for hit in each.hits if isinstance(hit.record, Memory))
        now = await self._store.get_many(self._scope, Memory, ids)
        viewer, place = self._question.viewer, self._question.place
        hidden = {each.id for each in now if is_spoilt_for(viewer, each, place)}
        return [
            replace(each, hits=tuple(hit for hit in each.hits if hit.record.id not in hidden)) if hidden else each
            for each in found
        ]

    def _of_kind(self, kind: PassageKind) -> Search:
        """Beside memories, a conversation as a whole tells nothing more: its event has a title for its words."""
        asked = self._search(frozenset({kind}))
        if kind is PassageKind.EVENT and PassageKind.MEMORY in self._question.kinds and not asked.types:
            return replace(asked, types=_HAPPENINGS)
        return asked

    async def _about_the_named(self) -> list[Search]:
        """Memories of whoever is named, or tied to them, whatever their words are (R4)."""
        asked = [
            self._search(_MEMORIES, pool=_ABOUT_ONE, person_id=id)
            for id in sorted(self._named.person_ids)[:_MOST_NAMED]
        ]
        if entities := tuple(self._named.steps):
            page = await self._store.find(
                self._scope, Memory, {"entity_ids": entities}, limit=_MOST_TIED, newest_first=True
            )
            if ids := frozenset(each.id for each in page.items):
                asked.append(self._search(_MEMORIES, refs=ids))
        return asked

    def _search(
        self,
        kinds: frozenset[PassageKind],
        *,
        pool: int | None = None,
        person_id: str | None = None,
        refs: frozenset[str] | None = None,
    ) -> Search:
        asked = search_of(
            self._question, self._meaning, kinds, pool=pool or self._pool, vector_weight=self._weight, refs=refs
        )
        return replace(asked, person_id=person_id)


# ── what comes back ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What a hit is weighed with. `words`: the telling ones of the question."""

    floor: NoiseModel
    named: QueryNames
    time: AskedTime
    now: datetime
    words: int
    recipe: Recipe

    def weighed(self, hits: Sequence[Hit]) -> list[Recalled]:
        times = [at for hit in hits if (at := time_of(hit.record)) is not None]
        earliest, latest = (min(times), max(times)) if times else (self.now, self.now)
        found = {(hit.kind, hit.record.id): hit for hit in hits}
        weighed = [self._one(hit, earliest, latest) for hit in found.values()]
        return sorted(weighed, key=lambda each: (-each.score, each.record.id))

    def _one(self, hit: Hit, earliest: datetime, latest: datetime) -> Recalled:
        relevance = self._relevance(hit)
        weights = {"time": time_weight(self.time, time_of(hit.record), earliest, latest)}
        if isinstance(hit.record, Memory):
            weights |= weights_of(hit.record, self.recipe, self.now)
        less = {name: weight for name, weight in weights.items() if weight < 1}
        return weighed_of(hit, score=eased(relevance, *less.values()), weights={"relevance": relevance, **less})

    def _relevance(self, hit: Hit) -> float:
        relevance = self.floor.relevance(hit.parts, self.words)
        return for_named(relevance, hit.record, self.named) if isinstance(hit.record, Memory) else relevance


def judged(
    weighed: Sequence[Recalled], lines: Sequence[Recalled], opening: QuestionMatch
) -> list[tuple[Recalled, Bearing]]:
    """Each as it bears on the question; what is doubtful says so."""
    leasts = ((weighed, least_of(map(_relevance, weighed))), (lines, least_of_lines(map(_relevance, lines))))
    found = [(each, bearing_of(each, opening, least)) for members, least in leasts for each in members]
    return [(doubted(each) if bearing is Bearing.DOUBTFUL else each, bearing) for each, bearing in found]


def _relevance(recalled: Recalled) -> float:
    return recalled.parts["relevance"]


def chosen(
    question: RecallQuery, found: Sequence[tuple[Recalled, Bearing]], opening: QuestionMatch
) -> tuple[tuple[Recalled, ...], tuple[Dropped, ...]]:
    """The best of what was found, and what was dropped on the way, with the step and the reason."""
    # Among equals as they came: lines are in their order already.
    best = sorted(found, key=lambda each: best_first(each[0]))
    wanted = _wanted(question, best, opening)
    different = spread(wanted, question.limit)
    over = different[question.limit :]
    repeated = [each for each in over if "diversity" in each.parts]
    dropped = [
        *_told(_rest([each for each, _ in found], wanted), Step.FLOOR, _why_unwanted(question)),
        *_told(repeated, Step.DIVERSITY, f"A better match says the same, and {question.limit} others rank higher."),
        *_told(_rest(over, repeated), Step.LIMIT, f"{question.limit} others rank higher."),
    ]
    return tuple(different[: question.limit]), tuple(dropped)


def _wanted(question: RecallQuery, best: Sequence[tuple[Recalled, Bearing]], opening: QuestionMatch) -> list[Recalled]:
    """Who asks wants the best there is, and a prompt only a few that are doubtful (R2b). What somebody set a least for
    is the score they see."""
    if question.min_similarity is not None:
        return [each for each, _ in best if each.score >= question.min_similarity]
    left = {kind: math.inf if question.is_asked else few_of(kind, opening) for kind in PassageKind}
    wanted: list[Recalled] = []
    for each, bearing in best:
        if bearing is Bearing.DOUBTFUL:
            left[each.kind] -= 1
        if bearing is Bearing.PLAIN or (bearing is Bearing.DOUBTFUL and left[each.kind] >= 0):
            wanted.append(each)
    return wanted


def _why_unwanted(question: RecallQuery) -> str:
    if question.min_similarity is not None:
        return f"Its score is below {question.min_similarity}."
    return "Not similar to the question." if question.is_asked else "Not relevant enough for the prompt."


def _rest(before: Sequence[Recalled], after: Sequence[Recalled]) -> list[Recalled]:
    kept = {each.record.id for each in after}
    return [each for each in before if each.record.id not in kept]


def _told(dropped: Sequence[Recalled], step: Step, why: str) -> list[Dropped]:
    return [Dropped(each, step, why) for each in dropped]


# ── why not ──────────────────────────────────────────────────────────────────────────────────────


async def why_not(scope: Scope, memory_id: str, question: RecallQuery, resources: RecallTools) -> WhyNotVerdict:
    """Which step of a recall drops a memory, if any does."""
    memory = await resources.store.get(scope, Memory, memory_id)
    answer = await recall(scope, question, resources, explain=True)
    for place, hit in enumerate(answer.hits, start=1):
        if hit.record.id == memory_id:
            return WhyNotVerdict(memory_id, None, hit.why, place, hit.score, hit.parts)
    for each in answer.dropped:
        if each.recalled.record.id == memory_id:
            return WhyNotVerdict(memory_id, each.step, each.why, score=each.recalled.score, parts=each.recalled.parts)
    if PassageKind.MEMORY not in question.kinds:
        return WhyNotVerdict(memory_id, Step.SCOPE, "Memories were not searched.")
    meaning = await meaning_of(question.words, resources.embedder)
    asked = search_of(
        question, meaning, _MEMORIES, pool=1, vector_weight=resources.vector_weight, refs=frozenset({memory_id})
    )
    (found,) = with_examples([await resources.store.search(scope, asked)], question.words)
    if not found.hits:
        return WhyNotVerdict(memory_id, Step.SCOPE, outside(memory, question))
    named = await named_in(scope, question.words, store=resources.store, viewer=question.viewer, place=question.place)
    floor, words = await resources.floors.of(resources.embedder), telling(question.words)
    time, recipe = asked_time(question.words, resources.now), RECIPES[question.recipe]
    weighing = RankingInput(floor, named, time, resources.now, words, recipe)
    hit = told(*weighing.weighed(found.hits))
    why = f"Others are more similar to the question: it is not among the top {max(resources.pool, question.limit)}."
    return WhyNotVerdict(memory_id, Step.CANDIDATES, why, score=hit.score, parts=hit.parts)
