"""A file of a person: the picture of a character, or another asset of its card (V9)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from everlore.domain.bounds import Id, Line, Size

MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """`name` is the name that the card uses; `type` is the media type."""

    workspace: Id
    id: Id
    person_id: Id
    name: Line = ""
    type: Line
    content: Annotated[bytes, Size(MOST_BYTES)]
    created_at: datetime
