"""Everlore: the one object behind every interface. Library, server and command line all call it.

Start at `remember`, `recall`, `forget`; `everlore.open` makes one.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Unpack

from everlore.background import BackgroundWork
from everlore.compose.package import BUDGET, ContextPackage
from everlore.domain.attachment import Attachment
from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.memory import Memory
from everlore.domain.miss import Miss
from everlore.domain.passage import PassageKind
from everlore.domain.person import USER_ID, Person
from everlore.domain.reading import Reading
from everlore.domain.records import KINDS
from everlore.domain.revision import Revision, Why, revise
from everlore.domain.scope import Scope
from everlore.domain.template import TemplateVersion
from everlore.domain.visibility import may_keep
from everlore.domain.xray import XRay
from everlore.errors import BadAsk, Conflict, Forbidden, ModelMisbehaved
from everlore.observe.metrics import Metrics, metrics
from everlore.recall.answer import RecallAnswer, WhyNotVerdict
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.tellable import other_users
from everlore.services.options import (
    RecallOptions,
    StatementOptions,
    id_of,
    named_persons,
    one_of,
    query_of,
    statement_of,
    with_tuples,
)
from everlore.store.answers import Cleanup, Coverage, Page, QueueState
from everlore.store.port import Delete, Put
from everlore.turn.ownership import refuse_unknown_ids
from everlore.turn.resources import reading_of
from everlore.turn.viewers import viewer_of

if TYPE_CHECKING:
    from everlore.services.forget_user import ForgottenUser
    from everlore.services.idempotency import IdempotencyKey
    from everlore.services.memory_writes import SavedMemory

# One per reply, message or change: counting them adds no information.
_UNCOUNTED = (TemplateVersion, XRay, Reading, AuditEntry, Attachment)


@dataclass(frozen=True, slots=True)
class Stats:
    """What a workspace holds."""

    workspace: str
    counts: Mapping[str, int]
    coverage: Coverage | None
    embedder: str | None
    queue: QueueState


class Everlore(BackgroundWork):
    """Everlore for one scope; `within` gives the same Everlore for another workspace."""

    def within(self, workspace: str) -> "Everlore":
        """The same Everlore for another workspace, without workers of its own."""
        return self.seen_by(replace(self.scope, workspace=workspace))

    def seen_by(self, scope: Scope) -> "Everlore":
        """The same Everlore for another caller: with their role, in their mode, on their part of a workspace."""
        return Everlore(scope, self.resources, self.staff)

    # ── memories ─────────────────────────────────────────────────────────────────────────────────

    async def remember(self, content: str, **options: Unpack[StatementOptions]) -> Memory:
        """Save a statement for a person, for a pair, or for the user if nobody is named. A repetition strengthens the
        known memory, and what it contradicts is closed or waits for review (M7, M8); `force` keeps both."""
        (kept,) = await self.keep([content], **options)
        return kept.memory

    async def remember_many(self, contents: Iterable[str], **options: Unpack[StatementOptions]) -> list[Memory]:
        """Save many statements at once: all of them, or none."""
        return [each.memory for each in await self.keep(contents, **options)]

    async def keep(
        self,
        contents: Iterable[str],
        *,
        request: "IdempotencyKey | None" = None,
        **options: Unpack[StatementOptions],
    ) -> "list[SavedMemory]":
        """Remember statements, and report the outcome of each: formed, reinforced, superseded or pending (M8). A
        repeated `request` gets the same answer, and changes nothing."""
        from everlore.services.memory_writes import save

        persons = named_persons(self.scope, options)
        if self.scope.confined_to is not None:
            sources = [(Message, each) for each in options.get("source_message_ids", ())]
            named = [(Person, each) for each in persons]
            conversation = (Conversation, options.get("conversation_id"))
            await refuse_unknown_ids(self.store, self.scope, *named, conversation, *sources)
        persons = persons or ((await self.user()).id,)
        memories = [statement_of(self.resources, self.scope, content, persons, options) for content in contents]
        by, force = options.get("by", USER_ID), options.get("force", False)
        return await save(self.resources, self.scope, memories, by=by, force=force, request=request)

    async def recall(
        self,
        query: str,
        *,
        explain: bool = False,
        own: bool = False,
        **options: Unpack[RecallOptions],
    ) -> RecallAnswer:
        """What is known about the query, best first, each with its reason. With a person: only what that person knows,
        having been there or been told (R11). Weak matches come last, marked as doubtful (R2b). Ranked by `recipe`, or
        like the replies of that conversation. `own`: without what other users had a part in, which the owner would get
        too."""
        question = await self._query(query, options)
        if own and question.viewer.sees_all:
            me = self.scope.person_id or USER_ID
            question = replace(question, without=await other_users(self.scope, self.store, me))
        return (await recall(self.scope, replace(question, explain=explain), reading_of(self.resources))).answer()

    async def why_not(
        self,
        memory: Memory | str,
        query: str,
        *,
        reply_in: Conversation | str | None = None,
        **options: Unpack[RecallOptions],
    ) -> WhyNotVerdict:
        """Which step of that recall drops this memory, if any does (R5). With `reply_in`: of the recall for the reply
        to these words in that conversation, with its own recipe and budget; no other options are needed then."""
        found = await self.store.get(self.scope, Memory, memory if isinstance(memory, str) else memory.id)
        if reply_in is not None:
            return await self.x_rays.why_not(found, reply_in if isinstance(reply_in, str) else reply_in.id, query)
        traced = replace(await self._query(query, options), explain=True, traced=found.id)
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
            person_id=id_of(person),
            include=frozenset(one_of(PassageKind, each, "include") for each in include),
            budget_tokens=budget_tokens,
            trust_level=trust_level,
        )
        return await context_of(self.resources, self.scope, wanted)

    async def misses(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        """The messages for which recall found nothing, latest first (R12)."""
        return await self.store.find(self.scope, Miss, limit=limit, cursor=cursor, newest_first=True)

    async def forget(self, memory: Memory | str) -> None:
        """Delete a memory for good, with its history, its vectors and every mention of it."""
        id = memory if isinstance(memory, str) else memory.id
        if self.scope.confined_to is not None:
            await self.memories.get(id)
        from everlore.campaign.digest.removal import deletion_of

        await self._apply(await deletion_of(self.store, self.scope, id))

    async def forget_about(self, person_id: str, expected: int) -> int:
        """Delete every memory of a person for good, except those of campaigns. Raises Conflict unless their number is
        the one that the caller expects: something may have been learned since they were counted. Returns the number."""
        memories = await self.memories.about(person_id)
        if len(memories) != expected:
            raise Conflict(f"There are {len(memories)} memories now, not {expected}. Confirm the new number.")
        await self._apply([Delete(Memory, each.id) for each in memories])
        return len(memories)

    async def forget_user(self, user: Person | str, *, dry_run: bool = False) -> "ForgottenUser":
        """Delete a user of an app for good, with their conversations and tokens, and what was learned from them. What
        they said in campaigns stays. Repeat it if it was interrupted."""
        from everlore.services.forget_user import forget_user

        return await forget_user(self.resources, self.scope, self.turns, user, dry_run=dry_run)

    async def forget_workspace(self) -> None:
        """Delete the whole workspace for good: all people, conversations, memories and events, and its audit log."""
        if self.scope.confined_to is not None:
            raise Forbidden("Only the owner of a workspace can delete it.")
        await self.store.forget_workspace(self.scope)

    async def edit(
        self, memory_id: str, *, by: str = USER_ID, why: Why = Why.EDIT, note: str = "", **changes: Any
    ) -> Memory:
        """Change a memory; its previous state stays in its history."""
        memory = await self.memories.get(memory_id)
        known = set(Memory.__dataclass_fields__) - {"workspace", "id", "revision", "created_at", "updated_at"}
        if unknown := set(changes) - known:
            raise BadAsk(f"A memory has no {', '.join(sorted(unknown))} to change. Known: {', '.join(sorted(known))}.")
        changed = revise(memory, self._clock(), **{"edited_by_person": True} | with_tuples(changes))
        if "content" in changes:
            from everlore.learning.saving.flow import reclaimed

            changed = reclaimed(changed)
        (stored,) = await self._apply([Put(changed, by=by, why=why, note=note)])
        return _memory_of(stored)

    async def history(self, memory_id: str) -> list[Revision]:
        """Its earlier states; if the memory became the caller's later, those since then."""
        found = await self.store.history(self.scope, memory_id)
        if self.scope.confined_to is not None:
            await self.memories.get(memory_id)
        viewer = await viewer_of(self.store, self.scope)
        return [each for each in found if may_keep(viewer, each.before)]

    async def _query(self, text: str, options: RecallOptions) -> RecallQuery:
        conversation = options.get("conversation")
        if conversation is not None and self.scope.confined_to is not None:
            await self.conversations.get(conversation)
        return await query_of(self.resources, self.scope, text, **options)

    # ── conversations ────────────────────────────────────────────────────────────────────────────

    async def user(self) -> Person:
        """The human whose workspace this is; created on first use."""
        return await self.characters.user()

    async def say(
        self, conversation: Conversation | str, content: str, *, speaker: Person | str | None = None
    ) -> AsyncIterator[str]:
        """Send a message, and stream the reply. A reply that fails raises, and can be retried."""
        id = conversation if isinstance(conversation, str) else conversation.id
        writing = await self.turns.say(id, content, speaker_id=id_of(speaker))
        async for piece in writing.pieces():
            yield piece
        reply = await writing.reply()
        if reply.state is MessageState.FAILED:
            raise ModelMisbehaved(reply.error)

    # ── maintenance ──────────────────────────────────────────────────────────────────────────────

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
        """Statistics of the workspace, from counters that are updated as things happen (C9)."""
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
        """Who did what to which record, latest first (C10)."""
        given = {"kind": kind, "ref": ref, "actor": actor}
        where = {name: value for name, value in given.items() if value is not None}
        return await self.store.find(self.scope, AuditEntry, where, limit=limit, cursor=cursor, newest_first=True)

    async def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        """Find orphaned records, and remove them unless it is a dry run (M9)."""
        keys_before = self._clock() - timedelta(days=self.settings.queue.keep_keys_days)
        return await self.store.cleanup(self.scope, dry_run=dry_run, keys_before=keys_before)


def _memory_of(stored: Any) -> Memory:
    assert isinstance(stored, Memory)
    return stored
