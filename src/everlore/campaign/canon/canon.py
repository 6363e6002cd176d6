"""The service for canon conflicts: lists them, and applies the game master's rulings (G7).

Start at `CanonService.conflicts` and `CanonService.rule`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from everlore.campaign.canon.disputes import Dispute, Ruling, dispute_of
from everlore.campaign.canon.fetching import disputes_of
from everlore.campaign.canon.judging import STATEMENTS, holds, is_same_text, is_statement, told_without
from everlore.campaign.canon.ruling import Judge, Matter, ruled, settled_along, taken_back, touched_by
from everlore.campaign.seats import refuse_player, seat_at
from everlore.domain.memory import Memory, MemoryType, Status, is_persons
from everlore.domain.passage import PassageKind
from everlore.domain.proposal import Decision, Proposal
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store.port import Change, Search
from everlore.turn.resources import Resources

_MOST_NOTE = 1_000
_NEAR = 60
_TOLD = frozenset(MemoryType) - STATEMENTS - {MemoryType.CANON_RULING}


class CanonService:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def conflicts(self, campaign: str, *, open: bool | None = True) -> Sequence[Dispute]:
        """Conflicts with canon, oldest first, with both texts and their sources. `open`: True for those that wait for a
        ruling, False for those ruled on, None for all."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        wanted = [each for each in Decision if open is None or (each is Decision.PENDING) is open]
        found = await disputes_of(self._store, self._scope, seat.campaign.id, wanted)
        ids = sorted({each.new.memory_id for each in found})
        there = {each.id for each in await self._store.get_many(self._scope, Memory, ids)}
        # A conflict whose new statement was deleted needs no ruling.
        return [each for each in found if each.proposal.status is not Decision.PENDING or each.new.memory_id in there]

    async def get(self, proposal_id: str) -> Dispute:
        found = await self._store.get_many(self._scope, Proposal, [proposal_id])
        dispute = dispute_of(found[0]) if found else None
        if dispute is None:
            raise NotFound(f"There is no conflict {proposal_id!r} in this workspace. Those that are open are listed.")
        refuse_player(await seat_at(self._store, self._scope, dispute.proposal.campaign_id))
        return dispute

    async def rule(self, proposal_id: str, ruling: Ruling | str, note: str = "", *, by: str = "gm") -> Memory:
        """Rule on a conflict: `old`, `new`, `both` at different times, or `none` if there is no conflict. The ruling is
        saved as a memory and wins from now on. Only the game master sees the note."""
        chosen = _ruling(ruling)
        if len(note) > _MOST_NOTE:
            raise BadAsk(f"A note has at most {_MOST_NOTE:,} characters, and this one has {len(note):,}.")
        dispute = await self.get(proposal_id)
        if dispute.proposal.status is not Decision.PENDING:
            raise Conflict("This conflict was resolved already. Undo that decision first.")
        matter = await self._matter(dispute, chosen)
        changes = ruled(matter, chosen, Judge(by, self._resources.clock(), self._resources.new_id, note))
        (memory, *_) = await self._apply(changes)
        made: Memory = memory
        return made

    async def undo(self, proposal_id: str, *, by: str = "gm") -> Dispute:
        """Undo a ruling: the state before it is restored, and the conflict is open again."""
        dispute = await self.get(proposal_id)
        if dispute.proposal.status is Decision.PENDING:
            raise Conflict("This conflict was not resolved yet, so there is nothing to undo.")
        touched = await self._store.get_many(self._scope, Memory, touched_by(dispute))
        along = await self._store.get_many(self._scope, Proposal, settled_along(dispute))
        others = [other for each in along if (other := dispute_of(each)) is not None]
        changes = taken_back(dispute, touched, others, Judge(by, self._resources.clock(), self._resources.new_id))
        await self._apply(changes)
        return await self.get(proposal_id)

    # ── fetching ─────────────────────────────────────────────────────────────────────────────────

    async def _matter(self, dispute: Dispute, ruling: Ruling) -> Matter:
        ids = [dispute.old.memory_id, dispute.new.memory_id]
        found = {each.id: each for each in await self._store.get_many(self._scope, Memory, ids)}
        old, new = found.get(ids[0]), found.get(ids[1])
        if new is None or new.status not in (Status.PENDING, Status.REJECTED):
            raise Conflict(
                "The new statement was deleted, approved or rejected meanwhile. "
                "Look at both memories and correct the wrong one."
            )
        if old is not None and old.status is not Status.ACTIVE:
            old = None
        lost = old if ruling in (Ruling.NEW, Ruling.BOTH) else new if ruling is Ruling.OLD else None
        near = await self._near(dispute.proposal.campaign_id, lost) if lost else []
        others = await disputes_of(self._store, self._scope, dispute.proposal.campaign_id)
        return Matter(
            dispute,
            old,
            new,
            alike=[each for each in near if lost and _says(each, lost) and each.id not in ids],
            telling=[each for each in near if lost and ruling is not Ruling.BOTH and _tells(each, lost)],
            others=[
                each for each in others if each.new.memory_id == new.id and each.proposal.id != dispute.proposal.id
            ],
        )

    async def _near(self, campaign_id: str, memory: Memory) -> list[Memory]:
        """Campaign memories that may say the same as this one."""
        any_type = Search(
            text=memory.content,
            kinds=frozenset({PassageKind.MEMORY}),
            campaign_id=campaign_id,
            limit=_NEAR,
            pool=_NEAR,
        )
        told = replace(any_type, types=frozenset(each.value for each in _TOLD))
        found = await self._store.search_all(self._scope, [any_type, told])
        return list({hit.memory.id: hit.memory for answer in found for hit in answer.hits}.values())

    async def _apply(self, changes: Sequence[Change]) -> list[Any]:
        results = await self._store.apply(self._scope, changes)
        self._resources.live.applied(self._scope, changes, results)
        return results


def _ruling(value: Ruling | str) -> Ruling:
    try:
        return Ruling(value)
    except ValueError:
        raise BadAsk(f"There is no ruling {value!r}. Say one of: {', '.join(Ruling)}.") from None


def _says(memory: Memory, lost: Memory) -> bool:
    return is_statement(memory, str(lost.campaign_id)) and holds(memory) and is_same_text(memory.content, lost.content)


def _tells(memory: Memory, lost: Memory) -> bool:
    """Whether a generated text states it. Text that a person wrote is left alone (G11)."""
    if memory.type not in _TOLD or memory.status is not Status.ACTIVE or is_persons(memory):
        return False
    told = tuple(told_without(each, [lost.content]) for each in (memory.content, memory.summary))
    return told != (memory.content, memory.summary)
