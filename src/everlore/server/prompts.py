"""Routes for x-rays of prompts: of a past turn, and of one that would be made (P12)."""

from everlore.app import Everlore
from everlore.domain.memory import Memory
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_memories import address, reader_of
from everlore.server.wire_prompts import NewPrompt, XRayOut, x_ray_out

router = Router(prefix="/api/conversations/{id}/prompt", tags=["prompts"])


@router.get("")
async def get_prompt(lore: Lore, id: str, message_id: str = "") -> XRayOut:
    """Returns the prompt of the last reply, or of a given one."""
    return await _addressed(lore, x_ray_out(await lore.x_rays.of(id, message_id)))


@router.post("")
async def try_prompt(lore: Lore, id: str, new: NewPrompt) -> XRayOut:
    """Returns the prompt that a message would produce. Nothing is written, and no model is called."""
    template = await lore.templates.resolved(new.template) if new.template else None
    seen = await lore.x_rays.would_be(id, new.content, speaker_id=new.speaker_id, template=template)
    return await _addressed(lore, x_ray_out(seen))


async def _addressed(lore: Everlore, seen: XRayOut) -> XRayOut:
    """Adds each memory's text in the second person, as the page shows it."""
    ids = [each.id for each in seen.memories if each.kind == "memory"]
    persons = {each.id: each.persons for each in await lore.store.get_many(lore.scope, Memory, ids)}
    reader = reader_of(lore.scope)
    for each in seen.memories:
        each.shown = address(each.content, persons.get(each.id, ()), reader)
    return seen
