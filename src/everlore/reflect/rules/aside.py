"""What is told on the way, in clauses that are about something else: pronouns alone, a medicine that a doctor
chose, the name of somebody who died.

In: a clause, or its words. Out: candidates. Start at `stated`, which is asked of clauses about neither the user nor
theirs, and `of_late`, which is asked of every statement.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token
from everlore.reflect.rules.people import kins_in
from everlore.reflect.rules.rule import rule

_PRONOUNS = frozenset({"he/him", "she/her", "they/them", "he/they", "she/they", "they/he", "they/she", "it/its"})


@rule
def stated(each: Read) -> list[Candidate]:
    return _pronouns(each)


@rule
def _pronouns(each: Read) -> list[Candidate]:
    """ "he/him." alone."""
    text = each.clause.text.lower().strip(" .!()").removesuffix(" btw").removesuffix(" pronouns").replace(" ", "")
    return [_fact(f"User uses {text} pronouns", "Says their pronouns.")] if text in _PRONOUNS else []


@rule
def of_late(tokens: Sequence[Token]) -> list[Candidate]:
    """ "My late husband Colin"."""
    return [
        Candidate(
            content=f"User's {kin.kind} was named {kin.name}",
            category=Category.RELATIONSHIP,
            confidence=0.9,
            reasoning="Names somebody who died.",
        )
        for kin in kins_in(tokens)
        if kin.name and kin.kind.startswith("late ")
    ]


def _fact(content: str, reason: str) -> Candidate:
    return Candidate(content=content, category=Category.PERSONAL_INFO, confidence=0.85, reasoning=reason)
