"""A clause: a piece of a message with one predicate, and its mood."""

from dataclasses import dataclass
from enum import StrEnum

from everlore.learning.clauses.tokens import ClauseToken


class Mood(StrEnum):
    """`SUPPOSES`: not meant as a fact: if, would, a wish, a joke. `QUOTES`: someone else's words."""

    STATES = "states"
    ASKS = "asks"
    REQUESTS = "requests"
    GREETS = "greets"
    SUPPOSES = "supposes"
    PLAYS = "plays"
    QUOTES = "quotes"


class Whose(StrEnum):
    """`SELF`: "I", "we". `OWN`: "my sister Emma". `OTHER`: anything else."""

    SELF = "self"
    OWN = "own"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Clause:
    """`text`: one plain line as written. `pronoun`: of its subject, possibly taken from the clause before ("I live here
    and work there"); "" for a noun. `lead`: its introducing words ("because", "but"), before `front`, subject and
    predicate. `sentence`: the index of its sentence in the message."""

    text: str
    mood: Mood
    whose: Whose
    pronoun: str
    lead: tuple[str, ...] = ()
    front: tuple[ClauseToken, ...] = ()
    subject: tuple[ClauseToken, ...] = ()
    predicate: tuple[ClauseToken, ...] = ()
    sentence: int = 0
