"""Routes for the prompt that you can see through: of a turn that was, and of one that would be (P12)."""

from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_prompts import NewPrompt, XRayOut, x_ray_out

router = Router(prefix="/api/conversations/{id}/prompt", tags=["prompts"])


@router.get("")
async def get_prompt(lore: Lore, id: str, message_id: str = "") -> XRayOut:
    """What the model was told for the last reply, or for that one."""
    return x_ray_out(await lore.x_rays.of(id, message_id))


@router.post("")
async def try_prompt(lore: Lore, id: str, new: NewPrompt) -> XRayOut:
    """What the model would be told if this were said. Nothing is written, and no model is asked."""
    template = await lore.templates.resolved(new.template) if new.template else None
    return x_ray_out(await lore.x_rays.would_be(id, new.content, speaker_id=new.speaker_id, template=template))
