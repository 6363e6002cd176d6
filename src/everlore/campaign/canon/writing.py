"""What somebody writes into canon by hand: weighed by words alone, for nobody waits for a model then (G7, M14).

Start at `write`.
"""

from dataclasses import replace
from functools import partial

from everlore.campaign.canon.contradicting import tells_change
from everlore.campaign.canon.fetching import canon_of, named_in, nearest_to
from everlore.campaign.canon.judging import Fate, Verdict, is_statement
from everlore.campaign.canon.weighing import Weighing
from everlore.domain.memory import Memory, Status
from everlore.domain.scope import Scope
from everlore.errors import Conflict
from everlore.learning.saving.draft import Outcome
from everlore.learning.saving.written import reclaimed, written
from everlore.services.memory_writes import Kept, save
from everlore.store.checks import check_changes
from everlore.store.port import Change, Put
from everlore.turn.resources import Desk

# How often somebody else may change the same memories meanwhile.
_TRIES = 3
_CLOSES = frozenset({Outcome.SUPERSEDED, Outcome.PENDING})


async def write(desk: Desk, scope: Scope, campaign_id: str, memory: Memory, *, by: str, force: bool = False) -> Kept:
    """Kept, and true from now on, unless it contradicts what is: then it waits until that is ruled on. What was ruled
    on is known. `force`: it is kept as it is, whatever is known."""
    check_changes(scope, [Put(memory, by=by)])
    if force or not is_statement(memory, campaign_id):
        (kept,) = await save(desk, scope, [memory], by=by, force=force)
        return kept
    weighing = Weighing(desk.store, scope, campaign_id, desk.clock(), desk.new_id, None)
    canon = await canon_of(desk.store, scope, campaign_id)
    canon = replace(canon, aliases=await named_in(desk.store, scope, campaign_id, [memory]))
    (nearest,) = await nearest_to(desk.store, scope, campaign_id, [memory], canon)
    verdict = await weighing.verdict(memory, nearest, canon)
    match verdict.fate:
        case Fate.CONFLICTS:
            return await _waits(desk, weighing, memory, verdict, by)
        case Fate.HOLDS:
            return await _held(desk, scope, memory, by)
    return await _known(desk, scope, verdict)


async def _held(desk: Desk, scope: Scope, memory: Memory, by: str) -> Kept:
    for left in reversed(range(_TRIES)):
        try:
            return await _kept(desk, scope, memory, by)
        except Conflict:
            if not left:
                raise
    raise AssertionError("unreachable")


async def _kept(desk: Desk, scope: Scope, memory: Memory, by: str) -> Kept:
    """What says the same counts more. What the rules for persons' lives take for a contradiction is none in a world,
    where many are several things at once, unless it tells of a change itself."""
    keep = partial(written, desk.store, scope, [memory], desk.clock(), desk.new_id, by=by, chosen=desk.settings.saving)
    async with desk.saving:
        found = await keep()
        if any(each.outcome in _CLOSES for each in found.outcomes) and not tells_change(memory.content):
            found = await keep(force=True)
        stored = await desk.store.apply(scope, found.changes)
    desk.live.applied(scope, found.changes, stored)
    (fate,) = found.outcomes
    known = {each.id: each for each in stored if isinstance(each, Memory)}
    asked = [id for id in (fate.memory_id, *fate.against) if id not in known]
    known |= {each.id: each for each in await desk.store.get_many(scope, Memory, asked)}
    return Kept(known[fate.memory_id], fate.outcome, tuple(known[id] for id in fate.against if id in known))


async def _waits(desk: Desk, weighing: Weighing, memory: Memory, verdict: Verdict, by: str) -> Kept:
    pending = reclaimed(replace(memory, status=Status.PENDING))
    changes: list[Change] = [Put(pending, by=by), *await weighing.conflict(pending, verdict)]
    async with desk.saving:
        stored = await desk.store.apply(weighing.scope, changes)
    desk.live.applied(weighing.scope, changes, stored)
    return Kept(stored[0], Outcome.PENDING, tuple(old for old, _ in verdict.against))


async def _known(desk: Desk, scope: Scope, verdict: Verdict) -> Kept:
    """It was ruled out, and the ruling says so; or the same waits already."""
    if verdict.ruled is not None:
        lost = verdict.ruled.new if verdict.ruled.fallen == verdict.ruled.new.text else verdict.ruled.old
        found = await desk.store.get_many(scope, Memory, [lost.memory_id])
        return Kept(found[0] if found else verdict.ruled.memory, Outcome.REJECTED, (verdict.ruled.memory,))
    assert verdict.dispute is not None
    sides = [verdict.dispute.new.memory_id, verdict.dispute.old.memory_id]
    waiting, *old = await desk.store.get_many(scope, Memory, sides)
    return Kept(waiting, Outcome.PENDING, tuple(old))
