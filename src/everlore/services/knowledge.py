"""Who knows what: since when, from whom, and who shares memories with whom (R8, R11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.knowledge import Knows, Telling, knowers_of, retold
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.visibility import DESK, why_untold
from everlore.errors import BadAsk
from everlore.services.base import Service
from everlore.store.answers import PairActivity, Partner
from everlore.store.port import Put
from everlore.turn.ownership import memory_of
from everlore.turn.tellings import tellings_of
from everlore.turn.viewers import seen_among, viewer_of


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory as one person knows it."""

    memory: Memory
    knows: Knows


@dataclass(frozen=True, slots=True)
class KnownPage:
    items: tuple[KnownMemory, ...]
    cursor: str | None


class Knowing(Service):
    async def knowers(self, memory_id: str, *, as_of: datetime | None = None) -> tuple[Knows, ...]:
        """Everybody who knows a memory, witnesses first."""
        memory = await memory_of(self._store, self._scope, memory_id)
        if as_of is not None:
            then = await self._store.as_of(self._scope, [memory_id], as_of)
            if not then or then[0].status is not Status.ACTIVE:
                return ()
            memory = then[0]
        return knowers_of(memory, await self._tellings([memory_id]), as_of=as_of)

    async def of(
        self, person: Person | str, *, as_of: datetime | None = None, limit: int = 50, cursor: str | None = None
    ) -> KnownPage:
        """What somebody knows, or knew at that time, newest first."""
        id = await self._known_person(person)
        page = await self._store.known(self._scope, id, as_of=as_of, limit=limit, cursor=cursor)
        store, viewer = self._store, await viewer_of(self._store, self._scope)
        seen = await seen_among(store, self._scope, viewer, page.items, DESK, at=as_of)
        tellings = _by_memory(await self._tellings([each.id for each in seen]))
        found = [(each, _of(id, each, tellings.get(each.id, ()), as_of)) for each in seen]
        return KnownPage(tuple(KnownMemory(memory, knows) for memory, knows in found if knows is not None), page.cursor)

    async def by_whom(self, memories: Sequence[Memory]) -> list[tuple[Knows, ...]]:
        """For each of these, everybody who knows it, in the order of `knowers`. One query for all; the caller must have
        checked that the memories may be seen."""
        tellings = _by_memory(await self._tellings([each.id for each in memories]))
        return [knowers_of(each, tellings.get(each.id, ())) for each in memories]

    async def bonds(self, *, limit: int = 500) -> Sequence[PairActivity]:
        """How close people are: shared memories, conversations, and interactions; most first."""
        return await self._store.bonds(self._scope, limit=limit)

    async def partners(self, person: Person | str) -> Sequence[Partner]:
        """Everybody who shares memories with a person, most first."""
        return await self._store.partners(self._scope, await self._known_person(person))

    async def tell(self, memory_id: str, *, teller: Person | str, listener: Person | str) -> Telling:
        """Record that one person told another, outside of conversations. No effect if the listener knows it."""
        memory = await memory_of(self._store, self._scope, memory_id)
        teller_id, listener_id = await self._known_person(teller), await self._known_person(listener)
        known = {each.knower_id: each for each in knowers_of(memory, await self._tellings([memory_id]))}
        refuse_untellable(memory)
        if teller_id not in known:
            raise BadAsk(f"{teller_id!r} does not know memory {memory_id!r}, and so cannot tell it.")
        if listener_id in known:
            raise BadAsk(f"{listener_id!r} knows memory {memory_id!r} already.")
        now = self._resources.clock()
        degree, certainty = retold(memory, known[teller_id])
        telling = Telling(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            memory_id=memory_id,
            teller_id=teller_id,
            listener_id=listener_id,
            degree=degree,
            certainty=certainty,
            told_at=now,
            created_at=now,
        )
        await self._store.apply(self._scope, [Put(telling)])
        return telling

    async def _known_person(self, person: Person | str) -> str:
        if isinstance(person, Person):
            return person.id
        return (await self._store.get(self._scope, Person, person)).id

    async def _tellings(self, memory_ids: Sequence[str]) -> list[Telling]:
        return await tellings_of(self._resources, self._scope, memory_ids)


def refuse_untellable(memory: Memory) -> None:
    if why := why_untold(memory):
        raise BadAsk(f"Memory {memory.id!r} cannot be told: {why}.")


def _by_memory(tellings: Sequence[Telling]) -> Mapping[str, list[Telling]]:
    found: dict[str, list[Telling]] = {}
    for each in tellings:
        found.setdefault(each.memory_id, []).append(each)
    return found


def _of(person_id: str, memory: Memory, tellings: Sequence[Telling], as_of: datetime | None) -> Knows | None:
    found = knowers_of(memory, tellings, as_of=as_of)
    return next((each for each in found if each.knower_id == person_id), None)
