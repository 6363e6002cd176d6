"""A user's message as it was typed, read as clauses: without the tokens and blocks that only a page shows.

Start at `read`; `language.clauses` does the reading.
"""

from everlore.domain.display import display
from everlore.learning import clauses
from everlore.learning.clauses import Clause, ParsedClause
from everlore.learning.clauses.plain import PlainPiece
from everlore.learning.clauses.plain import pieces_of as pieces_in


def read(message: str) -> list[ParsedClause]:
    return clauses.read(_shown(message))


def clauses_of(message: str) -> tuple[Clause, ...]:
    return clauses.clauses_of(_shown(message))


def pieces_of(message: str) -> list[PlainPiece]:
    return pieces_in(_shown(message))


def _shown(message: str) -> str:
    return display(message).text if "<" in message or "$" in message else message
