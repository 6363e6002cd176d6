"""How the room for memories is divided among the layers (R1). Pure.

In: what each layer found, best first, the share of each, the room in tokens and what each costs. Out: what fits, and
what did not. First each layer within its share; then what one does not use flows on to the others, best first.
No record is taken twice: the first layer that has it keeps it.

Start at `allot`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from everlore.domain.layer import Layer
from everlore.domain.recalled import Recalled


@dataclass(frozen=True, slots=True)
class Allotted:
    """Both best first."""

    kept: tuple[Recalled, ...]
    left: tuple[Recalled, ...]


def allot(
    found: Mapping[Layer, Sequence[Recalled]],
    shares: Mapping[Layer, float],
    room: int,
    cost: Callable[[Recalled], int],
) -> Allotted:
    layers = once_each(found)
    costs = {each.record.id: cost(each) for members in layers.values() for each in members}
    # What is due comes first, in its own layer: who somebody is must not be crowded out by what was said today.
    ranked = {layer: _best_first(members) for layer, members in layers.items()}
    taken: set[str] = set()
    for layer, members in ranked.items():
        left = int(room * shares.get(layer, 0))
        for each in members:
            # Skip, don't stop: a shorter one further down may still fit.
            if costs[each.record.id] <= left:
                taken.add(each.record.id)
                left -= costs[each.record.id]
    everything = _best_first([each for members in ranked.values() for each in members])
    left = room - sum(costs[id] for id in taken)
    for each in everything:
        id = each.record.id
        if id not in taken and costs[id] <= left:
            taken.add(id)
            left -= costs[id]
    return Allotted(
        tuple(each for each in everything if each.record.id in taken),
        tuple(each for each in everything if each.record.id not in taken),
    )


def once_each(found: Mapping[Layer, Sequence[Recalled]]) -> dict[Layer, list[Recalled]]:
    """Each record in the first layer that has it; with the same words in two of them, it counts as one too."""
    seen: set[str] = set()
    layers: dict[Layer, list[Recalled]] = {}
    for layer in Layer:
        layers[layer] = []
        for each in found.get(layer, ()):
            if each.record.id not in seen:
                seen.add(each.record.id)
                layers[layer].append(each)
    return layers


def _best_first(members: Sequence[Recalled]) -> list[Recalled]:
    return sorted(members, key=lambda each: (not each.is_due, -each.score, each.record.id))
