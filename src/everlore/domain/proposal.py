"""Proposals to a game master, and the decisions on them (G4).

A name, a relationship of two names, a contradiction to canon, a possible end of a chapter, or something hidden that was
said at the table: none of it counts before somebody accepts it, and every decision can be undone.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from everlore.domain.bounds import Id, Json, Line, Prose, Share


class ProposalKind(StrEnum):
    ENTITY = "entity"
    RELATIONSHIP = "relationship"
    CONFLICT = "conflict"
    CHAPTER = "chapter"
    # Something hidden from players that was said at the table.
    REVEAL = "reveal"


class Decision(StrEnum):
    """`merged`: it is another name of a known entity."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    MERGED = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Deleted with its campaign, and with the message that is its evidence.

    `detail` is what would be created, by kind; `match_id` is a possibly identical entity, with certainty `confidence`.
    `outcome` records what was created, so that it can be undone.
    """

    workspace: Id
    id: Id
    campaign_id: Id
    session_id: Id | None = None
    kind: ProposalKind
    title: Line
    evidence: Prose = ""
    message_id: Id | None = None
    match_id: Id | None = None
    confidence: Share = 0.0
    detail: Json = field(default_factory=dict)
    is_spoiler: bool = False
    status: Decision = Decision.PENDING
    decided_by: Line = ""
    decided_at: datetime | None = None
    outcome: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
