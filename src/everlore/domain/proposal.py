"""What the machine suggests to a game master, and what became of it (G4).

A name that was seen, a tie between two of them, a statement that contradicts canon, a place where a chapter could end,
something hidden that was said at the table:
nothing of it is true before somebody says so, and what was decided can be taken back.
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
    """`merged`: it is another name of what is known already."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    MERGED = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Goes with its campaign, and with the message whose words are its evidence.

    `detail` says what would be made, by kind; `match_id` is the entity that it may be already, as sure as `confidence`.
    `outcome` keeps what was made of it, so that it can be undone.
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
