"""The names under which things are counted that are no records (C9), and what was counted under one."""

from dataclasses import dataclass
from typing import Annotated

from everlore.domain.bounds import Between, Id, Name

PROMPTS = "prompts"
PROMPT_TOKENS = "prompt_tokens"
# Before the name of who read, and of the filter that stopped something.
READ = "read."
FILTERED = "filtered."


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How often something was counted in one hour since 1970."""

    workspace: Id
    name: Name
    hour: Annotated[int, Between(-(10**8), 10**8)]
    number: Annotated[int, Between(-(10**15), 10**15)]

    @property
    def id(self) -> str:
        return f"{self.name} {self.hour}"
