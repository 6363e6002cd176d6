"""Who the people of the user's life are: once they are known to have a brother called Bram, what is said of Bram is
said of the user's brother. Pure.

In: a claim of somebody, and who is known. Out: the same of that person, as they are to the user. Start at `resolved`.
"""

import re
from dataclasses import replace

from everlore.domain.claim import USER, Claim, Slot
from everlore.reflect.candidate import Candidate, Written
from everlore.reflect.saving.framing.vocabulary import KIN, PARTNERS, kin_of

_CLOSE = re.compile(rf"{KIN}|{PARTNERS}", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40})?")
_THEIRS = re.compile(rf"{USER}'s (?P<kin>[\w-]{{1,40}}) (?P<name>{_NAME.pattern})", re.IGNORECASE)


def introduced(claim: Claim | None) -> tuple[str, str] | None:
    """Whom a claim tells of by name, and who that is to the user: ("Bram", "brother")."""
    if claim is None:
        return None
    theirs = _THEIRS.fullmatch(claim.subject)
    if theirs and _CLOSE.fullmatch(theirs["kin"]):
        return theirs["name"], theirs["kin"].lower()
    is_told = claim.slot in (Slot.FAMILY, Slot.PARTNER) and claim.subject == USER and claim.polarity
    if is_told and _CLOSE.fullmatch(claim.topic) and _NAME.fullmatch(claim.value):
        # A wife is a wife; "kids" and "children" are one, and no single one of them.
        kin = kin_of(claim.topic)
        return (claim.value, kin) if kin != "children" else None
    return None


def resolved(candidate: Candidate, kin: str) -> Candidate:
    """As told of the user's own people. What somebody wrote keeps its words; its claim knows of whom it is."""
    claim = candidate.claim
    if claim is None or not kin:
        return candidate
    name, rest = candidate.content[: len(claim.subject)], candidate.content[len(claim.subject) :]
    if name != claim.subject or not rest.startswith(" "):
        return candidate
    content = candidate.content if isinstance(candidate, Written) else f"User's {kin} {candidate.content}"
    return replace(candidate, content=content, claim=replace(claim, subject=f"{USER}'s {kin} {name}"))
