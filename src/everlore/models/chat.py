"""The interface of chat models.

In: an `Ask`. Out: pieces of text as they arrive, then one `End`. A stream that breaks off before its `End` raises;
closing the generator cancels the call. A non-streaming answer is a stream read to its end, so that both modes behave
the same (V2).

Start at `ChatModel`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from everlore.domain.bounds import Json
from everlore.domain.conversation import Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person


class Purpose(StrEnum):
    """The purpose of a model call; each may use a model of its own (V5)."""

    CHAT = "chat"
    ANALYSIS = "analysis"
    EXTRACTION = "extraction"


@dataclass(frozen=True, slots=True)
class Said:
    """`raw`: the message as a client sent it, with parts other than text: pictures, tool calls and results, names. It
    is forwarded unchanged, and `content` is its text."""

    role: Literal["system", "user", "assistant"]
    content: str
    name: str = ""
    raw: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The input of the built-in voice: who speaks to whom, and what is known.

    `history` is this conversation, latest message last; `memories` are the recalled ones, best first; `earlier` are
    messages of earlier conversations between the two, oldest first. `learned`: statements about the user from the
    latest message, as they will be remembered.
    """

    character: Person
    user: Person | None = None
    history: tuple[Message, ...] = ()
    memories: tuple[Memory, ...] = ()
    earlier: tuple[Message, ...] = ()
    learned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`schema`: a JSON schema that the answer must follow, if the provider can enforce one.

    `extra`: parameters from a client for the model server: tools, formats, seeds.

    `context_window`: tokens for prompt and reply together, for servers that must be told: Ollama would otherwise
    silently cut off the beginning of a long prompt.
    """

    messages: tuple[Said, ...]
    max_tokens: int | None = None
    # How far the limit may be raised once, for an answer that was cut off while it was still making progress.
    most_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    schema: Json | None = None
    extra: Json = field(default_factory=dict)
    context_window: int | None = None
    # Whether to retry when the server limits the rate of requests; a client of `/v1` decides that for itself.
    waits_for_rate: bool = True
    # Nobody waits for the first word: a slow machine may take its time to read a long prompt.
    in_background: bool = False
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """`beside`: the parts of a chunk that are no text, as in a choice of OpenAI's stream: tool calls, probabilities,
    other answers."""

    text: str
    beside: Json | None = None


class Reason(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    LENGTH = "length"
    FILTERED = "content_filter"
    TOOLS = "tool_calls"


@dataclass(frozen=True, slots=True)
class End:
    """Token counts are None if the provider does not report them. `notice`: information for the reader that is not part
    of the reply."""

    reason: Reason = Reason.STOP
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    end: End


class ChatModel(Protocol):
    """`name` is shown with a reply. `backend` identifies the server: all calls to one backend share its slot."""

    name: str
    backend: str

    def stream(self, ask: Ask) -> AsyncIterator[Piece | End]: ...

    async def close(self) -> None: ...


async def complete(model: ChatModel, ask: Ask) -> Answer:
    """The whole answer at once."""
    pieces: list[str] = []
    end = End()
    async for part in model.stream(ask):
        if isinstance(part, End):
            end = part
        else:
            pieces.append(part.text)
    return Answer("".join(pieces), end)
