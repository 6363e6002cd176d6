"""The turn: a message in, kept; what is known, recalled; a prompt, composed; a model, asked; its reply, kept.

The message and an empty reply are durable before the model is called. The reply is written by a task of its
own, whoever listens: a client that goes away can come back and find it. What the model wrote so far is saved
every second, so that a process that dies leaves the beginning, marked as broken off. Whatever goes wrong is
said on the reply, which can be written again; nothing is lost and nothing doubled (V1, V2, V12). A reply is
changed only by whoever holds it: who was silent for so long that another took over writes over nothing.

Start at `Turns.say`.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import structlog

from everlore.compose.account import Account
from everlore.domain.bounds import Json
from everlore.domain.conversation import Author, Conversation, ConversationState, Message, MessageState, spoken_text
from everlore.domain.counters import PROMPT_TOKENS, PROMPTS
from everlore.domain.display import display
from everlore.domain.event import EventType
from everlore.domain.overlap import is_used
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person, preferring
from everlore.domain.policy import can_write
from everlore.domain.scope import Scope
from everlore.errors import (
    BadAsk,
    BeingWritten,
    Conflict,
    EverloreError,
    ModelMisbehaved,
    NotFound,
    PromptTooLong,
    StoreUnavailable,
)
from everlore.learning.provenance import followed
from everlore.models.chat import End, Piece
from everlore.store.port import Amend, Change, Count, Enqueue, Put, Touch
from everlore.store.unkept import unkept
from everlore.turn import follow_up as noticing
from everlore.turn import replies
from everlore.turn.backends import ChosenModel, told_window
from everlore.turn.begin import empty_reply, last_speaker, message_of, refuse_absent, refuse_empty
from everlore.turn.cuts import told_in_header
from everlore.turn.gossip import Gossip
from everlore.turn.holder import SILENT_S, is_gone, read_holder, runs
from everlore.turn.import_lock import refuse_unfinished
from everlore.turn.live import Live
from everlore.turn.news import STOP_REPLY, News
from everlore.turn.other_processes import Elsewhere
from everlore.turn.ownership import refuse_other
from everlore.turn.plan import BuiltPrompt, Plan, ask_for, shorter_window
from everlore.turn.plan import Sampling as Sampling
from everlore.turn.reminders import advance
from everlore.turn.reply_writer import Writing
from everlore.turn.resources import Resources
from everlore.turn.speakers import next_speaker
from everlore.turn.stage import Stage, before_message, set_stage
from everlore.turn.tellings import resolved, told_by_reply, untold
from everlore.turn.title_job import title_job, untitled
from everlore.turn.xrays import x_ray_of

log = structlog.get_logger(__name__)

# Half of what the log takes: a model that writes on and on has lost its way.
_MOST_CHARS = 1_000_000
_ELSEWHERE = "A reply is being written in this conversation already, perhaps by another process. Wait for it."
_UNEXPECTED = "Something unexpected happened while the reply was written. This is a bug; the log says more."


# A conversation, with its workspace.
_Place = tuple[str, str]
_Written = tuple[Message, list[Change]]


class Turns:
    def __init__(self, resources: Resources, *, save_every_s: float = 1.0, sign_every_s: float = SILENT_S / 3) -> None:
        """What is being written is saved every `save_every_s`; where nothing was, a sign of life is."""
        self._resources = resources
        self._save_every_s = save_every_s
        self._sign_every_s = sign_every_s
        # Which reply is being written where; None while that is being decided.
        self._taken: dict[_Place, str | None] = {}
        self._writing: dict[_Place, Writing] = {}
        self._why_stopped = ""
        # Two tasks for each: one asks the model, and can be stopped; the other sees to it that what came
        # of it is kept, and is left alone.
        self._asking: dict[_Place, asyncio.Task[_Written]] = {}
        self._keeping: dict[_Place, asyncio.Task[None]] = {}
        # What is looked for when a reply is there; nobody waits for it but who closes.
        self._telling: set[asyncio.Task[None]] = set()
        self._traceless: Turns | None = None
        self._elsewhere = Elsewhere(resources.store, resources.clock, self.mend)
        resources.live.on(STOP_REPLY, self._stop_requested)

    def of(self, scope: Scope) -> "Turns":
        """Those of a caller: where the mode keeps no conversation, turns that leave nothing behind (C3)."""
        if can_write(scope.mode, EventType.CONVERSATION):
            return self
        if self._traceless is None:
            unheard = replace(self._resources, store=unkept(self._resources.store), live=Live())
            self._traceless = Turns(unheard, save_every_s=self._save_every_s, sign_every_s=self._sign_every_s)
        return self._traceless

    # ── what can be asked for ────────────────────────────────────────────────────────────────────

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
        """Keep the message, and have it answered. `metadata`: what else is to be known of the message."""
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
        """Keep the message without having it answered."""
        refuse_empty(content, "Say something.")
        stage = await self._stage(scope, conversation_id)
        await self._refuse_impostor(scope, stage, person_id)
        told = await resolved(self._resources, scope, self._message(stage, content, author, person_id))
        changes: list[Change] = [Put(told.message), *self._heard(stage, told.message), *told.changes]
        last = stage.conversation.message_count + 1
        grown = noticing.grown(scope, stage, [told.message], last, self._resources.clock(), self._resources.new_id)
        kept, *_ = await self._keep(scope, stage.conversation, [*changes, *grown])
        return kept

    async def open(self, scope: Scope, conversation_id: str) -> Writing:
        """Let the character speak first, where it has no greeting."""

        async def plan() -> Plan:
            stage = await self._stage(scope, conversation_id)
            speaker = stage.here[0]
            reply = self._empty_reply(stage, speaker)
            opening = noticing.opening(stage.conversation, stage.persons, reply.created_at)
            begun, *_ = await self._keep(scope, stage.conversation, [Put(reply), *opening], reply_id=reply.id)
            return Plan(
                scope=scope, stage=stage, speaker=speaker, history=stage.history, reply=begun, sampling=Sampling()
            )

        return await self._begin((scope.workspace, conversation_id), plan)

    async def regenerate(
        self, scope: Scope, conversation_id: str, message_id: str, *, sampling: Sampling | None = None
    ) -> Writing:
        """Another version of a reply; those before it stay as alternatives. Also the retry after a failure."""
        again = replies.begun_again
        return await self._rewrite(scope, conversation_id, message_id, again, sampling=sampling, continuing=False)

    async def go_on(
        self, scope: Scope, conversation_id: str, message_id: str, *, sampling: Sampling | None = None
    ) -> Writing:
        """More of a reply that was stopped, broke off, or is to be longer."""
        on = replies.going_on
        return await self._rewrite(scope, conversation_id, message_id, on, sampling=sampling, continuing=True)

    async def stop(self, scope: Scope, conversation_id: str) -> Message | None:
        """Stop the reply that is being written, here or by another process; what there is of it stays. None if there
        was none."""
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
        """The same messages, those marked whose writer is gone (V12)."""
        mended = list(messages)
        for place, message in enumerate(mended):
            if message.state is MessageState.STREAMING and self._is_abandoned(message):
                marked = replies.broken_off(message, self._resources.clock())
                # Deleted meanwhile: nothing is left to mark. A full disk: it is shown so, and kept so later.
                with suppress(NotFound, StoreUnavailable):
                    mended[place] = marked
                    # Ended meanwhile: then what comes back is the reply as it was kept.
                    (mended[place],) = await self._resources.store.apply(scope, [replies.instead_of(message, marked)])
        return mended

    async def mend_all(self) -> None:
        """At the start: find every reply that a dead process left unfinished."""
        for workspace in await self._resources.store.workspaces():
            scope = Scope(workspace)
            where = {"state": MessageState.STREAMING.value}
            page = await self._resources.store.find(scope, Message, where, limit=1_000)
            await self.mend(scope, page.items)

    async def close(self) -> None:
        """Stop every reply, keeping what there is, and say that it was not the user who stopped it."""
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
        """One reply at a time in a conversation: the place is taken before anything is waited for."""
        if place in self._taken:
            raise BeingWritten("A reply is being written in this conversation. Wait for it, or stop it first.")
        self._taken[place] = None
        try:
            # Before the reply is there: whoever can see it can have it stopped.
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
                raise Conflict("This message was changed just now by somebody else. Look at it again.")
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
            raise BadAsk("Only a character's reply can be written anew or continued. To say something else, edit it.")
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
        """Whoever says something must be somebody, and nobody whom the model plays here."""
        if person_id is None or person_id == stage.conversation.user_id:
            return
        refuse_other(scope, person_id)
        person = await self._resources.store.get(scope, Person, person_id)
        if person_id in stage.conversation.system_ids:
            raise BadAsk(f"{person.name} is played by the model in this conversation. Speak as somebody else.")

    def _message(self, stage: Stage, content: str, author: Author, person_id: str | None) -> Message:
        resources = self._resources
        message = message_of(stage, resources.new_id(), content, resources.clock(), author=author, person_id=person_id)
        return replace(message, tokens=resources.tokenizer.count(content))

    def _heard(self, stage: Stage, message: Message) -> list[Change]:
        return noticing.heard(stage.conversation, stage.config, message, stage.persons, self._resources.new_id)

    def _empty_reply(self, stage: Stage, speaker: Person) -> Message:
        return empty_reply(stage, self._resources.new_id(), speaker, self._resources.holder, self._resources.clock())

    async def _keep(
        self, scope: Scope, conversation: Conversation, changes: list[Change], *, reply_id: str | None = None
    ) -> list[Message]:
        """Keep what a turn begins with, and reopen the conversation if it was closed or archived. From before it is
        there, the reply is known to be ours."""
        if reply_id is not None:
            self._taken[scope.workspace, conversation.id] = reply_id
        now, is_open = self._resources.clock(), ConversationState.OPEN
        fields: dict[str, Any] = {"updated_at": now}
        if conversation.state is not is_open:
            fields |= {"state": is_open, "closed_at": None}
        touched = Amend(Conversation, conversation.id, fields)
        reopened = await noticing.stated(
            self._resources.store, scope, conversation, is_open, now, self._resources.new_id
        )
        results = await self._resources.store.apply(scope, [*changes, touched, *reopened])
        self._resources.live.applied(scope, [touched], results[len(changes) : len(changes) + 1])
        return results[: len(changes)]

    def _is_abandoned(self, message: Message) -> bool:
        holder = read_holder(str(message.metadata.get("holder", "")))
        if holder == self._resources.holder:
            return self._taken.get((message.workspace, message.conversation_id)) != message.id
        silent_s = (self._resources.clock() - message.updated_at).total_seconds()
        alive = holder is not None and runs(holder.pid)
        return is_gone(holder, self._resources.holder, silent_s=silent_s, runs=alive)

    # ── the reply ────────────────────────────────────────────────────────────────────────────────

    async def _see_through(self, plan: Plan, writing: Writing, asking: "asyncio.Task[_Written]") -> None:
        """The outermost edge of a reply: whatever happens ends in a reply that says so."""
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
        await self._end(plan, writing, reply, [*await self._followed(plan, reply), *extra])

    async def _followed(self, plan: Plan, reply: Message) -> list[Change]:
        """What was learnt of an earlier version of the reply goes with it (M15)."""
        if not plan.reply.alternatives and not plan.continuing:
            return []
        resources, conversation = self._resources, plan.stage.conversation
        try:
            learnt = await followed(
                resources.store, plan.scope, conversation, [reply], resources.clock(), resources.new_id, is_gone=False
            )
            unnamed = await untitled(
                resources.store, plan.scope, conversation, [reply], resources.clock(), resources.new_id
            )
            return [*learnt, *unnamed, *await untold(resources, plan.scope, [reply])]
        except StoreUnavailable as error:
            # The reply is kept all the same, if it can be; what it says is read again when somebody asks for it.
            log.warning("turn.not_followed", conversation=conversation.id, error=str(error))
            return []

    async def _write(self, plan: Plan, writing: Writing) -> _Written:
        resources = self._resources
        async with self._saving(plan, writing) as saving:
            config = preferring(plan.speaker, plan.stage.config)
            chosen = await resources.backends.model_for(plan.scope, config=config)
            asked = await self._ask_for(plan, writing, chosen, await told_window(chosen.model))
            async with resources.slots.replying(chosen.model.backend):
                try:
                    end = await self._listen(plan, writing, chosen.model.stream(asked.ask), saving)
                except PromptTooLong as error:
                    if writing.heard:
                        raise
                    asked = await self._ask_for(plan, writing, chosen, shorter_window(plan, asked, error))
                    end = await self._listen(plan, writing, chosen.model.stream(asked.ask), saving)
        if not writing.calls_tools:
            _refuse_silence(chosen.model.name, writing.content)
        if end.prompt_tokens is None:
            end = replace(end, prompt_tokens=asked.prompt.account.used)
        # Whether it really asked is not known; one that asked nothing did not.
        asks = asked.asks if "?" in writing.content else ""
        source = replies.ReplySource(chosen.model.name, chosen.endpoint.built_in, end, asks)
        tokens = end.reply_tokens or resources.tokenizer.count(writing.content)
        reply = replies.complete(plan.reply, writing.content, source, tokens, resources.clock())
        is_learning = can_write(plan.scope.mode, EventType.REFLECTION)
        counted = _recalled(asked.prompt.account, spoken_text(reply), resources.clock()) if is_learning else []
        spoken = await told_by_reply(resources, plan.scope, reply, [id for each in counted for id in each.used_ids])
        missed = [Put(asked.missed)] if asked.missed else []
        prompts = [Count(PROMPTS), Count(PROMPT_TOKENS, asked.prompt.account.used)]
        analysed = await noticing.analysed(
            resources.store, plan.scope, plan.stage, (*plan.history[-1:], reply), resources.clock(), resources.new_id
        )
        return reply, [*self._afterwards(plan, reply), *analysed, *counted, *spoken, *missed, *prompts]

    async def _ask_for(self, plan: Plan, writing: Writing, chosen: ChosenModel, window: int | None) -> BuiltPrompt:
        asked = await ask_for(self._resources, plan, built_in=chosen.endpoint.built_in, window=window)
        writing.account = asked.prompt.account
        writing.cut = told_in_header(asked.cuts)
        return asked

    async def _listen(
        self, plan: Plan, writing: Writing, stream: AsyncIterator[Piece | End], saving: "asyncio.Task[None]"
    ) -> End:
        end = End()
        # Closed at once, and not when somebody tidies up: a stopped reply must not go on costing.
        async with aclosing(cast(AsyncGenerator[Piece | End, None], stream)) as parts:
            async for part in parts:
                if isinstance(part, End):
                    end = part
                    continue
                self._tell_piece(plan, writing.add(part.text))
                if part.beside:
                    writing.add_beside(part.beside)
                if saving.done():
                    saving.result()
                if len(writing.content) > _MOST_CHARS:
                    raise ModelMisbehaved("The reply did not come to an end by itself, and was ended here.")
        return end

    def _tell_piece(self, plan: Plan, piece: str) -> None:
        if piece:
            reply = plan.reply
            news = News(type="message.delta", conversation_id=reply.conversation_id, id=reply.id, text=piece)
            self._resources.live.tell(plan.scope, [news])

    @asynccontextmanager
    async def _saving(self, plan: Plan, writing: Writing) -> AsyncIterator["asyncio.Task[None]"]:
        """Meanwhile what was written is saved, and there is a sign of life where nothing was."""
        saving = asyncio.create_task(self._keep_saving(plan, writing))
        try:
            yield saving
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)

    async def _keep_saving(self, plan: Plan, writing: Writing) -> None:
        now = asyncio.get_running_loop().time
        saved, saved_at = writing.content, now()
        while True:
            await asyncio.sleep(self._save_every_s)
            if writing.content == saved and now() - saved_at < self._sign_every_s:
                continue
            partial = replies.written_so_far(plan.reply, writing.content, self._resources.clock())
            changes = [replies.kept_if(partial, _held(plan.reply)), *self._x_ray(plan, writing)]
            try:
                await self._resources.store.apply(plan.scope, changes)
                saved, saved_at = partial.content, now()
                writing.account = None
            except StoreUnavailable as error:
                # It is a copy for the worst case: the reply need not fail for it, and there is a next time.
                log.warning("turn.not_saved", conversation=partial.conversation_id, error=str(error))

    def _afterwards(self, plan: Plan, reply: Message) -> list[Change]:
        """What a complete reply brings about, kept together with it."""
        conversation, config = plan.stage.conversation, plan.stage.config
        changes: list[Change] = [Amend(Conversation, conversation.id, {"updated_at": reply.updated_at})]
        episode = advance(reply.content, plan.episode, len(config.episodes))
        if episode != plan.episode:
            # Once: another version of the same reply ends the same episode.
            changes.append(Amend(Conversation, conversation.id, {"episode": episode}, {"episode": plan.episode}))
        # After the first exchange: a character that only greets has not begun a subject yet (V7).
        spoken = next((message for message in plan.history if message.author is Author.USER), None)
        if config.auto_title and not conversation.title and spoken is not None:
            changes.append(Enqueue(title_job(conversation, self._resources.clock(), occasion=spoken.id)))
        now, new_id, said = self._resources.clock(), self._resources.new_id, (*plan.history[-1:], reply)
        grown = noticing.grown(plan.scope, plan.stage, said, reply.seq, now, new_id)
        return [*changes, *noticing.answered(conversation, config, reply, now, new_id), *grown]

    def _x_ray(self, plan: Plan, writing: Writing) -> list[Change]:
        """What the model was told, kept with the first that is kept of what it wrote (P12)."""
        account = writing.account
        return [Put(x_ray_of(plan.reply, account, self._resources.clock()))] if account is not None else []

    async def _end(self, plan: Plan, writing: Writing, reply: Message, extra: list[Change]) -> None:
        self._tell_piece(plan, writing.end())
        kept = reply
        try:
            # Shielded: a second Ctrl-C must not lose what the model has written.
            extra = [*extra, *self._x_ray(plan, writing)]
            kept = await asyncio.shield(self._keep_reply(plan, reply, extra))
        except NotFound:
            # The conversation was deleted while the reply was written: there is nothing left to keep it in.
            log.info("turn.deleted", conversation=reply.conversation_id)
        except EverloreError as error:
            log.error("turn.not_kept", conversation=reply.conversation_id, error=str(error))
            kept = replies.failed(plan.reply, writing.content, str(error), self._resources.clock())
        finally:
            # In this order: whoever has heard the end may say the next thing at once.
            self._release((reply.workspace, reply.conversation_id))
            writing.finish(kept)
        news = News(type="message.done", conversation_id=kept.conversation_id, id=kept.id, record=kept)
        self._resources.live.tell(plan.scope, [news])
        telling = asyncio.create_task(self._tell_gossip(plan, kept))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _tell_gossip(self, plan: Plan, reply: Message) -> None:
        """What the user's character could tell on hearing this (R7)."""
        if not plan.stage.config.gossip_enabled or reply.state is not MessageState.COMPLETE:
            return
        try:
            found = await Gossip(plan.scope, self._resources).suggest(
                reply.conversation_id, spoken_text(reply), roll=False
            )
        except EverloreError as error:
            # The reply is there: what could be told of others is a suggestion, and is looked for again.
            log.warning("turn.no_gossip", conversation=reply.conversation_id, error=str(error))
            return
        if found.items:
            news = News(type="gossip.available", conversation_id=reply.conversation_id, record=found.items)
            self._resources.live.tell(plan.scope, [news])

    async def _keep_reply(self, plan: Plan, reply: Message, extra: list[Change]) -> Message:
        """As long as it is ours, or was only taken for broken off; else as whoever took it over has it."""
        stored: Message = reply
        for ours in (_held(plan.reply), {"error": replies.BROKEN_OFF}):
            stored = (await self._resources.store.apply(plan.scope, [replies.kept_if(reply, ours), *extra]))[0]
            if replies.was_kept(reply, stored):
                return stored
        log.warning("turn.taken_over", conversation=reply.conversation_id, message=reply.id)
        return stored


def _held(reply: Message) -> dict[str, Any]:
    """What holds of a stored reply for as long as nobody has taken it over."""
    return {"metadata": reply.metadata}


def _recalled(account: Account, reply: str, at: datetime) -> list[Touch]:
    """Counts the memories that stood in the prompt of a reply, and those that it spoke of: what comes up again and
    again matters (I1, R5)."""
    told = [each for each in account.memories if each.section and each.kind == PassageKind.MEMORY]
    used = tuple(each.id for each in told if is_used(each.content, reply))
    return [Touch(tuple(each.id for each in told), at, used_ids=used)] if told else []


def _refuse_silence(model: str, content: str) -> None:
    shown = display(content)
    if not content.strip():
        raise ModelMisbehaved(f"{model} answered nothing. Try again, or choose another model.")
    if not (shown.text.strip() or shown.has_media or shown.ends_episode):
        raise ModelMisbehaved(
            f"{model} thought, and then said nothing. Try again; if that happens often, raise response_reserve in the "
            "config of the conversation, so that there is room left for the reply."
        )
