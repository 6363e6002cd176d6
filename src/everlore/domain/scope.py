"""Who is asking, and from where. Made once per request and passed to everything."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from everlore.domain.policy import Mode, Role, visibility

# No person has this id: a caller without a person sees nothing.
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Scope:
    """`workspace` is the tenant: no query ever crosses it. `person_id` is the asking user, if known, and `actor` is the
    caller's name in the audit log (C10)."""

    workspace: str
    role: Role = Role.OWNER
    mode: Mode = Mode.DUAL
    person_id: str | None = None
    actor: str = "local"

    @property
    def confined_to(self) -> str | None:
        """The one person whose part of the workspace the caller sees; None for callers who see all of it."""
        if visibility(self.role).owner_history:
            return None
        return self.person_id or NOBODY


class Pair(NamedTuple):
    """Two persons in canonical order, lower id first. Make one with `pair_of`."""

    low: str
    high: str


def pair_of(one: str, other: str) -> Pair:
    """The same pair, regardless of the order (M4)."""
    return Pair(one, other) if one <= other else Pair(other, one)


@lru_cache(maxsize=4096)
def pair_among(persons: tuple[str, ...]) -> Pair | None:
    """The pair of these persons, if they are exactly two."""
    different = sorted(set(persons))
    return Pair(different[0], different[1]) if len(different) == 2 else None
