"""The names of counters for what has no record (C9), and the record of a count."""

from dataclasses import dataclass
from typing import Annotated

from everlore.domain.bounds import Between, Id, Name

PROMPTS = "prompts"
PROMPT_TOKENS = "prompt_tokens"
# Prefixes for the names of extractors, and of filters that stopped a candidate.
READ = "read."
FILTERED = "filtered."


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A counter for one hour since 1970."""

    workspace: Id
    name: Name
    hour: Annotated[int, Between(-(10**8), 10**8)]
    number: Annotated[int, Between(-(10**15), 10**15)]

    @property
    def id(self) -> str:
        return f"{self.name} {self.hour}"
