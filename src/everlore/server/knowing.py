"""Routes for who knows what: the knowers of a memory, the knowledge and the partners of a person (R8, R11)."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime

from everlore.app import Everlore
from everlore.domain.person import Person
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_recall import (
    KnowerList,
    KnownList,
    NewTelling,
    PartnerList,
    TellingOut,
    knower_out,
    known_out,
    partner_out,
    telling_out,
)

of_memory = Router(prefix="/api/memories/{id}", tags=["knowledge"])
of_person = Router(prefix="/api/persons/{id}", tags=["knowledge"])
Limit = Annotated[int, Query(ge=1, le=500)]
AsOf = Annotated[AwareDatetime | None, Query(description="As it was known at that time.")]


@of_memory.get("/knowers")
async def list_knowers(lore: Lore, id: str, as_of: AsOf = None) -> KnowerList:
    """Who knows a memory, since when, and from whom (R11)."""
    knowers = await lore.knowledge.knowers(id, as_of=as_of)
    names = await _names(lore, (each for knows in knowers for each in (knows.knower_id, knows.from_id)))
    return KnowerList(items=[knower_out(each, names) for each in knowers], next=None)


@of_memory.post("/tell", status_code=201)
async def tell_memory(lore: Lore, id: str, new: NewTelling) -> TellingOut:
    """Somebody who knows it told somebody who does not, out of any conversation. What is secret, private or a spoiler
    is not told (R11)."""
    return telling_out(await lore.knowledge.tell(id, teller=new.teller_id, listener=new.listener_id))


@of_person.get("/partners")
async def list_partners(lore: Lore, id: str) -> PartnerList:
    """Everybody who shares memories with a person (R8)."""
    partners = await lore.knowledge.partners(id)
    names = await _names(lore, (each.person_id for each in partners))
    return PartnerList(items=[partner_out(each, names) for each in partners], next=None)


@of_person.get("/knowledge")
async def list_knowledge(
    lore: Lore, id: str, as_of: AsOf = None, limit: Limit = 50, cursor: str | None = None
) -> KnownList:
    """What a person knows, or knew at that time: the latest first (R11)."""
    page = await lore.knowledge.of(id, as_of=as_of, limit=limit, cursor=cursor)
    return KnownList(items=[known_out(each) for each in page.items], next=page.cursor)


async def _names(lore: Everlore, ids: Iterable[str | None]) -> dict[str, str]:
    wanted = {id for id in ids if id is not None}
    return {person.id: person.name for person in await lore.store.get_many(lore.scope, Person, wanted)}
