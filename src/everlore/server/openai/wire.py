"""The shapes of OpenAI's API that clients send and read."""

from typing import Any, Literal

from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from everlore.errors import BadAsk

_MOST_MESSAGES = 10_000


class _Lenient(BaseModel):
    """Clients send much that we have no use for."""

    model_config = ConfigDict(extra="ignore")


class ContentPart(_Lenient):
    type: str
    text: str | None = None


class ChatMessage(_Lenient):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""


class StreamOptions(_Lenient):
    include_usage: bool = False


class ResponseFormat(_Lenient):
    type: str = "text"


class ChatRequest(_Lenient):
    model: str
    messages: list[ChatMessage] = Field(min_length=1, max_length=_MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stop: str | list[str] | None = None
    n: int | None = None
    tool_choice: Any = None
    response_format: ResponseFormat | None = None
    user: str | None = Field(None, max_length=1_000)
    metadata: dict[str, str] | None = None

    @property
    def wants_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())


class EmbeddingRequest(_Lenient):
    model: str = ""
    input: str | list[str] | list[int] | list[list[int]]
    encoding_format: Literal["float", "base64"] = "float"

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
    role: Literal["assistant"] = "assistant"
    content: str
    refusal: str | None = None


class FinishedChoice(BaseModel):
    index: int = 0
    message: Reply
    logprobs: None = None
    finish_reason: str


class ChatCompletion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[FinishedChoice]
    usage: Usage


class Delta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None


class StreamedChoice(BaseModel):
    index: int
    delta: Delta
    finish_reason: str | None


class ChatChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[StreamedChoice]
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


_KINDS = {400: "invalid_request_error", 404: "not_found_error", 409: "conflict_error", 422: "invalid_request_error"}


def openai_error(
    status: int, message: str, *, param: str | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    code = {404: "model_not_found", 502: "model_failed"}.get(status)
    error = {"message": message, "type": kind, "param": param, "code": code}
    # The model was asked again already, as often as is configured.
    never_again = {"x-should-retry": "false"} if status == 502 else {}
    return JSONResponse({"error": error}, status_code=status, headers={**(headers or {}), **never_again})
