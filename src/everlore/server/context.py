"""The route for the context package: what an external agent should know before it answers (C6)."""

from typing import Any

from fastapi.responses import PlainTextResponse, Response

from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire_events import ContextOut, NewContext
from everlore.server.wire_recall import KIND_OF

router = Router(prefix="/api/context", tags=["context"])
_EITHER: dict[int | str, dict[str, Any]] = {
    200: {"model": ContextOut, "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.post("", response_model=ContextOut, responses=_EITHER)
async def get_context(lore: Lore, asked: NewContext) -> Response:
    """Returns memories, persona, focus, tasks, topics, patterns, tools and summary, as deep as the caller's role and
    mode allow. It writes nothing and calls no language model."""
    package = await lore.context(
        asked.query,
        conversation=asked.conversation_id,
        person=asked.person_id,
        include=[KIND_OF[each] for each in asked.include],
        budget_tokens=asked.budget_tokens,
    )
    if asked.format == "text":
        return PlainTextResponse(package.text)
    return Response(ContextOut.of(package).model_dump_json(), media_type="application/json")
