"""Replies from any server with OpenAI's `/chat/completions`: OpenAI, vLLM, llama.cpp, LM Studio, OpenRouter ….

Answers are always streamed, so that they can be stopped: closing the generator closes the connection. The shape of
every event is checked. A stream without a finish has broken off.

Servers differ in the parameters they accept. If a server refuses one of ours by name, it is left out from then on; only
messages, model and streaming are required. Parameters from a client (`Ask.extra`) are never left out: then the refusal
is the answer. Names of speakers are sent only if a client sent them, because many servers refuse the field: the prompt
itself must say who speaks.

There are no time limits and no retries in here except for connecting: those are in `patience`.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Collection
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, SecretStr

from everlore.errors import EverloreError
from everlore.models.chat import Ask, End, Piece, Reason
from everlore.models.complaints import Complaints, backend_of, checked_address, sendable_key, stays_here
from everlore.models.discovery import chat_models
from everlore.models.think import ThinkBlock
from everlore.models.unicode import refuse_surrogates
from everlore.models.waiting import asked_to_wait
from everlore.models.window import ASKED_FOR_S, page_with_window, row_of, window_in_page, window_in_row

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream, OpenAIError

CONNECT_TIMEOUT_S = 10
# Marks requests from one Everlore to another, which would otherwise call itself forever if pointed at itself.
HOP = "X-Everlore-Hop"

# Sent if there is no key, because the client library requires one.
_NO_KEY = "none"

_REASONS = {
    "length": Reason.LENGTH,
    "max_tokens": Reason.LENGTH,
    "content_filter": Reason.FILTERED,
    "tool_calls": Reason.TOOLS,
    "function_call": Reason.TOOLS,
}
# The fields of a delta that become text.
_TEXT = frozenset({"role", "content", "reasoning_content", "reasoning", "refusal"})
# Left out after any refusal: an answer without them is still useful.
_LUXURIES = ("stream_options", "response_format")
# Left out only if the server does not know them; the user must correct a wrong value.
_OPTIONS = ("max_tokens", "temperature", "top_p", "stop")
_UNKNOWN = re.compile(r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed", re.I)


class _Delta(BaseModel):
    model_config = ConfigDict(extra="allow")

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    index: int = 0
    delta: _Delta | None = None
    finish_reason: str | None = None
    logprobs: dict[str, Any] | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Chunk(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIChat:
    def __init__(self, base_url: str, model: str, api_key: SecretStr | None = None) -> None:
        """An empty `model` is the first one that the server offers."""
        self._address = checked_address(base_url, example="https://api.openai.com/v1")
        self._key = sendable_key(api_key)
        self.name = model
        self.backend = backend_of(self._address)
        self._complaints = Complaints(self._address, model, self._key)
        self._left_out: set[str] = set()
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece | End, None]:
        for said in ask.messages:
            refuse_surrogates(said.content)
        client = await self._open()
        from openai import OpenAIError

        reading = _Reading()
        try:
            async with await self._begin(client, ask) as events:
                async for event in events:
                    for piece in reading.take(_Chunk.model_validate(event)):
                        yield piece
        except OpenAIError as error:
            raise self._explain(error) from None
        except (ValueError, RecursionError):  # no JSON, or another shape
            raise self._complaints.garbage() from None
        if reading.finish is None:
            raise self._unfinished(reading)
        if text := reading.rest():
            yield Piece(text)
        yield reading.end()

    async def window(self) -> int | None:
        """The context window in tokens, if the server reports it."""
        client = await self._open()
        from openai import OpenAIError

        try:
            async with asyncio.timeout(ASKED_FOR_S):
                await self._know_model(client)
                row = row_of(await client.get("/models", cast_to=object), self.name)
                told, page = window_in_row(row), page_with_window(row)
                if told is not None or not page:
                    return told
                return window_in_page(await client.get(f"{self.backend}{page}", cast_to=object), self.name)
        except (OpenAIError, EverloreError, ValueError, RecursionError, TimeoutError):
            # The next request for a reply reports what is wrong.
            return None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client:
            await client.close()

    async def _open(self) -> "AsyncOpenAI":
        async with self._opening:
            if self._client is None:
                # Importing the client takes most of a second, which must not block the event loop.
                self._client = await asyncio.to_thread(_open_client, self._address, self._key)
            return self._client

    async def _begin(self, client: "AsyncOpenAI", ask: Ask) -> "AsyncStream[object]":
        from openai import APIStatusError, AsyncStream

        await self._know_model(client)
        while True:
            body = _body(ask, self.name, self._left_out)
            try:
                # Not through `chat.completions`, which converts events without checking them.
                return await client.post(
                    "/chat/completions", cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object]
                )
            except APIStatusError as error:
                refused = _refused_parameter(error, body.keys() - ask.extra.keys())
                if refused is None:
                    raise
                self._left_out.add(refused)

    async def _know_model(self, client: "AsyncOpenAI") -> None:
        if self.name:
            return
        models = chat_models(await client.get("/models", cast_to=object))
        if not models:
            raise self._complaints.no_models()
        self.name = self._complaints.model = models[0]

    # Error messages.

    def _explain(self, error: "OpenAIError") -> EverloreError:
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        if isinstance(error, APITimeoutError):
            return self._complaints.too_slow()
        if isinstance(error, APIConnectionError):
            # By name: the client raises the class of httpx or of httpx2, depending on its version.
            down = type(error.__cause__).__name__ == "ConnectError"
            return self._complaints.unreachable() if down else self._complaints.broke_off()
        if isinstance(error, APIStatusError):
            return self._complaints.refused(
                error.status_code,
                _said(error),
                after_s=asked_to_wait(error.response.headers),
                param=_member(error, "param"),
                code=_member(error, "code"),
            )
        if isinstance(error, APIError):
            return self._complaints.failed(_said(error), _member(error, "code"), _member(error, "param"))
        return self._complaints.unusable(type(error).__name__)

    def _unfinished(self, reading: "_Reading") -> EverloreError:
        return self._complaints.broke_off() if reading.begun else self._complaints.garbage()


class _Reading:
    """The state of a stream that is being read."""

    def __init__(self) -> None:
        self.begun = False
        self.finish: str | None = None
        self._refused = False
        self._usage = _Usage()
        self._think = ThinkBlock()

    def take(self, chunk: _Chunk) -> list[Piece]:
        """The pieces of the reply in this chunk."""
        self.begun = True
        self._usage = chunk.usage or self._usage
        pieces = [self._take_choice(choice) if choice.index == 0 else _other(choice) for choice in chunk.choices]
        return [piece for piece in pieces if piece.text or piece.beside]

    def rest(self) -> str:
        return self._think.close()

    def end(self) -> End:
        reason = Reason.FILTERED if self._refused else _REASONS.get(self.finish or "", Reason.STOP)
        return End(reason, self._usage.prompt_tokens, self._usage.completion_tokens)

    def _take_choice(self, choice: _Choice) -> Piece:
        self.finish = choice.finish_reason or self.finish
        delta = choice.delta or _Delta()
        self._refused = self._refused or bool(delta.refusal)
        text = self._think.text(delta.reasoning_content or delta.reasoning or "", delta.content or delta.refusal or "")
        beside = {name: value for name, value in delta.model_dump(exclude_unset=True).items() if name not in _TEXT}
        told = {"delta": beside, "logprobs": choice.logprobs}
        known = {name: value for name, value in told.items() if value}
        return Piece(text, {"index": 0, **known} if known else None)


def _other(choice: _Choice) -> Piece:
    """A further answer, if several were requested."""
    return Piece("", choice.model_dump(exclude_unset=True))


def _open_client(address: str, key: str) -> "AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    timeout = Timeout(None, connect=CONNECT_TIMEOUT_S)
    return AsyncOpenAI(
        base_url=address,
        api_key=key or _NO_KEY,
        max_retries=0,
        default_headers={HOP: "1"},
        timeout=timeout,
        # Redirects would send the prompt to an address that nobody configured.
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, trust_env=not stays_here(address)),
    )


def _body(ask: Ask, model: str, left_out: set[str]) -> dict[str, object]:
    wanted: dict[str, object] = {
        "model": model,
        "messages": [said.raw or {"role": said.role, "content": said.content} for said in ask.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": ask.max_tokens,
        "temperature": ask.temperature,
        "top_p": ask.top_p,
        "stop": list(ask.stop) or None,
        "response_format": _response_format(ask),
    }
    if "max_tokens" in left_out:
        # The newer models of OpenAI accept only this name.
        wanted["max_completion_tokens"] = ask.max_tokens
    ours = {name: value for name, value in wanted.items() if value is not None and name not in left_out}
    return ours | ask.extra


def _response_format(ask: Ask) -> dict[str, object] | None:
    if ask.schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": ask.schema, "strict": True}}


def _refused_parameter(error: "APIStatusError", ours: Collection[str]) -> str | None:
    """The optional parameter that the server refused."""
    if error.status_code not in {400, 422}:
        return None
    said = f"{_said(error)} {_member(error, 'param') or ''}"
    names = _LUXURIES + (_OPTIONS if _UNKNOWN.search(f"{said} {_member(error, 'code')}") else ())
    return next((name for name in names if name in ours and name in said), None)


def _said(error: "APIError") -> str:
    said = _member(error, "message")
    return said if isinstance(said, str) else _plain(error.body)


def _plain(body: object) -> str:
    # An HTML page does not help users.
    text = "" if body is None else str(body)
    return "" if text.lstrip().startswith("<") else text


def _member(error: "APIError", name: str) -> object:
    body: Any = error.body
    return body.get(name) if isinstance(body, dict) else None
