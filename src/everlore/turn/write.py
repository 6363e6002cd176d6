"""Writes one reply: asks the model, sends its text to the listeners and saves it every second.

Start at `ReplyStream.written`.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import cast

import structlog

from everlore.domain.display import display
from everlore.domain.person import preferring
from everlore.errors import ModelMisbehaved, PromptTooLong, StoreUnavailable
from everlore.models.chat import End, Piece
from everlore.store.port import Change, Put
from everlore.turn import replies
from everlore.turn.backends import ChosenModel, told_window
from everlore.turn.compose import BuiltPrompt, prompt_of, shorter_window
from everlore.turn.cuts import told_in_header
from everlore.turn.gather import Gathered, gather
from everlore.turn.news import News
from everlore.turn.plan import Plan
from everlore.turn.reply_writer import Writing
from everlore.turn.resources import Resources
from everlore.turn.xrays import x_ray_of

log = structlog.get_logger(__name__)

# Half of what the log accepts: a model that writes more is in a loop.
_MOST_CHARS = 1_000_000


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """The prompt, the model, and how the reply ended."""

    gathered: Gathered
    asked: BuiltPrompt
    chosen: ChosenModel
    end: End


@dataclass(frozen=True, slots=True)
class ReplyStream:
    """The reply is saved every `save_every_s`; without new text a heartbeat is, every `sign_every_s`."""

    resources: Resources
    save_every_s: float
    sign_every_s: float

    async def written(self, plan: Plan, writing: Writing) -> WrittenReply:
        resources = self.resources
        async with self._saving(plan, writing) as saving:
            config = preferring(plan.speaker, plan.stage.config)
            chosen = await resources.backends.model_for(plan.scope, config=config)
            window = await told_window(chosen.model)
            gathered = await gather(resources, plan, built_in=chosen.endpoint.built_in)
            asked = self._prompt(plan, writing, gathered, window)
            async with resources.slots.replying(chosen.model.backend):
                try:
                    end = await self._listen(plan, writing, chosen.model.stream(asked.ask), saving)
                except PromptTooLong as error:
                    if writing.heard:
                        raise
                    asked = self._prompt(plan, writing, gathered, shorter_window(plan, asked, error))
                    end = await self._listen(plan, writing, chosen.model.stream(asked.ask), saving)
        if not writing.calls_tools:
            _refuse_silence(chosen.model.name, writing.content)
        return WrittenReply(gathered, asked, chosen, end)

    def tell_piece(self, plan: Plan, piece: str) -> None:
        if piece:
            reply = plan.reply
            news = News(type="message.delta", conversation_id=reply.conversation_id, id=reply.id, text=piece)
            self.resources.live.tell(plan.scope, [news])

    def x_ray(self, plan: Plan, writing: Writing) -> list[Change]:
        """The account of the prompt, saved with the first text of the reply (P12)."""
        account = writing.account
        return [Put(x_ray_of(plan.reply, account, self.resources.clock()))] if account is not None else []

    def _prompt(self, plan: Plan, writing: Writing, gathered: Gathered, window: int | None) -> BuiltPrompt:
        asked = prompt_of(plan, gathered, self.resources.tokenizer, window)
        writing.account = asked.prompt.account
        writing.cut = told_in_header(asked.cuts)
        return asked

    async def _listen(
        self, plan: Plan, writing: Writing, stream: AsyncIterator[Piece | End], saving: "asyncio.Task[None]"
    ) -> End:
        def heard(piece: str) -> None:
            self.tell_piece(plan, piece)
            if saving.done():
                saving.result()

        return await listen(stream, writing, heard)

    @asynccontextmanager
    async def _saving(self, plan: Plan, writing: Writing) -> AsyncIterator["asyncio.Task[None]"]:
        """Meanwhile saves the reply, or a heartbeat if there is no new text."""
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
            await asyncio.sleep(self.save_every_s)
            if writing.content == saved and now() - saved_at < self.sign_every_s:
                continue
            partial = replies.written_so_far(plan.reply, writing.content, self.resources.clock())
            changes = [replies.kept_if(partial, replies.held_by(plan.reply)), *self.x_ray(plan, writing)]
            try:
                await self.resources.store.apply(plan.scope, changes)
                saved, saved_at = partial.content, now()
                writing.account = None
            except StoreUnavailable as error:
                # This is a copy for the worst case: the reply need not fail for it, and the next save follows.
                log.warning("turn.not_saved", conversation=partial.conversation_id, error=str(error))


async def listen(stream: AsyncIterator[Piece | End], writing: Writing, heard: Callable[[str], None]) -> End:
    """All output of the model, piece by piece, to its end."""
    end = End()
    # Closed at once and not by the garbage collector: a stopped reply must not go on costing.
    async with aclosing(cast(AsyncGenerator[Piece | End, None], stream)) as parts:
        async for part in parts:
            if isinstance(part, End):
                end = part
                continue
            shown = writing.add(part.text)
            if part.beside:
                writing.add_beside(part.beside)
            heard(shown)
            if len(writing.content) > _MOST_CHARS:
                raise ModelMisbehaved("The reply did not end by itself and was cut off here.")
    return end


def _refuse_silence(model: str, content: str) -> None:
    shown = display(content)
    if not content.strip():
        raise ModelMisbehaved(f"{model} returned an empty reply. Try again, or choose another model.")
    if not (shown.text.strip() or shown.has_media or shown.ends_episode):
        raise ModelMisbehaved(
            f"{model} returned reasoning but no reply. Try again; if that happens often, raise response_reserve in the "
            "config of the conversation, so that there is room left for the reply."
        )
