"""Limits that a field's type cannot express, declared with the type and enforced by the store.

importance: Annotated[int, Between(1, 10)] = 5
"""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Chars:
    """A text of at most `most` characters, and at least `least` without white space."""

    most: int
    least: int = 0


@dataclass(frozen=True, slots=True)
class Between:
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Size:
    """A maximum number of bytes."""

    most: int


Id = Annotated[str, Chars(128, least=1)]
Line = Annotated[str, Chars(1_000)]
Name = Annotated[str, Chars(300, least=1)]
# One clear statement. A longer text is a message or a document, and belongs in the log.
Statement = Annotated[str, Chars(20_000, least=1)]
Prose = Annotated[str, Chars(200_000)]
# Messages may be as long as a person can paste; anything longer is a file.
Log = Annotated[str, Chars(2_000_000)]
Share = Annotated[float, Between(0, 1)]


# A JSON object; checked when a record is saved.
Json = dict[str, object]
