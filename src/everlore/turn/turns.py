"""The turn: saves a message, recalls what is known, composes the prompt, asks the model and saves its reply.

The message and an empty reply are durable before the model is called. A task of its own writes the reply, with or
without listeners: a client that disconnects can come back and find it. The text is saved every second, so that a
process that dies leaves the beginning, marked as broken off. Errors are reported on the reply, which can be retried;
nothing is lost or duplicated (V1, V2, V12). Only the process that holds a reply changes it: one that was silent so long
that another took over cannot overwrite anything.

Start at `Turns.say`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import structlog

from everlore.domain.bounds import Json
from everlore.domain.conversation import Author, Conversation, ConversationState, Message, MessageState
from everlore.domain.event import EventType
from everlore.domain.person import Person
from everlore.domain.policy import can_write
from everlore.domain.scope import Scope
from everlore.errors import (
    BadAsk,
    BeingWritten,
    Conflict,
    EverloreError,
    NotFound,
    StoreUnavailable,
)
from everlore.store.port import Amend, Change, Put
from everlore.store.unkept import unkept
from everlore.turn import follow_up, replies
from everlore.turn.begin import empty_reply, last_speaker, message_of, refuse_absent, refuse_empty
from everlore.turn.finish import finished, following, keep_reply, tell_gossip
from everlore.turn.holder import SILENT_S, is_gone, read_holder, runs
from everlore.turn.import_lock import refuse_unfinished
from everlore.turn.live import Live
from everlore.turn.news import STOP_REPLY, News, said_news
from everlore.turn.other_processes import Elsewhere
from everlore.turn.ownership import refuse_other
from everlore.turn.plan import Plan
from everlore.turn.plan import Sampling as Sampling
from everlore.turn.reply_writer import Writing
from everlore.turn.resources import Resources
from everlore.turn.speakers import next_speaker
from everlore.turn.stage import Stage, before_message, set_stage
from everlore.turn.tellings import resolved
from everlore.turn.write import ReplyStream

log = structlog.get_logger(__name__)

_ELSEWHERE = "A reply is being written in this conversation already, perhaps by another process. Wait for it."
_UNEXPECTED = "Something unexpected happened while the reply was written. This is a bug; the log says more."


# A conversation, with its workspace.
_Place = tuple[str, str]
_Written = tuple[Message, list[Change]]


class Turns:
    def __init__(self, resources: Resources, *, save_every_s: float = 1.0, sign_every_s: float = SILENT_S / 3) -> None:
        """The reply is saved every `save_every_s`; without new text a heartbeat is."""
        self._resources = resources
        self._stream = ReplyStream(resources, save_every_s, sign_every_s)
        # The reply being written in each conversation; None until it is determined.
        self._taken: dict[_Place, str | None] = {}
        self._writing: dict[_Place, Writing] = {}
        self._why_stopped = ""
        # Two tasks per reply: one asks the model, and can be cancelled; the other saves the result, and is not.
        self._asking: dict[_Place, asyncio.Task[_Written]] = {}
        self._keeping: dict[_Place, asyncio.Task[None]] = {}
        # Gossip searches that follow a reply; only `close` waits for them.
        self._telling: set[asyncio.Task[None]] = set()
        self._traceless: Turns | None = None
        self._elsewhere = Elsewhere(resources.store, resources.clock, self.mend)
        resources.live.on(STOP_REPLY, self._stop_requested)

    def of(self, scope: Scope) -> "Turns":
        """The turns of a caller; if the mode stores no conversation, turns that leave nothing behind (C3)."""
        if can_write(scope.mode, EventType.CONVERSATION):
            return self
        if self._traceless is None:
            unheard = replace(self._resources, store=unkept(self._resources.store), live=Live())
            self._traceless = Turns(
                unheard, save_every_s=self._stream.save_every_s, sign_every_s=self._stream.sign_every_s
            )
        return self._traceless

    # ── operations ──────────────────────────────────────────────────────────────────────────────

    async def say(
        self,
        scope: Scope,
        conversation_id: str,
        content: str,
        *,
        author: Author = Author.USER,
        person_id: str | None = None,
        speaker_id: str | None = None,
        sampling: Sampling | None = None,
        metadata: Json | None = None,
    ) -> Writing:
        """Save the message, and have it answered. `metadata`: further facts about the message."""
        refuse_empty(content, "Say something, or continue the last reply.")

        async def plan() -> Plan:
            stage = await self._stage(scope, conversation_id, sampling)
            await self._refuse_impostor(scope, stage, person_id)
            refuse_absent(stage, speaker_id)
            speaker = next_speaker(stage.here, content, last_speaker(stage.history), explicit=speaker_id)
            message = replace(self._message(stage, content, author, person_id), metadata=metadata or {})
            told = await resolved(self._resources, scope, message)
            reply = self._empty_reply(stage, speaker)
            changes: list[Change] = [Put(told.message), Put(reply), *self._heard(stage, told.message), *told.changes]
            kept, begun, *_ = await self._keep(scope, stage.conversation, changes, reply_id=reply.id)
            return Plan(
                scope=scope,
                stage=stage,
                speaker=speaker,
                history=(*stage.history, kept),
                reply=begun,
                sampling=sampling or Sampling(),
            )

        return await self._begin((scope.workspace, conversation_id), plan, with_message=True)

    async def note(
        self,
        scope: Scope,
        conversation_id: str,
        content: str,
        *,
        author: Author = Author.USER,
        person_id: str | None = None,
    ) -> Message:
        """Save the message without an answer."""
        refuse_empty(content, "Say something.")
        stage = await self._stage(scope, conversation_id)
        await self._refuse_impostor(scope, stage, person_id)
        told = await resolved(self._resources, scope, self._message(stage, content, author, person_id))
        changes: list[Change] = [Put(told.message), *self._heard(stage, told.message), *told.changes]
        last = stage.conversation.message_count + 1
        grown = follow_up.grown(scope, stage, [told.message], last, self._resources.clock(), self._resources.new_id)
        kept, *_ = await self._keep(scope, stage.conversation, [*changes, *grown])
        return kept

    async def open(self, scope: Scope, conversation_id: str) -> Writing:
        """Let the character speak first, if it has no greeting."""

        async def plan() -> Plan:
            stage = await self._stage(scope, conversation_id)
            speaker = stage.here[0]
            reply = self._empty_reply(stage, speaker)
            opening = follow_up.opening(stage.conversation, stage.persons, reply.created_at)
            begun, *_ = await self._keep(scope, stage.conversation, [Put(reply), *opening], reply_id=reply.id)
            return Plan(
                scope=scope, stage=stage, speaker=speaker, history=stage.history, reply=begun, sampling=Sampling()
            )

        return await self._begin((scope.workspace, conversation_id), plan)

    async def regenerate(
        self, scope: Scope, conversation_id: str, message_id: str, *, sampling: Sampling | None = None
    ) -> Writing:
        """Another version of a reply; earlier ones stay as alternatives. Also the retry after a failure."""
        again = replies.begun_again
        return await self._rewrite(scope, conversation_id, message_id, again, sampling=sampling, continuing=False)

    async def go_on(
        self, scope: Scope, conversation_id: str, message_id: str, *, sampling: Sampling | None = None
    ) -> Writing:
        """Continue a reply that was stopped, broke off, or should be longer."""
        on = replies.going_on
        return await self._rewrite(scope, conversation_id, message_id, on, sampling=sampling, continuing=True)

    async def stop(self, scope: Scope, conversation_id: str) -> Message | None:
        """Stop the reply that is being written, here or by another process; its text so far is kept. None if there was
        no reply."""
        place = (scope.workspace, conversation_id)
        if place in self._asking:
            writing = self._writing[place]
            self._asking[place].cancel()
            return await writing.reply()
        message = await self._elsewhere.find(scope, conversation_id)
        if message is None:
            return None
        stop = News(type=STOP_REPLY, conversation_id=conversation_id, id=message.id)
        await self._resources.live.request(scope, stop)
        return await self._elsewhere.wait_or_take_over(scope, message)

    def _stop_requested(self, workspace: str, news: News) -> None:
        place = (workspace, news.conversation_id or "")
        if place in self._asking and self._writing[place].begun.id == news.id:
            self._asking[place].cancel()

    async def follow(self, scope: Scope, conversation_id: str) -> Writing | None:
        """The reply that is being written, here or by another process."""
        return self.writing(scope, conversation_id) or await self._elsewhere.follow(scope, conversation_id)

    def is_being_written(self, message: Message) -> bool:
        """Whether a living process writes this message."""
        return message.state is MessageState.STREAMING and not self._is_abandoned(message)

    def writing(self, scope: Scope, conversation_id: str) -> Writing | None:
        return self._writing.get((scope.workspace, conversation_id))

    def is_writing(self, message: Message) -> bool:
        writing = self._writing.get((message.workspace, message.conversation_id))
        return writing is not None and writing.begun.id == message.id

    async def mend(self, scope: Scope, messages: Sequence[Message]) -> list[Message]:
        """The same messages; those whose writer is gone are marked (V12)."""
        mended = list(messages)
        for place, message in enumerate(mended):
            if message.state is MessageState.STREAMING and self._is_abandoned(message):
                marked = replies.broken_off(message, self._resources.clock())
                # Deleted meanwhile: nothing to mark. A full disk: the mark is returned now, and saved later.
                with suppress(NotFound, StoreUnavailable):
                    mended[place] = marked
                    # If the reply ended meanwhile, this returns it as it was saved.
                    (mended[place],) = await self._resources.store.apply(scope, [replies.instead_of(message, marked)])
        return mended

    async def mend_all(self) -> None:
        """At startup: find every reply that a dead process left unfinished."""
        for workspace in await self._resources.store.workspaces():
            scope = Scope(workspace)
            where = {"state": MessageState.STREAMING.value}
            page = await self._resources.store.find(scope, Message, where, limit=1_000)
            await self.mend(scope, page.items)

    async def close(self) -> None:
        """Stop every reply, keep its text so far, and note that it was not the user who stopped it."""
        self._why_stopped = replies.BROKEN_OFF
        for asking in self._asking.values():
            asking.cancel()
        await asyncio.gather(*self._keeping.values(), return_exceptions=True)
        await asyncio.gather(*self._telling, return_exceptions=True)
        await self._elsewhere.close()
        if self._traceless is not None:
            await self._traceless.close()

    # ── before the model ─────────────────────────────────────────────────────────────────────────

    async def _begin(
        self, place: _Place, plan: Callable[[], Awaitable[Plan]], *, with_message: bool = False
    ) -> Writing:
        """One reply at a time in a conversation: the place is taken before the first await."""
        if place in self._taken:
            raise BeingWritten("A reply is being written in this conversation. Wait for it, or stop it first.")
        self._taken[place] = None
        try:
            # Before the reply exists: everybody who can see it can have it stopped.
            await self._resources.live.follow(place[0])
        except BaseException:
            del self._taken[place]
            raise
        try:
            planned = await plan()
        except BaseException:
            self._release(place)
            raise
        writing = Writing(planned.reply, user_message=planned.history[-1] if with_message else None)
        self._writing[place] = writing
        self._asking[place] = asyncio.create_task(self._write(planned, writing))
        self._keeping[place] = asyncio.create_task(self._see_through(planned, writing, self._asking[place]))
        return writing

    def _release(self, place: _Place) -> None:
        del self._taken[place]
        self._resources.live.leave(place[0])
        for shelf in (self._writing, self._asking, self._keeping):
            shelf.pop(place, None)

    async def _rewrite(
        self,
        scope: Scope,
        conversation_id: str,
        message_id: str,
        begun: Callable[..., Message],
        *,
        continuing: bool,
        sampling: Sampling | None = None,
    ) -> Writing:
        async def plan() -> Plan:
            stage = await self._stage(scope, conversation_id, sampling)
            message = await self._reply_to_rewrite(scope, stage, message_id)
            speaker = stage.persons.get(message.person_id or "", stage.cast[0])
            before = await before_message(self._resources.store, scope, message, len(stage.history) or 1)
            begin = begun(message, self._resources.clock(), str(self._resources.holder))
            change = replies.instead_of(message, begin)
            (reply,) = await self._keep(scope, stage.conversation, [change], reply_id=message.id)
            if not replies.was_kept(begin, reply):
                raise Conflict("This message was just changed by someone else. Reload it, then try again.")
            return Plan(
                scope=scope,
                stage=stage,
                speaker=speaker,
                history=(*before, reply) if continuing else before,
                reply=reply,
                sampling=sampling or Sampling(),
                continuing=continuing,
            )

        return await self._begin((scope.workspace, conversation_id), plan)

    async def _reply_to_rewrite(self, scope: Scope, stage: Stage, message_id: str) -> Message:
        found = await self._resources.store.get_many(scope, Message, [message_id])
        if not found or found[0].conversation_id != stage.conversation.id:
            raise NotFound(f"There is no message {message_id!r} in this conversation.")
        message: Message = found[0]
        if message.author not in (Author.ASSISTANT, Author.NARRATOR) or message.person_id is None:
            raise BadAsk("Only a character's reply can be regenerated or continued. Edit this message instead.")
        (mended,) = await self.mend(scope, [message])
        if mended.state is MessageState.STREAMING:
            raise BeingWritten(_ELSEWHERE)
        return mended

    async def _stage(self, scope: Scope, conversation_id: str, sampling: Sampling | None = None) -> Stage:
        sent = sampling.sent if sampling is not None else None
        stage = await set_stage(self._resources, scope, conversation_id, sent=sent)
        refuse_unfinished(stage.conversation)
        history = tuple(await self.mend(scope, stage.history))
        if any(message.state is MessageState.STREAMING for message in history):
            raise BeingWritten(_ELSEWHERE)
        return replace(stage, history=history)

    async def _refuse_impostor(self, scope: Scope, stage: Stage, person_id: str | None) -> None:
        """A message needs a speaker who exists and whom the model does not play here."""
        if person_id is None or person_id == stage.conversation.user_id:
            return
        refuse_other(scope, person_id)
        person = await self._resources.store.get(scope, Person, person_id)
        if person_id in stage.conversation.system_ids:
            raise BadAsk(f"{person.name} is played by the model in this conversation. Speak as someone else.")

    def _message(self, stage: Stage, content: str, author: Author, person_id: str | None) -> Message:
        resources = self._resources
        message = message_of(stage, resources.new_id(), content, resources.clock(), author=author, person_id=person_id)
        return replace(message, tokens=resources.tokenizer.count(content))

    def _heard(self, stage: Stage, message: Message) -> list[Change]:
        return follow_up.heard(stage.conversation, stage.config, message, stage.persons, self._resources.new_id)

    def _empty_reply(self, stage: Stage, speaker: Person) -> Message:
        return empty_reply(stage, self._resources.new_id(), speaker, self._resources.holder, self._resources.clock())

    async def _keep(
        self, scope: Scope, conversation: Conversation, changes: list[Change], *, reply_id: str | None = None
    ) -> list[Message]:
        """Save what a turn begins with, and reopen the conversation if it was closed or archived. The reply is
        registered as ours before it exists."""
        if reply_id is not None:
            self._taken[scope.workspace, conversation.id] = reply_id
        now, is_open = self._resources.clock(), ConversationState.OPEN
        fields: dict[str, Any] = {"updated_at": now}
        if conversation.state is not is_open:
            fields |= {"state": is_open, "closed_at": None}
        touched = Amend(Conversation, conversation.id, fields)
        reopened = await follow_up.stated(
            self._resources.store, scope, conversation, is_open, now, self._resources.new_id
        )
        results = await self._resources.store.apply(scope, [*changes, touched, *reopened])
        self._resources.live.applied(scope, [touched], results[len(changes) : len(changes) + 1])
        kept = results[: len(changes)]
        if conversation.session_id is not None:
            self._resources.live.tell(scope, said_news(kept))
        return kept

    def _is_abandoned(self, message: Message) -> bool:
        holder = read_holder(str(message.metadata.get("holder", "")))
        if holder == self._resources.holder:
            return self._taken.get((message.workspace, message.conversation_id)) != message.id
        silent_s = (self._resources.clock() - message.updated_at).total_seconds()
        alive = holder is not None and runs(holder.pid)
        return is_gone(holder, self._resources.holder, silent_s=silent_s, runs=alive)

    # ── the reply ────────────────────────────────────────────────────────────────────────────────

    async def _see_through(self, plan: Plan, writing: Writing, asking: "asyncio.Task[_Written]") -> None:
        """The outermost handler of a reply: every failure ends in a reply that says so."""
        now = self._resources.clock
        extra: list[Change] = []
        try:
            with self._resources.slots.turn():
                reply, extra = await asking
        except asyncio.CancelledError:
            reply = replies.stopped(plan.reply, writing.content, now(), error=self._why_stopped)
        except EverloreError as error:
            writing.failure = error
            reply = replies.failed(plan.reply, writing.content, str(error), now())
        except Exception:
            log.exception("turn.failed", conversation=plan.reply.conversation_id)
            reply = replies.failed(plan.reply, writing.content, _UNEXPECTED, now())
        await self._end(plan, writing, reply, [*await following(self._resources, plan, reply), *extra])

    async def _write(self, plan: Plan, writing: Writing) -> _Written:
        written = await self._stream.written(plan, writing)
        return await finished(self._resources, plan, writing.content, written)

    async def _end(self, plan: Plan, writing: Writing, reply: Message, extra: list[Change]) -> None:
        self._stream.tell_piece(plan, writing.end())
        kept = reply
        try:
            # Shielded: a second Ctrl-C must not lose what the model has written.
            extra = [*extra, *self._stream.x_ray(plan, writing)]
            kept = await asyncio.shield(keep_reply(self._resources, plan, reply, extra))
        except NotFound:
            # The conversation was deleted meanwhile: there is nothing to save the reply in.
            log.info("turn.deleted", conversation=reply.conversation_id)
        except EverloreError as error:
            log.error("turn.not_kept", conversation=reply.conversation_id, error=str(error))
            kept = replies.failed(plan.reply, writing.content, str(error), self._resources.clock())
        finally:
            # In this order: a listener that has received the end may send the next message at once.
            self._release((reply.workspace, reply.conversation_id))
            writing.finish(kept)
        news = News(type="message.done", conversation_id=kept.conversation_id, id=kept.id, record=kept)
        self._resources.live.tell(plan.scope, [news])
        telling = asyncio.create_task(tell_gossip(self._resources, plan, kept))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)
