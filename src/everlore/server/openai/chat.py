"""The OpenAI-compatible door (`/v1`): every character is a model, memory is added on the way.

What the client sends is the truth of its talk, and the log follows it: see `history`. Errors have OpenAI's shape. A
client that goes away stops the reply, as it would there.

Start at `chat_completions`.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import numpy as np
from fastapi import Header, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from everlore.app import Everlore
from everlore.converse.turns import Sampling
from everlore.converse.writing import Writing
from everlore.domain.conversation import Message, MessageState
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.errors import BadAsk, Misconfigured, NotFound
from everlore.models.openai_chat import HOP
from everlore.server.access import SESSION, Lore
from everlore.server.openai.history import begin, name_of
from everlore.server.openai.reading import read, spoken_of
from everlore.server.openai.wire import (
    ChatChunk,
    ChatCompletion,
    ChatRequest,
    Delta,
    Embedding,
    EmbeddingRequest,
    Embeddings,
    FinishedChoice,
    Model,
    ModelList,
    Reply,
    StreamedChoice,
    Usage,
    openai_error,
)
from everlore.server.routing import Router

router = Router(prefix="/v1", tags=["openai"])
_PREFIX = "everlore/"


@router.get("/models")
async def list_models(lore: Lore) -> ModelList:
    """Each character is a model."""
    return ModelList(data=[_model(slug, person) for slug, person in (await lore.characters.slugs()).items()])


@router.get("/models/{name:path}")
async def get_model(lore: Lore, name: str) -> Model:
    return _model(name.removeprefix(_PREFIX), await _character(lore, name))


@router.post("/chat/completions", response_model=ChatCompletion)
async def chat_completions(
    lore: Lore,
    request: Request,
    asked: ChatRequest,
    session: Annotated[str | None, Header(alias=SESSION)] = None,
) -> Response:
    _refuse_ourselves(request)
    _refuse_what_cannot_be(asked)
    character = await _character(lore, asked.model)
    spoken = spoken_of(
        [each.model_dump(exclude_unset=True) for each in asked.messages], [each.text for each in asked.messages]
    )
    found = read(spoken, character=character.name, user=(await lore.user()).name)
    name = name_of(session, asked.metadata, asked.user)
    conversation, writing = await begin(lore, character, found.lines, name, _sampling(asked, found.instructions))
    headers = {SESSION: conversation.id}
    if asked.stream:
        return await _streamed(lore, request, asked, writing, headers)
    return await _buffered(lore, request, asked, writing, headers)


@router.post("/embeddings")
async def embeddings(lore: Lore, asked: EmbeddingRequest) -> Embeddings:
    """Vectors of the embedder that this Everlore searches with, whatever model is named."""
    if lore.embedder is None:
        raise Misconfigured("No embedder is configured. Set EVERLORE_EMBEDDING__PROVIDER.")
    texts = asked.texts
    vectors = await lore.embedder.embed(texts)
    count = sum(lore.tokenizer.count(text) for text in texts)
    return Embeddings(
        data=[Embedding(index=at, embedding=_encoded(row, asked.encoding_format)) for at, row in enumerate(vectors)],
        model=lore.embedder.name,
        usage=Usage(prompt_tokens=count, total_tokens=count),
    )


def _encoded(row: Any, encoding: str) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode()
    return [float(value) for value in row]


def _model(slug: str, person: Person) -> Model:
    return Model(id=f"{_PREFIX}{slug}", created=int(person.created_at.timestamp()))


async def _character(lore: Everlore, model: str) -> Person:
    """By `everlore/slug`, `slug`, id or name."""
    slugs = await lore.characters.slugs()
    wanted = model.removeprefix(_PREFIX)
    found = slugs.get(wanted) or next((each for each in slugs.values() if wanted in (each.id, each.name)), None)
    if found is None:
        known = ", ".join(f"{_PREFIX}{slug}" for slug in list(slugs)[:20]) or "none yet; create a character first"
        raise NotFound(f"There is no model {model!r}. Each character is one: {known}.")
    return found


def _sampling(asked: ChatRequest, instructions: str) -> Sampling:
    return Sampling(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        stop=asked.stops,
        instructions=instructions,
    )


def _refuse_ourselves(request: Request) -> None:
    if HOP in request.headers:
        raise BadAsk(
            "An Everlore asks here for a model, which would ask for one in turn, without end. Point its "
            "EVERLORE_CHAT__BASE_URL at a real model server instead."
        )


def _refuse_what_cannot_be(asked: ChatRequest) -> None:
    if asked.n not in (None, 1):
        raise BadAsk(f"n is {asked.n}; a character gives one answer at a time. Leave n out, and regenerate for others.")
    if asked.tool_choice not in (None, "auto", "none"):
        raise BadAsk("A character calls no tools. Leave tool_choice out, or set it to auto or none.")
    if asked.response_format is not None and asked.response_format.type != "text":
        raise BadAsk("A character speaks in prose. Leave response_format out, or set its type to text.")


async def _buffered(
    lore: Everlore, request: Request, asked: ChatRequest, writing: Writing, headers: dict[str, str]
) -> Response:
    async with _as_long_as_heard(lore, request, writing):
        reply = await writing.reply()
    if reply.state is MessageState.FAILED:
        return openai_error(502, reply.error, headers=headers)
    completion = ChatCompletion(
        id=f"chatcmpl-{reply.id}",
        created=int(reply.created_at.timestamp()),
        model=asked.model,
        choices=[FinishedChoice(message=Reply(content=display(reply.content).text), finish_reason=_finish(reply))],
        usage=_usage(lore, reply),
    )
    return JSONResponse(completion.model_dump(mode="json"), headers=headers)


@asynccontextmanager
async def _as_long_as_heard(lore: Everlore, request: Request, writing: Writing) -> AsyncIterator[None]:
    """Whoever asked may hang up meanwhile: then the reply is stopped, and so comes to its end."""
    watching = asyncio.create_task(_stop_when_gone(lore, request, writing))
    try:
        yield
    except asyncio.CancelledError:
        await _stop(lore, writing)
        raise
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _stop_when_gone(lore: Everlore, request: Request, writing: Writing) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    await _stop(lore, writing)


async def _stop(lore: Everlore, writing: Writing) -> None:
    """Once the reply is there, nothing is stopped."""
    if lore.turns.writing(lore.scope, writing.begun.conversation_id) is writing:
        await lore.turns.stop(lore.scope, writing.begun.conversation_id)


async def _streamed(
    lore: Everlore, request: Request, asked: ChatRequest, writing: Writing, headers: dict[str, str]
) -> Response:
    """Not before the first word: a model that is down gives an error with a status, not a broken stream."""
    pieces = writing.pieces()
    async with _as_long_as_heard(lore, request, writing):
        first = await anext(pieces, None)
        if first is None and (reply := await writing.reply()).state is MessageState.FAILED:
            return openai_error(502, reply.error, headers=headers)
    chunks = _chunks(lore, asked, writing, first or "", pieces)
    # Afterwards too: of a client that is gone before the first chunk is sent, the chunks hear nothing.
    stop = BackgroundTask(_stop, lore, writing)
    return StreamingResponse(chunks, media_type="text/event-stream", headers=headers, background=stop)


async def _chunks(
    lore: Everlore, asked: ChatRequest, writing: Writing, first: str, rest: AsyncIterator[str]
) -> AsyncIterator[str]:
    def chunk(*choices: StreamedChoice, usage: Usage | None = None) -> str:
        begun = writing.begun
        made = ChatChunk(
            id=f"chatcmpl-{begun.id}",
            object="chat.completion.chunk",
            created=int(begun.created_at.timestamp()),
            model=asked.model,
            choices=list(choices),
            usage=usage,
        )
        return f"data: {made.model_dump_json(exclude_unset=True)}\n\n"

    try:
        yield chunk(StreamedChoice(index=0, delta=Delta(role="assistant", content=first), finish_reason=None))
        async for piece in rest:
            yield chunk(StreamedChoice(index=0, delta=Delta(content=piece), finish_reason=None))
        reply = await writing.reply()
        if reply.state is MessageState.FAILED:
            error = {"error": {"message": reply.error, "type": "server_error", "param": None, "code": "model_failed"}}
            yield f"data: {json.dumps(error)}\n\n"
            return
        yield chunk(StreamedChoice(index=0, delta=Delta(), finish_reason=_finish(reply)))
        if asked.wants_usage:
            yield chunk(usage=_usage(lore, reply))
        yield "data: [DONE]\n\n"
    finally:
        # Closed before its end: whoever asked has gone.
        await _stop(lore, writing)


def _finish(reply: Message) -> str:
    return str(reply.metadata.get("finish") or "stop")


def _usage(lore: Everlore, reply: Message) -> Usage:
    """As the provider counted, or else as we do."""
    told = reply.metadata.get("prompt_tokens")
    prompt = told if isinstance(told, int) else 0
    written = reply.tokens if reply.tokens is not None else lore.tokenizer.count(reply.content)
    return Usage(prompt_tokens=prompt, completion_tokens=written, total_tokens=prompt + written)
