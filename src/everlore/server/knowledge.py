"""Routes for who knows what: the knowers of a memory, the knowledge and the partners of a person (R8, R11)."""

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime

from everlore.app import Everlore
from everlore.domain.memory import Memory, Status
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_memories import reader_of
from everlore.server.wire_recall import (
    BondOut,
    KnowerList,
    KnownOut,
    MemoryKnown,
    NewTelling,
    PartnerList,
    TellingOut,
    knower_out,
    known_out,
    memory_known,
    partner_out,
)
from everlore.server.world import EntityOut, GraphOfAll, TieOut
from everlore.store.answers import Page

router = Router(prefix="/api", tags=["knowledge"])
of_memory = Router(prefix="/api/memories/{id}", tags=["knowledge"])
of_person = Router(prefix="/api/persons/{id}", tags=["knowledge"])
Limit = Annotated[int, Query(ge=1, le=500)]
AsOf = Annotated[AwareDatetime | None, Query(description="What was known at that time.")]


@router.get("/knowing")
async def list_who_knows(
    lore: Lore,
    person_id: Annotated[
        str | None, Query(description="The owner: who witnessed it, or for whom it was written.")
    ] = None,
    knower_id: Annotated[str | None, Query(description="Who knows it, first-hand or second-hand.")] = None,
    query: Annotated[str, Query(max_length=1_000, description="Search text: one page, best first.")] = "",
    limit: Limit = 50,
    cursor: str | None = None,
) -> ListOf[MemoryKnown]:
    """Lists active memories, newest first, each with everyone who knows it, since when and from whom. Canon that
    belongs to no person is left out. A page may be shorter than `limit`."""
    for id in (person_id, knower_id):
        if id is not None:
            await lore.store.get(lore.scope, Person, id)
    found = await _memories(lore, person_id, knower_id, query.strip(), limit, cursor)
    knowers = await lore.knowledge.by_whom(found.items)
    names = await lore.characters.names(
        id for each in knowers for knows in each for id in (knows.knower_id, knows.from_id)
    )
    items = [
        memory_known(memory, each, names, reader_of(lore.scope))
        for memory, each in zip(found.items, knowers, strict=True)
    ]
    return ListOf[MemoryKnown](items=items, next=found.cursor)


@router.get("/graph")
async def draw_graph_of_all(
    lore: Lore, limit: Annotated[int, Query(ge=1, le=2_000, description="Maximum number of pairs of persons.")] = 1_000
) -> GraphOfAll:
    """Returns the relationship graph: pairs of persons who share memories, and the ties of all campaigns."""
    bonds, graph = await lore.knowledge.bonds(limit=limit), await lore.world.all_ties()
    return GraphOfAll(
        bonds=[BondOut.of(each) for each in bonds],
        entities=[EntityOut.of(each) for each in graph.entities],
        ties=[TieOut.of(each) for each in graph.ties],
    )


@of_memory.get("/knowers")
async def list_knowers(lore: Lore, id: str, as_of: AsOf = None) -> KnowerList:
    """Lists who knows a memory, since when, and from whom."""
    knowers = await lore.knowledge.knowers(id, as_of=as_of)
    names = await lore.characters.names(each for knows in knowers for each in (knows.knower_id, knows.from_id))
    return KnowerList(items=[knower_out(each, names) for each in knowers], next=None)


@of_memory.post("/tell", status_code=201)
async def tell_memory(lore: Lore, id: str, new: NewTelling) -> TellingOut:
    """Records that one person told another a memory, outside any conversation. Secret and private memories and spoilers
    are not passed on."""
    return TellingOut.of(await lore.knowledge.tell(id, teller=new.teller_id, listener=new.listener_id))


@of_person.get("/partners")
async def list_partners(lore: Lore, id: str) -> PartnerList:
    """Lists everyone who shares memories with a person."""
    partners = await lore.knowledge.partners(id)
    names = await lore.characters.names(each.person_id for each in partners)
    return PartnerList(items=[partner_out(each, names) for each in partners], next=None)


@of_person.get("/knowledge")
async def list_knowledge(
    lore: Lore, id: str, as_of: AsOf = None, limit: Limit = 50, cursor: str | None = None
) -> ListOf[KnownOut]:
    """Lists what a person knows, or knew at a given time, newest first."""
    page = await lore.knowledge.of(id, as_of=as_of, limit=limit, cursor=cursor)
    return ListOf[KnownOut](items=[known_out(each, reader_of(lore.scope)) for each in page.items], next=page.cursor)


async def _memories(
    lore: Everlore, person_id: str | None, knower_id: str | None, query: str, limit: int, cursor: str | None
) -> Page:
    """The requested memories, as far as the caller may see them."""
    if query:
        answer = await lore.recall(query, person=knower_id, include=[PassageKind.MEMORY], limit=limit)
        return Page(_of(person_id, (each.memory for each in answer.hits)), None)
    if knower_id is not None:
        known = await lore.knowledge.of(knower_id, limit=limit, cursor=cursor)
        return Page(_of(person_id, (each.memory for each in known.items)), known.cursor)
    whose: dict[str, Any] = {} if person_id is None else {"persons": person_id}
    while True:
        page = await lore.memories.list(status=Status.ACTIVE.value, limit=limit, cursor=cursor, **whose)
        items, cursor = _of(person_id, page.items), page.cursor
        if items or cursor is None:
            return Page(items, cursor)


def _of(person_id: str | None, memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """Without canon, which belongs to nobody: everybody in its campaign knows it."""
    return tuple(each for each in memories if each.persons and person_id in (None, *each.persons))
