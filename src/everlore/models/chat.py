"""The port through which a model answers.

In: an `Ask`. Out: pieces of text as they come, then one `End`. A stream that breaks off before its `End`
raises; whoever closes the generator cancels the call. Buffered answers are streams read to their end, so
that both modes behave the same (V2).

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
    """What a model is asked for; each may have a model of its own (V5)."""

    CHAT = "chat"
    ANALYSIS = "analysis"
    EXTRACTION = "extraction"


@dataclass(frozen=True, slots=True)
class Said:
    """`raw`: the message as a client sent it, with what has no place in a text: pictures, calls of tools and their
    results, names. It is passed on as it is, and `content` is its text."""

    role: Literal["system", "user", "assistant"]
    content: str
    name: str = ""
    raw: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Who speaks to whom, and what is known: what the built-in voice speaks from.

    `history` is this conversation, its latest message last; `memories` what was recalled, best first;
    `earlier` are messages of earlier conversations between the two, oldest first. `learned`: statements about the user
    that are learned from the latest message, as they will be remembered.
    """

    character: Person
    user: Person | None = None
    history: tuple[Message, ...] = ()
    memories: tuple[Memory, ...] = ()
    earlier: tuple[Message, ...] = ()
    learned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`schema`: a JSON schema that the answer must follow, where the provider can enforce one.

    `extra`: parameters that a client gave, and that are the model server's to understand: tools, formats, seeds.

    `context_window`: tokens that prompt and reply have together, for servers that must be told: Ollama
    would otherwise cut the beginning off a long prompt without a word.
    """

    messages: tuple[Said, ...]
    max_tokens: int | None = None
    # How far the limit may be raised once, for an answer that was cut off while it was still saying something.
    most_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    schema: Json | None = None
    extra: Json = field(default_factory=dict)
    context_window: int | None = None
    # Whether a server that limits how often it is asked is asked again; a client of `/v1` decides that for itself.
    waits_for_rate: bool = True
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """`beside`: what came that is no text of the answer, as a choice of OpenAI's stream has it: calls of tools,
    probabilities, other answers."""

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
    """Tokens are None where the provider does not count them. `notice`: what the reader should know of the reply; it is
    no word of it."""

    reason: Reason = Reason.STOP
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    end: End


class ChatModel(Protocol):
    """`name` is shown beside a reply. `backend` says who does the work: calls of one backend share its slot."""

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
