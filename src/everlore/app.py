"""Everlore: the one object that every surface holds. Library, server and command line all call this.

Start at `remember`, `recall`, `forget`; `everlore.open` makes one.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from everlore.compose.package import BUDGET, ContextPackage
from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.config import RecipeName
from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory, MemoryType, Origin, source_uri_of
from everlore.domain.miss import Miss
from everlore.domain.passage import PassageKind
from everlore.domain.person import USER_ID, Person
from everlore.domain.reading import Reading
from everlore.domain.records import KINDS
from everlore.domain.revision import Revision, Why, revise
from everlore.domain.scope import Scope, pair_of
from everlore.domain.setting import INDEX, Setting
from everlore.domain.template import TemplateVersion
from everlore.domain.visibility import may_keep
from everlore.domain.xray import XRay
from everlore.errors import BadAsk, Conflict, Forbidden, ModelMisbehaved, NotFound, StoreUnavailable
from everlore.facade import BackgroundTasks, Services
from everlore.learning.embedding_jobs import REINDEX, reindex_job
from everlore.observe.metrics import Metrics, metrics
from everlore.recall.answer import RecallAnswer, WhyNotVerdict
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import ASKED, SEARCH
from everlore.recall.tellable import other_users
from everlore.store.all_pages import items_of
from everlore.store.checks import check_limit
from everlore.store.port import (
    Change,
    Cleanup,
    Coverage,
    Delete,
    Enqueue,
    Page,
    PauseQueue,
    Put,
    QueueState,
    Revive,
)
from everlore.turn.import_lock import take_back_unfinished
from everlore.turn.ownership import is_hidden, refuse_other, refuse_unknown_ids
from everlore.turn.resources import Resources, reading_of
from everlore.turn.viewers import seen_from, viewer_of

if TYPE_CHECKING:
    from everlore.services.idempotency import IdempotencyKey
    from everlore.services.memory_writes import SavedMemory

_PAGE = 500
# There is one with each reply, message or change: to count them tells nothing new.
_UNCOUNTED = (TemplateVersion, XRay, Reading, AuditEntry, Attachment)


@dataclass(frozen=True, slots=True)
class Stats:
    """What a workspace holds."""

    workspace: str
    counts: Mapping[str, int]
    coverage: Coverage | None
    embedder: str | None
    queue: QueueState


class Everlore(Services):
    """Talks for one scope; `within` gives the same Everlore for another workspace."""

    def __init__(self, scope: Scope, resources: Resources, staff: BackgroundTasks) -> None:
        super().__init__(scope, resources, staff)
        self._clock = resources.clock
        self._new_id = resources.new_id
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def within(self, workspace: str) -> "Everlore":
        """The same Everlore for another workspace, without workers of its own."""
        return self.seen_by(replace(self.scope, workspace=workspace))

    def seen_by(self, scope: Scope) -> "Everlore":
        """The same Everlore for another caller: with their role, in their mode, on their part of a workspace."""
        return Everlore(scope, self.resources, self.staff)

    # ── memories ─────────────────────────────────────────────────────────────────────────────────

    async def remember(
        self,
        content: str,
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        type: MemoryType | str = MemoryType.FACT,
        importance: int = 5,
        by: str = USER_ID,
        force: bool = False,
        **fields: Any,
    ) -> Memory:
        """Keep a statement for a person, for a pair, or for the user when nobody is named. What is known already counts
        more, and what it contradicts is closed or waits for a person (M7, M8); `force` keeps both."""
        (kept,) = await self.keep(
            [content],
            person=person,
            partner=partner,
            type=type,
            importance=importance,
            by=by,
            force=force,
            **fields,
        )
        return kept.memory

    async def remember_many(
        self,
        contents: Iterable[str],
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        type: MemoryType | str = MemoryType.FACT,
        importance: int = 5,
        by: str = USER_ID,
        force: bool = False,
        **fields: Any,
    ) -> list[Memory]:
        """Keep many statements at once: all of them, or none."""
        kept = await self.keep(
            contents,
            person=person,
            partner=partner,
            type=type,
            importance=importance,
            by=by,
            force=force,
            **fields,
        )
        return [each.memory for each in kept]

    async def keep(
        self,
        contents: Iterable[str],
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        type: MemoryType | str = MemoryType.FACT,
        importance: int = 5,
        by: str = USER_ID,
        force: bool = False,
        request: "IdempotencyKey | None" = None,
        **fields: Any,
    ) -> "list[SavedMemory]":
        """Remember statements, and say of each what became of it: formed, reinforced, superseded or pending (M8). A
        `request` that is sent again gets the same answer, and changes nothing."""
        from everlore.services.memory_writes import save

        if self.scope.confined_to is not None:
            sources = [(Message, each) for each in fields.get("source_message_ids", ())]
            named = ((Person, _id(person)), (Person, _id(partner)), (Conversation, fields.get("conversation_id")))
            await refuse_unknown_ids(self.store, self.scope, *named, *sources)
        persons = await self._persons(person, partner)
        memories = [self._memory(content, persons, type, importance, fields) for content in contents]
        return await save(self.resources, self.scope, memories, by=by, force=force, request=request)

    async def recall(
        self,
        query: str,
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        conversation: str | None = None,
        campaign: str | None = None,
        types: Iterable[MemoryType | str] = (),
        include: Iterable[PassageKind | str] = ASKED,
        as_of: datetime | None = None,
        min_similarity: float | None = None,
        limit: int = 10,
        recipe: RecipeName | str | None = None,
        explain: bool = False,
        own: bool = False,
    ) -> RecallAnswer:
        """What is known that bears on the query, best first, each with its reason. With a person: only what that
        person knows, having been there or been told (R11). What is perhaps not meant comes last, and is marked as
        doubtful (R2b). Weighed by `recipe`, or as the replies of that conversation are. `own`: without what other users
        had a part in, which the owner would be given too."""
        question = await self._question(
            query, person, partner, conversation, campaign, types, include, as_of, min_similarity, limit, recipe
        )
        if own and question.viewer.sees_all:
            me = self.scope.person_id or USER_ID
            question = replace(question, without=await other_users(self.scope, self.store, me))
        return (await recall(self.scope, replace(question, explain=explain), reading_of(self.resources))).answer()

    async def why_not(
        self,
        memory: Memory | str,
        query: str,
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        conversation: str | None = None,
        campaign: str | None = None,
        types: Iterable[MemoryType | str] = (),
        include: Iterable[PassageKind | str] = ASKED,
        as_of: datetime | None = None,
        min_similarity: float | None = None,
        limit: int = 10,
        recipe: RecipeName | str | None = None,
        reply_in: Conversation | str | None = None,
    ) -> WhyNotVerdict:
        """Which step of that recall drops this memory, if any does (R5). With `reply_in`: of the recall for the reply
        to these words in that conversation, by its own recipe and room; nothing else needs to be said then."""
        found = await self.store.get(self.scope, Memory, memory if isinstance(memory, str) else memory.id)
        if reply_in is not None:
            return await self.x_rays.why_not(found, reply_in if isinstance(reply_in, str) else reply_in.id, query)
        question = await self._question(
            query, person, partner, conversation, campaign, types, include, as_of, min_similarity, limit, recipe
        )
        traced = replace(question, explain=True, traced=found.id)
        return (await recall(self.scope, traced, reading_of(self.resources))).verdict(found)

    async def context(
        self,
        query: str = "",
        *,
        conversation: Conversation | str | None = None,
        person: Person | str | None = None,
        include: Iterable[PassageKind | str] = (PassageKind.MEMORY,),
        budget_tokens: int = BUDGET,
        trust_level: str = "",
    ) -> ContextPackage:
        """What an agent should know before it answers: memories, persona, focus, tasks, topics, patterns, tools and the
        summary of the conversation, as deep as the caller may look; `text` is all of it for a prompt (C6)."""
        from everlore.services.context import ContextRequest, context_of

        wanted = ContextRequest(
            query=query,
            conversation_id=conversation.id if isinstance(conversation, Conversation) else conversation,
            person_id=_id(person),
            include=frozenset(_one_of(PassageKind, each, "include") for each in include),
            budget_tokens=budget_tokens,
            trust_level=trust_level,
        )
        return await context_of(self.resources, self.scope, wanted)

    async def misses(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        """The messages for which nothing came back, the latest first (R12)."""
        return await self.store.find(self.scope, Miss, limit=limit, cursor=cursor, newest_first=True)

    async def _question(
        self,
        query: str,
        person: Person | str | None,
        partner: Person | str | None,
        conversation: str | None,
        campaign: str | None,
        types: Iterable[MemoryType | str],
        include: Iterable[PassageKind | str],
        as_of: datetime | None,
        min_similarity: float | None,
        limit: int,
        recipe: RecipeName | str | None,
    ) -> RecallQuery:
        from everlore.turn.recipes import recipe_in

        person_id, partner_id = _id(person) or self.scope.confined_to, _id(partner)
        if person_id is not None:
            refuse_other(self.scope, person_id)
        if conversation is not None and self.scope.confined_to is not None:
            await self.conversations.get(conversation)
        viewer, place = await seen_from(self.store, self.scope, person_id, conversation)
        if partner_id is not None and person_id is None:
            raise BadAsk("A partner was named without a person. Name both, or only the person.")
        check_limit(limit)
        await self._check_known(person_id, partner_id)
        pair = pair_of(person_id, partner_id) if person_id is not None and partner_id is not None else None
        return RecallQuery(
            text=query,
            viewer=viewer,
            place=place,
            pair=pair,
            conversation_id=conversation,
            campaign_id=campaign,
            types=frozenset(_one_of(MemoryType, each, "types").value for each in types),
            kinds=frozenset(_one_of(PassageKind, each, "include") for each in include),
            as_of=as_of,
            min_similarity=min_similarity,
            limit=limit,
            recipe=SEARCH.like(
                _one_of(RecipeName, recipe, "recipe")
                if recipe is not None
                else await recipe_in(self.resources, self.scope, conversation)
            ),
        )

    async def forget(self, memory: Memory | str) -> None:
        """Delete a memory for good, with its history, its vectors and every mention of it."""
        id = memory if isinstance(memory, str) else memory.id
        if self.scope.confined_to is not None:
            await self.memories.get(id)
        await self._apply([Delete(Memory, id)])

    async def forget_about(self, person_id: str, expected: int) -> int:
        """Delete every memory of a person for good, except those of campaigns. Conflict unless there are as many as the
        caller expects: something was learned since they were counted. Gives their number."""
        memories = await self.memories.about(person_id)
        if len(memories) != expected:
            raise Conflict(
                f"There are {len(memories)} memories now, and you confirmed {expected}. "
                "Check the new number, and confirm again."
            )
        await self._apply([Delete(Memory, each.id) for each in memories])
        return len(memories)

    async def forget_workspace(self) -> None:
        """Delete the whole workspace for good: everybody, what was said, learnt and done in it, and its audit log."""
        if self.scope.confined_to is not None:
            raise Forbidden("Only the owner of a workspace can delete it.")
        await self.store.forget_workspace(self.scope)

    async def edit(
        self, memory_id: str, *, by: str = USER_ID, why: Why = Why.EDIT, note: str = "", **changes: Any
    ) -> Memory:
        """Change a memory; the state before stays in its history."""
        memory = await self.memories.get(memory_id)
        known = set(Memory.__dataclass_fields__) - {"workspace", "id", "revision", "created_at", "updated_at"}
        if unknown := set(changes) - known:
            raise BadAsk(f"A memory has no {', '.join(sorted(unknown))} to change. Known: {', '.join(sorted(known))}.")
        changed = revise(memory, self._clock(), **{"edited_by_person": True} | changes)
        if "content" in changes:
            from everlore.learning.saving.written import reclaimed

            changed = reclaimed(changed)
        (stored,) = await self._apply([Put(changed, by=by, why=why, note=note)])
        return _memory_of(stored)

    async def _apply(self, changes: Sequence[Change]) -> list[Any]:
        results = await self.store.apply(self.scope, changes)
        self.live.applied(self.scope, changes, results)
        return results

    async def history(self, memory_id: str) -> list[Revision]:
        """Its earlier states; of a memory that became the caller's, those since it was."""
        found = await self.store.history(self.scope, memory_id)
        if self.scope.confined_to is not None:
            await self.memories.get(memory_id)
        viewer = await viewer_of(self.store, self.scope)
        return [each for each in found if may_keep(viewer, each.before)]

    def _memory(
        self, content: str, persons: tuple[str, ...], type: MemoryType | str, importance: int, fields: dict[str, Any]
    ) -> Memory:
        if unknown := set(fields) - (set(Memory.__dataclass_fields__) - {"workspace"}):
            raise BadAsk(f"A memory has no field {', '.join(sorted(unknown))}.")
        now = self._clock()
        given: dict[str, Any] = {
            "id": self._new_id(),
            "type": _one_of(MemoryType, type, "type"),
            "importance": importance,
            "origin": Origin.USER,
            "persons": persons,
            "source_uri": source_uri_of(fields.get("conversation_id"), fields.get("source_message_ids", ())),
            "created_at": now,
            "updated_at": now,
        }
        # A source that is not told is the conversation that it is said to be of.
        told = {name: value for name, value in fields.items() if name != "source_uri" or value}
        if told.get("durability") is None:
            from everlore.learning.saving.written import lasting

            told["durability"] = lasting(content)
        return Memory(workspace=self.scope.workspace, content=content, **given | told)

    async def _persons(self, person: Person | str | None, partner: Person | str | None) -> tuple[str, ...]:
        named = [id for id in (_id(person), _id(partner), self.scope.confined_to) if id is not None]
        if not named:
            return ((await self.user()).id,)
        return tuple(sorted(set(named)))

    async def _check_known(self, *ids: str | None) -> None:
        wanted = [id for id in ids if id is not None]
        found = await self.store.get_many(self.scope, Person, wanted) if wanted else []
        known = {each.id for each in found if not is_hidden(self.scope, each)}
        for id in wanted:
            if id not in known:
                raise NotFound(f"There is no person {id!r} in this workspace. Names are found with characters.named.")

    # ── conversations ────────────────────────────────────────────────────────────────────────────

    async def user(self) -> Person:
        """The human whose workspace this is; made when first asked for."""
        return await self.characters.user()

    async def say(
        self, conversation: Conversation | str, content: str, *, speaker: Person | str | None = None
    ) -> AsyncIterator[str]:
        """Say something, and hear the reply as it is written. A reply that fails raises, and can be tried again."""
        id = conversation if isinstance(conversation, str) else conversation.id
        writing = await self.turns.say(self.scope, id, content, speaker_id=_id(speaker))
        async for piece in writing.pieces():
            yield piece
        reply = await writing.reply()
        if reply.state is MessageState.FAILED:
            raise ModelMisbehaved(reply.error)

    # ── background work ──────────────────────────────────────────────────────────────────────────

    async def start(self) -> None:
        """Look for a model, mend what a dead process left, and start the workers that were asked for."""
        await self.backends.look()
        await self.turns.mend_all()
        workspaces = await self.store.workspaces()
        await self.live.tidy(workspaces)
        await take_back_unfinished(self.store, workspaces, self.resources.holder)
        await self._follow_model()
        count = self.settings.queue.workers
        self._tasks = [asyncio.create_task(worker.run(self._stop)) for worker in self.staff.workers[:count]]

    async def stop(self) -> None:
        """Stop the replies, let the workers finish what they are at, then close everything."""
        self._stop.set()
        try:
            await self.staff.close()
            await self.resources.backlog.settle()
            await asyncio.gather(*self._tasks)
            await self.live.close()
        finally:
            await self.backends.close()
            if self.embedder is not None:
                await self.embedder.close()
            await self.store.close()

    async def work(self, stop: asyncio.Event) -> None:
        """Work through the queue until told to stop: what `everlore worker` does."""
        await self._follow_model()
        await asyncio.gather(*(worker.run(stop) for worker in self.staff.workers))

    async def settle(self, timeout_s: float = 60) -> None:
        """Wait until no background work of this workspace is left. Dead letters do not count."""
        deadline = self._clock() + timedelta(seconds=timeout_s)
        await self.resources.backlog.settle()
        while (state := await self.store.queue(self.scope)).pending:
            if state.paused:
                raise BadAsk(f"The queue is paused with {state.pending} jobs waiting. Resume it, then settle.")
            _refuse_late(self._clock(), deadline, timeout_s, state.pending)
            if self._tasks or not await self.staff.workers[0].step():
                await asyncio.sleep(0.02)

    async def finished(self, jobs: Iterable[Job], timeout_s: float = 300) -> None:
        """Wait until these jobs are done, and only they. One that was given up is said."""
        deadline = self._clock() + timedelta(seconds=timeout_s)
        waiting = {job.id for job in jobs}
        while waiting:
            left = await self._still_there(sorted(waiting))
            _refuse_dead(left)
            waiting = {job.id for job in left if job.state is not JobState.DONE}
            if waiting:
                await self._refuse_paused("what was asked for waits in it")
                _refuse_late(self._clock(), deadline, timeout_s, len(waiting))
                if self._tasks or not await self.staff.workers[0].step():
                    await asyncio.sleep(0.02)

    async def _still_there(self, ids: Sequence[str]) -> list[Job]:
        found: list[Job] = []
        for first in range(0, len(ids), _PAGE):
            page = await self.store.jobs(self.scope, ids=ids[first : first + _PAGE], limit=_PAGE)
            found += page.items
        return found

    async def pause(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(True)])

    async def resume(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(False)])

    async def jobs(self, state: JobState | None = None, *, limit: int = 50, cursor: str | None = None) -> Page:
        return await self.store.jobs(self.scope, state=state, limit=limit, cursor=cursor)

    async def retry(self, job_id: str) -> Job:
        """Try a dead letter again."""
        (job,) = await self._apply([Revive(job_id, self._clock())])
        assert isinstance(job, Job)
        return job

    async def _follow_model(self) -> None:
        """A workspace that was embedded by another model is embedded anew, in the background (M12)."""
        for workspace in await self.store.workspaces():
            await self.within(workspace).ask_for_reindex(only_if_changed=True)

    async def ask_for_reindex(self, *, only_if_changed: bool = False) -> bool:
        """Start embedding whatever lacks a vector of the configured model. False when there is no need."""
        if self.embedder is None:
            return False
        name = self.embedder.name
        kept = await self.store.get_many(self.scope, Setting, [INDEX])
        if only_if_changed and kept and kept[0].value.get("model") == name:
            return False
        now = self._clock()
        setting = Setting(workspace=self.scope.workspace, id=INDEX, value={"model": name}, updated_at=now)
        await self.store.apply(self.scope, [Put(setting), Enqueue(reindex_job(self.scope, name, now))])
        return True

    async def reindex(self) -> AsyncIterator[Coverage]:
        """Embed whatever lacks a vector of the configured model, telling how far it is."""
        if self.embedder is None:
            raise BadAsk("No embedder is configured, so there is nothing to reindex. Set EVERLORE_EMBEDDING__PROVIDER.")
        # An endpoint that does not answer is said at once, not after all the retries of the queue.
        await self.embedder.embed(["Everlore"])
        asked_at = self._clock()
        await self._refuse_paused()
        await self.ask_for_reindex()
        while await self._reindexing():
            await self._refuse_paused()
            yield await self.store.coverage(self.scope, self.embedder.name)
            if self._tasks or not await self.staff.workers[0].step():
                await asyncio.sleep(0.05)
        for job in await self._jobs_of(REINDEX, JobState.DEAD):
            if job.created_at >= asked_at:
                raise ModelMisbehaved(f"The reindex stopped: {job.error}. Mend that, then reindex again.")
        yield await self.store.coverage(self.scope, self.embedder.name)

    async def _reindexing(self) -> bool:
        for state in (JobState.READY, JobState.RUNNING):
            if await self._jobs_of(REINDEX, state):
                return True
        return False

    async def _jobs_of(self, kind: str, state: JobState) -> list[Job]:
        """Page by page: the one that is looked for may stand behind thousands of others."""
        jobs = items_of(partial(self.store.jobs, self.scope, state=state, limit=1000))
        return [job async for job in jobs if job.kind == kind]

    async def _refuse_paused(self, what: str = "nothing is embedded") -> None:
        if (await self.store.queue(self.scope)).paused:
            raise BadAsk(f"The queue is paused, and {what}. Run `everlore jobs resume` first.")

    # ── keeping house ────────────────────────────────────────────────────────────────────────────

    async def stats(self) -> Stats:
        counted = (kind for kind in KINDS if kind not in _UNCOUNTED)
        counts = {kind.__name__.lower(): await self.store.count(self.scope, kind) for kind in counted}
        coverage = await self.store.coverage(self.scope, self.embedder.name) if self.embedder else None
        return Stats(
            workspace=self.scope.workspace,
            counts=counts,
            coverage=coverage,
            embedder=self.embedder.name if self.embedder else None,
            queue=await self.store.queue(self.scope),
        )

    async def metrics(self) -> Metrics:
        """How the workspace fares, from counts that were kept as things happened (C9)."""
        name = self.embedder.name if self.embedder else None
        return await metrics(self.scope, self.store, name, self._clock())

    async def audit(
        self,
        *,
        kind: str | None = None,
        ref: str | None = None,
        actor: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Who did what to which record, the latest first (C10)."""
        given = {"kind": kind, "ref": ref, "actor": actor}
        where = {name: value for name, value in given.items() if value is not None}
        return await self.store.find(self.scope, AuditEntry, where, limit=limit, cursor=cursor, newest_first=True)

    async def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        """Find what belongs to nobody, and remove it unless it is a dry run (M9)."""
        keys_before = self._clock() - timedelta(days=self.settings.queue.keep_keys_days)
        return await self.store.cleanup(self.scope, dry_run=dry_run, keys_before=keys_before)


def _id(person: Person | str | None) -> str | None:
    return person.id if isinstance(person, Person) else person


def _refuse_late(now: datetime, deadline: datetime, timeout_s: float, pending: int) -> None:
    if now > deadline:
        raise StoreUnavailable(
            f"After {timeout_s:g} s {pending} jobs are still waiting. Look at them with `everlore jobs`, or wait "
            "longer."
        )


def _refuse_dead(jobs: Iterable[Job]) -> None:
    for job in jobs:
        if job.state is JobState.DEAD:
            raise ModelMisbehaved(f"A {job.kind} job was given up: {job.error} Mend that, then retry it: {job.id}.")


def _memory_of(stored: Any) -> Memory:
    assert isinstance(stored, Memory)
    return stored


def _one_of(kind: Any, value: Any, name: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(each.value for each in kind)
        raise BadAsk(f"{name} is {value!r}; it must be one of {known}.") from None
