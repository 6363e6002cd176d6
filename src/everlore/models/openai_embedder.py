"""Vectors from any server with OpenAI's `/embeddings`: OpenAI, Ollama, llama.cpp, vLLM and others.

Texts are sent in batches, each with one deadline for all of its tries. An answer is accepted only if it is one finite
vector per text and all have the same length. The type of an error says who must act: the operator (`Misconfigured`) or
nobody yet (`ModelMisbehaved`, retried by the queue). No error contains the key, nor the client's own error, which may
quote it.

Only the first `READ_BYTES` of a text are sent: servers refuse a whole batch for one text beyond their limit, and 16,000
bytes of prose in any script are within the 8,192 tokens of OpenAI's models.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from everlore.errors import EverloreError, Misconfigured, ModelMisbehaved
from everlore.models.complaints import public_address, sendable_key
from everlore.models.embedder import Matrix, unit_rows
from everlore.models.unicode import refuse_surrogates
from everlore.models.wheels import require_package
from everlore.settings import EmbeddingSettings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI, OpenAIError

READ_BYTES = 16_000
RETRIES = 2

# Sent in place of a blank text, which OpenAI refuses; its vector is replaced by zeros.
_STAND_IN = "."

_NO_KEY = "none"
_LATER = "It is tried again later; if it goes on, look into the log of that server."


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Row]


class OpenAIEmbedder:
    def __init__(self, settings: EmbeddingSettings) -> None:
        require_package("openai", otherwise="set EVERLORE_EMBEDDING__PROVIDER=wordllama")
        self.name = f"openai:{settings.model}" + (f":{settings.dims}" if settings.dims else "")
        self._settings = settings
        self._server = f"The embedding server at {_checked(settings.base_url)}"
        self._key = sendable_key(settings.api_key, named="EVERLORE_EMBEDDING__API_KEY") or _NO_KEY
        self._dims = settings.dims
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None

    async def embed(self, texts: Sequence[str]) -> Matrix:
        for text in texts:
            refuse_surrogates(text)
        size = self._settings.batch
        batches = [await self._embed_batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        return np.concatenate(batches) if batches else np.zeros((0, self._dims or 0), dtype=np.float32)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client:
            await client.close()

    async def _embed_batch(self, texts: Sequence[str]) -> Matrix:
        blank = np.array([not text.strip() for text in texts])
        content = await self._ask([_beginning(text) or _STAND_IN for text in texts])
        rows = self._vectors(content, len(texts))
        rows[blank] = 0
        return unit_rows(rows)

    async def _ask(self, texts: list[str]) -> bytes:
        client = await self._open()
        from openai import OpenAIError

        try:
            # In addition to the client's own timeout, which restarts with every try and every byte.
            async with asyncio.timeout(self._settings.timeout_s):
                answer = await client.embeddings.with_raw_response.create(
                    model=self._settings.model,
                    input=texts,
                    encoding_format="float",
                    extra_body={"dimensions": self._settings.dims} if self._settings.dims else None,
                )
        except TimeoutError:
            raise self._too_slow() from None
        except OpenAIError as error:
            raise self._explain(error) from None
        return answer.content

    async def _open(self) -> "AsyncOpenAI":
        async with self._opening:
            if self._client is None:
                # Importing the client takes most of a second, which must not block the event loop.
                self._client = await asyncio.to_thread(_open_client, self._settings, self._key)
            return self._client

    # Reading vectors from an answer.

    def _vectors(self, content: bytes, expected: int) -> NDArray[np.float64]:
        rows = sorted(self._parse(content), key=lambda row: row.index)
        if [row.index for row in rows] != list(range(expected)):
            raise ModelMisbehaved(
                f"{self._server} answered {len(rows)} vectors for {expected} texts, or misnumbered them. {_LATER}"
            )
        self._agree_on_dims({len(row.embedding) for row in rows})
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        self._refuse_infinite(vectors)
        return vectors

    def _parse(self, content: bytes) -> list[_Row]:
        try:
            return _Answer.model_validate_json(content).data
        except ValidationError:
            raise ModelMisbehaved(
                f"{self._server} answered something other than a list of embeddings. Check that "
                "EVERLORE_EMBEDDING__BASE_URL is the root of an OpenAI-compatible API; it mostly ends in /v1."
            ) from None

    def _agree_on_dims(self, lengths: set[int]) -> None:
        if len(lengths) == 1 and 0 not in lengths and (self._dims is None or self._dims in lengths):
            (self._dims,) = lengths
            return
        found = " and ".join(str(length) for length in sorted(lengths))
        if self._settings.dims and len(lengths) == 1:
            raise Misconfigured(
                f"{self._server} answered with {found} dimensions; {self._settings.dims} were asked for. "
                f"Unset EVERLORE_EMBEDDING__DIMS, or set it to what model {self._settings.model!r} can give."
            )
        raise ModelMisbehaved(
            f"{self._server} answered with {found} dimensions; {self._dims or 'one length'} was expected. "
            f"If another model now answers to the name {self._settings.model!r}, restart Everlore."
        )

    def _refuse_infinite(self, vectors: NDArray[np.float64]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        if not np.isfinite(lengths).all():
            raise ModelMisbehaved(f"{self._server} answered vectors that hold NaN or infinite numbers. {_LATER}")

    # Error messages.

    def _explain(self, error: "OpenAIError") -> EverloreError:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(error, APITimeoutError):
            return self._too_slow()
        if isinstance(error, APIConnectionError):
            return self._disconnected(error.__cause__)
        if isinstance(error, APIStatusError):
            return self._refused(error)
        return ModelMisbehaved(f"{self._server} could not be used ({type(error).__name__}). {_LATER}")

    def _too_slow(self) -> EverloreError:
        return ModelMisbehaved(
            f"{self._server} did not answer within {self._settings.timeout_s:g} s. {_LATER} "
            "For a slow server raise EVERLORE_EMBEDDING__TIMEOUT_S or lower EVERLORE_EMBEDDING__BATCH."
        )

    def _disconnected(self, cause: BaseException | None) -> EverloreError:
        # By name: the client raises the class of httpx or of httpx2, depending on its version.
        if type(cause).__name__ in {"ConnectError", "UnsupportedProtocol"}:
            return Misconfigured(
                f"{self._server} cannot be reached. Start it, or correct EVERLORE_EMBEDDING__BASE_URL."
            )
        return ModelMisbehaved(f"{self._server} broke off the connection. {_LATER}")

    def _refused(self, error: "APIStatusError") -> EverloreError:
        status = error.status_code
        if status in {401, 403}:
            return Misconfigured(
                f"{self._server} did not accept {self._which_key()} (HTTP {status}). "
                "Set EVERLORE_EMBEDDING__API_KEY to a valid one."
            )
        if status == 404:
            return Misconfigured(
                f"{self._server} has no model {self._settings.model!r}, or no embeddings at that address "
                "(HTTP 404). Check EVERLORE_EMBEDDING__MODEL and EVERLORE_EMBEDDING__BASE_URL."
            )
        if status in {408, 409, 429} or status >= 500:
            return ModelMisbehaved(f"{self._server} failed or is overloaded (HTTP {status}). {_LATER}")
        return Misconfigured(
            f"{self._server} refused the request (HTTP {status}){self._quote(error)}. "
            "Check EVERLORE_EMBEDDING__MODEL and EVERLORE_EMBEDDING__DIMS, "
            "and lower EVERLORE_EMBEDDING__BATCH if it is about size."
        )

    def _which_key(self) -> str:
        return "a call without a key" if self._key == _NO_KEY else "the key"

    def _quote(self, error: "APIStatusError") -> str:
        said = " ".join(error.message.replace(self._key, "***").split())[:200]
        return f": {said!r}" if said else ""


def _open_client(settings: EmbeddingSettings, key: str) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    return AsyncOpenAI(base_url=settings.base_url, api_key=key, timeout=settings.timeout_s, max_retries=RETRIES)


def _beginning(text: str) -> str:
    # Ignoring errors drops the bytes of a character that was cut in half.
    return text.strip().encode("utf-8")[:READ_BYTES].decode("utf-8", errors="ignore")


def _checked(url: str) -> str:
    """The address, checked and safe to show."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(
            "EVERLORE_EMBEDDING__BASE_URL is not an address. "
            "Write it like https://api.openai.com/v1 or http://localhost:11434/v1."
        )
    return public_address(url)
