"""Fetches the lines that may answer a question, their neighbours, and the similarity of each to it (R2).

Start at `gathered`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from everlore.domain.conversation import Message, spoken
from everlore.domain.passage import PassageKind
from everlore.domain.scope import Scope, pair_among
from everlore.recall.lines.features import Lines, Values
from everlore.recall.noise import FULL_STEPS, NoiseModel
from everlore.store.answers import Found, Hit, MessagePosition
from everlore.store.port import Search, Store

# The best hits, one of every `_WITH_NEIGHBOURS`, are scored with `REACH` lines before and after.
_WITH_NEIGHBOURS = 2
REACH = 3
_ENOUGH = 30


@dataclass(frozen=True, slots=True)
class GatheredLines:
    """`hits` are what the store found, by id; the neighbouring lines are candidates too."""

    lines: Lines
    hits: Mapping[str, Hit]
    found: Found


async def gathered(
    scope: Scope, ask: Search, found: Found, *, store: Store, floor: NoiseModel, seen: Collection[str] = frozenset()
) -> GatheredLines:
    """`found` is what the store found for `ask`, a search for messages. If all of it was `seen`, no neighbours are
    fetched."""
    hits = {hit.record.id: hit for hit in found.hits}
    if hits.keys() <= frozenset(seen):
        return GatheredLines(Lines((), np.empty(0)), hits, found)
    best = found.hits[: ask.pool // _WITH_NEIGHBOURS]
    near = await store.around(scope, _places(best), REACH, knower_id=ask.knower_id)
    messages = _in_order([hit.record for hit in found.hits if isinstance(hit.record, Message)], near, ask)
    return GatheredLines(Lines(messages, await _meaning(scope, messages, ask, store=store, floor=floor)), hits, found)


def _places(hits: Iterable[Hit]) -> list[MessagePosition]:
    return [
        MessagePosition(hit.record.conversation_id, hit.record.seq) for hit in hits if isinstance(hit.record, Message)
    ]


def _in_order(found: Sequence[Message], near: Sequence[Message], ask: Search) -> tuple[Message, ...]:
    """Each once. Neighbours outside of the search's scope are dropped."""
    every = {each.id: each for each in (*found, *(spoken(each) for each in near if _is_asked_for(each, ask)))}
    return tuple(sorted(every.values(), key=lambda each: (each.conversation_id, each.seq)))


def _is_asked_for(message: Message, ask: Search) -> bool:
    """Whether the search would allow the line; the store has already checked its searchability and audience."""
    return (
        ask.conversation_id in (None, message.conversation_id)
        and (ask.as_of is None or message.created_at <= ask.as_of)
        and (not ask.types or message.author.value in ask.types)
        and (ask.pair is None or pair_among(message.present) == ask.pair)
    )


async def _meaning(
    scope: Scope, messages: Sequence[Message], ask: Search, *, store: Store, floor: NoiseModel
) -> Values:
    meaning = np.full(len(messages), np.nan)
    if ask.vector is None or ask.model is None or not messages:
        return meaning
    vectors = await store.vectors(scope, ask.model, PassageKind.MESSAGE, [each.id for each in messages])
    there = [place for place, each in enumerate(messages) if each.id in vectors]
    if there:
        matrix = np.stack([vectors[messages[place].id] for place in there])
        meaning[there] = _beyond_others((matrix @ ask.vector).astype(np.float64), floor)
    return meaning


def _beyond_others(likeness: Values, floor: NoiseModel) -> Values:
    """How far each is above the others, because questions differ in their overall similarity; if there are few, how far
    above the noise. The same scale for every model."""
    if len(likeness) < _ENOUGH:
        return floor.beyond_chance(likeness)
    apart = max(float(likeness.std()), floor.step / 2)
    found: Values = (likeness - likeness.mean()) / (FULL_STEPS * apart)
    return found
