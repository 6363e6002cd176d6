"""The requests and answers of OpenAI's API."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from everlore.errors import BadAsk

_MOST_MESSAGES = 10_000


class _Lenient(BaseModel):
    """Clients send much that we have no use for."""

    model_config = ConfigDict(extra="ignore")


@contextmanager
def put_as_chat() -> Iterator[None]:
    """Errors in a request of another format that is translated to a chat request are the caller's."""
    try:
        yield
    except ValidationError as error:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from error


class ChatMessage(BaseModel):
    """Kept as it came: what is no text is the model server's to understand."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def raw(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(text for part in self.content if (text := _text_of(part)))
        return self.content or ""

    @property
    def is_plain(self) -> bool:
        """Whether it has only a role and a text."""
        has_parts = isinstance(self.content, list) and any(part.get("type") != "text" for part in self.content)
        return not has_parts and not any((self.model_extra or {}).values())


def _text_of(part: dict[str, Any]) -> str:
    """The text that the log has for a part that is not text."""
    kind = str(part.get("type", ""))
    if kind in ("text", "input_text", "output_text"):
        return str(part.get("text") or "")
    return {"image_url": "[picture]", "input_image": "[picture]", "input_audio": "[sound]", "file": "[file]"}.get(
        kind, ""
    )


class StreamOptions(_Lenient):
    include_usage: bool = False


class ChatRequest(BaseModel):
    """What is not named here is passed on to the model server."""

    model_config = ConfigDict(extra="allow")

    model: str
    messages: list[ChatMessage] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stop: str | list[str] | None = None
    n: int | None = Field(None, ge=1, le=128)
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    response_format: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=1_000)
    metadata: dict[str, str] | None = None
    # For clients that store answers at the provider; here every turn is stored.
    store: bool | None = None

    @property
    def wants_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def extra(self) -> dict[str, Any]:
        """Fields that are passed on to the model server."""
        ours = {
            "n": self.n,
            "tools": self.tools,
            "tool_choice": self.tool_choice,
            "response_format": self.response_format,
        }
        given = {name: value for name, value in (ours | (self.model_extra or {})).items() if value is not None}
        if given.get("n") == 1:
            del given["n"]
        if (self.response_format or {}).get("type") == "text":
            del given["response_format"]
        return given


class EmbeddingRequest(_Lenient):
    model: str = ""
    input: str | list[str] | list[int] | list[list[int]]
    encoding_format: Literal["float", "base64"] | None = None

    @property
    def texts(self) -> list[str]:
        given = [self.input] if isinstance(self.input, str) else self.input
        texts = [each for each in given if isinstance(each, str)]
        if not texts or len(texts) < len(given):
            raise BadAsk("input holds token numbers, or nothing. Send texts: tokens mean something else to each model.")
        return texts


class Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class Model(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "everlore"


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


class Reply(BaseModel):
    """With whatever else the model said beside it."""

    model_config = ConfigDict(extra="allow")

    role: Literal["assistant"] = "assistant"
    content: str | None
    refusal: str | None = None


class FinishedChoice(BaseModel):
    index: int = 0
    message: Reply
    logprobs: dict[str, Any] | None = None
    finish_reason: str


class ChatCompletion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[FinishedChoice]
    usage: Usage


class ChatChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: Usage | None


class Embedding(BaseModel):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class Embeddings(BaseModel):
    object: Literal["list"] = "list"
    data: list[Embedding]
    model: str
    usage: Usage


_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded", 502: "model_failed"}


def openai_error(
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": message, "type": kind, "param": param, "code": code or _CODES.get(status)}
    # The model was already retried as often as is configured.
    never_again = {"x-should-retry": "false"} if status == 502 else {}
    return JSONResponse({"error": error}, status_code=status, headers={**(headers or {}), **never_again})
