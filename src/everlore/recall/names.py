"""The people and things that a question names, and their relations in the entity graph (R4).

Names are looked up as they are written, one to three words at a time. Start at `named_in`.
"""

import asyncio
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from everlore.domain.campaign import Entity, EntityKind, Relationship
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.domain.visibility import NOWHERE, Place, Viewer, VisibilityContext, is_spoilt_for
from everlore.domain.words import is_common
from everlore.store.port import Store

_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_LONGEST_NAME = 3
_MOST_GUESSES = 120
_MOST = 20
# Most people whose names are searched for parts of a name.
_MOST_PEOPLE = 1_000
# How many relationships are followed: a friend of a friend, and no further.
_STEPS = 2
_MOST_TIES = 200
_PEOPLE = frozenset({EntityKind.PERSON, EntityKind.NPC})


@dataclass(frozen=True)
class QueryNames:
    """`near`: entities related to a named one, with the number of steps."""

    persons: tuple[Person, ...] = ()
    entities: tuple[Entity, ...] = ()
    near: tuple[tuple[str, int], ...] = ()

    @cached_property
    def person_ids(self) -> frozenset[str]:
        bound = (each.person_id for each in self.entities if each.person_id)
        return frozenset((*(each.id for each in self.persons), *bound))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.persons)

    @property
    def people(self) -> tuple[str, ...]:
        """The names of persons, including those of a story."""
        told = (each.name for each in self.entities if each.person_id or each.kind in _PEOPLE)
        return tuple(dict.fromkeys((*self.names, *told)))

    @cached_property
    def steps(self) -> dict[str, int]:
        """The number of steps to each entity that is relevant to the question."""
        return dict(self.near) | {each.id: 0 for each in self.entities}

    def besides(self, ids: Collection[str | None]) -> "QueryNames":
        """Without these persons: everything between the two who talk is about both of them."""
        return replace(
            self,
            persons=tuple(each for each in self.persons if each.id not in ids),
            entities=tuple(each for each in self.entities if each.person_id is None or each.person_id not in ids),
        )

    def __bool__(self) -> bool:
        return bool(self.persons or self.entities)


async def named_in(scope: Scope, text: str, *, store: Store, viewer: Viewer, place: Place = NOWHERE) -> QueryNames:
    """Only what the viewer may know: names and relationships that players must not know are hidden from them (G9)."""
    guesses = guesses_in(text)
    if not guesses:
        return QueryNames()
    persons, entities = await asyncio.gather(
        store.find(scope, Person, {"name": guesses}, limit=_MOST),
        store.find(scope, Entity, {"name": guesses}, limit=_MOST),
    )
    open_to = tuple(each for each in entities.items if not is_spoilt_for(viewer, each, place))
    near = await _near(scope, store, [each.id for each in open_to], viewer, place)
    return QueryNames(persons.items, open_to, near)


async def first_names_in(scope: Scope, text: str, *, store: Store) -> tuple[str, ...]:
    """Words of the text that are a part of somebody's name: "Mike" of "Mike Torres". Everyday words count only if they
    are written as names."""
    words = {word.strip(".-'’").removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text[:2_000])}
    asked = {word for word in words if word[:1].isupper() or not is_common(word)}
    if not asked:
        return ()
    persons, entities = await asyncio.gather(
        store.find(scope, Person, limit=_MOST_PEOPLE),
        store.find(scope, Entity, {"kind": tuple(kind.value for kind in _PEOPLE)}, limit=_MOST_PEOPLE),
    )
    names = (each.name for each in (*persons.items, *entities.items))
    parts = {part.casefold() for name in names for part in name.split() if not is_common(part)}
    return tuple(sorted(word for word in asked if word.casefold() in parts))


def guesses_in(text: str) -> tuple[str, ...]:
    """Possible names: as written, and capitalised."""
    words = [word.strip(".-'’").removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text[:2_000])]
    guesses: dict[str, None] = {}
    for size in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - size + 1):
            run = [word for word in words[start : start + size] if word]
            if len(run) < size or all(is_common(word) for word in run):
                continue
            name = " ".join(run)
            guesses.setdefault(name)
            # Some people write names in lower case, in a question or for their own name.
            is_small = not any(word[:1].isupper() for word in run)
            guesses.setdefault(name.title() if is_small else name.lower())
    return tuple(guesses)[:_MOST_GUESSES]


def without_names(text: str, names: Collection[str], *, personal: bool = False) -> str:
    """The question without names, because people do not say their own name in what they say; `personal`: in the words
    that the person would use."""
    bare = text
    for name in names:
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(['’]s)?(?!\w)", re.IGNORECASE)
        bare = pattern.sub(lambda found: (" my " if found.group(1) else " I ") if personal else " ", bare)
    bare = " ".join(bare.split())
    return bare if re.search(r"\w", bare) else text


def is_about(memory: Memory, named: QueryNames) -> int | None:
    """The number of steps from a memory to a named person or thing: 0 for itself; None if it is unrelated."""
    if not named.person_ids.isdisjoint(memory.persons):
        return 0
    steps = named.steps
    return min((steps[id] for id in memory.entity_ids if id in steps), default=None)


async def _near(
    scope: Scope, store: Store, ids: Collection[str], viewer: Viewer, place: Place
) -> tuple[tuple[str, int], ...]:
    """The entities that are one or two relationships away."""
    seen = dict.fromkeys(ids, 0)
    edge = list(ids)
    for step in range(1, _STEPS + 1):
        if not edge:
            break
        ties = [
            *(await store.find(scope, Relationship, {"source_id": tuple(edge)}, limit=_MOST_TIES)).items,
            *(await store.find(scope, Relationship, {"target_id": tuple(edge)}, limit=_MOST_TIES)).items,
        ]
        edge = []
        ends = await store.get_many(scope, Entity, {id for tie in ties for id in (tie.source_id, tie.target_id)})
        beside = VisibilityContext(sources={each.id: each for each in ends})
        for tie in (each for each in ties if not is_spoilt_for(viewer, each, place, beside=beside)):
            for id in (tie.source_id, tie.target_id):
                if id not in seen:
                    seen[id] = step
                    edge.append(id)
    return tuple((id, step) for id, step in seen.items() if step)
