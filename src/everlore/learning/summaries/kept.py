"""The stored summaries of a conversation, and their changes with its messages and branches (C7, M15).

Changed or deleted text must not survive in a summary: all summaries that cover it are deleted with it, and the rest is
summarized again in the background. Start at `summaries_of`, `resummarised` and `carried_on`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from everlore.domain.config import config_of
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.covering import covered_to
from everlore.domain.event import EventType
from everlore.domain.policy import can_write
from everlore.domain.scope import Scope
from everlore.learning.jobs import NewId, summary_job
from everlore.learning.summaries.due import covering, is_past, limits_of, summary_id, tokens_in
from everlore.store.all_pages import all_of
from everlore.store.port import Change, Delete, Enqueue, Put, Store

_LATEST = 200
_ASKED_EVERY = 5


def is_summarised(scope: Scope, conversation: Conversation) -> bool:
    """No job is queued for a private conversation (F6). Inner dialogues are private, and so are their summaries."""
    is_open = not conversation.private or conversation.inner_of_id is not None
    return is_open and can_write(scope.mode, EventType.SUMMARY)


async def summaries_of(store: Store, scope: Scope, conversation_id: str) -> list[Summary]:
    """All summaries of all levels, in the order of their messages."""
    return await all_of(store, scope, Summary, {"conversation_id": conversation_id})


async def summarised_to(store: Store, scope: Scope, conversation_id: str) -> int:
    """The number of the last message covered by a summary."""
    where = {"conversation_id": conversation_id, "level": 0}
    page = await store.find(scope, Summary, where, limit=1, newest_first=True)
    return page.items[0].last_seq if page.items else 0


def due_job(
    scope: Scope,
    conversation: Conversation,
    covered: int,
    latest: Sequence[Message],
    last_seq: int,
    at: datetime,
    new_id: NewId,
) -> list[Change]:
    """Called with each turn: queues a job if a summary is due. `latest`: the latest messages, as many as are loaded."""
    known = {each.id: each for each in latest}.values()
    tokens = tokens_in(each for each in known if not 0 < each.seq <= covered)
    limits = limits_of(config_of(conversation.config))
    if not is_summarised(scope, conversation) or not is_past(last_seq - covered, tokens, limits):
        return []
    # One job per few messages; not only one, because it may find nothing due yet.
    key = f"{conversation.id}:{covered}:{last_seq // _ASKED_EVERY}"
    return [Enqueue(summary_job(conversation, at, new_id, key=key))]


# ── messages that change ─────────────────────────────────────────────────────────────────────────


async def resummarised(
    store: Store, scope: Scope, conversation: Conversation, messages: Sequence[Message], now: datetime, new_id: NewId
) -> list[Change]:
    """For changed or deleted messages: deletes their summaries, and queues new ones."""
    kept = await summaries_of(store, scope, conversation.id)
    first, last = min(each.seq for each in messages), max(each.seq for each in messages)
    gone = covering(kept, first, last)
    changes: list[Change] = [Delete(Summary, each.id) for each in gone]
    # A summary being made right now may contain outdated text.
    is_wanted = bool(gone) or await _is_due(store, scope, conversation, covered_to(kept))
    if is_wanted and is_summarised(scope, conversation):
        up_to = covered_to([each for each in gone if each.level == 0])
        job = summary_job(conversation, now, new_id, touched=(first, last), up_to=up_to)
        changes.append(Enqueue(job))
    return changes


async def _is_due(store: Store, scope: Scope, conversation: Conversation, covered: int) -> bool:
    limits = limits_of(config_of(conversation.config))
    where = {"conversation_id": conversation.id}
    page = await store.find(scope, Message, where, limit=_LATEST, newest_first=True)
    uncovered = [each for each in page.items if each.seq > covered]
    return is_past(len(uncovered), tokens_in(uncovered), limits)


# ── branches ─────────────────────────────────────────────────────────────────────────────────────


async def carried_on(
    store: Store, scope: Scope, parent: Conversation, branch: Conversation, shared: Sequence[Message]
) -> list[Change]:
    """Copies the summaries of the common past to a branch, without those of later messages."""
    if not shared:
        return []
    seqs = [each.seq for each in shared]
    kept = [each for each in await summaries_of(store, scope, parent.id) if each.last_seq <= seqs[-1]]
    copies = [_copied(each, branch, seqs) for each in kept]
    return [Put(each) for each in copies if each is not None]


def _copied(summary: Summary, branch: Conversation, seqs: Sequence[int]) -> Summary | None:
    """Messages of a branch are renumbered without gaps."""
    first = sum(1 for seq in seqs if seq < summary.first_seq) + 1
    last = sum(1 for seq in seqs if seq <= summary.last_seq)
    if last < first:
        return None
    id = summary_id(branch.id, summary.level, first, last)
    return replace(summary, id=id, conversation_id=branch.id, first_seq=first, last_seq=last)
