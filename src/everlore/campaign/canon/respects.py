"""In which respect a clause says something of somebody, and what."""

from dataclasses import dataclass
from typing import Literal

from everlore.campaign.canon.things import CanonThing

Kind = Literal["who", "where", "class", "number", "kin", "when"]


@dataclass(frozen=True, slots=True)
class RespectReading:
    """`respect`: in what; `what` is who or what is meant by the value, where it is a thing; `values` else."""

    kind: Kind
    respect: str
    of: CanonThing
    what: CanonThing
    values: frozenset[str] = frozenset()
    amount: float = 0.0
    denied: bool = False
    is_sure: bool = True
