"""What an extractor proposes, before anything is decided: whoever made it, a rule or a model."""

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
    """One statement. A user fact begins with "User …"; `category` is one of six, for user facts alone (F2)."""

    content: str
    category: Category | None = None
    type: MemoryType = MemoryType.FACT
    confidence: float = 0.95
    reasoning: str = ""
    # Which rule made it; of a model's statement, none.
    rule: str = ""
    # The words of the user that it rests on, as whoever proposed it gave them, and why it is not quite believed.
    quote: str = ""
    doubt: str = ""
    # Of whom it is and when it holds, as a model told it apart from the sentence: "brother Bram", "before".
    about: str = ""
    holds: str = ""
    summary: str = ""
    # None: what the importance function makes of the rest.
    importance: int | None = None
    emotional_weight: float = 0.0
    participants: tuple[str, ...] = ()
    key_moments: tuple[str, ...] = ()
    # What it says, as far as its maker knows; where that is nothing, the sentence is read when it is saved.
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(Candidate):
    """What a person wrote, or an import holds: `record` is the memory as it was given, with all that goes with it."""

    record: Memory


@dataclass(frozen=True, slots=True)
class EarlierMessage:
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
    before: Sequence[EarlierMessage] = ()
    # Who is known to be in the user's life, by name: {"Bram": "brother"}.
    people: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerTally:
    """What a model stated, and how much of it was found wanting: a name or number that nobody said, words quoted that
    stand nowhere, a statement that it took back when it was asked again."""

    stated: int = 0
    unspoken: int = 0
    misquoted: int = 0
    taken_back: int = 0


@dataclass(frozen=True, slots=True)
class Extracted:
    """`model`: who extracted, "rules" where no model was asked or its answer was of no use. `doubted`: what was said as
    far as anybody can see, and is not believed before somebody confirms it. `tally`: how the model's answer fared."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    model: str = "rules"
    doubted: tuple[Candidate, ...] = ()
    tally: AnswerTally = field(default_factory=AnswerTally)


class Asker(Protocol):
    """A model that is asked for JSON in the background; `ModelMisbehaved` where it answers anything else. What it is
    worth is known by its name and where it is reached."""

    name: str
    address: str

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]: ...
