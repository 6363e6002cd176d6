"""Who is asking, and from where. Built once at the edge and passed down to everything."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from everlore.domain.policy import Mode, Role


@dataclass(frozen=True, slots=True)
class Scope:
    """`workspace` is the tenant: no query ever crosses it."""

    workspace: str
    role: Role = Role.OWNER
    mode: Mode = Mode.DUAL
    person_id: str | None = None


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
