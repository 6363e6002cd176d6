"""Finds models without configuration: servers on this machine, and API keys in the environment (V5).

Ollama, LM Studio and llama.cpp are tried at their usual ports, all at once and for half a second. Only a server that
answers in the expected format counts; any other is ignored. The usual variables for services with OpenAI-compatible
APIs are read from a mapping; the services are not called.

Start at `discover`; `best` chooses an offer if nothing is configured.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from everlore.domain.config_choices import Service
from everlore.errors import Misconfigured
from everlore.models.complaints import checked_address

if TYPE_CHECKING:
    from httpx import AsyncClient

LIMIT_S = 0.5
_MOST_BYTES = 2_000_000
_MOST_MODELS = 500

# Services with an OpenAI-compatible API, in the order in which they are tried, each with its default model: an
# inexpensive chat model from the service's own documentation.
_SERVICES = (
    ("OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-4.1-mini"),
    ("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto"),
    ("MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-small-latest"),
    ("DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-chat"),
    ("GROQ_API_KEY", "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile"),
    ("TOGETHER_API_KEY", "https://api.together.xyz/v1", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
)
USUAL_MODELS: Mapping[str, str] = {address: model for _, address, model in _SERVICES}

# Judged by name, if a server does not say what a model is for.
_NO_CHAT = re.compile(r"embed|rerank|minilm|whisper|tts|moderation|dall-e|(^|[/_-])(bge|gte|e5)([._-]|$)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """`models` may be empty: the server has none yet, or was not asked. `why` says how the offer was found."""

    provider: Service
    base_url: str
    models: tuple[str, ...]
    why: str
    api_key: SecretStr | None = None


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A possible address of a server; `base_url` has no trailing slash."""

    name: str
    provider: Service
    base_url: str


async def discover(
    environment: Mapping[str, str], *, places: Sequence[ServerAddress] | None = None, limit_s: float = LIMIT_S
) -> tuple[Offer, ...]:
    """All offers, best first. `places` replaces the usual addresses."""
    places = usual_places(environment) if places is None else places
    client = await asyncio.to_thread(_open_client)
    async with client:
        looked = await asyncio.gather(*(_look(client, place, limit_s) for place in places))
    return (*(offer for offer in looked if offer), *keys_in(environment))


def best(offers: Iterable[Offer]) -> Offer | None:
    """Local servers come before services with a key; None: only the built-in voice is left."""
    usable = [offer for offer in offers if offer.models or offer.api_key]
    return min(usable, key=lambda offer: offer.api_key is not None, default=None)


def usual_places(environment: Mapping[str, str]) -> tuple[ServerAddress, ...]:
    places = [
        ServerAddress("Ollama", Service.OLLAMA, _ollama_address(environment.get("OLLAMA_HOST", ""))),
        ServerAddress("LM Studio", Service.OPENAI, "http://127.0.0.1:1234/v1"),
        ServerAddress("llama.cpp", Service.OPENAI, "http://127.0.0.1:8080/v1"),
    ]
    own = environment.get("OPENAI_BASE_URL", "").strip()
    if _is_address(own) and not environment.get("OPENAI_API_KEY", "").strip():
        places.append(ServerAddress("The server in OPENAI_BASE_URL", Service.OPENAI, own.rstrip("/")))
    return tuple(places)


def keys_in(environment: Mapping[str, str]) -> tuple[Offer, ...]:
    services = [(variable, address) for variable, address, _ in _SERVICES]
    if own := environment.get("OPENAI_BASE_URL", "").strip():
        services[0] = ("OPENAI_API_KEY", own.rstrip("/"))
    return tuple(
        _service(variable, address, SecretStr(key))
        for variable, address in services
        if (key := environment.get(variable, "").strip()) and _is_address(address)
    )


def chat_models(listing: object) -> tuple[str, ...]:
    """The chat models in a response of `/v1/models`; `ValueError` if it is something else."""
    rows = _Listing.model_validate(listing).data[:_MOST_MODELS]
    if any(row.owned_by == _OURSELVES for row in rows):
        raise ValueError("Everlore must not take itself for a model")
    return tuple(row.id for row in rows if not _NO_CHAT.search(row.id))


def ollama_models(listing: object) -> tuple[str, ...]:
    """The chat models in a response of Ollama's `/api/tags`; `ValueError` if it is something else."""
    rows = _Tags.model_validate(listing).models[:_MOST_MODELS]
    return tuple(row.name for row in rows if "bert" not in row.details.family and not _NO_CHAT.search(row.name))


# Responses of servers to a request for their models.

# Everlore speaks this API too.
_OURSELVES = "everlore"


class _Row(BaseModel):
    id: str
    owned_by: str | None = None


class _Listing(BaseModel):
    data: list[_Row]


class _Details(BaseModel):
    family: str = ""


class _Tag(BaseModel):
    name: str
    details: _Details = _Details()


class _Tags(BaseModel):
    models: list[_Tag]


# Searching.


def _open_client() -> "AsyncClient":
    from httpx import AsyncClient

    return AsyncClient(trust_env=False, follow_redirects=False)


async def _look(client: "AsyncClient", place: ServerAddress, limit_s: float) -> Offer | None:
    from httpx import HTTPError, InvalidURL

    path = "/api/tags" if place.provider is Service.OLLAMA else "/models"
    try:
        async with asyncio.timeout(limit_s):
            listing = json.loads(await _read(client, place.base_url + path))
        models = ollama_models(listing) if place.provider is Service.OLLAMA else chat_models(listing)
    except (HTTPError, InvalidURL, TimeoutError, ValueError, RecursionError):
        return None  # no server there, or another program
    return Offer(
        provider=place.provider, base_url=place.base_url, models=models, why=f"{place.name} answers at this address."
    )


async def _read(client: "AsyncClient", url: str) -> bytes:
    read = bytearray()
    async with client.stream("GET", url) as response:
        response.raise_for_status()
        async for part in response.aiter_bytes():
            read += part
            if len(read) > _MOST_BYTES:
                raise ValueError("no list of models is that long")
    return bytes(read)


def _ollama_address(host: str) -> str:
    """The address in `OLLAMA_HOST`, which may lack any of its parts, or be one to listen on."""
    given = host.strip().strip("\"'")
    scheme, _, rest = given.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port = None, None
    if not name or name in {"0.0.0.0", "::"}:  # noqa: S104 (compared with, not listened on)
        name = "127.0.0.1"
    port = port or {"http": 80, "https": 443}.get(scheme, 11434)
    return f"{scheme or 'http'}://{f'[{name}]' if ':' in name else name}:{port}"


def _is_address(url: str) -> bool:
    try:
        return bool(checked_address(url, example=""))
    except Misconfigured:
        return False


def _service(variable: str, address: str, key: SecretStr) -> Offer:
    usual = USUAL_MODELS.get(address)
    return Offer(
        provider=Service.OPENAI,
        base_url=address,
        models=(usual,) if usual else (),
        why=f"{variable} is set.",
        api_key=key,
    )
