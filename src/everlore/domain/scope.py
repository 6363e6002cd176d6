"""Who is asking, and from where. Built once at the edge and passed down to everything."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from everlore.domain.policy import Mode, Role, visibility

# No person has this id: whoever is nobody here sees nothing.
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Scope:
    """`workspace` is the tenant: no query ever crosses it. `person_id` is the user who asks, where that is known, and
    `actor` what the audit log calls whoever asks (C10)."""

    workspace: str
    role: Role = Role.OWNER
    mode: Mode = Mode.DUAL
    person_id: str | None = None
    actor: str = "local"

    @property
    def confined_to(self) -> str | None:
        """The one person whose part of the workspace the caller sees; None for whoever sees all of it."""
        if visibility(self.role).owner_history:
            return None
        return self.person_id or NOBODY


class Pair(NamedTuple):
    """Two persons in canonical order, lower id first. Make one with `pair_of`."""

    low: str
    high: str


def pair_of(one: str, other: str) -> Pair:
    """The same pair whoever plays whom (M4)."""
    return Pair(one, other) if one <= other else Pair(other, one)


@lru_cache(maxsize=4096)
def pair_among(persons: tuple[str, ...]) -> Pair | None:
    """The pair that these persons form, if they are exactly two."""
    different = sorted(set(persons))
    return Pair(different[0], different[1]) if len(different) == 2 else None
