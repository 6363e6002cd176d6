"""Finds the entities of a campaign that a text names, without loading the whole world for one name (G4, G5).

Start at `entities_named` and `index_of`.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.seats import Seat
from everlore.campaign.showing import shown
from everlore.domain.campaign import Entity
from everlore.domain.scope import Scope
from everlore.store.all_pages import all_of
from everlore.store.port import Store
from everlore.turn.campaign_context import sharing_a_word

# Minimum confidence for a name in a search.
_LEAST = 0.5
# Maximum number of candidates if none may be missed.
_MOST_CANDIDATES = 200
_INDEXES_KEPT = 8


async def all_entities(store: Store, scope: Scope, seat: Seat) -> tuple[Entity, ...]:
    """All entities that this seat may see."""
    found = await all_of(store, scope, Entity, {"campaign_id": seat.campaign.id})
    return await shown(store, scope, seat, found)


async def entities_named(store: Store, scope: Scope, seat: Seat, words: str) -> tuple[Entity, ...]:
    """The entities that the words mean, or whose names contain them. If an entity has exactly this name, only entities
    that share a word with it are loaded; otherwise all are, to find parts of names and typos."""
    near = await shown(store, scope, seat, await _all_sharing_a_word(store, scope, seat, words))
    known = near if is_called(words, near) else await all_entities(store, scope, seat)
    return meant_by(words, known)


def is_called(words: str, entities: Iterable[Entity]) -> bool:
    """Whether one of them has exactly this name."""
    name = " ".join(words.split()).casefold()
    return any(name == each.casefold() for entity in entities for each in names_of(entity))


def meant_by(words: str, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """Those of the entities that the words mean, or whose names contain them."""
    meant = {each.id for each in index_of(entities).find(words, least=_LEAST)}
    return tuple(each for each in entities if each.id in meant or words.casefold() in each.name.casefold())


def index_of(entities: Iterable[Entity]) -> MentionIndex:
    """An index that finds these entities in a text. Cached by their names, because building it is slow."""
    return _index_of(tuple(known_of(entities)))


def known_of(entities: Iterable[Entity]) -> list[KnownEntity]:
    """Includes hidden names; callers that must not know them pass entities without any."""
    return [KnownEntity(each.id, each.name, (*each.aliases, *each.hidden_aliases), each.kind) for each in entities]


def names_of(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases, *entity.hidden_aliases)


@lru_cache(maxsize=_INDEXES_KEPT)
def _index_of(known: tuple[KnownEntity, ...]) -> MentionIndex:
    return MentionIndex(known)


def mentioned_in(text: str, entities: Sequence[Entity], most: int) -> list[Entity]:
    """The entities that a text mentions, by name, alias or short form; first mentioned first."""
    by_id = {each.id: each for each in entities}
    return [by_id[id] for id in dict.fromkeys(each.id for each in index_of(entities).find(text))][:most]


async def _all_sharing_a_word(store: Store, scope: Scope, seat: Seat, words: str) -> Sequence[Entity]:
    """The entities that share a word with the search; none if there may be more than the search returned."""
    found = await sharing_a_word(store, scope, seat.campaign.id, words, _MOST_CANDIDATES)
    return found if len(found) < _MOST_CANDIDATES else ()
