"""`/v1/responses`, OpenAI's newer API: the same turns as `/v1/chat/completions`, in its formats.

Only the conversation is stored: `previous_response_id` continues the one of that response. Tools that a provider runs
itself are refused with a message; functions are passed on. Start at `responses`; `as_chat` is pure.
"""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count
from typing import Annotated, Any

from fastapi import Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from everlore.app import Everlore
from everlore.domain.conversation import Message, MessageState
from everlore.errors import BadAsk, NotFound
from everlore.server.access import SESSION, Lore
from everlore.server.openai.answers import (
    CompletionAnswer,
    all_parts,
    begun,
    failed,
    finish_of,
    joined,
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
_ID = "resp_"
# Fields without a meaning here, which change no answer.
_OF_THE_API = ("store", "include", "truncation", "background", "conversation", "stream_options")
_PARTS = {"input_text": "text", "output_text": "text", "text": "text"}


class ResponsesRequest(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str
    input: str | list[dict[str, Any]]
    instructions: str | None = None
    previous_response_id: str | None = Field(None, max_length=300)
    stream: bool | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    text: dict[str, Any] | None = None
    max_output_tokens: int | None = Field(None, ge=1)


@router.post("/responses")
async def responses(
    lore: Lore,
    request: Request,
    asked: ResponsesRequest,
    session: Annotated[str | None, Header(alias=SESSION)] = None,
    memory: Annotated[str | None, Header(alias=MEMORY)] = None,
) -> Response:
    with put_as_chat():
        chat = as_chat(asked)
    speaker = await find_speaker(lore, request, chat.user)
    session = session or await _conversation_of(speaker.lore, asked.previous_response_id)
    answer = await answered(speaker, request, chat, session, memory)
    if asked.stream:
        first, parts, error = await begun(request, answer)
        return error or stream_of(_events(lore, asked, answer, first, parts), answer)
    reply = await whole(request, answer)
    if reply.state is MessageState.FAILED:
        return failed(answer, reply)
    return JSONResponse(_document(lore, asked, answer, reply), headers=answer.headers)


async def _conversation_of(lore: Everlore, response_id: str | None) -> str | None:
    if response_id is None:
        return None
    found = await lore.store.get_many(lore.scope, Message, [response_id.removeprefix(_ID)])
    if not found:
        raise NotFound(f"There is no response {response_id!r}. Leave previous_response_id out to start afresh.")
    return (await lore.conversations.get(found[0].conversation_id)).id


def as_chat(asked: ResponsesRequest) -> ChatRequest:
    given = {name: value for name, value in (asked.model_extra or {}).items() if name not in _OF_THE_API}
    reasoning = given.pop("reasoning", None)
    if isinstance(reasoning, dict) and reasoning.get("effort"):
        given["reasoning_effort"] = reasoning["effort"]
    messages = [_message(each) for each in _items(asked)]
    if asked.instructions:
        messages.insert(0, ChatMessage(role="system", content=asked.instructions))
    own = {
        "model": asked.model,
        "messages": [each for each in messages if each is not None],
        "stream": asked.stream,
        "max_tokens": asked.max_output_tokens,
        "tools": [_tool(each) for each in asked.tools] if asked.tools else None,
        "tool_choice": _choice(asked.tool_choice),
        "response_format": _form(asked.text),
    }
    return ChatRequest(**given | own)


def _items(asked: ResponsesRequest) -> list[dict[str, Any]]:
    """Tool calls that belong together are one message."""
    if isinstance(asked.input, str):
        return [{"role": "user", "content": asked.input}]
    found: list[dict[str, Any]] = []
    for item in asked.input:
        if item.get("type") == "function_call" and found and found[-1].get("type") == "calls":
            found[-1]["calls"].append(item)
        else:
            found.append({"type": "calls", "calls": [item]} if item.get("type") == "function_call" else item)
    return found


def _message(item: dict[str, Any]) -> ChatMessage | None:
    match item.get("type", "message"):
        case "message":
            return ChatMessage(role=item.get("role", "user"), content=_content(item.get("content")))
        case "calls":
            calls = [
                {"id": each.get("call_id"), "type": "function", "function": _named(each, "name", "arguments")}
                for each in item["calls"]
            ]
            return ChatMessage.model_validate({"role": "assistant", "content": None, "tool_calls": calls})
        case "function_call_output":
            output = item.get("output")
            text = output if isinstance(output, str) else json.dumps(output)
            return ChatMessage.model_validate({"role": "tool", "tool_call_id": item.get("call_id"), "content": text})
        case "reasoning":
            return None
        case other:
            raise BadAsk(f"An input of type {other!r} is not supported. Send messages and function calls.")


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    parts = [_part(each) for each in content if isinstance(each, dict)]
    return "\n".join(str(each["text"]) for each in parts) if all(each["type"] == "text" for each in parts) else parts


def _part(part: dict[str, Any]) -> dict[str, Any]:
    kind = str(part.get("type"))
    if kind in _PARTS:
        return {"type": "text", "text": part.get("text") or ""}
    if kind == "input_image":
        address = {"url": part.get("image_url")} | ({"detail": part["detail"]} if "detail" in part else {})
        return {"type": "image_url", "image_url": address}
    raise BadAsk(f"A part of type {kind!r} is not supported. Send texts and pictures.")


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if tool.get("type") != "function":
        raise BadAsk(f"The tool {tool.get('type')!r} is run by the provider, and not here. Send functions.")
    return {"type": "function", "function": _named(tool, "name", "description", "parameters", "strict")}


def _choice(choice: Any) -> Any:
    if isinstance(choice, dict) and choice.get("type") == "function":
        return {"type": "function", "function": {"name": choice.get("name")}}
    return choice


def _form(text: dict[str, Any] | None) -> dict[str, Any] | None:
    form = (text or {}).get("format")
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        return form
    return {"type": "json_schema", "json_schema": _named(form, "name", "description", "schema", "strict")}


def _named(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name) is not None}


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _output(answer: CompletionAnswer) -> list[dict[str, Any]]:
    id, text = answer.writing.begun.id, answer.writing.heard
    calls = joined(answer.writing.beside).get(0, {"message": {}})["message"].get("tool_calls") or []
    said = [_said(id, text)] if text or not calls else []
    return [
        *said,
        *(
            {
                "type": "function_call",
                "id": f"fc_{id}_{at}",
                "call_id": call["id"],
                "name": call["function"]["name"],
                "arguments": call["function"]["arguments"],
                "status": "completed",
            }
            for at, call in enumerate(calls)
        ),
    ]


def _said(id: str, text: str, status: str = "completed") -> dict[str, Any]:
    content = [_text(text)] if status == "completed" else []
    return {"type": "message", "id": f"msg_{id}", "role": "assistant", "status": status, "content": content}


def _text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _document(
    lore: Everlore, asked: ResponsesRequest, answer: CompletionAnswer, reply: Message | None, status: str = "completed"
) -> dict[str, Any]:
    begun_with = answer.writing.begun
    is_cut = reply is not None and finish_of(reply) == "length"
    return {
        "id": f"{_ID}{begun_with.id}",
        "object": "response",
        "created_at": int(begun_with.created_at.timestamp()),
        "status": "incomplete" if is_cut else status,
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "model": asked.model,
        "instructions": asked.instructions,
        "previous_response_id": asked.previous_response_id,
        "output": _output(answer) if reply is not None else [],
        "parallel_tool_calls": True,
        "tool_choice": asked.tool_choice or "auto",
        "tools": asked.tools or [],
        "metadata": {},
        "text": asked.text or {"format": {"type": "text"}},
        "usage": _usage(lore, reply) if reply is not None else None,
    }


def _usage(lore: Everlore, reply: Message) -> dict[str, Any]:
    used = usage_of(lore, reply)
    return {
        "input_tokens": used.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.total_tokens,
    }


async def _events(
    lore: Everlore, asked: ResponsesRequest, answer: CompletionAnswer, first: Any, rest: AsyncIterator[Any]
) -> AsyncIterator[str]:
    number = count()

    def event(kind: str, **told: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': next(number), **told})}\n\n"

    id = answer.writing.begun.id
    at_text: dict[str, Any] = {"item_id": f"msg_{id}", "output_index": 0, "content_index": 0}
    try:
        for kind in ("response.created", "response.in_progress"):
            yield event(kind, response=_document(lore, asked, answer, None, "in_progress"))
        has_text = False
        async for part in all_parts(first, rest):
            if not isinstance(part, str):
                continue
            if not has_text:
                has_text = True
                yield event("response.output_item.added", output_index=0, item=_said(id, "", "in_progress"))
                yield event("response.content_part.added", **at_text, part=_text(""))
            yield event("response.output_text.delta", **at_text, delta=part, logprobs=[])
        reply = await answer.writing.reply()
        if reply.state is MessageState.FAILED:
            broken = _document(lore, asked, answer, None, "failed")
            yield event(
                "response.failed", response=broken | {"error": {"code": "server_error", "message": reply.error}}
            )
            return
        for text in _ending(event, answer, at_text, has_text=has_text):
            yield text
        done = _document(lore, asked, answer, reply)
        yield event("response.incomplete" if done["status"] == "incomplete" else "response.completed", response=done)
    finally:
        await answer.stop()


def _ending(event: Any, answer: CompletionAnswer, at_text: dict[str, Any], *, has_text: bool) -> Iterator[str]:
    for at, item in enumerate(_output(answer)):
        if item["type"] == "message":
            if has_text:
                part = item["content"][0]
                yield event("response.output_text.done", **at_text, text=part["text"], logprobs=[])
                yield event("response.content_part.done", **at_text, part=part)
                yield event("response.output_item.done", output_index=at, item=item)
            continue
        begun_with = item | {"arguments": "", "status": "in_progress"}
        place = {"item_id": item["id"], "output_index": at}
        yield event("response.output_item.added", output_index=at, item=begun_with)
        yield event("response.function_call_arguments.delta", **place, delta=item["arguments"])
        yield event("response.function_call_arguments.done", **place, name=item["name"], arguments=item["arguments"])
        yield event("response.output_item.done", output_index=at, item=item)
