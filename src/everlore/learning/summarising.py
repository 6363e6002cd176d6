"""Sums up long conversations in the background (C7): stretch by stretch, and summaries of summaries above them.

One job makes one summary, and asks for the next: what was made is kept, whatever happens after it. All jobs of a
conversation are in one lane, so that one of them works on it at a time, in however many processes. What comes of a
job is kept only if the words are still those that were read. Start at `SumUp`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.covering import cover, covered_to
from everlore.domain.job import Job
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.learning.jobs import summary_job
from everlore.learning.mind import Mind, config_for
from everlore.learning.summaries.due import (
    Stretch,
    covering,
    holes,
    limits_of,
    parts_of,
    persons_of,
    row_due,
    stretch_due,
    stretch_in,
    summary_id,
)
from everlore.learning.summaries.kept import is_summarised, summaries_of
from everlore.learning.summaries.quoting import UNTOLD
from everlore.learning.summaries.telling import Circumstances, Summed, told_of_messages, told_of_parts
from everlore.models.chat import Purpose
from everlore.store.port import Change, Delete, Enqueue, Put, Store

_PAGE = 200
# So many messages without a summary are enough to know that one is due, and what of.
_ENOUGH = 100
# How many that were only quoted are said better at a time.
_MOST_AGAIN = 20

NewId = Callable[[], str]


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation, its config, and its summaries without those that are out of date."""

    conversation: Conversation
    config: ConversationConfig
    kept: tuple[Summary, ...]
    stale: tuple[Summary, ...]
    job: Job

    @property
    def up_to(self) -> int:
        return int(str(self.job.payload.get("up_to", 0)))


class SumUp:
    def __init__(self, store: Store, mind: Mind, count: Callable[[str], int], new_id: NewId) -> None:
        self._store = store
        self._mind = mind
        self._count = count
        self._new_id = new_id

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes: list[Change] = []
        for job in jobs:
            changes += await self._sum_up(scope, job, now)
        return changes

    async def _sum_up(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        talk = await self._talk(scope, job)
        if talk is None:
            return []
        gone: list[Change] = [Delete(Summary, each.id) for each in talk.stale]
        again = str(job.payload.get("again", ""))
        made = await self._again(scope, talk, again, now) if again else await self._next(scope, talk, now)
        if made is None:
            return gone
        if not await self._is_still_so(scope, talk, made):
            # Whoever changed it has asked for another one already.
            return gone
        rest = [] if again else [self._rest(talk, now)]
        return [*gone, Put(made.summary), *self._better(talk, made, now), *rest]

    async def _talk(self, scope: Scope, job: Job) -> _Talk | None:
        """None where it is gone, or private by now (F6)."""
        conversation = await self._open(scope, str(job.payload["conversation_id"]))
        if conversation is None:
            return None
        every = await summaries_of(self._store, scope, conversation.id)
        stale = _stale(every, job)
        kept = tuple(each for each in every if each not in stale)
        return _Talk(conversation, await config_for(self._store, scope, conversation), kept, stale, job)

    async def _open(self, scope: Scope, id: str) -> Conversation | None:
        found = await self._store.get_many(scope, Conversation, [id])
        return found[0] if found and is_summarised(scope, found[0]) else None

    # ── what is due ──────────────────────────────────────────────────────────────────────────────

    async def _next(self, scope: Scope, talk: _Talk, now: datetime) -> "_Made | None":
        stretch = await self._hole(scope, talk) or await self._tail(scope, talk)
        if stretch is not None:
            return await self._of_messages(scope, talk, stretch, now)
        row = row_due(talk.kept)
        return await self._of_parts(scope, talk, row, now) if row else None

    async def _hole(self, scope: Scope, talk: _Talk) -> Stretch | None:
        """What was withdrawn, and has messages left."""
        end = covered_to(talk.kept)
        for first, last in holes(talk.kept, max(talk.up_to, end)):
            messages = await self._messages(scope, talk, first, last)
            if messages:
                # After the last summary nothing holds the end: more may be said there.
                hole = (first, last if last < end else messages[-1].seq)
                return stretch_in(talk.conversation, hole, messages, limits_of(talk.config))
        return None

    async def _tail(self, scope: Scope, talk: _Talk) -> Stretch | None:
        after, newest = covered_to(talk.kept), talk.conversation.message_count
        found: list[Message] = []
        read = after
        while read < newest and len(found) < _ENOUGH:
            found += await self._messages(scope, talk, read + 1, min(read + _PAGE, newest))
            read += _PAGE
        return stretch_due(
            talk.conversation,
            after,
            found,
            limits_of(talk.config),
            has_more=read < newest and len(found) >= _ENOUGH,
            by_hand=bool(talk.job.payload.get("by_hand")),
        )

    async def _messages(self, scope: Scope, talk: _Talk, first: int, last: int) -> list[Message]:
        found: list[Message] = []
        for start in range(first, last + 1, _PAGE):
            seqs = tuple(range(start, min(start + _PAGE, last + 1)))
            where = {"conversation_id": talk.conversation.id, "seq": seqs}
            found += (await self._store.find(scope, Message, where, limit=_PAGE)).items
        return found

    # ── making it ────────────────────────────────────────────────────────────────────────────────

    async def _of_messages(self, scope: Scope, talk: _Talk, stretch: Stretch, now: datetime) -> "_Made":
        around = await self._around(scope, talk, stretch.messages)
        summed = await told_of_messages(stretch.messages, around, await self._asker(scope, talk))
        summary = _summary(talk, summed, 0, (stretch.first, stretch.last), stretch.persons, now)
        return _Made(summary, messages=stretch.messages)

    async def _of_parts(self, scope: Scope, talk: _Talk, parts: Sequence[Summary], now: datetime) -> "_Made":
        around = await self._around(scope, talk, ())
        summed = await told_of_parts(parts, around, await self._asker(scope, talk))
        span = (parts[0].first_seq, parts[-1].last_seq)
        summary = _summary(talk, summed, parts[0].level + 1, span, persons_of(parts), now)
        return _Made(summary, parts=tuple(parts))

    async def _again(self, scope: Scope, talk: _Talk, id: str, now: datetime) -> "_Made | None":
        """One that was only quoted, in better words; None where there are none."""
        old = next((each for each in talk.kept if each.id == id and each.extractive), None)
        if old is None:
            return None
        if old.level:
            made = await self._of_parts(scope, talk, parts_of(old, talk.kept), now)
        else:
            messages = await self._messages(scope, talk, old.first_seq, old.last_seq)
            stretch = Stretch(old.first_seq, old.last_seq, tuple(messages), old.persons)
            made = await self._of_messages(scope, talk, stretch, now)
        better = replace(old, content=made.summary.content, extractive=False, created_at=now)
        return None if made.summary.extractive else replace(made, summary=better)

    async def _asker(self, scope: Scope, talk: _Talk) -> Asker | None:
        return await self._mind.asker(scope, Purpose.ANALYSIS, talk.config)

    async def _around(self, scope: Scope, talk: _Talk, messages: Sequence[Message]) -> Circumstances:
        conversation = talk.conversation
        ids = [conversation.user_id, *conversation.system_ids, *(each.person_id for each in messages)]
        persons = await self._store.get_many(scope, Person, dict.fromkeys(id for id in ids if id is not None))
        return Circumstances(
            names={each.id: each.name for each in persons},
            setting=talk.config.setting,
            context_window=talk.config.context_window,
            with_private=conversation.inner_of_id is not None,
            count=self._count,
        )

    async def _is_still_so(self, scope: Scope, talk: _Talk, made: "_Made") -> bool:
        """A model may have thought for minutes: what was deleted or changed since must not come back with it."""
        if await self._open(scope, talk.conversation.id) is None:
            return False
        messages = await self._store.get_many(scope, Message, [each.id for each in made.messages])
        parts = await self._store.get_many(scope, Summary, [each.id for each in made.parts])
        words = {each.id: (each.content, each.hidden, each.private) for each in messages}
        told = {each.id: each.content for each in parts}
        return words == {each.id: (each.content, each.hidden, each.private) for each in made.messages} and told == {
            each.id: each.content for each in made.parts
        }

    # ── what comes after it ──────────────────────────────────────────────────────────────────────

    def _rest(self, talk: _Talk, now: datetime) -> Change:
        return Enqueue(summary_job(talk.conversation, now, self._new_id, up_to=talk.up_to))

    def _better(self, talk: _Talk, made: "_Made", now: datetime) -> list[Change]:
        """Where a model answers, those in the prompt that were only quoted are said better, each once."""
        if made.summary.extractive or made.summary.content == UNTOLD:
            return []
        tops = cover(talk.kept, 1, covered_to(talk.kept))
        quoted = [each for each in tops if each.extractive and each not in made.parts][-_MOST_AGAIN:]
        return [Enqueue(self._again_job(talk, each, now)) for each in quoted]

    def _again_job(self, talk: _Talk, quoted: Summary, now: datetime) -> Job:
        key = f"{quoted.id}:{quoted.created_at.isoformat()}"
        return summary_job(talk.conversation, now, self._new_id, key=key, again=quoted.id)


@dataclass(frozen=True, slots=True)
class _Made:
    """A summary, and what it was made of."""

    summary: Summary
    messages: tuple[Message, ...] = ()
    parts: tuple[Summary, ...] = ()


def _stale(summaries: Sequence[Summary], job: Job) -> tuple[Summary, ...]:
    """What was in the making while its messages were changed or deleted, and was kept after that."""
    touched = job.payload.get("touched")
    if not isinstance(touched, list):
        return ()
    found = covering(summaries, int(touched[0]), int(touched[1]))
    return tuple(each for each in found if each.created_at <= job.created_at)


def _summary(
    talk: _Talk, summed: Summed, level: int, span: tuple[int, int], persons: tuple[str, ...], now: datetime
) -> Summary:
    conversation = talk.conversation
    return Summary(
        workspace=conversation.workspace,
        id=summary_id(conversation.id, level, *span),
        conversation_id=conversation.id,
        level=level,
        first_seq=span[0],
        last_seq=span[1],
        content=summed.content,
        extractive=summed.extractive,
        persons=persons,
        private=conversation.private,
        created_at=now,
    )
