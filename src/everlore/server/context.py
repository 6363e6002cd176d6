"""The route for the context package: what an external agent should know before it answers (C6)."""

from typing import Any, Literal

from fastapi.responses import PlainTextResponse, Response
from pydantic import Field

from everlore.compose.package import (
    BUDGET,
    LEAST_BUDGET,
    MOST_BUDGET,
    ContextPackage,
    PackageMemory,
    PackagePersona,
    ToolUse,
)
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, RecordModel
from everlore.server.wire_memories import Id
from everlore.server.wire_recall import KIND_OF, Included


class NewContext(Given):
    """`person_id`: from whose point of view. With `format` text, the answer is plain text."""

    query: str = Field("", max_length=100_000)
    conversation_id: Id | None = None
    person_id: Id | None = None
    budget_tokens: int = Field(BUDGET, ge=LEAST_BUDGET, le=MOST_BUDGET)
    include: tuple[Included, ...] = Field((Included.MEMORIES,), min_length=1, max_length=10)
    format: Literal["json", "text"] = "json"


class PersonaOut(RecordModel, record=PackagePersona):
    """Who the agent is."""


class RememberedOut(RecordModel, record=PackageMemory):
    """`id` and `why` are empty for callers who may not see them; `summary` is the short form, if there is one."""


class ToolUseOut(RecordModel, record=ToolUse):
    """A call of a tool."""


class ContextOut(RecordModel, record=ContextPackage, without=("query", "user_name")):
    """`fallback_used`: nothing matched the question, and `memories` are the most important ones instead. `recent_tools`
    are in the order of time; `text` is the complete prompt text, within the budget."""

    memories: list[RememberedOut]
    persona: PersonaOut | None
    recent_tools: list[ToolUseOut]
    text: str


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
