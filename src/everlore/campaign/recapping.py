"""Loads only the data that a recap needs: of hundreds of sessions just the last ones (G13).

`recap.py` decides what the recap says. Start at `recap_of`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from everlore.campaign.recap import MOST_THREADS, Recap, ended, recapped
from everlore.campaign.seats import Seat
from everlore.campaign.showing import shown, shown_sessions
from everlore.domain.campaign import Chapter, Session
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.scope import Scope
from everlore.store.all_pages import all_of, pages_of
from everlore.store.port import Store

_AT_A_TIME = 10_000
# Usually the last session or the one before it has a summary.
_SESSIONS_AT_A_TIME = 3
_THREADS_AT_A_TIME = 32
# Up to this many sessions get a query each, which uses an index; for more, one query reads all memories.
_FEW = 12


async def recap_of(store: Store, scope: Scope, seat: Seat, *, since: datetime | None = None) -> Recap:
    of = {"campaign_id": seat.campaign.id}
    chapters = await all_of(store, scope, Chapter, of)
    if since is None:
        sessions, summaries = await _last_told(store, scope, seat)
    else:
        found = shown_sessions(seat, await all_of(store, scope, Session, of))
        sessions = [each for each in found if ended(each) >= since]
        summaries = await _summaries(store, scope, seat, sessions)
    threads = await _open_threads(store, scope, seat)
    return recapped(seat.campaign, chapters, sessions, [*summaries, *threads], since=since)


async def _last_told(store: Store, scope: Scope, seat: Seat) -> tuple[Sequence[Session], Sequence[Memory]]:
    """The latest sessions back to one with a summary, and their memories."""
    own = {"campaign_id": seat.campaign.id}
    sessions: Sequence[Session] = ()
    async for page in pages_of(partial(store.find, scope, Session, own, limit=_SESSIONS_AT_A_TIME, newest_first=True)):
        sessions = shown_sessions(seat, reversed(page.items))
        if summaries := await _summaries(store, scope, seat, sessions):
            return sessions, summaries
    return sessions, ()


async def _summaries(store: Store, scope: Scope, seat: Seat, sessions: Iterable[Session]) -> Sequence[Memory]:
    ids = [each.id for each in sessions]
    told = {"status": Status.ACTIVE.value, "type": MemoryType.SUMMARY.value}
    of_campaign = {"campaign_id": seat.campaign.id, "session_id": ids}
    asked = [{"session_id": id} for id in ids] if len(ids) <= _FEW else [of_campaign]
    found = [await all_of(store, scope, Memory, {**told, **each}) for each in asked]
    own = [each for memories in found for each in memories if each.campaign_id == seat.campaign.id]
    return await shown(store, scope, seat, own)


async def _open_threads(store: Store, scope: Scope, seat: Seat) -> Sequence[Memory]:
    """The latest open threads, up to the number shown."""
    where = {
        "campaign_id": seat.campaign.id,
        "status": Status.ACTIVE.value,
        "type": MemoryType.PLOT_THREAD.value,
    }
    found: list[Memory] = []
    async for page in pages_of(partial(store.find, scope, Memory, where, limit=_THREADS_AT_A_TIME, newest_first=True)):
        found += await shown(store, scope, seat, [each for each in page.items if each.valid_to is None])
        if len({each.content for each in found}) >= MOST_THREADS:
            break
    return found
