"""Answers of a character or model in OpenAI's formats: buffered or streamed. A client that disconnects stops them.

Output that is not text, such as tool calls, is passed on unchanged. Start at `buffered` and `streamed`.
"""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from everlore.app import Everlore
from everlore.domain.conversation import Message, MessageState
from everlore.errors import BadAsk
from everlore.server.access import CUT
from everlore.server.openai.wire import ChatChunk, ChatCompletion, FinishedChoice, Reply, Usage, openai_error
from everlore.turn.reply_writer import Writing

_BAD_ASK, _BAD_GATEWAY = 400, 502


@dataclass(frozen=True, slots=True)
class CompletionAnswer:
    """`stop` ends the reply early; its text so far stays, if the reply is stored at all."""

    writing: Writing
    stop: Callable[[], Awaitable[object]]
    name: dict[str, str] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """The name of the conversation, and what was cut from the prompt: known once the first text has come."""
        return self.name | ({CUT: self.writing.cut} if self.writing.cut else {})


async def buffered(lore: Everlore, request: Request, model: str, answer: CompletionAnswer) -> Response:
    reply = await whole(request, answer)
    if reply.state is MessageState.FAILED:
        return failed(answer, reply)
    completion = ChatCompletion(
        id=f"chatcmpl-{reply.id}",
        created=int(reply.created_at.timestamp()),
        model=model,
        choices=choices_of(answer, reply),
        usage=usage_of(lore, reply),
    )
    return JSONResponse(completion.model_dump(mode="json"), headers=answer.headers)


async def whole(request: Request, answer: CompletionAnswer) -> Message:
    async with as_long_as_heard(request, answer):
        return await answer.writing.reply()


def failed(answer: CompletionAnswer, reply: Message) -> Response:
    """With the status and the message of the model server, if the client can do something about it."""
    failure = answer.writing.failure
    headers = dict(answer.headers)
    if isinstance(failure, BadAsk):
        return openai_error(_BAD_ASK, str(failure), headers=headers)
    status = failure.status if failure is not None else None
    if failure is None or status is None or not 400 <= status < 500:
        return openai_error(_BAD_GATEWAY, reply.error, code=failure.code if failure else None, headers=headers)
    after_s = getattr(failure, "after_s", None)
    if after_s is not None:
        headers["Retry-After"] = str(math.ceil(after_s))
    said = failure.said if status in (400, 413, 422, 429) else ""
    return openai_error(status, said or reply.error, param=failure.param, code=failure.code, headers=headers)


def choices_of(answer: CompletionAnswer, reply: Message) -> list[FinishedChoice]:
    content = answer.writing.heard
    others = joined(answer.writing.beside)
    first = others.pop(0, {})
    message = Reply(
        content=content or (None if "tool_calls" in first.get("message", {}) else ""), **first.get("message", {})
    )
    choices = [FinishedChoice(message=message, logprobs=first.get("logprobs"), finish_reason=finish_of(reply))]
    for index, other in sorted(others.items()):
        said = Reply(**({"content": None} | other["message"]))
        reason = str(other.get("finish_reason") or "stop")
        choices.append(FinishedChoice(index=index, message=said, logprobs=other.get("logprobs"), finish_reason=reason))
    return choices


def joined(parts: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The deltas by the number of their choice: texts are joined, tool calls by their index."""
    found: dict[int, dict[str, Any]] = {}
    for part in parts:
        choice = found.setdefault(int(part.get("index", 0)), {"message": {}})
        for name, value in (part.get("delta") or {}).items():
            _join(choice["message"], name, value)
        if part.get("finish_reason"):
            choice["finish_reason"] = part["finish_reason"]
        if isinstance(told := part.get("logprobs"), dict):
            kept = choice.setdefault("logprobs", {})
            for name, value in told.items():
                kept[name] = [*(kept.get(name) or []), *value] if isinstance(value, list) else kept.get(name, value)
    return found


def _join(message: dict[str, Any], name: str, value: Any) -> None:
    if name == "tool_calls" and isinstance(value, list):
        calls = message.setdefault("tool_calls", [])
        for call in value:
            _join_call(calls, call)
    elif isinstance(value, str) and isinstance(message.get(name), str) and name != "role":
        message[name] += value
    elif value is not None:
        message[name] = value


def _join_call(calls: list[dict[str, Any]], part: dict[str, Any]) -> None:
    at = part.get("index", len(calls))
    while len(calls) <= at:
        calls.append({"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    call = calls[at]
    call["id"] = part.get("id") or call["id"]
    for name, text in (part.get("function") or {}).items():
        call["function"][name] = (call["function"].get(name) or "") + (text or "")


async def streamed(
    lore: Everlore, request: Request, model: str, answer: CompletionAnswer, *, wants_usage: bool
) -> Response:
    first, parts, error = await begun(request, answer)
    if error is not None:
        return error
    chunks = _chunks(lore, model, answer, first, parts, wants_usage=wants_usage)
    return stream_of(chunks, answer)


async def begun(request: Request, answer: CompletionAnswer) -> tuple[Any, AsyncIterator[Any], Response | None]:
    """Waits for the first text: a model that is down gives an error with a status, not a broken stream."""
    parts = answer.writing.parts()
    async with as_long_as_heard(request, answer):
        first = await anext(parts, None)
        if first is None and (reply := await answer.writing.reply()).state is MessageState.FAILED:
            return None, parts, failed(answer, reply)
    return first, parts, None


def stream_of(chunks: AsyncIterator[str], answer: CompletionAnswer) -> Response:
    # Also afterwards: if the client is gone before the first chunk is sent, the generator is never closed.
    stop = BackgroundTask(answer.stop)
    return StreamingResponse(chunks, media_type="text/event-stream", headers=answer.headers, background=stop)


async def all_parts(first: Any, rest: AsyncIterator[Any]) -> AsyncIterator[Any]:
    if first is not None:
        yield first
    async for part in rest:
        yield part


async def _chunks(
    lore: Everlore, model: str, answer: CompletionAnswer, first: Any, rest: AsyncIterator[Any], *, wants_usage: bool
) -> AsyncIterator[str]:
    begun = answer.writing.begun

    def chunk(*choices: dict[str, Any], usage: Usage | None = None) -> str:
        made = ChatChunk(
            id=f"chatcmpl-{begun.id}",
            object="chat.completion.chunk",
            created=int(begun.created_at.timestamp()),
            model=model,
            choices=list(choices),
            usage=usage,
        )
        return f"data: {made.model_dump_json(exclude_none=not usage)}\n\n"

    try:
        opening: dict[str, Any] = {"role": "assistant", "content": ""}
        yield chunk({"index": 0, "delta": opening, "finish_reason": None})
        async for part in all_parts(first, rest):
            told = {"index": 0, "delta": {"content": part}} if isinstance(part, str) else {"delta": {}, **part}
            yield chunk({"finish_reason": None, **told})
        reply = await answer.writing.reply()
        if reply.state is MessageState.FAILED:
            yield f"data: {json.dumps(error_of(answer, reply))}\n\n"
            return
        yield chunk({"index": 0, "delta": {}, "finish_reason": finish_of(reply)})
        if wants_usage:
            yield chunk(usage=usage_of(lore, reply))
        yield "data: [DONE]\n\n"
    finally:
        # Closed before its end: the client has disconnected.
        await answer.stop()


def error_of(answer: CompletionAnswer, reply: Message) -> dict[str, Any]:
    failure = answer.writing.failure
    param, code = (failure.param, failure.code) if failure is not None else (None, None)
    return {"error": {"message": reply.error, "type": "server_error", "param": param, "code": code or "model_failed"}}


def finish_of(reply: Message) -> str:
    return str(reply.metadata.get("finish") or "stop")


def usage_of(lore: Everlore, reply: Message) -> Usage:
    """As the provider counted, or else as we do."""
    told = reply.metadata.get("prompt_tokens")
    prompt = told if isinstance(told, int) else 0
    written = reply.tokens if reply.tokens is not None else lore.tokenizer.count(reply.content)
    return Usage(prompt_tokens=prompt, completion_tokens=written, total_tokens=prompt + written)


@asynccontextmanager
async def as_long_as_heard(request: Request, answer: CompletionAnswer) -> AsyncIterator[None]:
    """If the client disconnects meanwhile, the reply is stopped, and so comes to its end."""
    watching = asyncio.create_task(_stop_when_gone(request, answer))
    try:
        yield
    except asyncio.CancelledError:
        await answer.stop()
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _stop_when_gone(request: Request, answer: CompletionAnswer) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    await answer.stop()
