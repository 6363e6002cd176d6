"""Selects from all that was found; the rest is dropped with the step and the reason (R2, R2b, R5). Pure.

Start at `select`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.words import query_terms, terms_of
from everlore.recall.about import asks_for_all
from everlore.recall.analysis import QueryAnalysis
from everlore.recall.answer import Dropped, Step
from everlore.recall.candidates import Candidates
from everlore.recall.diversity import best_first, spread
from everlore.recall.layers import once_each
from everlore.recall.question import RecallQuery
from everlore.recall.question_match import (
    Bearing,
    QuestionMatch,
    bearing_of,
    few_of,
    least_of,
    least_of_lines,
    opening_of,
)
from everlore.recall.ranking import Weighed, rank
from everlore.recall.reasons import also_due, doubted

Judged = tuple[Recalled, Bearing]

# Memories for a question about all that is known.
_MOST_OF_ALL = 20


def select(
    found: Candidates, query: RecallQuery, analysis: QueryAnalysis
) -> tuple[tuple[Recalled, ...], tuple[Dropped, ...]]:
    """For a reply everything that may be told, by layer; else as many as were requested, best first."""
    opening = opening_of(
        found.evidence,
        analysis.wording,
        analysis.named,
        floor=analysis.floor,
        passages=found.coverage.passages,
        vector=analysis.meanings[0].vector,
    )
    # Equal scores keep their order: lines are already sorted.
    judged = sorted(_judged(found, opening, query, analysis), key=lambda each: best_first(each[0]))
    wanted = [each for each, bearing in judged if _is_wanted(each, bearing, query)]
    dropped = _dropped(_rest([each for each, _ in judged], wanted), Step.FLOOR, _why_unwanted(query))
    if query.here is not None:
        closed = [each.recalled for each in rank(found.closed, query, analysis)] if query.explain else []
        return _in_layers(found, wanted, query), (*dropped, *_dropped(closed, Step.SCOPE, _NOT_HERE))
    different = spread(wanted, query.limit)
    over = different[query.limit :]
    repeated = [each for each in over if "diversity" in each.parts]
    others = f"{query.limit} others rank higher."
    dropped += _dropped(repeated, Step.DIVERSITY, f"A better match says the same, and {others}")
    return tuple(different[: query.limit]), (*dropped, *_dropped(_rest(over, repeated), Step.LIMIT, others))


# ── what matches the query ──


def _judged(
    found: Candidates, opening: QuestionMatch, query: RecallQuery, analysis: QueryAnalysis
) -> list[tuple[Recalled, Bearing]]:
    """Each with how it matches the query; doubtful ones say so."""
    weighed, cutoff = rank(found.hits, query, analysis), query.recipe.cutoff
    closed = [(each.recalled, Bearing.NONE) for each in weighed if not each.opens]
    weighed = [each for each in weighed if each.opens]
    if cutoff.opens_alone:
        return [*closed, *((each.recalled, Bearing.PLAIN) for each in weighed)]
    judge = _asked if cutoff.is_asked else _unasked
    judged = judge(weighed, found.lines, opening, query, analysis)
    return [*closed, *((doubted(each) if bearing is Bearing.DOUBTFUL else each, bearing) for each, bearing in judged)]


def _asked(
    weighed: Sequence[Weighed],
    lines: Sequence[Recalled],
    opening: QuestionMatch,
    _query: RecallQuery,
    _analysis: QueryAnalysis,
) -> list[Judged]:
    """A question gets the best hits there are."""
    least, least_line = least_of(each.relevance for each in weighed), least_of_lines(map(_relevance, lines))
    return [
        *((each.recalled, bearing_of(each.recalled, opening, least)) for each in weighed),
        *((each, bearing_of(each, opening, least_line)) for each in lines),
    ]


def _unasked(
    weighed: Sequence[Weighed],
    lines: Sequence[Recalled],
    opening: QuestionMatch,
    query: RecallQuery,
    analysis: QueryAnalysis,
) -> list[Judged]:
    """A prompt gets the plain matches and a few doubtful ones. Hits about a named person only need a plain match; of
    the other doubtful ones only memories and lines are used."""
    cutoff = query.recipe.cutoff
    for_all = asks_for_all(analysis.wording.words)
    is_plain = opening.is_plain or for_all
    least = _bar_in_doubt(weighed, _MOST_OF_ALL) if for_all else least_of(each.relevance for each in weighed)
    enough = Bearing.PLAIN if is_plain else Bearing.DOUBTFUL
    bar = least if is_plain else max(least, _bar_in_doubt(weighed, few_of(cutoff.few, PassageKind.MEMORY, opening)))
    beside = _beside(weighed, least, analysis, cutoff.beside) if opening.is_plain else frozenset[str]()
    judged: list[Judged] = []
    for each in weighed:
        has_enough = each.relevance >= (least if each.is_about_others else bar)
        is_told = is_plain or isinstance(each.recalled.record, Memory)
        if each.recalled.record.id in beside:
            judged.append((each.recalled, Bearing.DOUBTFUL))
        else:
            judged.append((each.recalled, enough if has_enough and is_told else Bearing.NONE))
    most = len(lines) if opening.is_plain else few_of(cutoff.few, PassageKind.MESSAGE, opening)
    best = sorted(lines, key=lambda each: -each.score)
    return [*judged, *((each, enough if place < most else Bearing.NONE) for place, each in enumerate(best))]


def _bar_in_doubt(weighed: Iterable[Weighed], few: int) -> float:
    """The relevance of the last of the few doubtful memories."""
    memories = {each.recalled.record.id: each.relevance for each in weighed if isinstance(each.recalled.record, Memory)}
    best = sorted(memories.values(), reverse=True)[:few]
    return best[-1] if best else math.inf


def _beside(weighed: Iterable[Weighed], least: float, analysis: QueryAnalysis, most: int) -> frozenset[str]:
    """Memories that are added to plain matches for a word that none of those has: a message about two things, one of
    which is well known, asks about the other too."""
    memories = {each.recalled.record.id: each for each in weighed if isinstance(each.recalled.record, Memory)}
    relevance = {id: each.relevance for id, each in memories.items()}
    words = {id: frozenset(terms_of(each.recalled.memory.content)) for id, each in memories.items()}
    plain = (words[id] for id in memories if relevance[id] >= least)
    left = frozenset(query_terms(analysis.wording.topic)).difference(*plain)
    beside = [id for id in memories if relevance[id] < least and left & words[id]]
    return frozenset(sorted(beside, key=lambda id: (-relevance[id], id))[:most])


def _relevance(recalled: Recalled) -> float:
    return recalled.parts["relevance"]


def _is_wanted(recalled: Recalled, bearing: Bearing, query: RecallQuery) -> bool:
    """A least score that the caller set is compared with the score that they see."""
    if query.min_similarity is not None:
        return recalled.score >= query.min_similarity
    return bearing is not Bearing.NONE


# ── which layer gets what ──


def _in_layers(found: Candidates, wanted: Iterable[Recalled], query: RecallQuery) -> tuple[Recalled, ...]:
    layers: dict[Layer, list[Recalled]] = {layer: [] for layer in Layer}
    for each in wanted:
        teller = found.tellers.get(each.record.id)
        layers[each.layer].append(replace(each, told_by=teller) if teller else each)
    offered = with_due(layers, found.due, found.shared)
    once = once_each({layer: spread(each) for layer, each in offered.items() if layer in query.layers})
    return tuple(each for layer in once.values() for each in layer)


def with_due(
    found: Mapping[Layer, Sequence[Recalled]], due: Sequence[Recalled], shared: Sequence[Recalled] = ()
) -> dict[Layer, list[Recalled]]:
    """Adds the always included memories; those that were found as well get both reasons. `shared`, for the start of a
    conversation, is added unless it is there for another reason."""
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


# ── what is dropped ──

_NOT_HERE = "It belongs to another user, or to another branch of this chat."


def _why_unwanted(query: RecallQuery) -> str:
    if query.min_similarity is not None:
        return f"Its score is below {query.min_similarity}."
    if query.here is not None:
        return "Not relevant enough to bring up unasked."
    return "Not similar to the question." if query.recipe.cutoff.is_asked else "Not relevant enough for the prompt."


def _rest(before: Sequence[Recalled], after: Sequence[Recalled]) -> list[Recalled]:
    kept = {each.record.id for each in after}
    return [each for each in before if each.record.id not in kept]


def _dropped(recalled: Iterable[Recalled], step: Step, why: str) -> list[Dropped]:
    return [Dropped(each, step, why) for each in recalled]
