"""`/v1/completions`, for older programs: the prompt is the user's message, and the reply its completion.

Start at `completions`.
"""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict

from everlore.domain.conversation import MessageState
from everlore.errors import BadAsk
from everlore.server.access import SESSION, Lore
from everlore.server.openai.answers import (
    CompletionAnswer,
    all_parts,
    begun,
    error_of,
    failed,
    finish_of,
    stream_of,
    usage_of,
    whole,
)
from everlore.server.openai.chat import answered
from everlore.server.openai.people import find_speaker
from everlore.server.openai.request_options import MEMORY
from everlore.server.openai.wire import ChatMessage, ChatRequest, put_as_chat
from everlore.server.routing import Router

router = Router(prefix="/v1", tags=["openai"])
_OF_PROMPTS = ("suffix", "echo", "best_of", "n", "logprobs")


class CompletionRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str
    prompt: str | list[str] | list[int] | list[list[int]]
    stream: bool | None = None


@router.post("/completions")
async def completions(
    lore: Lore,
    request: Request,
    asked: CompletionRequest,
    session: Annotated[str | None, Header(alias=SESSION)] = None,
    memory: Annotated[str | None, Header(alias=MEMORY)] = None,
) -> Response:
    with put_as_chat():
        chat = as_chat(asked)
    speaker = await find_speaker(lore, request, chat.user)
    answer = await answered(speaker, request, chat, session, memory)
    if asked.stream:
        first, parts, error = await begun(request, answer)
        return error or stream_of(_events(asked.model, answer, first, parts), answer)
    reply = await whole(request, answer)
    if reply.state is MessageState.FAILED:
        return failed(answer, reply)
    document = _document(asked.model, answer, answer.writing.heard, finish_of(reply))
    return JSONResponse(document | {"usage": usage_of(lore, reply).model_dump()}, headers=answer.headers)


def as_chat(asked: CompletionRequest) -> ChatRequest:
    prompt = asked.prompt[0] if isinstance(asked.prompt, list) and len(asked.prompt) == 1 else asked.prompt
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadAsk("prompt is not one text. Send one at a time, as text: tokens mean something else to each model.")
    given: dict[str, Any] = dict(asked.model_extra or {})
    for name in _OF_PROMPTS:
        if given.pop(name, None) not in (None, False, 0, 1, ""):
            raise BadAsk(f"{name} is for models that complete texts; here a character answers. Leave it out.")
    return ChatRequest(**given | {"model": asked.model, "messages": [ChatMessage(role="user", content=prompt)]})


def _document(model: str, answer: CompletionAnswer, text: str, finish: str | None) -> dict[str, Any]:
    begun_with = answer.writing.begun
    return {
        "id": f"cmpl-{begun_with.id}",
        "object": "text_completion",
        "created": int(begun_with.created_at.timestamp()),
        "model": model,
        "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": finish}],
    }


async def _events(model: str, answer: CompletionAnswer, first: Any, rest: AsyncIterator[Any]) -> AsyncIterator[str]:
    try:
        async for part in all_parts(first, rest):
            if isinstance(part, str):
                yield f"data: {json.dumps(_document(model, answer, part, None))}\n\n"
        reply = await answer.writing.reply()
        if reply.state is MessageState.FAILED:
            yield f"data: {json.dumps(error_of(answer, reply))}\n\n"
            return
        yield f"data: {json.dumps(_document(model, answer, '', finish_of(reply)))}\n\ndata: [DONE]\n\n"
    finally:
        await answer.stop()
