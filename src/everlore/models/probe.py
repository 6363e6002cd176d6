"""Tests a model server before its address is saved: does it respond, accept the key, have the model, and can it chat?

In: an endpoint. Out: a `ProbeResult`, whose `problem` says what is wrong, in words for the user who entered the
address. Nothing is saved, and no message contains the key. Start at `probe`.
"""

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from everlore.domain.config_choices import Service
from everlore.errors import EverloreError, Misconfigured, ModelUnavailable
from everlore.models.chat import Ask, ChatModel, Said, complete
from everlore.models.choice import Endpoint
from everlore.models.complaints import checked_address, public_address, sendable_key, stays_here
from everlore.models.discovery import chat_models, ollama_models
from everlore.models.window import TellsWindow

if TYPE_CHECKING:
    from httpx import AsyncClient

# The first request to a model may take minutes, because it has to be loaded.
ANSWER_TIMEOUT_S = 20
LIST_TIMEOUT_S = 10
_MOST_BYTES = 10_000_000
_NAMED = 5
_UNKNOWN_MODEL = re.compile(r"not (found|exist)|no such model|unknown model|invalid model", re.I)


class ModelProblem(StrEnum):
    NONE = ""
    UNREACHABLE = "unreachable"
    KEY = "key"
    PATH = "path"
    MODEL = "model"
    CHAT = "chat"
    SLOW = "slow"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """`models` are the chat models that the server lists; `model` is the one that answered."""

    problem: ModelProblem = ModelProblem.NONE
    detail: str = ""
    fix: str = ""
    model: str = ""
    models: tuple[str, ...] = ()
    context_window: int | None = None


async def probe(
    endpoint: Endpoint, opened: Callable[[Endpoint], AbstractAsyncContextManager[ChatModel]]
) -> ProbeResult:
    """Requests the list of models, then a word from the model. `opened` makes the client."""
    listing = await list_models(endpoint)
    # A server without a list may still chat: only a chat request tells whether the path is right.
    if listing.problem in {ModelProblem.UNREACHABLE, ModelProblem.KEY, ModelProblem.SLOW, ModelProblem.OTHER}:
        return listing
    try:
        async with opened(endpoint) as model:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                await complete(model, Ask(messages=(Said("user", "Say: yes"),), max_tokens=16))
            window = await model.window() if isinstance(model, TellsWindow) else None
            return ProbeResult(model=model.name, models=listing.models, context_window=window)
    except TimeoutError:
        return ProbeResult(
            problem=ModelProblem.SLOW,
            detail=f"The model didn't answer within {ANSWER_TIMEOUT_S} seconds. It may still be loading.",
            fix="Test again in a minute, or choose a smaller model.",
            models=listing.models,
        )
    except EverloreError as error:
        return _explain(error, endpoint, listing)


async def list_models(endpoint: Endpoint) -> ProbeResult:
    """The chat models that the server offers."""
    from httpx import ConnectError, HTTPError, InvalidURL, TimeoutException

    if endpoint.built_in or endpoint.provider is Service.LOCAL:
        return ProbeResult()
    is_ollama = endpoint.provider is Service.OLLAMA
    try:
        address = checked_address(endpoint.base_url, example="http://127.0.0.1:11434/v1")
        key = sendable_key(endpoint.api_key)
    except Misconfigured as error:
        return ProbeResult(problem=ModelProblem.OTHER, detail=str(error))
    if is_ollama:
        address = address.removesuffix("/v1").removesuffix("/api")
    shown = public_address(address)
    try:
        client = await asyncio.to_thread(_open_client, address, key)
        async with client, asyncio.timeout(LIST_TIMEOUT_S):
            status, body = await _get(client, f"{address}/api/tags" if is_ollama else f"{address}/models")
        if status in {401, 403}:
            return _wrong_key(bool(key))
        if status != 200:
            return _wrong_path(shown)
        listing = json.loads(body)
        models = ollama_models(listing) if is_ollama else chat_models(listing)
    except (ConnectError, InvalidURL):
        return _unreachable(shown)
    except (TimeoutException, TimeoutError):
        return ProbeResult(
            problem=ModelProblem.SLOW,
            detail=f"{shown} didn't answer in time.",
            fix="Check the address, or try again later.",
        )
    except HTTPError:
        return _wrong_path(shown)
    except (ValueError, RecursionError):
        return _wrong_path(shown)
    return ProbeResult(models=models)


def _explain(error: EverloreError, endpoint: Endpoint, listing: ProbeResult) -> ProbeResult:
    shown, models = public_address(endpoint.base_url), listing.models
    if error.status in {401, 403}:
        return _wrong_key(endpoint.api_key is not None)
    is_missing = bool(endpoint.model) and bool(models) and endpoint.model not in models
    if error.status == 404 or (is_missing and _UNKNOWN_MODEL.search(error.said or "")):
        return _no_model(endpoint.model, models) if is_missing else _wrong_path(shown)
    if error.status in {400, 405, 422, 501}:
        said = " ".join((error.said or "").split())[:200]
        return ProbeResult(
            problem=ModelProblem.CHAT,
            detail=f"“{endpoint.model}” can't chat" + (f": {said}" if said else "."),
            fix="Choose a chat model. Embedding and speech models can't chat.",
            models=models,
        )
    if error.status is None and isinstance(error, ModelUnavailable):
        return _unreachable(shown)
    if error.status is None and not isinstance(error, Misconfigured):
        return _wrong_path(shown)
    if not models and not endpoint.model:
        return _no_model("", models)
    return ProbeResult(problem=ModelProblem.OTHER, detail=str(error), models=models)


def _unreachable(address: str) -> ProbeResult:
    fix = "Start the server, or check the port." if stays_here(address) else "Check the address and your connection."
    return ProbeResult(problem=ModelProblem.UNREACHABLE, detail=f"Can't reach {address}.", fix=fix)


def _wrong_key(has_key: bool) -> ProbeResult:
    if has_key:
        detail, fix = "The server rejected the API key.", "Copy the key again, without spaces around it."
    else:
        detail, fix = "The server needs an API key.", "Enter the key that the provider gave you."
    return ProbeResult(problem=ModelProblem.KEY, detail=detail, fix=fix)


def _wrong_path(address: str) -> ProbeResult:
    return ProbeResult(
        problem=ModelProblem.PATH,
        detail=f"There is a server at {address}, but no chat API at this path.",
        fix="Check the end of the address. OpenAI-compatible servers usually end in /v1; Ollama has no path.",
    )


def _no_model(model: str, models: tuple[str, ...]) -> ProbeResult:
    detail = f"The server has no model “{model}”." if model else "The server has no chat model yet."
    some = ", ".join(models[:_NAMED]) + (" …" if len(models) > _NAMED else "")
    fix = f"Choose one of its models: {some}." if models else "Download or load a model there first."
    return ProbeResult(problem=ModelProblem.MODEL, detail=detail, fix=fix, models=models)


def _open_client(address: str, key: str) -> "AsyncClient":
    from httpx import AsyncClient

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # Redirects would send the key to another address.
    return AsyncClient(headers=headers, follow_redirects=False, trust_env=not stays_here(address))


async def _get(client: "AsyncClient", url: str) -> tuple[int, bytes]:
    body = bytearray()
    async with client.stream("GET", url) as response:
        async for part in response.aiter_bytes():
            body += part
            if len(body) > _MOST_BYTES:
                raise ValueError("a list of models is shorter")
        return response.status_code, bytes(body)
