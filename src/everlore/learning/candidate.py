"""The statements that extractors propose, by rules or by a model, before any decision."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from everlore.domain.claim import Claim
from everlore.domain.memory import Category, Memory, MemoryType
from everlore.domain.reading import Refusal
from everlore.models.chat import Ask

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One statement. A user fact begins with "User …" and has one of six categories (F2)."""

    content: str
    category: Category | None = None
    type: MemoryType = MemoryType.FACT
    confidence: float = 0.95
    reasoning: str = ""
    # The rule that made it; empty for a model's statement.
    rule: str = ""
    # The user's words that support it, as its maker quoted them, and a reason for doubt.
    quote: str = ""
    doubt: str = ""
    # Its subject and tense, as a model gave them apart from the sentence: "brother Bram", "before".
    about: str = ""
    holds: str = ""
    summary: str = ""
    # None: computed by the importance function.
    importance: int | None = None
    emotional_weight: float = 0.0
    participants: tuple[str, ...] = ()
    key_moments: tuple[str, ...] = ()
    # Its claim, if the maker knows it; otherwise the sentence is parsed when it is saved.
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Candidate):
    """A statement that a person wrote or an import contains; `record`: the complete memory as given."""

    record: Memory


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """One message as an extractor sees it. Only user messages are evidence (F1)."""

    is_user: bool
    name: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A user message to be read for facts. `before`: earlier turns, oldest first; they resolve pronouns such as "she",
    and are no evidence (F8). `assistants`: the names of all characters that the model plays."""

    content: str
    at: datetime
    assistants: tuple[str, ...] = ()
    user_name: str = ""
    before: Sequence[EarlierMessage] = ()
    # Known people in the user's life, by name: {"Bram": "brother"}.
    people: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """Counts a model's statements and their errors: names or numbers that nobody said, quotes that do not occur, and
    statements that the model took back in the second question."""

    stated: int = 0
    unspoken: int = 0
    misquoted: int = 0
    taken_back: int = 0


@dataclass(frozen=True, slots=True)
class Extracted:
    """`model`: the extractor's name; "rules" if no model was asked or its answer was unusable. `doubted`: plausible
    statements that wait for confirmation. `tally`: errors in the model's answer."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    model: str = "rules"
    doubted: tuple[Candidate, ...] = ()
    tally: AnswerTally = field(default_factory=AnswerTally)


class Asker(Protocol):
    """A model that answers background prompts with JSON; raises `ModelMisbehaved` on any other answer. Name and address
    identify its reliability record."""

    name: str
    address: str

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]: ...
