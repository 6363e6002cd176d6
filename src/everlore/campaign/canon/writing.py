"""Adds a statement that a person wrote to canon, checked by its claim alone so that nobody waits for a model (G7, M14).

Start at `write`.
"""

from dataclasses import replace
from functools import partial

from everlore.campaign.canon.fetching import canon_of, named_in, nearest_to
from everlore.campaign.canon.judging import CanonStatus, CanonVerdict, is_statement
from everlore.campaign.canon.weighing import ContradictionCheck
from everlore.domain.claim import claim_in
from everlore.domain.memory import Memory, Status
from everlore.domain.scope import Scope
from everlore.errors import Conflict
from everlore.learning.phrasebooks.statements import claimed
from everlore.learning.saving.draft import SaveResult
from everlore.learning.saving.flow import reclaimed, written
from everlore.services.memory_writes import SavedMemory, save
from everlore.store.checks import check_changes
from everlore.store.port import Change, Put
from everlore.turn.resources import Resources

# Attempts, in case others change the same memories at the same time.
_TRIES = 3
_CLOSES = frozenset({SaveResult.SUPERSEDED, SaveResult.PENDING})


async def write(
    resources: Resources, scope: Scope, campaign_id: str, memory: Memory, *, by: str, force: bool = False
) -> SavedMemory:
    """Saves the statement as true, unless it contradicts canon: then it waits for a ruling. Earlier rulings apply.
    `force`: save it without any check."""
    check_changes(scope, [Put(memory, by=by)])
    if force or not is_statement(memory, campaign_id):
        (kept,) = await save(resources, scope, [memory], by=by, force=force)
        return kept
    weighing = ContradictionCheck(resources.store, scope, campaign_id, resources.clock(), resources.new_id, None)
    canon = await canon_of(resources.store, scope, campaign_id)
    canon = replace(canon, names=await named_in(resources.store, scope, campaign_id, [memory]))
    (nearest,) = await nearest_to(resources.store, scope, campaign_id, [memory], canon)
    verdict = await weighing.verdict(memory, nearest, canon)
    match verdict.fate:
        case CanonStatus.CONFLICTS:
            return await _waits(resources, weighing, memory, verdict, by)
        case CanonStatus.HOLDS:
            return await _held(resources, scope, memory, by)
    return await _known(resources, scope, verdict)


async def _held(resources: Resources, scope: Scope, memory: Memory, by: str) -> SavedMemory:
    for left in reversed(range(_TRIES)):
        try:
            return await _kept(resources, scope, memory, by)
        except Conflict:
            if not left:
                raise
    raise AssertionError("unreachable")


async def _kept(resources: Resources, scope: Scope, memory: Memory, by: str) -> SavedMemory:
    """A repeated statement confirms the existing one. Rules for people's lives do not decide contradictions here,
    because entities of a world are often several things at once, unless the statement itself tells a change."""
    claim = claimed(memory.content, claim_in(memory.extra), memory.created_at)
    keep = partial(
        written,
        resources.store,
        scope,
        [memory],
        resources.clock(),
        resources.new_id,
        by=by,
        chosen=resources.settings.saving,
    )
    async with resources.saving:
        found = await keep()
        if any(each.outcome in _CLOSES for each in found.outcomes) and not (claim and claim.is_change):
            found = await keep(force=True)
        stored = await resources.store.apply(scope, found.changes)
    resources.live.applied(scope, found.changes, stored)
    (fate,) = found.outcomes
    known = {each.id: each for each in stored if isinstance(each, Memory)}
    asked = [id for id in (fate.memory_id, *fate.against) if id not in known]
    known |= {each.id: each for each in await resources.store.get_many(scope, Memory, asked)}
    return SavedMemory(known[fate.memory_id], fate.outcome, tuple(known[id] for id in fate.against if id in known))


async def _waits(
    resources: Resources, weighing: ContradictionCheck, memory: Memory, verdict: CanonVerdict, by: str
) -> SavedMemory:
    pending = reclaimed(replace(memory, status=Status.PENDING))
    changes: list[Change] = [Put(pending, by=by), *await weighing.conflict(pending, verdict)]
    async with resources.saving:
        stored = await resources.store.apply(weighing.scope, changes)
    resources.live.applied(weighing.scope, changes, stored)
    return SavedMemory(stored[0], SaveResult.PENDING, tuple(old for old, _ in verdict.against))


async def _known(resources: Resources, scope: Scope, verdict: CanonVerdict) -> SavedMemory:
    """The result for a statement that a ruling rejected, or that already waits."""
    if verdict.ruled is not None:
        lost = verdict.ruled.new if verdict.ruled.fallen == verdict.ruled.new.text else verdict.ruled.old
        found = await resources.store.get_many(scope, Memory, [lost.memory_id])
        return SavedMemory(found[0] if found else verdict.ruled.memory, SaveResult.REJECTED, (verdict.ruled.memory,))
    assert verdict.dispute is not None
    sides = [verdict.dispute.new.memory_id, verdict.dispute.old.memory_id]
    waiting, *old = await resources.store.get_many(scope, Memory, sides)
    return SavedMemory(waiting, SaveResult.PENDING, tuple(old))
