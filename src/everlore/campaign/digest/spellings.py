"""Adds the misspellings of a known name that a session used to its entity, so that its lines are found (G4, G5). Pure.

A spelling of a hidden name, or one that only hidden lines use, becomes a hidden alias. Start at `with_spellings`.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from everlore.campaign.entities.likeness import SLIP
from everlore.campaign.entities.matching import Directory, KnownEntity, match
from everlore.campaign.entities.mentions import LIKELY
from everlore.campaign.entities.names import Sighting
from everlore.domain.campaign import Entity
from everlore.store.port import Amend

_MOST_NAMES = 24


def with_spellings(
    entities: Iterable[Entity], seen: Iterable[Sighting], hidden: Collection[str], now: datetime
) -> list[Amend]:
    """`hidden`: the ids of lines that the players did not hear."""
    by_id = {each.id: each for each in entities}
    changes = []
    for each in seen:
        entity = by_id.get(each.match.id) if each.match is not None and each.is_known else None
        if entity is not None:
            fields = _fields(entity, each.aliases, is_hidden=set(each.messages) <= set(hidden))
            changes += [Amend(Entity, entity.id, {**fields, "updated_at": now})] if fields else []
    return changes


def _fields(entity: Entity, spellings: Iterable[str], *, is_hidden: bool) -> dict[str, tuple[str, ...]]:
    open_names, hidden_names = (entity.name, *entity.aliases), entity.hidden_aliases
    fresh: dict[str, list[str]] = {"aliases": [], "hidden_aliases": []}
    for each in spellings:
        if len(open_names) + len(hidden_names) >= _MOST_NAMES:
            break
        if not is_hidden and _is_spelling(each, open_names):
            fresh["aliases"].append(each)
        elif _is_spelling(each, (*open_names, *hidden_names)):
            fresh["hidden_aliases"].append(each)
    return {field: (*getattr(entity, field), *dict.fromkeys(names)) for field, names in fresh.items() if names}


def _is_spelling(text: str, names: tuple[str, ...]) -> bool:
    found = match(text, Directory([KnownEntity("", names[0], names[1:])]))
    return found is not None and found.confidence >= LIKELY and SLIP in found.reason
