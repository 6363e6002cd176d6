"""Metrics of a workspace, from counters that each write updates (C9).

Nothing here scans the log: the metrics of a workspace with a million memories take as long as with a hundred. `metrics`
reads the store, and `measured` is pure; `exposition.py` writes the result for Prometheus.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from everlore.domain.conversation import Conversation
from everlore.domain.counters import FILTERED, PROMPT_TOKENS, PROMPTS, READ
from everlore.domain.event import Event, EventType
from everlore.domain.job import JobState
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.store.answers import KindCount, QueueState
from everlore.store.port import Store

_FILES = frozenset({EventType.FILE_READ.value, EventType.FILE_WRITE.value})
_DAY = timedelta(days=1)
_WEEK = 7
_HOUR_S = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """`index_coverage` is a share of the passages; 1 if there are none. `memories_by_day`: the existing memories of the
    last seven days, latest day last. `tokens_per_prompt` is the mean; None before the first prompt."""

    at: datetime
    memories: int
    memories_by_type: Mapping[str, int]
    memories_by_status: Mapping[str, int]
    events_by_type: Mapping[str, int]
    messages: int
    conversations: int
    summaries: int
    passages: int
    embedded: int
    index_coverage: float
    last_capture_at: datetime | None
    tools_24h: int
    file_operations_24h: int
    memories_by_day: Mapping[str, int]
    memories_per_day: float
    queue: Mapping[str, int]
    queue_paused: bool
    read: Mapping[str, int]
    filtered: Mapping[str, int]
    misses: int
    misses_24h: int
    prompts: int
    tokens_per_prompt: float | None


async def metrics(scope: Scope, store: Store, model: str | None, now: datetime) -> Metrics:
    since = now - timedelta(days=_WEEK)
    totals, lately, queue, last = await asyncio.gather(
        store.tallies(scope), store.tallies(scope, since=since), store.queue(scope), _last_capture(scope, store)
    )
    return measured(totals, lately, queue, last, model, now)


async def _last_capture(scope: Scope, store: Store) -> datetime | None:
    """The time of the latest capture: one index lookup each."""
    pages = await asyncio.gather(
        *(store.find(scope, kind, limit=1, newest_first=True) for kind in (Event, Memory, Conversation))
    )
    found = [_moment(page.items[0]) for page in pages if page.items]
    return max(found, default=None)


def _moment(record: Event | Memory | Conversation) -> datetime:
    match record:
        case Event():
            return record.at
        case Memory():
            return record.created_at
        case Conversation():
            return record.updated_at


def measured(
    totals: Sequence[KindCount],
    lately: Sequence[KindCount],
    queue: QueueState,
    last: datetime | None,
    model: str | None,
    now: datetime,
) -> Metrics:
    memories = _by_type(totals, "memory")
    counts = _by_type(totals, "count")
    passages, embedded = _sum(totals, "passage"), _by_type(totals, "vector").get(model or "", 0)
    day_ago = int((now - _DAY).timestamp() // _HOUR_S)
    today = [each for each in lately if each.hour is not None and each.hour > day_ago]
    tools = _by_type(today, "event")
    days = _by_day(lately, now)
    prompts = counts.get(PROMPTS, 0)
    return Metrics(
        at=now,
        memories=sum(memories.values()),
        memories_by_type=memories,
        memories_by_status=_by_type(totals, "status"),
        events_by_type=_by_type(totals, "event"),
        messages=_sum(totals, "message"),
        conversations=_sum(totals, "conversation"),
        summaries=_sum(totals, "summary"),
        passages=passages,
        embedded=embedded,
        index_coverage=embedded / passages if passages else 1.0,
        last_capture_at=last,
        tools_24h=tools.get(EventType.TOOL_INVOCATION.value, 0),
        file_operations_24h=sum(number for name, number in tools.items() if name in _FILES),
        memories_by_day=days,
        memories_per_day=round(sum(days.values()) / _WEEK, 2),
        queue={state.value: queue.counts.get(state, 0) for state in (JobState.READY, JobState.RUNNING, JobState.DEAD)},
        queue_paused=queue.paused,
        read=_named(counts, READ),
        filtered=_named(counts, FILTERED),
        misses=_sum(totals, "miss"),
        misses_24h=_sum(today, "miss"),
        prompts=prompts,
        tokens_per_prompt=round(counts.get(PROMPT_TOKENS, 0) / prompts, 1) if prompts else None,
    )


def _by_type(tallies: Iterable[KindCount], kind: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in tallies:
        if each.kind == kind:
            found[each.type] = found.get(each.type, 0) + each.count
    return dict(sorted(found.items()))


def _sum(tallies: Iterable[KindCount], kind: str) -> int:
    return sum(each.count for each in tallies if each.kind == kind)


def _named(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): number for name, number in counts.items() if name.startswith(prefix)}


def _by_day(lately: Iterable[KindCount], now: datetime) -> dict[str, int]:
    days = {(now - _DAY * back).date().isoformat(): 0 for back in reversed(range(_WEEK))}
    for each in lately:
        if each.kind == "memory" and each.hour is not None:
            day = datetime.fromtimestamp(each.hour * _HOUR_S, UTC).date().isoformat()
            if day in days:
                days[day] += each.count
    return days
