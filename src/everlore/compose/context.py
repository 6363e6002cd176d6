"""The input of a prompt. The caller fetches it; composing is a pure function of it.

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
    """A context block for this turn only: a reminder, a steering instruction, a welcome."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canon:
    """The part of a campaign that the viewer may know: `memories` of the campaign's own tiers, `sessions` and
    `entities` most relevant first, `chapter` the one being played."""

    campaign: Campaign
    chapter: Chapter | None = None
    sessions: Sequence[Session] = ()
    memories: Sequence[Memory] = ()
    entities: Sequence[Entity] = ()
    relationships: Sequence[Relationship] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """`history` is what the character saw, oldest first, numbered by `seq`; its old part may have gaps.

    From `recent_from` on it is complete. `unoffered` was recalled, but got no budget; `shares` divides the budget for
    memories among the layers (R1).

    `learnt` are the memories formed in this conversation; `named` those that the template requests by id; `told` those
    that messages tell by `${memory.<id>}` (R10). `lore` are the entries of lorebooks that fired. `recent_tools` are the
    latest actions, a line each, oldest first. `instructions` come from the caller and are the same in every turn;
    `notes` are for this turn only.
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
