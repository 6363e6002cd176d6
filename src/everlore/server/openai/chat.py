"""The OpenAI-compatible API (`/v1`): every character is a model, and memory is added to its prompts.

The messages of the client are authoritative, and the log follows them: see `history`. Errors have OpenAI's format. A
client that disconnects stops the reply, as with OpenAI.

Start at `chat_completions`.
"""

import base64
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import Header, Request
from fastapi.responses import Response

from everlore.app import Everlore
from everlore.domain.event import EventType
from everlore.domain.memory_use import Use
from everlore.domain.person import Person
from everlore.domain.policy import can_write
from everlore.domain.token import Token
from everlore.errors import BadAsk, Misconfigured, NotFound
from everlore.models.openai_chat import HOP
from everlore.server.access import SESSION, Lore
from everlore.server.openai.answers import CompletionAnswer, buffered, streamed
from everlore.server.openai.history import NOTHING_SAID, begin, name_of
from everlore.server.openai.people import Speaker, find_speaker
from everlore.server.openai.request_options import HISTORY, MEMORY, Understood, is_whole_talk, understood, use_of
from everlore.server.openai.tooluse import noted
from everlore.server.openai.wire import (
    ChatCompletion,
    ChatRequest,
    Embedding,
    EmbeddingRequest,
    Embeddings,
    Model,
    ModelList,
    Usage,
)
from everlore.server.routing import Router
from everlore.turn.asides import in_scene, outside
from everlore.turn.reply_writer import Writing

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
    memory: Annotated[str | None, Header(alias=MEMORY)] = None,
) -> Response:
    speaker = await find_speaker(lore, request, asked.user)
    answer = await answered(speaker, request, asked, session, memory)
    if asked.stream:
        return await streamed(lore, request, asked.model, answer, wants_usage=asked.wants_usage)
    return await buffered(lore, request, asked.model, answer)


async def answered(
    speaker: Speaker, request: Request, asked: ChatRequest, session: str | None, memory: str | None
) -> CompletionAnswer:
    """A turn that is saved, or an answer that is not: see `Use` and `Kind`."""
    _refuse_ourselves(request)
    lore, user = speaker.lore, speaker.person
    character = await _character(lore, asked.model)
    found = understood(asked, character, user, use_of(memory or await _usual(lore)))
    if not found.keeps or not can_write(lore.scope.mode, EventType.CONVERSATION):
        return _aside(lore, character, user, found)
    await speaker.save()
    name = replace(
        name_of(session, asked.metadata, speaker.named or asked.user),
        is_step=bool(found.read.steps),
        is_whole_talk=is_whole_talk(request.headers.get(HISTORY)),
    )
    conversation, writing = await begin(lore, character, found.read.lines, name, found.sampling)
    await noted(lore, conversation, found.read.steps)
    return CompletionAnswer(writing, partial(_stop, lore, writing), {SESSION: conversation.id})


async def _usual(lore: Everlore) -> str | None:
    """The memory mode for requests that set none: the one of their token."""
    found = await lore.store.get_many(lore.scope, Token, [lore.scope.actor]) if lore.scope.person_id else []
    return found[0].memory if found else None


def _aside(lore: Everlore, character: Person, user: Person, found: Understood) -> CompletionAnswer:
    lines = [(line.is_user, line.text) for line in found.read.lines]
    if found.use is Use.OFF:
        aside = outside(lore.resources, lore.scope, character, found.messages, found.sampling)
    elif lines:
        aside = in_scene(lore.resources, lore.scope, character, user, lines, found.sampling)
    else:
        raise BadAsk(NOTHING_SAID)
    return CompletionAnswer(aside.writing, aside.stop)


async def _stop(lore: Everlore, writing: Writing) -> None:
    """No effect on a complete reply."""
    if lore.turns.writing(writing.begun.conversation_id) is writing:
        await lore.turns.stop(writing.begun.conversation_id)


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


def _encoded(row: Any, encoding: str | None) -> list[float] | str:
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


def _refuse_ourselves(request: Request) -> None:
    if HOP in request.headers:
        raise BadAsk(
            "An Everlore asks here for a model, which would ask for one in turn, without end. Point its "
            "EVERLORE_CHAT__BASE_URL at a real model server instead."
        )
