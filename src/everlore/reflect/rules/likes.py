"""Likes and dislikes, and what clauses about something else tell of the user.

`stated` reads a clause of which the user or one of theirs is the subject; `inverted` one with another subject:
"Blue is my favorite color", "Mum's a nurse", "autumn > summer".
"""

from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read
from everlore.reflect.rules import others, tastes
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.tastes import stated

__all__ = ["inverted", "stated"]


@rule
def inverted(read: Read) -> list[Candidate]:
    return tastes.inverted(read) or others.stated(read)
