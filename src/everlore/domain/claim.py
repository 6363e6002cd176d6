"""The structured meaning of a statement: subject, slot, value, and when it holds.

The source of a statement knows its meaning best: the rule that read it, or the model that was asked. The sentence
itself is parsed only for statements that users typed or imported, once, when they are saved. Code that compares, dates
or answers works on the claim and never parses the sentence again. A memory has its claim in `extra` (`claim_in`).

A claim need not be complete: unknown parts have their defaults, and `slot` is None if the slot is unknown.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Json
from everlore.language.tense import Tense

USER = "user"
# The key of the claim in a memory's `extra`.
CLAIM = "claim"


class Slot(StrEnum):
    """The property of the subject that a claim is about."""

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
    # What somebody does, regularly or at the moment; also what a character does to another.
    HABIT = "habit"
    BEING = "being"
    # "User's eye color is …": only a few of its topics have a single value.
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """`subject`: `user`, a name, or a person by relation: "user's brother Bram".

    `topic` splits a slot: the category of a favourite, the kind of relative or pet, the state of a couple. `value` is
    in the words of the statement: "a glassblower", "Leith". `polarity` False: it is denied, or over. `time`: it holds
    now, held before, or is planned; `since` and `until` if a date is known. `is_change`: a different value was true
    before. `quote`: the words of the message it is based on; they are stored with that message's id, and deleted with
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
    """The claim as a memory stores it: without defaults, and without the quote."""
    told = {name: getattr(claim, name) for name in _DEFAULTS if name != "quote"}
    return {name: _plain(value) for name, value in told.items() if value != _DEFAULTS[name]}


def claim_in(extra: Json) -> Claim | None:
    """The claim of a memory; None if it has none, or an invalid one."""
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
    """A copy with this claim, or without one."""
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
