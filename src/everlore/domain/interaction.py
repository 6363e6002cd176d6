"""What two persons did with each other in a segment, and the outcome (K3, K4)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Id, Prose


class Tone(StrEnum):
    POSITIVE = "positive"
    NEUTRAL = "neutral"
    NEGATIVE = "negative"


class InteractionType(StrEnum):
    ACCOMMODATE = "ACCOMMODATE"
    ALLY = "ALLY"
    BARTER = "BARTER"
    BEFRIEND = "BEFRIEND"
    BETRAY = "BETRAY"
    BREAK_UP = "BREAK_UP"
    COERCE = "COERCE"
    COMBAT = "COMBAT"
    COMMERCE = "COMMERCE"
    COMMUNICATE = "COMMUNICATE"
    COMPETE = "COMPETE"
    CONFLICT = "CONFLICT"
    CONGREGATE = "CONGREGATE"
    COOPERATE = "COOPERATE"
    CORRESPOND = "CORRESPOND"
    CRITICIZE = "CRITICIZE"
    DATE = "DATE"
    DEBATE = "DEBATE"
    DEFEND = "DEFEND"
    ENTERTAIN = "ENTERTAIN"
    EXCHANGE = "EXCHANGE"
    EXPRESS_GRATITUDE = "EXPRESS_GRATITUDE"
    EXPRESS_INDIFFERENCE = "EXPRESS_INDIFFERENCE"
    HELP = "HELP"
    INTIMATE = "INTIMATE"
    INVESTIGATE = "INVESTIGATE"
    MENTOR = "MENTOR"
    NEGOTIATE = "NEGOTIATE"
    OPPOSE = "OPPOSE"
    PEER_PRESSURE = "PEER_PRESSURE"
    RECREATE = "RECREATE"
    RELATE = "RELATE"
    ROMANCE = "ROMANCE"
    SEPARATE = "SEPARATE"
    SHUN = "SHUN"
    SOCIALIZE = "SOCIALIZE"
    THREATEN = "THREATEN"
    NONE = "NONE"
    UNKNOWN = "UNKNOWN"


_POSITIVE = frozenset(
    "ACCOMMODATE ALLY BEFRIEND COOPERATE DATE DEFEND ENTERTAIN EXPRESS_GRATITUDE HELP INTIMATE MENTOR "
    "RECREATE RELATE ROMANCE SOCIALIZE".split()
)
_NEGATIVE = frozenset(
    "BETRAY BREAK_UP COERCE COMBAT CONFLICT CRITICIZE EXPRESS_INDIFFERENCE OPPOSE PEER_PRESSURE SEPARATE "
    "SHUN THREATEN".split()
)


def tone_of(kind: InteractionType) -> Tone:
    if kind in _POSITIVE:
        return Tone.POSITIVE
    return Tone.NEGATIVE if kind in _NEGATIVE else Tone.NEUTRAL


class Outcome(StrEnum):
    VERY_FAVORABLE = "VERY_FAVORABLE"
    FAVORABLE = "FAVORABLE"
    NEUTRAL = "NEUTRAL"
    MIXED = "MIXED"
    UNFAVORABLE = "UNFAVORABLE"
    VERY_UNFAVORABLE = "VERY_UNFAVORABLE"


class InteractionState(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    workspace: Id
    id: Id
    type: InteractionType
    description: Prose = ""
    actor_id: Id
    interactor_id: Id
    actor_outcome: Outcome = Outcome.NEUTRAL
    interactor_outcome: Outcome = Outcome.NEUTRAL
    state: InteractionState = InteractionState.COMPLETE
    conversation_id: Id | None = None
    event_id: Id | None = None
    started_at: datetime
    ended_at: datetime | None = None
    created_at: datetime
