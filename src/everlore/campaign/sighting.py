"""Who and what a session names, and how it is tied together: by rules, and by a model where there is one (G4, G6).

What both find is one thing; the model's word counts for what kind it is. Start at `sighted`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.names import Sighting, SpokenMessage, sightings
from everlore.campaign.entities.prompting import EntityReading, entities_ask, pieces_of, read_entities
from everlore.campaign.entities.ties import FoundRelationship, ties_in
from everlore.campaign.proposing import SeenTie
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker


@dataclass(frozen=True, slots=True)
class Sighted:
    names: tuple[Sighting, ...]
    ties: tuple[SeenTie, ...]


async def sighted(messages: Sequence[SpokenMessage], known: Sequence[KnownEntity], asker: Asker | None) -> Sighted:
    found = list(sightings(messages, known))
    readings = await _read(messages, known, asker) if asker is not None else []
    for reading in readings:
        for each in reading.sightings:
            _add(found, each)
    # What is named in this session can be tied in it, known or not.
    index = MentionIndex([*known, *(as_known(each) for each in found if not each.is_known)])
    plain = [_seen(tie, message.id) for message in messages for tie in ties_in(message.text, index)]
    by_model = [_placed(tie, messages) for reading in readings for tie in reading.ties]
    return Sighted(tuple(found), _distinct([*by_model, *plain]))


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
    """One that is there already under any of its names only learns what kind it is, and its other names."""
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
    """What was named just now, for whoever reads on."""
    return KnownEntity(f"new {sighting.name}", sighting.name, sighting.aliases, sighting.kind)


def _placed(tie: FoundRelationship, messages: Sequence[SpokenMessage]) -> SeenTie:
    """In the message that has the words that a model quotes."""
    words = tie.evidence.casefold()
    place = next((each.id for each in messages if words in " ".join(each.text.split()).casefold()), "")
    return _seen(tie, place)


def _seen(tie: FoundRelationship, message_id: str) -> SeenTie:
    return SeenTie(tie.source, tie.type, tie.target, tie.evidence, message_id, tie.confidence)


def _distinct(ties: Sequence[SeenTie]) -> tuple[SeenTie, ...]:
    best: dict[tuple[str, str, str], SeenTie] = {}
    for each in ties:
        best.setdefault((each.source.casefold(), each.type, each.target.casefold()), each)
    return tuple(best.values())
