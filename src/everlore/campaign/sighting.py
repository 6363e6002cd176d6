"""Finds the entities that a session names, by rules and by a model, which also finds relationships (G4, G6).

A name found by both is one entity, and the model decides its kind. Start at `sighted`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.names import Sighting, SpokenMessage, sightings
from everlore.campaign.entities.prompting import (
    EntityReading,
    FoundRelationship,
    entities_ask,
    pieces_of,
    read_entities,
)
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker


@dataclass(frozen=True, slots=True)
class Sighted:
    names: tuple[Sighting, ...]
    ties: tuple[FoundRelationship, ...]


async def sighted(
    messages: Sequence[SpokenMessage],
    known: Sequence[KnownEntity],
    asker: Asker | None,
    *,
    players: Collection[str],
    narrators: Collection[str],
) -> Sighted:
    found = list(sightings(messages, known, players=players, narrators=narrators))
    readings = await _read(messages, known, asker) if asker is not None else []
    at_table = {each.casefold() for each in players}
    for reading in readings:
        for each in reading.sightings:
            if each.is_known or each.name.casefold() not in at_table:
                _add(found, each)
    return Sighted(tuple(found), _distinct([tie for reading in readings for tie in reading.ties]))


async def _read(messages: Sequence[SpokenMessage], known: Sequence[KnownEntity], asker: Asker) -> list[EntityReading]:
    readings: list[EntityReading] = []
    for piece in pieces_of(messages):
        found = await asked(
            asker,
            entities_ask(piece, known),
            lambda value, piece=piece: read_entities(value, piece, known),  # type: ignore[misc]
            what="names of a session",
        )
        readings += [found] if found is not None else []
    return readings


def _add(found: list[Sighting], new: Sighting) -> None:
    """Adds an entity; one already found under any of its names only gets the new kind and names."""
    names = _names(new)
    for at, each in enumerate(found):
        if names & _names(each):
            others = tuple(name for name in (new.name, *new.aliases) if name.casefold() not in _names(each))
            kind = each.kind if each.is_known else new.kind
            sure = max(each.confidence, new.confidence)
            found[at] = replace(each, kind=kind, aliases=(*each.aliases, *others), confidence=sure)
            return
    found.append(new)


def _names(sighting: Sighting) -> set[str]:
    return {name.casefold() for name in (sighting.name, *sighting.aliases)}


def as_known(sighting: Sighting) -> KnownEntity:
    """A newly found entity as a known one, for the next texts."""
    return KnownEntity(f"new {sighting.name}", sighting.name, sighting.aliases, sighting.kind)


def _distinct(ties: Sequence[FoundRelationship]) -> tuple[FoundRelationship, ...]:
    best: dict[tuple[str, str, str], FoundRelationship] = {}
    for each in ties:
        best.setdefault((each.source.casefold(), each.type, each.target.casefold()), each)
    return tuple(best.values())
