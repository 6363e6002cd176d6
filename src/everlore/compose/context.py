"""All that a prompt is made of, fetched by whoever asks for one: composing is a function of it.

Start at `Context`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from everlore.compose.lore import Fired
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Message, Summary
from everlore.domain.interaction import Interaction
from everlore.domain.layer import Layer
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.recalled import LastSession, LeftOut, Recalled


@dataclass(frozen=True, slots=True)
class Note:
    """Said for this turn alone, as a context block: a reminder, a steering, a welcome."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canon:
    """What the campaign has to say, and the asker may know: `memories` of the campaign's own tiers,
    `sessions` and `entities` most relevant first, `chapter` the one being played."""

    campaign: Campaign
    chapter: Chapter | None = None
    sessions: Sequence[Session] = ()
    memories: Sequence[Memory] = ()
    entities: Sequence[Entity] = ()
    relationships: Sequence[Relationship] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """`history` is what the character saw, oldest first, numbered by `seq`; its old part may have gaps.

    From `recent_from` on it is whole. `unoffered` came back, and had no part of the room; `shares` is how the room for
    memories is divided among the layers (R1).

    `learnt` are the memories formed of this conversation; `named` those that the template asks for by id; `told`
    those that were told in the messages, by `${memory.<id>}` (R10).
    `lore` are the entries of lorebooks that fired.
    `recent_tools` are what was done last, a line each, the oldest first.
    `instructions` are the caller's own, the same in every turn; `notes` are for this turn alone.
    """

    character: Person
    user: Person | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    config: ConversationConfig
    conversation_id: str = ""
    history: Sequence[Message] = ()
    recent_from: int = 1
    episode: int = 0
    memories: Sequence[Recalled] = ()
    unoffered: Sequence[LeftOut] = ()
    shares: Mapping[Layer, float] = field(default_factory=dict)
    named: Mapping[str, Recalled] = field(default_factory=dict)
    told: Mapping[str, Memory] = field(default_factory=dict)
    last_session: LastSession | None = None
    summaries: Sequence[Summary] = ()
    learnt: Sequence[Memory] = ()
    earlier: Sequence[Message] = ()
    interactions: Sequence[Interaction] = ()
    canon: Canon | None = None
    lore: Sequence[Fired] = ()
    world: Sequence[Entity] = ()
    tools: Sequence[Tool] = ()
    recent_tools: Sequence[str] = ()
    instructions: str = ""
    notes: Sequence[Note] = ()
    is_guest: bool = False
    continuing: bool = False
