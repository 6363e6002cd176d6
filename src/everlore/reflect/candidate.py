"""What an extractor proposes, before anything is decided: whoever made it, a rule or a model."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from everlore.domain.memory import Category, MemoryType
from everlore.domain.reading import Refusal
from everlore.models.chat import Ask

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One statement. A user fact begins with "User …"; `category` is one of six, for user facts alone (F2)."""

    content: str
    category: Category | None = None
    type: MemoryType = MemoryType.FACT
    confidence: float = 0.95
    reasoning: str = ""
    summary: str = ""
    # None: what the importance function makes of the rest.
    importance: int | None = None
    emotional_weight: float = 0.0
    participants: tuple[str, ...] = ()
    key_moments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as an extractor sees it. Only those of the user are ever evidence (F1)."""

    is_user: bool
    name: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A user message to be read for facts. `before` are earlier turns, oldest first: they tell who "she" is, and
    are no evidence (F8). `assistants` are the names of everybody whom the model plays."""

    content: str
    at: datetime
    assistants: tuple[str, ...] = ()
    user_name: str = ""
    before: Sequence[Turn] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """`model`: who extracted, "rules" where no model was asked or its answer was of no use."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = field(default=())
    model: str = "rules"


class Asker(Protocol):
    """A model that is asked for JSON in the background; `ModelMisbehaved` where it answers anything else."""

    name: str

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]: ...
