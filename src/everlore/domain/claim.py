"""What a statement says, once and for all: of whom, in which respect, what, and when it holds.

Whoever makes a statement knows that best: a rule that read it, a model that was asked for it. Only of what persons
typed and what was imported the sentence itself is read, once, when it is saved. What compares statements, dates them or
answers from them works on the claim, and does not read the sentence again. A memory keeps it in `extra` (`claim_in`).

Nothing is certain because it is a claim: what its maker did not say stays at its default, and `slot` is None where
nobody knows in which respect something is said.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Json
from everlore.language.tense import Tense

USER = "user"
# Where a memory keeps it, in `extra`.
CLAIM = "claim"


class Slot(StrEnum):
    """In which respect something is said of somebody."""

    NAME = "name"
    NICKNAME = "nickname"
    AGE = "age"
    BIRTHDAY = "birthday"
    BIRTH_YEAR = "birth_year"
    HOME = "home"
    ORIGIN = "origin"
    OCCUPATION = "occupation"
    EMPLOYER = "employer"
    WORKPLACE = "workplace"
    RELATIONSHIP_STATUS = "relationship_status"
    PARTNER = "partner"
    FAMILY = "family"
    FAMILY_SIZE = "family_size"
    PET = "pet"
    FAVORITE = "favorite"
    LIKE = "like"
    DISLIKE = "dislike"
    DIET = "diet"
    ALLERGY = "allergy"
    POSSESSION = "possession"
    SKILL = "skill"
    LANGUAGE = "language"
    STUDY = "study"
    GOAL = "goal"
    PLAN = "plan"
    # What somebody does, again and again or just now; also what a character does to another.
    HABIT = "habit"
    BEING = "being"
    # "User's eye color is …": only of a few topics there is one value.
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """`subject`: `user`, somebody's name, or whose somebody they are: "user's brother Bram".

    `topic` splits a slot: the favourite of what, which kin, which pet, how a couple is together. `value` is what
    holds, in the words it was said with: "a glassblower", "Leith". `polarity` False: it is denied, or over. `time`:
    it holds now, held before, or is planned; `since` and `until` where a date is known. `is_change`: something else was
    so before. `quote`: the words of the message that it rests on; they are kept beside that message's id, and go with
    the message.
    """

    subject: str = USER
    slot: Slot | None = None
    topic: str = ""
    value: str = ""
    polarity: bool = True
    time: Tense = Tense.NOW
    since: datetime | None = None
    until: datetime | None = None
    is_change: bool = False
    quote: str = ""


_DEFAULTS = {each.name: each.default for each in fields(Claim)}


def claim_json(claim: Claim) -> Json:
    """As a memory keeps it: what is not as usual, and never the quote."""
    told = {name: getattr(claim, name) for name in _DEFAULTS if name != "quote"}
    return {name: _plain(value) for name, value in told.items() if value != _DEFAULTS[name]}


def claim_in(extra: Json) -> Claim | None:
    """The claim that a memory keeps; None where it has none, or somebody wrote something else there."""
    found = extra.get(CLAIM)
    if not isinstance(found, dict):
        return None
    try:
        return Claim(
            subject=str(found.get("subject", USER)),
            slot=Slot(found["slot"]) if "slot" in found else None,
            topic=str(found.get("topic", "")),
            value=str(found.get("value", "")),
            polarity=bool(found.get("polarity", True)),
            time=Tense(found.get("time", Tense.NOW)),
            since=_time(found.get("since")),
            until=_time(found.get("until")),
            is_change=bool(found.get("is_change", False)),
        )
    except (ValueError, TypeError):
        return None


def with_claim(extra: Json, claim: Claim | None) -> Json:
    """The same with this claim, or with none."""
    rest = {name: value for name, value in extra.items() if name != CLAIM}
    return rest if claim is None else {**rest, CLAIM: claim_json(claim)}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, StrEnum) else value


def _time(text: object) -> datetime | None:
    if text is None:
        return None
    at = datetime.fromisoformat(str(text))
    if at.tzinfo is None:
        raise ValueError(f"{text} has no time zone.")
    return at
