"""A memory: one durable statement, with its sources and the time it holds (M1, M2).

A memory is never changed in place: `revise` in `revision.py` makes the next state and the store keeps the earlier one
as a `Revision`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

from everlore.domain.bounds import Between, Id, Json, Line, Share, Statement

# From here on a memory is always offered, does not decay, and is repeated while it is still in the history (M17).
DUE = 8
# The URI prefix of conversations, also for MCP.
CONVERSATION_URI = "everlore://conversation/"
# Longer memories are told by their summary, if they have one.
LONG_CHARS = 400


class MemoryType(StrEnum):
    FACT = "FACT"
    RELATIONSHIP = "RELATIONSHIP"
    DISCOVERY = "DISCOVERY"
    DECISION = "DECISION"
    INSIGHT = "INSIGHT"
    OUTCOME = "OUTCOME"
    EVENT = "EVENT"
    NOTE = "NOTE"
    EMOTION = "EMOTION"
    BEHAVIOR = "BEHAVIOR"
    ERROR_LESSON = "ERROR_LESSON"
    PERSONALITY = "PERSONALITY"
    PREFERENCE = "PREFERENCE"
    RULE = "RULE"
    GOAL = "GOAL"
    SKILL = "SKILL"
    EXPERIENCE = "EXPERIENCE"
    PROJECT = "PROJECT"
    STORY = "STORY"
    PREMISE = "PREMISE"
    SETTING = "SETTING"
    TONE = "TONE"
    FACTION = "FACTION"
    THEME = "THEME"
    CANON_RULING = "CANON_RULING"
    PLOT_THREAD = "PLOT_THREAD"
    SCENE = "SCENE"
    DECISION_POINT = "DECISION_POINT"
    MOMENT = "MOMENT"
    SUMMARY = "SUMMARY"


class Category(StrEnum):
    """The subject area of a user fact, in addition to its type."""

    PERSONAL_INFO = "personal_info"
    PREFERENCE = "preference"
    EXPERIENCE = "experience"
    RELATIONSHIP = "relationship"
    GOAL = "goal"
    SKILL = "skill"


class Status(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"
    DELETED = "deleted"


class Visible(StrEnum):
    """`secret` is never passed on as gossip; `private` never leaves its conversation."""

    NORMAL = "normal"
    PRIVATE = "private"
    SECRET = "secret"


class Durability(StrEnum):
    EPHEMERAL = "ephemeral"
    SITUATIONAL = "situational"
    LONG_TERM = "long_term"
    IDENTITY = "identity"


class Origin(StrEnum):
    EXTRACTOR = "extractor"
    KEYFRAME = "keyframe"
    ANALYSIS = "analysis"
    # A summary of a whole session (G3).
    DIGEST = "digest"
    USER = "user"
    GM = "gm"
    IMPORT = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    workspace: Id
    id: Id
    content: Statement
    summary: Line = ""
    type: MemoryType = MemoryType.FACT
    category: Category | None = None
    importance: Annotated[int, Between(1, 10)] = 5
    confidence: Share = 1.0
    priority: Annotated[int, Between(-100, 100)] = 0
    emotional_weight: Share = 0.0
    status: Status = Status.ACTIVE
    visibility: Visible = Visible.NORMAL
    is_spoiler: bool = False
    durability: Durability = Durability.LONG_TERM
    origin: Origin = Origin.USER
    edited_by_person: bool = False

    # The persons it belongs to: one, a pair in canonical order, or more in a scene (M3, M4).
    persons: tuple[Id, ...] = ()
    conversation_id: Id | None = None
    campaign_id: Id | None = None
    chapter_id: Id | None = None
    session_id: Id | None = None
    interaction_id: Id | None = None

    # Sources (M5).
    source_uri: Line = ""
    source_message_ids: tuple[Id, ...] = ()
    entity_ids: tuple[Id, ...] = ()
    participants: tuple[str, ...] = ()
    key_moments: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    # Validity (M7). `superseded_by` is the successor of a closed fact.
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: Id | None = None

    revision: Annotated[int, Between(1, 10**9)] = 1
    created_at: datetime
    updated_at: datetime
    last_recalled_at: datetime | None = None
    recall_count: Annotated[int, Between(0, 10**12)] = 0
    reinforcement_count: Annotated[int, Between(0, 10**12)] = 0
    extra: Json = field(default_factory=dict)


# The keys in `extra` with values for each source message: its wording, its time, and its quote.
BY_MESSAGE = ("wordings", "said", "quotes")


# Origins of memories that people wrote by hand.
PERSONS = frozenset({Origin.USER, Origin.GM})


def is_persons(memory: Memory) -> bool:
    """Whether a person wrote it by hand: extractors never overrule it (M11)."""
    return memory.edited_by_person or memory.origin in PERSONS


# The key in `extra` for the branches that share a memory from before the branching, each with its copies of the source
# messages. These copies are sources too.
BRANCHES = "branches"


def branches_of(memory: Memory) -> dict[str, tuple[str, ...]]:
    found = memory.extra.get(BRANCHES)
    return {str(id): tuple(map(str, ids)) for id, ids in found.items()} if isinstance(found, dict) else {}


def is_shared_with(memory: Memory, conversation_id: str | None) -> bool:
    """Whether it was known when this conversation was branched off, and still is in it (M15)."""
    return conversation_id is not None and conversation_id in branches_of(memory)


def said_of(memory: Memory) -> datetime:
    """When it was last said; for imports that is long before it was saved."""
    times = memory.extra.get("said")
    if isinstance(times, dict) and not is_persons(memory):
        found = [at for each in times.values() if (at := _time_of(each)) is not None]
        if found:
            return max(found)
    return memory.created_at


def _time_of(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def is_due(memory: Memory) -> bool:
    """Whether it is offered in every turn (M17): identity and what matters most, as long as it holds."""
    holds = memory.status is Status.ACTIVE and memory.valid_to is None
    return holds and (memory.durability is Durability.IDENTITY or memory.importance >= DUE)


def source_uri_of(conversation_id: str | None, message_ids: Sequence[str] = ()) -> str:
    """The source of a memory as a URI (M1): its conversation, and the first of its messages there."""
    if conversation_id is None:
        return ""
    place = f"{CONVERSATION_URI}{quote(str(conversation_id), safe='')}"
    return f"{place}#{quote(str(message_ids[0]), safe='')}" if message_ids else place


def short_form(memory: Memory) -> str:
    """The shorter text for prompts (M1); empty if the memory has no summary that is shorter."""
    summary = " ".join(memory.summary.split())
    return summary if len(summary) < len(memory.content) else ""


def is_long(memory: Memory) -> bool:
    """Whether prompts always use the short form: the full text would displace other memories."""
    return len(memory.content) > LONG_CHARS


class LinkKind(StrEnum):
    RELATED = "related"
    SUPERSEDES = "supersedes"
    CORRECTS = "corrects"
    CONTRADICTS = "contradicts"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLink:
    """From one memory to another; deleted with either of them."""

    workspace: Id
    id: Id
    memory_id: Id
    other_id: Id
    kind: LinkKind = LinkKind.RELATED
    created_at: datetime
