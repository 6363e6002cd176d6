"""Summarizes long conversations in the background (C7): stretches of messages, and summaries of summaries.

One job makes one summary and queues the next, so that finished work is kept. All jobs of a conversation share a lane,
so that only one runs at a time, in any number of processes. A result is saved only if its text is unchanged since it
was read. Start at `SumUp`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.covering import covered_to
from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.learning.jobs import summary_job
from everlore.learning.mind import LearningHandler, config_for
from everlore.learning.summaries.due import (
    Stretch,
    covering,
    holes,
    limits_of,
    persons_of,
    row_due,
    stretch_due,
    stretch_in,
    summary_id,
)
from everlore.learning.summaries.kept import is_summarised, summaries_of
from everlore.learning.summaries.telling import UNTOLD, Circumstances, told_of_messages, told_of_parts
from everlore.models.chat import Purpose
from everlore.store.port import Change, Delete, Enqueue, Put

_PAGE = 200
# This many messages without a summary suffice to decide what is due.
_ENOUGH = 100


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation with config, model and its current summaries. `up_to`: all messages up to this one need a
    summary."""

    conversation: Conversation
    config: ConversationConfig
    asker: Asker | None
    kept: tuple[Summary, ...]
    stale: tuple[Summary, ...]
    up_to: int
    by_hand: bool


class SumUp(LearningHandler):
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        talk = await self._talk(scope, job)
        if talk is None:
            return []
        gone: list[Change] = [Delete(Summary, each.id) for each in talk.stale]
        stretch = await self._hole(scope, talk) or await self._tail(scope, talk)
        parts = row_due(talk.kept) if stretch is None else ()
        read = parts if stretch is None else stretch.messages
        if not read:
            return gone
        summary = await self._summary(scope, talk, stretch, parts, now)
        # The change that made it outdated has queued another job already.
        if not await self._is_still_so(scope, talk, read):
            return gone
        rest = summary_job(
            talk.conversation,
            now,
            self._tools.new_id,
            # A summary requested by hand comes after the gaps.
            by_hand=talk.by_hand and summary.first_seq <= talk.up_to,
            # Where a model is reachable, it replaces quotations.
            better=not summary.extractive and summary.content != UNTOLD,
            up_to=talk.up_to,
        )
        return [*gone, Put(summary), Enqueue(rest)]

    async def _talk(self, scope: Scope, job: Job) -> _Talk | None:
        """None if it was deleted or is private by now (F6)."""
        conversation = await self._open(scope, str(job.payload["conversation_id"]))
        if conversation is None:
            return None
        config = await config_for(self._store, scope, conversation)
        asker = await self._tools.asker(scope, Purpose.ANALYSIS, config)
        every = await summaries_of(self._store, scope, conversation.id)
        stale = _stale(every, job, has_model=asker is not None)
        kept = tuple(each for each in every if each not in stale)
        up_to = max(int(str(job.payload.get("up_to", 0))), covered_to(every) if stale else 0)
        return _Talk(conversation, config, asker, kept, stale, up_to, bool(job.payload.get("by_hand")))

    async def _open(self, scope: Scope, id: str) -> Conversation | None:
        found = await self._tools.conversation(scope, id)
        return found if found is not None and is_summarised(scope, found) else None

    # ── due summaries ────────────────────────────────────────────────────────────────────────────

    async def _hole(self, scope: Scope, talk: _Talk) -> Stretch | None:
        """The first gap left by a withdrawn summary that still has messages."""
        end = covered_to(talk.kept)
        for first, last in holes(talk.kept, max(talk.up_to, end)):
            messages = await self._tools.messages(scope, talk.conversation, first, last)
            if messages:
                # After the last summary the gap has no fixed end, because messages may follow.
                hole = (first, last if last < end else messages[-1].seq)
                return stretch_in(talk.conversation, hole, messages, limits_of(talk.config))
        return None

    async def _tail(self, scope: Scope, talk: _Talk) -> Stretch | None:
        after, newest = covered_to(talk.kept), talk.conversation.message_count
        found: list[Message] = []
        read = after
        while read < newest and len(found) < _ENOUGH:
            found += await self._tools.messages(scope, talk.conversation, read + 1, min(read + _PAGE, newest))
            read += _PAGE
        return stretch_due(
            talk.conversation,
            after,
            found,
            limits_of(talk.config),
            has_more=read < newest and len(found) >= _ENOUGH,
            by_hand=talk.by_hand,
        )

    # ── making a summary ─────────────────────────────────────────────────────────────────────────

    async def _summary(
        self, scope: Scope, talk: _Talk, stretch: Stretch | None, parts: Sequence[Summary], now: datetime
    ) -> Summary:
        """The summary of a stretch of messages, or of a row of summaries."""
        conversation = talk.conversation
        persons = await self._tools.persons(scope, conversation, stretch.messages if stretch else ())
        around = Circumstances(
            names={id: each.name for id, each in persons.items()},
            setting=talk.config.setting,
            context_window=talk.config.context_window,
            with_private=conversation.inner_of_id is not None,
            count=self._tools.count,
        )
        if stretch is not None:
            summed = await told_of_messages(stretch.messages, around, talk.asker)
            level, first, last, there = 0, stretch.first, stretch.last, stretch.persons
        else:
            summed = await told_of_parts(parts, around, talk.asker)
            level, first, last = parts[0].level + 1, parts[0].first_seq, parts[-1].last_seq
            there = persons_of(parts)
        return Summary(
            workspace=conversation.workspace,
            id=summary_id(conversation.id, level, first, last),
            conversation_id=conversation.id,
            level=level,
            first_seq=first,
            last_seq=last,
            content=summed.content,
            extractive=summed.extractive,
            persons=there,
            private=conversation.private,
            created_at=now,
        )

    async def _is_still_so(self, scope: Scope, talk: _Talk, read: Sequence[Message | Summary]) -> bool:
        """Whether the text is unchanged: a model may take minutes, and deleted text must not come back."""
        if await self._open(scope, talk.conversation.id) is None:
            return False
        now = await self._store.get_many(scope, type(read[0]), [each.id for each in read])
        return _words(now) == _words(read)


def _words(read: Iterable[Message | Summary]) -> dict[str, tuple[object, ...]]:
    return {each.id: (each.content, each.private, isinstance(each, Message) and each.hidden) for each in read}


def _stale(summaries: Sequence[Summary], job: Job, *, has_model: bool) -> tuple[Summary, ...]:
    """Summaries made while their messages were changed or deleted, and quotations that a model can replace."""
    quoted = [each for each in summaries if each.extractive and has_model and job.payload.get("better")]
    touched = job.payload.get("touched")
    found = covering(summaries, int(touched[0]), int(touched[1])) if isinstance(touched, list) else []
    return (*quoted, *(each for each in found if each.created_at <= job.created_at and each not in quoted))
