"""What a clause is: a piece of a message with one predicate, and what it does."""

from dataclasses import dataclass
from enum import StrEnum


class Mood(StrEnum):
    """`SUPPOSES`: what is not meant as so: if, would, a wish, a joke. `QUOTES`: somebody else's words."""

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
    """`text` is one plain line as written. `subject` is the pronoun that it is about, also where that stood in the
    clause before ("I live here and work there"); "" for a noun."""

    text: str
    mood: Mood
    whose: Whose
    subject: str
