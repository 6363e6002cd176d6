"""Whom of a campaign's world words mean, without reading all of it for one name (G4, G5).

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

# How sure it must be that a name is meant where somebody looks for one.
_LEAST = 0.5
# The most candidates, where none may be missed.
_MOST_CANDIDATES = 200
_INDEXES_KEPT = 8


async def all_entities(store: Store, scope: Scope, seat: Seat) -> tuple[Entity, ...]:
    """Everybody and everything that whoever sits there may see."""
    found = await all_of(store, scope, Entity, {"campaign_id": seat.campaign.id})
    return await shown(store, scope, seat, found)


async def entities_named(store: Store, scope: Scope, seat: Seat, words: str) -> tuple[Entity, ...]:
    """Those that the words mean, or in whose names they stand. Where somebody is called just so, those that share a
    word with them are all that is read; else the whole world is, for parts of names and slips of the pen."""
    near = await shown(store, scope, seat, await _all_sharing_a_word(store, scope, seat, words))
    known = near if is_called(words, near) else await all_entities(store, scope, seat)
    return meant_by(words, known)


def is_called(words: str, entities: Iterable[Entity]) -> bool:
    """Whether one of them has this for a name."""
    name = " ".join(words.split()).casefold()
    return any(name == each.casefold() for entity in entities for each in names_of(entity))


def meant_by(words: str, entities: Sequence[Entity]) -> tuple[Entity, ...]:
    """Those of them that the words mean, or in whose names they stand."""
    meant = {each.id for each in index_of(entities).find(words, least=_LEAST)}
    return tuple(each for each in entities if each.id in meant or words.casefold() in each.name.casefold())


def index_of(entities: Iterable[Entity]) -> MentionIndex:
    """What finds these in a text. Of the same names it is the same one: it takes longer to make than they to read."""
    return _index_of(tuple(known_of(entities)))


def known_of(entities: Iterable[Entity]) -> list[KnownEntity]:
    """With their hidden names: those who must not know them are given entities without any."""
    return [KnownEntity(each.id, each.name, (*each.aliases, *each.hidden_aliases), each.kind) for each in entities]


def names_of(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases, *entity.hidden_aliases)


@lru_cache(maxsize=_INDEXES_KEPT)
def _index_of(known: tuple[KnownEntity, ...]) -> MentionIndex:
    return MentionIndex(known)


def mentioned_in(text: str, entities: Sequence[Entity], most: int) -> list[Entity]:
    """Those that a text speaks of, by name, by another name, or in short; first mentioned first."""
    by_id = {each.id: each for each in entities}
    return [by_id[id] for id in dict.fromkeys(each.id for each in index_of(entities).find(text))][:most]


async def _all_sharing_a_word(store: Store, scope: Scope, seat: Seat, words: str) -> Sequence[Entity]:
    """All of them, or none where there are too many to be sure of that."""
    found = await sharing_a_word(store, scope, seat.campaign.id, words, _MOST_CANDIDATES)
    return found if len(found) < _MOST_CANDIDATES else ()
