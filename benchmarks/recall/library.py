"""The library as anybody opens it, in a folder of its own: nothing of the user's is read or written.

`Lore` is what a benchmark asks of it: only what every caller has.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, Unpack, get_args

from pydantic import ValidationError

import everlore
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.models.embedder import Embedder
from everlore.services.characters import Characters
from everlore.services.conversations import Conversations
from everlore.services.messages import Messages
from everlore.services.options import StatementOptions
from everlore.settings import ChatSettings, EmbeddingSettings, Settings
from everlore.turn.xrays import XRays


class Answer(Protocol):
    """What a recall gives back: `hits`, best first, each with its `record`."""

    @property
    def hits(self) -> Sequence[Any]: ...


class Lore(Protocol):
    embedder: Embedder | None

    @property
    def characters(self) -> Characters: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def messages(self) -> Messages: ...

    @property
    def x_rays(self) -> XRays: ...

    def within(self, workspace: str) -> "Lore": ...

    async def user(self) -> Person: ...

    async def remember(self, content: str, **options: Unpack[StatementOptions]) -> Memory: ...

    async def settle(self, timeout_s: float = 60) -> None: ...

    async def recall(self, query: str, *, include: Iterable[PassageKind | str] = ..., limit: int = ...) -> Answer: ...


def embedding_with(settings: EmbeddingSettings, provider: str | None) -> EmbeddingSettings:
    """The settings with another provider; what else they say, such as an address, stays."""
    if provider is None:
        return settings
    try:
        return EmbeddingSettings.model_validate(settings.model_dump() | {"provider": provider})
    except ValidationError:
        known = get_args(EmbeddingSettings.model_fields["provider"].annotation)
        raise BadAsk(f"There is no embedder {provider!r}. Known: {', '.join(known)}.") from None


def apart(settings: Settings, folder: Path, *, database_url: str | None = None) -> Settings:
    """The same settings over a database of its own, with no language model anywhere.

    The data folder stays: embedding models are installed there. Nothing is written to it.
    """
    return settings.model_copy(
        update={
            "database_url": database_url or str(folder / "bench.db"),
            "workspace": "bench",
            "chat": ChatSettings(provider="voice"),
        }
    )


@asynccontextmanager
async def open_library(settings: Settings) -> AsyncIterator[Lore]:
    async with everlore.open(settings=settings) as lore:
        yield lore


def steps_of(answer: Answer) -> Mapping[str, float]:
    """The seconds that each step took, where the answer tells."""
    steps: Mapping[str, float] = getattr(answer, "steps", {})
    return steps
