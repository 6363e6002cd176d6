"""Checks new statements before they become canon: fetch, judge, ask a model if there is one, raise conflicts (G7).

In: changes that would add campaign statements. Out: the changes that may be applied. A statement that contradicts canon
waits for the game master's ruling; until then canon holds. A statement that was overruled is not formed again, and
nothing here closes an existing memory.

Start at `weighed`; `writing.py` does the same for statements written by hand.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from everlore.campaign.canon.disputes import Dispute, raised
from everlore.campaign.canon.fetching import canon_of, named_in, nearest_to
from everlore.campaign.canon.judging import (
    CanonStatus,
    CanonVerdict,
    KnownCanon,
    holds,
    is_statement,
    judged,
    settled,
    to_ask,
    told_without,
)
from everlore.campaign.canon.prompts import asked_about
from everlore.domain.campaign import Session
from everlore.domain.memory import LinkKind, Memory, MemoryLink, MemoryType, Status
from everlore.domain.proposal import Proposal
from everlore.domain.revision import revise
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.store.port import Change, Delete, Put, Store

log = structlog.get_logger(__name__)

_BY = "canon"


@dataclass(frozen=True, slots=True)
class ContradictionCheck:
    store: Store
    scope: Scope
    campaign_id: str
    now: datetime
    new_id: Callable[[], str]
    asker: Asker | None

    async def verdict(self, new: Memory, nearest: Sequence[Memory], canon: KnownCanon) -> CanonVerdict:
        known = settled(new, canon)
        if known is not None:
            return known
        asked = to_ask(new, nearest, canon) if self.asker is not None else []
        if self.asker is None or not asked:
            return judged(new, nearest, canon)
        answer = await asked_about(self.asker, new.content, [each.content for each in asked])
        said = None if answer is None else {each.id: answer.get(at) for at, each in enumerate(asked)}
        return judged(new, nearest, canon, said)

    async def conflict(self, new: Memory, verdict: CanonVerdict) -> list[Change]:
        """The proposals, one for each pair not raised before, and the relations between both memories."""
        ids = {each.session_id for each in (new, *(old for old, _ in verdict.against)) if each.session_id}
        sessions = {each.id: each for each in await self.store.get_many(self.scope, Session, sorted(ids))}
        proposals = [raised(old, new, why, sessions, self.now, self.campaign_id) for old, why in verdict.against]
        known = await self.store.get_many(self.scope, Proposal, [each.id for each in proposals])
        fresh = [each for each in proposals if each.id not in {one.id for one in known}]
        links = [self._link(new, old) for old, _ in verdict.against]
        log.info("canon.conflict", campaign=self.campaign_id, memory=new.id, against=len(verdict.against))
        return [*(Put(each, by=_BY) for each in fresh), *(Put(each, by=_BY) for each in links)]

    def _link(self, new: Memory, old: Memory) -> MemoryLink:
        return MemoryLink(
            workspace=new.workspace,
            id=self.new_id(),
            memory_id=new.id,
            other_id=old.id,
            kind=LinkKind.CONTRADICTS,
            created_at=self.now,
        )


# ── formed by rules or models ────────────────────────────────────────────────────────────────────


async def weighed(
    store: Store,
    scope: Scope,
    campaign_id: str,
    changes: Sequence[Change],
    *,
    now: datetime,
    new_id: Callable[[], str],
    asker: Asker | None = None,
) -> list[Change]:
    """The changes that canon allows. With a model, nearby statements are put to it."""
    weighing = ContradictionCheck(store, scope, campaign_id, now, new_id, asker)
    canon = await canon_of(store, scope, campaign_id)
    ahead = _ahead(changes)
    moot, waiting = await _moot(weighing, canon.disputes, ahead)
    canon = replace(canon, disputes=[each for each in canon.disputes if each not in moot])
    # Statements that waited because of a deleted one are checked again, after the new ones.
    again: list[Change] = [Put(revise(each, now, status=Status.ACTIVE), by=_BY) for each in waiting]
    wanted = [*changes, *again]
    statements = [own for each in wanted if (own := _statement_in(each, campaign_id)) is not None]
    canon = replace(canon, names=await named_in(store, scope, campaign_id, statements))
    near = await nearest_to(store, scope, campaign_id, statements, canon)
    nearest = {each.id: others for each, others in zip(statements, near, strict=True)}
    found: list[Change] = [Delete(Proposal, each.proposal.id) for each in moot]
    formed: list[Memory] = []
    for change in wanted:
        memory = _statement_in(change, campaign_id)
        if memory is None:
            found += _told(change, canon)
            continue
        stored = [ahead.get(each.id, each) for each in nearest[memory.id]]
        beside = {each.id: each for each in (*stored, *formed) if each is not None and holds(each)}
        verdict = await weighing.verdict(memory, list(beside.values()), canon)
        found += await _allowed(weighing, change, memory, verdict, is_new=change not in again)
        if verdict.fate is CanonStatus.HOLDS:
            formed.append(memory)
    return found


async def _allowed(
    weighing: ContradictionCheck, change: Change, memory: Memory, verdict: CanonVerdict, *, is_new: bool
) -> list[Change]:
    match verdict.fate:
        case CanonStatus.HOLDS:
            return [change]
        case CanonStatus.CONFLICTS:
            return [*(_held(change, memory, weighing.now) if is_new else ()), *await weighing.conflict(memory, verdict)]
    log.info("canon.known", campaign=weighing.campaign_id, memory=memory.id, fate=verdict.fate.value)
    return []


def _held(change: Change, memory: Memory, now: datetime) -> list[Change]:
    """The statement waits. One that was withdrawn and is repeated cannot wait again, so it is rejected."""
    if memory.revision == 1 and isinstance(change, Put):
        return [replace(change, record=replace(memory, status=Status.PENDING))]
    return [change, Put(revise(memory, now, status=Status.REJECTED), by=_BY)]


def _told(change: Change, canon: KnownCanon) -> list[Change]:
    """Scenes and summaries without overruled sentences."""
    if not isinstance(change, Put) or not isinstance(change.record, Memory):
        return [change]
    memory, fallen = change.record, canon.fallen()
    if memory.type is MemoryType.CANON_RULING or not fallen:
        return [change]
    content, summary = (told_without(each, fallen) for each in (memory.content, memory.summary))
    if (content, summary) == (memory.content, memory.summary):
        return [change]
    return [replace(change, record=replace(memory, content=content, summary=summary))] if content else []


async def _moot(
    weighing: ContradictionCheck, disputes: Iterable[Dispute], ahead: Mapping[str, Memory | None]
) -> tuple[list[Dispute], list[Memory]]:
    """Disputes with a deleted side, and the statements that waited only because of that side."""
    listed = list(disputes)
    ids = sorted({id for each in listed for id in (each.old.memory_id, each.new.memory_id)})
    stored = {each.id: each for each in await weighing.store.get_many(weighing.scope, Memory, ids)}
    there = {id: memory for id in ids if (memory := ahead.get(id, stored.get(id))) is not None}
    moot = [each for each in listed if not _is_open(each, there)]
    bound = {each.new.memory_id for each in listed if each not in moot}
    waiting = {each.new.memory_id: there.get(each.new.memory_id) for each in moot}
    freed = [
        each
        for id, each in waiting.items()
        if each and id not in bound | ahead.keys() and each.status is Status.PENDING
    ]
    return moot, freed


def _is_open(dispute: Dispute, there: Mapping[str, Memory]) -> bool:
    old, new = there.get(dispute.old.memory_id), there.get(dispute.new.memory_id)
    if old is None or new is None:
        return False
    return old.status is Status.ACTIVE and new.status in (Status.PENDING, Status.REJECTED)


def _ahead(changes: Iterable[Change]) -> dict[str, Memory | None]:
    """Memories by id, as they will be after the changes; None for deleted ones."""
    found: dict[str, Memory | None] = {}
    for change in changes:
        if isinstance(change, Delete) and change.kind is Memory:
            found[change.id] = None
        elif isinstance(change, Put) and isinstance(change.record, Memory):
            found[change.record.id] = change.record
    return found


def _statement_in(change: Change, campaign_id: str) -> Memory | None:
    """The statement that a change would add to canon."""
    memory = change.record if isinstance(change, Put) else None
    if not isinstance(memory, Memory) or memory.status is not Status.ACTIVE:
        return None
    return memory if is_statement(memory, campaign_id) else None
