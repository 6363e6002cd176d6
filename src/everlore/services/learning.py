"""Learning on demand, and its results: readings with what was refused, keyframes, analyses, interactions, events.

Everything goes through the queue, like automatic learning; `Learning.outcome` waits for it. Start at
`Learning.extract`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial

from everlore.domain.analysis import Analysis
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Conversation, Message, Summary
from everlore.domain.covering import cover
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.policy import visibility
from everlore.domain.reading import Extractor, Filter, Reading, refused_counts
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Forbidden, ModelMisbehaved, NotFound, StoreUnavailable
from everlore.learning.extractors import learns_facts
from everlore.learning.facts.flow import RULES
from everlore.learning.jobs import (
    LEARNING,
    THINK,
    Trigger,
    analysis_job,
    facts_job,
    keyframe_job,
    rewritten_job,
    summary_job,
)
from everlore.learning.readings import is_of, keyframe_readings, readings_of
from everlore.learning.segments.episodes import event_id_of
from everlore.learning.summaries.kept import is_summarised, summaries_of
from everlore.models.chat import Purpose
from everlore.services.base import Service
from everlore.store.all_pages import each_of, items_of
from everlore.store.answers import Page
from everlore.store.port import Change, Enqueue
from everlore.turn.background_model import Thinking
from everlore.turn.older_history import latest_summaries
from everlore.turn.ownership import conversation_of, refuse_other
from everlore.turn.resources import Resources

# `Everlore.finished`: it may have to do the work itself, which needs all of Everlore.
Finished = Callable[[Sequence[Job], float], Awaitable[None]]

_PAGE = 500
# How often a wait checks whether its jobs have failed.
_LOOK_S = 1.0
_NO_MODEL = (
    "An analysis needs a language model, and none is connected. Connect one (docs/models.md), or go without: facts "
    "and keyframes are formed by rules meanwhile."
)


class Learning(Service):
    def __init__(self, scope: Scope, resources: Resources) -> None:
        super().__init__(scope, resources)
        self._thinking = Thinking(resources.backends, resources.slots, resources.troubles)

    # ── starting ─────────────────────────────────────────────────────────────────────────────────

    async def extract(self, conversation_id: str, *, again: bool = False) -> list[Job]:
        """Read the user's messages for facts: those that were not read yet, and those read by rules alone if a model is
        connected now. `again`: all of them."""
        conversation = await self._open_to_learning(conversation_id)
        config = config_of(conversation.config)
        has_model = await self._thinking.asker(self._scope, Purpose.EXTRACTION, config) is not None
        persons = await self._persons(conversation)
        read = await readings_of(self._store, self._scope, conversation_id, Extractor.FACTS)
        readings = {each.message_id: each for each in read}
        jobs: list[Job] = []
        said = {"conversation_id": conversation_id, "author": Author.USER.value}
        async for message in each_of(self._store, self._scope, Message, said):
            if not learns_facts(conversation, config, message, persons):
                continue
            reading = readings.get(message.id)
            if again or reading is None or not is_of(reading, message):
                jobs.append(
                    facts_job(conversation, message, self._resources.clock(), self._resources.new_id, again=again)
                )
            elif has_model and reading.model == RULES:
                jobs.append(
                    facts_job(conversation, message, self._resources.clock(), self._resources.new_id, kind=THINK)
                )
        return await self._ask(jobs)

    async def keyframe(self, conversation_id: str, *, again: bool = False) -> list[Job]:
        """Make a segment of what was said since the last keyframe, even a short one. `again`: form the existing ones
        once more, for example with a model that was missing before; manual edits stay."""
        conversation = await self._open_to_learning(conversation_id)
        now, new_id = self._resources.clock(), self._resources.new_id
        read = await keyframe_readings(self._store, self._scope, conversation) if again else []
        bounds = sorted((each.first_seq, each.last_seq) for each in read)
        formed = [rewritten_job(conversation, first, last, now, new_id) for first, last in bounds]
        return await self._ask([*formed, keyframe_job(conversation, now, new_id)])

    async def analyze(self, conversation_id: str, *, again: bool = False) -> list[Job]:
        """Analyse the whole conversation; nothing is done if there are no new messages since the last time."""
        conversation = await self._open_to_learning(conversation_id)
        config = config_of(conversation.config)
        if await self._thinking.asker(self._scope, Purpose.ANALYSIS, config) is None:
            raise BadAsk(_NO_MODEL)
        job = analysis_job(
            conversation, self._resources.clock(), self._resources.new_id, trigger=Trigger.ASKED, again=again
        )
        return await self._ask([job])

    async def summarize(self, conversation_id: str) -> list[Job]:
        """Summarise the older half of what no summary covers yet, even if it is short; and with a model, what was only
        quoted so far (C7)."""
        conversation = await conversation_of(self._store, self._scope, conversation_id)
        if conversation.private and conversation.inner_of_id is None:
            raise BadAsk("Private conversations are not summarised. Turn `private` off first.")
        if not is_summarised(self._scope, conversation):
            raise Forbidden(f"The mode {self._scope.mode.value} does not allow writing, so nothing is summarised.")
        return await self._ask(
            [summary_job(conversation, self._resources.clock(), self._resources.new_id, by_hand=True, better=True)]
        )

    async def summaries(
        self, conversation_id: str, *, level: int | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page:
        """In the order of their messages; none for a caller who may not see any (C4)."""
        await conversation_of(self._store, self._scope, conversation_id)
        if not visibility(self._scope.role).summaries:
            return Page((), None)
        where = {"conversation_id": conversation_id} | ({"level": level} if level is not None else {})
        return await self._store.find(self._scope, Summary, where, limit=limit, cursor=cursor)

    async def summary_before(self, conversation_id: str, seq: int) -> str | None:
        """The summary of all messages before one of them, as far as there is one; None if there is none."""
        found = await latest_summaries(self._store, self._scope, conversation_id) if seq > 1 else ()
        return "\n".join(each.content for each in cover(found, 1, seq - 1)) or None

    async def outcome(
        self, conversation_id: str, jobs: Sequence[Job], finished: Finished, *, timeout_s: float = 300
    ) -> list[Memory]:
        """Wait for these jobs and for those that they queue; returns the memories formed meanwhile, oldest first.

        A model failure is raised at once, although the queue keeps retrying for hours if need be.
        """
        if not jobs:
            return []
        since = min(job.created_at for job in jobs)
        deadline = self._resources.clock() + timedelta(seconds=timeout_s)
        left = list(jobs)
        while left:
            try:
                await finished(left[:_PAGE], _LOOK_S)
                left = left[_PAGE:] or await self._led_to(conversation_id, since)
            except StoreUnavailable:
                await self._refuse_failed(left)
                if self._resources.clock() > deadline:
                    raise StoreUnavailable(_late(left, timeout_s)) from None
        return await self._formed(conversation_id, since)

    async def summed_up(
        self, conversation_id: str, jobs: Sequence[Job], finished: Finished, *, timeout_s: float = 300
    ) -> list[Summary]:
        """Wait for these jobs; returns the summaries that were made meanwhile, in the order of their messages."""
        await self.outcome(conversation_id, jobs, finished, timeout_s=timeout_s)
        since = min((job.created_at for job in jobs), default=self._resources.clock())
        if not visibility(self._scope.role).summaries:
            return []
        kept = await summaries_of(self._store, self._scope, conversation_id)
        return [each for each in kept if each.created_at >= since]

    async def _led_to(self, conversation_id: str, since: datetime) -> list[Job]:
        """The jobs that follow: rules queue a model job, and one segment the next."""
        return [
            job
            for state in (JobState.READY, JobState.RUNNING)
            async for job in self._jobs(state)
            if job.created_at >= since and job.kind in LEARNING and job.payload["conversation_id"] == conversation_id
        ]

    async def _refuse_failed(self, jobs: Sequence[Job]) -> None:
        """Also if an earlier job in their lane failed, which blocks these."""
        lanes = {job.lane for job in jobs}
        async for job in self._jobs(JobState.READY):
            if job.error and job.lane in lanes:
                raise ModelMisbehaved(
                    f"A {job.kind} job failed: {job.error.rstrip('.')}. It is tried again by itself, and what was "
                    "asked for comes after it. What was formed before is kept."
                )

    async def _formed(self, conversation_id: str, since: datetime) -> list[Memory]:
        found: list[Memory] = []
        where = {"conversation_id": conversation_id}
        async for memory in each_of(self._store, self._scope, Memory, where, newest_first=True):
            if memory.created_at < since:
                break
            found.append(memory)
        return found[::-1]

    async def _ask(self, jobs: Sequence[Job]) -> list[Job]:
        changes: list[Change] = [Enqueue(job) for job in jobs]
        stored = await self._store.apply(self._scope, changes) if changes else []
        return [job for job in stored if isinstance(job, Job)]

    async def _open_to_learning(self, conversation_id: str) -> Conversation:
        conversation = await conversation_of(self._store, self._scope, conversation_id)
        if conversation.private:
            raise BadAsk("Nothing is learned from private conversations. Turn `private` off first.")
        return conversation

    # ── results ──────────────────────────────────────────────────────────────────────────────────

    async def readings(
        self,
        conversation_id: str | None = None,
        *,
        refused: bool = False,
        filter: Filter | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """The readings, latest first. `refused`: only those with a candidate that was not saved; `filter`: only those
        in which this filter stopped a candidate, which may leave fewer on a page than its limit."""
        where: dict[str, object] = {"has_refused": True} if refused or filter is not None else {}
        if conversation_id is not None:
            await conversation_of(self._store, self._scope, conversation_id)
            where["conversation_id"] = conversation_id
        while True:
            page = await self._store.find(self._scope, Reading, where, limit=limit, cursor=cursor, newest_first=True)
            found = [each for each in page.items if filter is None or filter.value in refused_counts(each)]
            if found or page.cursor is None:
                return Page(tuple(found), page.cursor)
            cursor = page.cursor

    async def filtered(self, conversation_id: str | None = None) -> dict[Filter, int]:
        """How often each filter stopped a candidate (F4)."""
        counts: Counter[str] = Counter()
        async for reading in items_of(partial(self.readings, conversation_id, refused=True, limit=_PAGE)):
            counts.update(refused_counts(reading))
        return {each: counts[each.value] for each in Filter}

    async def interactions(
        self,
        conversation_id: str | None = None,
        *,
        person: Person | str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Interactions between persons, latest first: in one conversation, or all of one person (K3), with a start in
        `since` ≤ time < `until`. Callers who see only a part of the workspace get those that they had a part in."""
        person_id = person.id if isinstance(person, Person) else person
        if person_id is not None:
            refuse_other(self._scope, person_id)
            await self._store.get(self._scope, Person, person_id)
        if conversation_id is not None:
            await conversation_of(self._store, self._scope, conversation_id)
        else:
            person_id = person_id or self._scope.confined_to
        where = {"conversation_id": conversation_id, "person_id": person_id}
        named = {name: value for name, value in where.items() if value is not None}
        while True:
            page = await self._store.find(
                self._scope, Interaction, named, limit=limit, cursor=cursor, newest_first=True
            )
            kept = tuple(each for each in page.items if _began_within(each, since, until))
            is_past = since is not None and bool(page.items) and page.items[-1].started_at < since
            cursor = None if is_past else page.cursor
            if kept or cursor is None:
                return Page(kept, cursor)

    async def interaction(self, id: str) -> Interaction:
        found = await self._store.get(self._scope, Interaction, id)
        if self._scope.confined_to not in (None, found.actor_id, found.interactor_id):
            raise NotFound(f"There is no Interaction {id!r} in this workspace.")
        return found

    async def analyses(self, conversation_id: str, *, limit: int = 50, cursor: str | None = None) -> Page:
        await conversation_of(self._store, self._scope, conversation_id)
        where = {"conversation_id": conversation_id}
        return await self._store.find(self._scope, Analysis, where, limit=limit, cursor=cursor, newest_first=True)

    async def memories_of(self, analyses: Sequence[Analysis]) -> dict[str, Memory]:
        """The memories that these formed or confirmed, if they still exist and the caller may read them."""
        ids = list(dict.fromkeys(id for each in analyses for id in each.memory_ids))
        found = await self._store.get_many(self._scope, Memory, ids)
        own = self._scope.confined_to
        return {
            each.id: each
            for each in found
            if each.status is not Status.DELETED and (own is None or own in each.persons)
        }

    async def event(self, conversation_id: str) -> Event:
        """The event of a conversation, from its first message to its end (K5)."""
        conversation = await conversation_of(self._store, self._scope, conversation_id)
        found = await self._store.get_many(self._scope, Event, [event_id_of(conversation.id)])
        if not found:
            raise NotFound("Nothing has been said in this conversation yet, or only in private: it is no event.")
        return found[0]

    async def timeline(
        self,
        *,
        person: Person | str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        types: Iterable[str] = (),
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Events, latest first: all, or those in which one person took part (K5)."""
        return await self._store.timeline(
            self._scope,
            person_id=person.id if isinstance(person, Person) else person,
            since=since,
            until=until,
            types=frozenset(types),
            limit=limit,
            cursor=cursor,
        )

    # ── queue ────────────────────────────────────────────────────────────────────────────────────

    def _jobs(self, state: JobState) -> AsyncIterator[Job]:
        return items_of(partial(self._store.jobs, self._scope, state=state, limit=_PAGE))

    async def _persons(self, conversation: Conversation) -> dict[str, Person]:
        ids = [id for id in (conversation.user_id, *conversation.system_ids) if id is not None]
        return {each.id: each for each in await self._store.get_many(self._scope, Person, ids)}


def _began_within(interaction: Interaction, since: datetime | None, until: datetime | None) -> bool:
    return (since is None or interaction.started_at >= since) and (until is None or interaction.started_at < until)


def _late(jobs: Sequence[Job], timeout_s: float) -> str:
    return (
        f"After {timeout_s:g} s {len(jobs)} jobs are still waiting. They stay in the queue: look at them with "
        "`everlore jobs list`, or ask without waiting."
    )
