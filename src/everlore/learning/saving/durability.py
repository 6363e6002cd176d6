"""How long a memory is useful: for this chat, for a while, for long, or forever (M17). Pure.

Identity is who a person is: always offered and never fading, so little may count as identity.
"""

from datetime import UTC, datetime, timedelta

from everlore.domain.claim import Claim, Slot
from everlore.domain.dates import when
from everlore.domain.memory import Category, Durability, MemoryType
from everlore.language.lists import pattern
from everlore.language.tense import Tense
from everlore.learning.claims import ClaimFrame, slots
from everlore.learning.saving.likeness import read

_MOST_CHARS = 2_000
_ANY_DAY = datetime(2000, 6, 15, tzinfo=UTC)
_WHO = slots(
    "name nickname age birthday birth_year home occupation employer relationship_status partner family family_size "
    "allergy diet"
)
_FOR_A_WHILE = frozenset(
    {MemoryType.OUTCOME, MemoryType.EMOTION, MemoryType.PROJECT, MemoryType.SCENE, MemoryType.DECISION_POINT}
)
_FOR_GOOD = frozenset({MemoryType.PERSONALITY, MemoryType.PREMISE, MemoryType.CANON_RULING})


def durability_of(
    content: str,
    category: Category | None,
    type: MemoryType,
    said_at: datetime | None = None,
    claim: Claim | None = None,
) -> Durability:
    """`said_at`: if given, a period under way (day, week, month, season) is also found by its date. `claim`: if None,
    the text is parsed."""
    text = content[:_MOST_CHARS]
    frame = read(text, claim).frame
    if type in _FOR_GOOD or _is_who(frame):
        return Durability.IDENTITY
    if type in _FOR_A_WHILE:
        return Durability.SITUATIONAL
    # Events of a story outlast "tonight"; only facts about the user's own life expire that soon.
    if category is None:
        return Durability.LONG_TERM
    left = _left(text, said_at)
    if _says("moment", text) or left <= timedelta(days=1):
        return Durability.EPHEMERAL
    is_for_now = _says("a_while", text) or left <= timedelta(days=92) or _is_dated_plan(frame, text)
    return Durability.SITUATIONAL if is_for_now else Durability.LONG_TERM


def _says(name: str, text: str) -> bool:
    return pattern(__package__, f"durability.{name}").search(text) is not None


def _left(text: str, said_at: datetime | None) -> timedelta:
    """The total length of the period under way; infinite if there is none."""
    named = when(text, said_at) if said_at is not None else None
    if said_at is None or named is None or named.end is None or not named.start < said_at < named.end:
        return timedelta.max
    return named.end - named.start


def _is_who(frame: ClaimFrame | None) -> bool:
    """Whether it is about the person, in the present: a sister's home is useful, but not part of their identity."""
    if frame is None or frame.slot not in _WHO or "'s " in frame.subject:
        return False
    return frame.polarity and frame.tense is Tense.NOW and (bool(frame.value) or frame.slot is Slot.FAMILY)


def _is_dated_plan(frame: ClaimFrame | None, text: str) -> bool:
    """Whether a plan has a date, so that it is over afterwards. Any reference day will do for that."""
    return frame is not None and frame.tense is Tense.FUTURE and when(text, _ANY_DAY) is not None
