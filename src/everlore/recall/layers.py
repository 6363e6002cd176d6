"""Divides the room for memories among the layers (R1). Pure.

Takes what each layer found, best first, the share of each, the room in tokens and in places, and what each item costs;
returns what fits and what does not. The unused share of a layer goes to the best of the others. Only tokens are counted
here: the prompt is cut where it is composed, by the same shares. No record is used twice: the first layer that has it
keeps it.

Search results and always included memories alternate, here and wherever the list is cut later: half of any room, in
tokens or places, is for each, and all of it if the other needs none (M17).

Start at `allot`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from everlore.domain.allocator import Need, allocate
from everlore.domain.layer import Layer
from everlore.domain.recalled import Recalled


@dataclass(frozen=True, slots=True)
class Allotted:
    """Both in the order of the prompt: search results and always included memories alternate."""

    kept: tuple[Recalled, ...]
    left: tuple[Recalled, ...]


def allot(
    found: Mapping[Layer, Sequence[Recalled]],
    shares: Mapping[Layer, float],
    room: int,
    cost: Callable[[Recalled], int],
    most: int,
) -> Allotted:
    """`room` is in tokens, and `most` limits their number: the shares divide both."""
    layers = {layer: in_turns(members) for layer, members in once_each(found).items()}
    fitting = _taken(layers, shares, room, cost)
    there = {layer: [each for each in members if each.record.id in fitting] for layer, members in layers.items()}
    kept = _taken(there, shares, most, lambda _: 1)
    everything = in_turns([each for members in layers.values() for each in members])
    return Allotted(
        tuple(each for each in everything if each.record.id in kept),
        tuple(each for each in everything if each.record.id not in kept),
    )


def _taken(
    layers: Mapping[Layer, Sequence[Recalled]],
    shares: Mapping[Layer, float],
    room: int,
    cost: Callable[[Recalled], int],
) -> set[str]:
    everything = in_turns([each for members in layers.values() for each in members])
    ranks = {each.record.id: rank for rank, each in enumerate(everything)}
    needs = [
        Need(
            key=layer.value,
            share=shares.get(layer, 0),
            items=tuple(map(cost, members)),
            ranks=tuple(ranks[each.record.id] for each in members),
        )
        for layer, members in layers.items()
    ]
    grants = allocate(needs, room)
    return {layers[layer][index].record.id for layer in layers for index in grants[layer.value].taken}


def once_each(found: Mapping[Layer, Sequence[Recalled]]) -> dict[Layer, list[Recalled]]:
    """Each record in the first layer that has it; the same words in two layers count as one record too."""
    seen: set[str] = set()
    layers: dict[Layer, list[Recalled]] = {}
    for layer in Layer:
        layers[layer] = []
        for each in found.get(layer, ()):
            if each.record.id not in seen:
                seen.add(each.record.id)
                layers[layer].append(each)
    return layers


def in_turns(members: Sequence[Recalled]) -> list[Recalled]:
    """Alternates search results, best first, and always included memories, most important first. Core facts about a
    person must not be crowded out by what was said today, nor an answer by core facts."""
    found = sorted((each for each in members if each.score > 0 or not each.is_due), key=_by_score)
    due = sorted((each for each in members if each.is_due), key=_by_weight)
    turns = (each for pair in zip_longest(found, due) for each in pair if each is not None)
    return list({each.record.id: each for each in turns}.values())


def _by_score(recalled: Recalled) -> tuple[float, str]:
    return -recalled.score, recalled.record.id


def _by_weight(recalled: Recalled) -> tuple[int, datetime, str]:
    memory = recalled.memory
    return -memory.importance, memory.created_at, memory.id
