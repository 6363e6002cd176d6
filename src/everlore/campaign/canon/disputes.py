"""Canon conflicts and rulings, read from the proposals and memories that store them (G7). Pure.

A dispute is a proposal with both statements in `detail`; a ruling is a memory with both in `extra`. Start at
`dispute_of` and `ruled_in`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter, ValidationError

from everlore.campaign.canon.comparing import Contradiction
from everlore.domain.bounds import Json
from everlore.domain.campaign import Session
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.words import words_of

# Key in `extra` of a ruling's memory.
RULING = "ruling"
_MOST_TITLE = 200
_MOST_SOURCES = 20


class Ruling(StrEnum):
    """What holds: the old statement, the new one, both at different times, or both because they do not conflict."""

    OLD = "old"
    NEW = "new"
    BOTH = "both"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class DisputeSide:
    """One of two statements and its source; `session` is the session's name or number, for display."""

    memory_id: str
    text: str
    session_id: str | None = None
    session: str = ""
    message_ids: tuple[str, ...] = ()
    origin: str = ""
    is_spoiler: bool = False


_SIDE = TypeAdapter(DisputeSide)


@dataclass(frozen=True, slots=True)
class Dispute:
    """A conflict: the canon statement, the one against it, why both cannot be true, and the outcome."""

    proposal: Proposal
    old: DisputeSide
    new: DisputeSide
    reason: str

    @property
    def ruling(self) -> Ruling | None:
        found = self.proposal.outcome.get(RULING)
        return Ruling(str(found)) if found else None

    @property
    def note(self) -> str:
        """The game master's note on the ruling."""
        return str(self.proposal.outcome.get("note", ""))


@dataclass(frozen=True, slots=True)
class RulingResult:
    """The ruling on two statements, and the memory that states it."""

    memory: Memory
    ruling: Ruling
    old: DisputeSide
    new: DisputeSide

    @property
    def fallen(self) -> str:
        """The statement that no longer holds; empty if both do."""
        if self.ruling is Ruling.NONE:
            return ""
        return self.new.text if self.ruling is Ruling.OLD else self.old.text


def dispute_of(proposal: Proposal) -> Dispute | None:
    """None for other kinds of proposals, and if the detail was overwritten with something else."""
    old, new = (_side(proposal.detail.get(name)) for name in ("old", "new"))
    if proposal.kind is not ProposalKind.CONFLICT or old is None or new is None:
        return None
    return Dispute(proposal, old, new, str(proposal.detail.get("reason", "")))


def ruled_in(memory: Memory) -> RulingResult | None:
    kept = memory.extra.get(RULING)
    if memory.type is not MemoryType.CANON_RULING or not isinstance(kept, dict):
        return None
    old, new = (_side(kept.get(name)) for name in ("old", "new"))
    if old is None or new is None or kept.get("is") not in set(Ruling):
        return None
    return RulingResult(memory, Ruling(str(kept["is"])), old, new)


def ruling_json(ruling: Ruling, dispute: Dispute) -> Json:
    """The JSON that `ruled_in` reads."""
    return {
        "is": ruling.value,
        "old": _json(dispute.old),
        "new": _json(dispute.new),
        "proposal_id": dispute.proposal.id,
    }


def raised(
    old: Memory, new: Memory, why: Contradiction, sessions: Mapping[str, Session], at: datetime, campaign_id: str
) -> Proposal:
    """The proposal that reports a conflict to the game master. The same two statements yield the same proposal."""
    sides = {name: _json(_side_of(each, sessions)) for name, each in (("old", old), ("new", new))}
    return Proposal(
        workspace=new.workspace,
        id=proposal_id(campaign_id, old.id, new.content),
        campaign_id=campaign_id,
        session_id=new.session_id,
        kind=ProposalKind.CONFLICT,
        title=_clipped(new.content),
        evidence=new.content,
        message_id=new.source_message_ids[0] if new.source_message_ids else None,
        confidence=why.confidence,
        detail={**sides, "reason": why.reason},
        is_spoiler=old.is_spoiler or new.is_spoiler,
        created_at=at,
        updated_at=at,
    )


def proposal_id(campaign_id: str, old_id: str, text: str) -> str:
    told = "\n".join((campaign_id, old_id, " ".join(words_of(text))))
    return f"conflict-{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:32]}"


def _side_of(memory: Memory, sessions: Mapping[str, Session]) -> DisputeSide:
    session = sessions.get(memory.session_id or "")
    return DisputeSide(
        memory_id=memory.id,
        text=memory.content,
        session_id=memory.session_id,
        session=named(session) if session else "",
        message_ids=memory.source_message_ids[:_MOST_SOURCES],
        origin=memory.origin.value,
        is_spoiler=memory.is_spoiler,
    )


def named(session: Session) -> str:
    return f"session {session.number}" + (f", {session.name}" if session.name else "")


def _json(side: DisputeSide) -> Json:
    kept: Json = _SIDE.dump_python(side, mode="json")
    return kept


def _side(kept: object) -> DisputeSide | None:
    try:
        return _SIDE.validate_python(kept)
    except ValidationError:
        return None


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TITLE else f"{line[: _MOST_TITLE - 2]} …"
