"""What is told on the way, in clauses that are about something else: pronouns alone, a medicine that a doctor
chose, the name of somebody who died.

In: a clause, or its words. Out: candidates. Start at `stated`, which is asked of clauses about neither the user nor
theirs, and `of_late`, which is asked of every statement.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token, lows
from everlore.reflect.rules.people import kins_in
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.words import words

_PRONOUNS = frozenset({"he/him", "she/her", "they/them", "he/they", "she/they", "they/he", "they/she", "it/its"})
_PRESCRIBERS = words("doc doctor doctors gp psychiatrist consultant specialist they dr physician cardiologist")
_PUT_ELSEWHERE = words("hold nights days the a an my speaker mute blast leave edge trial probation it that this shifts")


@rule
def stated(each: Read) -> list[Candidate]:
    return _pronouns(each) or _put_on(each)


@rule
def _pronouns(each: Read) -> list[Candidate]:
    """ "he/him." alone."""
    text = each.clause.text.lower().strip(" .!()").removesuffix(" btw").removesuffix(" pronouns").replace(" ", "")
    return [_fact(f"User uses {text} pronouns", "Says their pronouns.")] if text in _PRONOUNS else []


@rule
def _put_on(each: Read) -> list[Candidate]:
    """ "The doc put me on metformin in the spring": a medicine has no article."""
    tokens = (*each.front, *each.subject, *each.predicate)
    low = lows(tokens)
    at = next((place for place in range(len(low) - 3) if low[place : place + 3] == ("put", "me", "on")), None)
    if at is None or low[at + 3] in _PUT_ELSEWHERE or _PRESCRIBERS.isdisjoint(low[:at]):
        return []
    drug = tokens[at + 3]
    is_word = drug.low.isalpha() and len(drug.low) > len("nights") and not drug.low.endswith("ing")
    return [_fact(f"User is on {drug.text}", "Says what they take.")] if is_word else []


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
