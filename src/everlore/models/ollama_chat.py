"""Replies from Ollama through its own API, which accepts a context size, unlike its OpenAI-compatible one.

The answer is one JSON object per line; the last one is `done`. Closing the generator closes the connection, and Ollama
stops generating. Time limits and retries are in `patience`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from everlore.errors import EverloreError
from everlore.models.chat import Ask, End, Piece, Reason
from everlore.models.complaints import Complaints, backend_of, checked_address, sendable_key, stays_here
from everlore.models.discovery import ollama_models
from everlore.models.ollama_extra import beside_of, calls_of, message_of, options_of
from everlore.models.think import ThinkBlock
from everlore.models.unicode import refuse_surrogates
from everlore.models.waiting import asked_to_wait
from everlore.models.window import ASKED_FOR_S, window_in_ollama

if TYPE_CHECKING:
    from httpx import AsyncClient, HTTPError, Response

CONNECT_TIMEOUT_S = 10
_ERROR_BYTES = 64_000
_LINE_BYTES = 10_000_000


class _Message(BaseModel):
    content: str = ""
    tool_calls: list[dict[str, Any]] | None = None
    thinking: str | None = None


class _Line(BaseModel):
    message: _Message = _Message()
    done: bool
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class OllamaChat:
    def __init__(self, base_url: str, model: str, api_key: SecretStr | None = None) -> None:
        """An empty `model` is the first one that the server offers."""
        address = checked_address(base_url, example="http://localhost:11434")
        # Users often copy the address from a setting of the other API.
        self._address = address.removesuffix("/v1").removesuffix("/api")
        self._key = sendable_key(api_key)
        self.name = model
        self.backend = backend_of(self._address)
        self._complaints = Complaints(self._address, model, self._key)
        self._opening = asyncio.Lock()
        self._client: AsyncClient | None = None

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        for said in ask.messages:
            refuse_surrogates(said.content)
        client = await self._open()
        from httpx import HTTPError

        think = ThinkBlock()
        calls = 0
        line: _Line | None = None
        try:
            await self._know_model(client)
            async with client.stream("POST", "/api/chat", json=_body(ask, self.name)) as response:
                await self._refuse_failure(response)
                async with aclosing(self._lines(response)) as lines:
                    async for line in lines:
                        if piece := think.text(line.message.thinking or "", line.message.content):
                            yield Piece(piece)
                        if called := line.message.tool_calls:
                            yield Piece("", calls_of(called, calls))
                            calls += len(called)
                        if line.done:
                            break
        except HTTPError as error:
            raise self._explain(error) from None
        if line is None or not line.done:
            raise self._complaints.broke_off()
        if piece := think.close():
            yield Piece(piece)
        yield _end(line, calls_tools=calls > 0)

    async def window(self) -> int | None:
        """The context window in tokens: the one in its model file, or else the maximum of the model."""
        client = await self._open()
        from httpx import HTTPError

        try:
            async with asyncio.timeout(ASKED_FOR_S):
                await self._know_model(client)
                response = await client.post("/api/show", json={"model": self.name})
                await self._refuse_failure(response)
                return window_in_ollama(response.json())
        except (HTTPError, EverloreError, ValueError, RecursionError, TimeoutError):
            # The next request for a reply reports what is wrong.
            return None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client:
            await client.aclose()

    async def _open(self) -> "AsyncClient":
        async with self._opening:
            if self._client is None:
                # Reads the certificates of the system, which must not block the event loop.
                self._client = await asyncio.to_thread(_open_client, self._address, self._key)
            return self._client

    async def _know_model(self, client: "AsyncClient") -> None:
        if self.name:
            return
        response = await client.get("/api/tags")
        await self._refuse_failure(response)
        try:
            models = ollama_models(response.json())
        except ValueError:
            raise self._complaints.garbage() from None
        if not models:
            raise self._complaints.no_models()
        self.name = self._complaints.model = models[0]

    async def _refuse_failure(self, response: "Response") -> None:
        if response.status_code != 200:
            said = _said(await _beginning(response))
            raise self._complaints.refused(response.status_code, said, after_s=asked_to_wait(response.headers))

    async def _lines(self, response: "Response") -> AsyncGenerator[_Line, None]:
        """Splits at line feeds only: Unicode's other line separators may occur inside a text."""
        rest = bytearray()
        async for part in response.aiter_bytes():
            first, *others = part.split(b"\n")
            rest += first
            for other in others:
                if rest.strip():
                    yield self._parse(bytes(rest))
                rest = bytearray(other)
            if len(rest) > _LINE_BYTES:
                raise self._complaints.garbage()
        if rest.strip():
            yield self._parse(bytes(rest))

    def _parse(self, text: bytes) -> _Line:
        try:
            found = json.loads(text)
            if isinstance(found, dict) and "error" in found:
                raise self._complaints.failed(str(found["error"]))
            return _Line.model_validate(found)
        except (ValueError, RecursionError):  # no JSON, or another shape
            raise self._complaints.garbage() from None

    def _explain(self, error: "HTTPError") -> EverloreError:
        from httpx import ConnectError, TimeoutException

        if isinstance(error, ConnectError):
            return self._complaints.unreachable()
        if isinstance(error, TimeoutException):
            return self._complaints.too_slow()
        return self._complaints.broke_off()


def _open_client(address: str, key: str) -> "AsyncClient":
    from httpx import AsyncClient, Timeout

    return AsyncClient(
        base_url=address,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=Timeout(None, connect=CONNECT_TIMEOUT_S),
        trust_env=not stays_here(address),
    )


def _body(ask: Ask, model: str) -> dict[str, object]:
    options = {
        "num_ctx": ask.context_window,
        "num_predict": ask.max_tokens,
        "temperature": ask.temperature,
        "top_p": ask.top_p,
        "stop": list(ask.stop) or None,
        **options_of(ask.extra),
    }
    body: dict[str, object] = {
        "model": model,
        "messages": [message_of(said) for said in ask.messages],
        "stream": True,
        "options": {name: value for name, value in options.items() if value is not None},
        **beside_of(ask.extra),
    }
    return body if ask.schema is None else body | {"format": ask.schema}


def _end(line: _Line, *, calls_tools: bool) -> End:
    reason = Reason.LENGTH if line.done_reason == "length" else Reason.TOOLS if calls_tools else Reason.STOP
    return End(reason, line.prompt_eval_count, line.eval_count)


async def _beginning(response: "Response") -> bytes:
    read = bytearray()
    async for part in response.aiter_bytes():
        read += part
        if len(read) > _ERROR_BYTES:
            break
    return bytes(read[:_ERROR_BYTES])


def _said(content: bytes) -> str:
    """The message of an error response: its `error`, or its text unless that is a web page."""
    text = content.decode("utf-8", errors="replace")
    try:
        found = json.loads(text)
    except ValueError:
        return "" if text.lstrip().startswith("<") else text
    return str(found["error"]) if isinstance(found, dict) and "error" in found else text
