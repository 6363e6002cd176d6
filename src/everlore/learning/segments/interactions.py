"""What two people did with each other in a segment, and how it turned out for each, by a prompt of its own (K3, K4).

In: a segment and a model. Out: one proposed interaction, or None if nothing happened between them. The actor is the
model's character, the interactor the user's. Start at `pairs_in` and `interaction_of`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.interaction import Interaction, InteractionState, InteractionType, Outcome, Tone, tone_of
from everlore.learning.answers import line_in, member_in
from everlore.learning.asking import TEXT, asked, instructions, object_of, one_of
from everlore.learning.candidate import Asker
from everlore.learning.segments.keyframes import Segment, readable, told_by
from everlore.learning.segments.transcript import ESTIMATE, FittedTranscript, as_block, fitted
from everlore.learning.segments.vetting import borne_out
from everlore.models.chat import Ask, Said

TEMPERATURE = 0.3
MOST_TOKENS = 200
_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 1_000
_MOST_DESCRIPTION = 500
# The prompt offers the informative types; the other two mean that nothing happened.
_NOTHING = frozenset({InteractionType.NONE, InteractionType.UNKNOWN})
_TYPES = tuple(each for each in InteractionType if each not in _NOTHING)

SCHEMA = object_of(
    type=one_of([*_TYPES, InteractionType.NONE]),
    description=TEXT,
    actor_outcome=one_of(Outcome),
    interactor_outcome=one_of(Outcome),
)


@dataclass(frozen=True, slots=True)
class Proposed:
    type: InteractionType
    description: str = ""
    actor_outcome: Outcome = Outcome.NEUTRAL
    interactor_outcome: Outcome = Outcome.NEUTRAL

    def record(
        self, conversation: Conversation, pair: "PairSegment", last_seq: int, *, event_id: str | None, at: datetime
    ) -> Interaction:
        """`last_seq`: the end of the whole segment. Forming it again after a crash creates no second one (K6)."""
        assert conversation.user_id is not None
        return Interaction(
            workspace=conversation.workspace,
            id=interaction_id(conversation, last_seq, pair.actor_id),
            type=self.type,
            description=self.description,
            actor_id=pair.actor_id,
            interactor_id=conversation.user_id,
            actor_outcome=self.actor_outcome,
            interactor_outcome=self.interactor_outcome,
            state=InteractionState.COMPLETE,
            conversation_id=conversation.id,
            event_id=event_id,
            started_at=min(each.created_at for each in pair.segment.messages),
            ended_at=max(each.created_at for each in pair.segment.messages),
            created_at=at,
        )


@dataclass(frozen=True, slots=True)
class PairSegment:
    """The messages between one character, played by the model, and the user."""

    actor_id: str
    segment: Segment


def interaction_id(conversation: Conversation, last_seq: int, actor_id: str) -> str:
    of_whom = f"\n{actor_id}" if len(conversation.system_ids) > 1 else ""
    key = f"{conversation.id}\n{last_seq}{of_whom}"
    return f"interaction-{hashlib.sha256(key.encode()).hexdigest()[:32]}"


def interaction_ids(conversation: Conversation, last_seq: int) -> tuple[str, ...]:
    """The ids of all interactions that a segment may have formed."""
    return tuple(interaction_id(conversation, last_seq, id) for id in conversation.system_ids)


def pairs_in(conversation: Conversation, segment: Segment) -> list[PairSegment]:
    """The exchanges of the user with each speaking character (V10): the character's messages, and the user's just
    before them. The whole segment if only one character speaks; none without a user or a character."""
    if conversation.user_id is None or not segment.messages:
        return []
    spoken = [id for id in conversation.system_ids if any(_is_said_by(each, id) for each in segment.messages)]
    if len(spoken) <= 1:
        return [PairSegment(id, segment) for id in (spoken or conversation.system_ids)[:1]]
    parts = [PairSegment(id, replace(segment, messages=_between(segment.messages, id))) for id in spoken]
    return [each for each in parts if any(message.author is Author.USER for message in each.segment.messages)]


def _between(messages: Sequence[Message], actor_id: str) -> tuple[Message, ...]:
    kept: list[Message] = []
    asked: list[Message] = []
    for each in messages:
        kept += [*asked, each] if _is_said_by(each, actor_id) else []
        asked = [*asked, each] if each.author is Author.USER else []
    return tuple(kept)


def _is_said_by(message: Message, person_id: str) -> bool:
    return message.author is Author.ASSISTANT and message.person_id == person_id


async def interaction_of(segment: Segment, asker: Asker | None) -> Proposed | None:
    """None without a model, if nothing happens in the segment, or if the answer is unusable."""
    lines = readable(segment)
    if asker is None or not lines:
        return None
    room = _WINDOW_TOKENS - _INSTRUCTION_TOKENS - MOST_TOKENS
    ask = interaction_ask(segment, fitted(lines, room, ESTIMATE))
    answer = await asked(asker, ask, read_interaction, what="interaction")
    if answer is None or answer.type in _NOTHING:
        return None
    description, _ = borne_out(answer.description, told_by(segment, lines), may_be_talk=False)
    return replace(answer, description=description)


def interaction_ask(segment: Segment, talk: FittedTranscript) -> Ask:
    system = instructions("interaction", types=_listed_types(), outcomes=", ".join(each.value for each in Outcome))
    actors = list(dict.fromkeys(line.name for line in talk.lines if not line.is_user))
    interactors = list(dict.fromkeys(line.name for line in talk.lines if line.is_user))
    block = as_block(talk, setting=segment.setting, actor=actors, interactor=interactors)
    return Ask(
        messages=(Said("system", system), Said("user", block)),
        temperature=TEMPERATURE,
        max_tokens=MOST_TOKENS,
        schema=SCHEMA,
        context_window=_WINDOW_TOKENS,
    )


def read_interaction(value: object) -> Proposed | None:
    """None if the answer has another form, such as an unknown type or outcome."""
    given = value if isinstance(value, dict) else {}
    kind = member_in(InteractionType, given.get("type"))
    if kind is None or kind in _NOTHING:
        return None if kind is None else Proposed(kind)
    actor_outcome = member_in(Outcome, given.get("actor_outcome"))
    interactor_outcome = member_in(Outcome, given.get("interactor_outcome"))
    description = line_in(given.get("description"), _MOST_DESCRIPTION)
    if actor_outcome is None or interactor_outcome is None or description is None:
        return None
    return Proposed(kind, description, actor_outcome, interactor_outcome)


def _listed_types() -> str:
    lines = [
        f"- {tone.value}: {', '.join(each.value for each in _TYPES if tone_of(each) is tone)}"
        for tone in (Tone.POSITIVE, Tone.NEUTRAL, Tone.NEGATIVE)
    ]
    return "\n".join([*lines, f"- {InteractionType.NONE.value}: nothing of the kind"])
