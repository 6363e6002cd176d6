"""A named value that a workspace keeps: its models, its defaults, what the owner switched on."""

from dataclasses import dataclass, field
from datetime import datetime

from everlore.domain.bounds import Id, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    workspace: Id
    id: Id
    value: Json = field(default_factory=dict)
    updated_at: datetime
