"""Makes the claim of a model's statement from the fields that the model gave, if its sentence supports them. Pure.

In: a candidate with its subject and tense, and the model's slot and value. Out: a claim, or None: then the sentence is
parsed when it is saved. A claim can close an older memory, so a slot that does not fit is dropped, but never the
statement.

Start at `claim_of`; `contradiction_in` finds where the model contradicts itself.
"""

import re
from enum import StrEnum

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.lists import listed
from everlore.language.numbers import numbers_in
from everlore.language.tense import Tense, leaning
from everlore.learning.candidate import Candidate
from everlore.learning.claims import SINGLE, SINGLE_ON_CHANGE, kin_of
from everlore.learning.facts.words import words_of
from everlore.learning.phrasebooks.phrases import KIN, PARTNERS, PETS
from everlore.learning.phrasebooks.statements import parsed
from everlore.learning.saving.likeness import read

_SELF = frozenset({"", "user", "self", "me", "themselves", "the user"})
_FUTURE_WORDS = listed("time.ahead")
_LEAST_WORD = 3
_SMALL = listed("grammar.small")
# Slots with a topic, which the prompt does not ask for.
_WITH_TOPIC = frozenset({Slot.FAVORITE, Slot.ATTRIBUTE, Slot.FAMILY_SIZE})
# Slots with a relation to the user as topic, which the sentence contains.
_CLOSE = {Slot.FAMILY: KIN, Slot.PARTNER: PARTNERS, Slot.PET: PETS}
_ANYBODY = re.compile(rf"\b(?P<kin>{KIN}|{PARTNERS}|{PETS})\b(?: (?P<name>[A-Z][\w-]{{0,40}}))?")
_NUMBERS = frozenset({Slot.AGE, Slot.BIRTH_YEAR})
_NAMES = frozenset({Slot.NAME, Slot.NICKNAME, *_CLOSE})
_GENERAL = frozenset({Slot.HABIT, Slot.BEING, Slot.ATTRIBUTE})
_AHEAD = frozenset({Slot.PLAN, Slot.GOAL})
# Slots that never end: an origin, a birthday.
_LASTING = frozenset({Slot.ORIGIN, Slot.BIRTHDAY, Slot.BIRTH_YEAR})


class Holds(StrEnum):
    """When a statement holds, according to the model."""

    NOW = "now"
    BEFORE = "before"
    PLANNED = "planned"
    NOT = "not"


def claim_of(candidate: Candidate, slot_name: str, value: str) -> Claim | None:
    slot = next((each for each in Slot if each.value == slot_name.strip().lower()), None)
    if slot is None or slot in _WITH_TOPIC or not _is_value(slot, value, candidate):
        return None
    subject, topic = _whose(slot, candidate)
    is_over = candidate.holds == Holds.BEFORE and slot not in _LASTING
    is_planned = candidate.holds == Holds.PLANNED
    is_so = candidate.holds != Holds.NOT and not is_over
    if not subject or is_planned != (slot in _AHEAD) or (is_so and read(candidate.content).denies):
        return None
    claim = Claim(
        subject=subject,
        slot=slot,
        topic=topic,
        value=value.strip(),
        polarity=is_so,
        time=Tense.PAST if is_over else Tense.FUTURE if is_planned else Tense.NOW,
        is_change=is_over and slot in SINGLE | SINGLE_ON_CHANGE,
        quote=candidate.quote,
    )
    return claim if _agrees(claim, parsed(candidate.content)) else None


def contradiction_in(candidate: Candidate) -> str:
    """The contradiction between a model's sentence and its other fields (F5), if any: a model that marks something as
    over, and writes it in the present, has misread the message."""
    content, words = candidate.content, set(words_of(candidate.content))
    named = [word for word in words_of(candidate.about) if len(word) >= _LEAST_WORD and word != USER]
    if not _is_of_user(candidate.about) and named and words.isdisjoint(named):
        return f"it is said to be about {candidate.about!r}"
    match candidate.holds:
        case Holds.BEFORE if leaning(content) is not Tense.PAST and not read(content).denies:
            return "it is said to be over"
        case Holds.PLANNED if _FUTURE_WORDS.isdisjoint(words):
            return "it is said to be planned"
        case Holds.NOT if not read(content).denies:
            return "it is said not to be so"
    return ""


def _is_of_user(about: str) -> bool:
    return about.strip().lower() in _SELF


def _is_value(slot: Slot, value: str, candidate: Candidate) -> bool:
    """Whether the sentence or its quote contains the value, and the value fits the slot."""
    words = set(words_of(value)) - _SMALL
    if not words or not words <= set(words_of(f"{candidate.content} {candidate.quote}")):
        return False
    if slot in _NUMBERS:
        return any(True for _ in numbers_in(value))
    return slot not in _NAMES or any(sign.isupper() for sign in value)


def _whose(slot: Slot, candidate: Candidate) -> tuple[str, str]:
    """Subject and topic: the user, or a relative ("user's brother Bram"); no subject if unclear."""
    if slot in _CLOSE:
        kin = re.search(rf"\b(?:{_CLOSE[slot]})\b", candidate.content)
        return (USER, kin.group().lower()) if kin else ("", "")
    if _is_of_user(candidate.about):
        return USER, ""
    found = _ANYBODY.search(candidate.about)
    return f"{USER}'s {kin_of(found['kin'])} {found['name'] or ''}".strip() if found else "", ""


def _agrees(claim: Claim, read: Claim | None) -> bool:
    """Whether our own reading of the sentence, if there is one, agrees: if both differ, one is wrong. General slots
    (being, having, doing) agree with any slot."""
    if read is None:
        return True
    is_same_slot = read.slot is claim.slot or read.slot in _GENERAL
    return is_same_slot and (read.subject.lower(), read.polarity) == (claim.subject.lower(), claim.polarity)
