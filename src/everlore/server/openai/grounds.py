"""The sources of the last reply in a conversation, by the client's name for it.

The information and permissions of a turn's x-ray, here for pages of other sites, which may only use `/v1`.
"""

from typing import Literal

from fastapi import Request
from pydantic import BaseModel

from everlore.errors import NotFound
from everlore.server.access import Lore
from everlore.server.openai.people import find_speaker
from everlore.server.prompts import x_ray_out
from everlore.server.routing import Router
from everlore.server.wire import RecordModel

router = Router(prefix="/v1", tags=["openai"])


class Ground(RecordModel):
    """Something that the model was told for a reply, and why it came back. `content` is empty for what has been deleted
    since; `kind` is memory, message, summary or event."""

    id: str
    object: Literal["ground"] = "ground"
    kind: str
    type: str
    content: str
    why: str


class GroundList(BaseModel):
    """`reply_id`: the message that rests on them; what was learnt comes before what was said."""

    object: Literal["list"] = "list"
    conversation_id: str
    reply_id: str | None
    data: list[Ground]


@router.get("/conversations/{id}/grounds")
async def list_grounds(lore: Lore, request: Request, id: str) -> GroundList:
    """What the last reply rests on, in a conversation by its id or by the name that the caller gave it."""
    lore = (await find_speaker(lore, request, None)).lore
    conversation = await lore.conversations.known(id)
    if conversation is None:
        raise NotFound(f"There is no conversation {id!r}. Send a message under that name first.")
    seen = x_ray_out(await lore.x_rays.of(conversation.id))
    told = sorted((each for each in seen.memories if not each.left_out), key=lambda each: each.kind != "memory")
    data = [Ground.of(each, object="ground") for each in told]
    return GroundList(conversation_id=conversation.id, reply_id=seen.message_id, data=data)
