"""Names a conversation after its first exchange (V7), in the background.

A model is asked twice at most, one second apart; then the first user message must do. A title that is there
by then is never overwritten: the store sets it only where there is none.

Start at `Titling`; `titles.py` decides what a good title is.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import structlog

from everlore.converse import noticing
from everlore.converse.backends import Backends, Chosen
from everlore.converse.structured import Troubles, ask_json
from everlore.converse.titles import SCHEMA, Title, fallback_title, parse_title, title_prompt
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.display import display
from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.errors import EverloreError, Misconfigured
from everlore.models.chat import Ask, Purpose
from everlore.models.slots import Slots
from everlore.store.port import Amend, Change, Store

log = structlog.get_logger(__name__)

TITLE = "title"
_TRIES = 2
_AGAIN_S = 1.0
_FIRST_MESSAGES = 6
_MOST_CHARS = 2_000
_MOST_TOKENS = 200
_WAIT_S = 60.0


def title_job(conversation: Conversation, at: datetime) -> Job:
    return Job(
        workspace=conversation.workspace,
        # Conversations are named by clients, as long as an id may be: with a word before it, it would be too long.
        id=f"title-{hashlib.sha256(conversation.id.encode()).hexdigest()[:32]}",
        kind=TITLE,
        payload={"conversation_id": conversation.id},
        lane=conversation.id,
        key=conversation.id,
        run_at=at,
        created_at=at,
    )


class Titling:
    def __init__(
        self,
        store: Store,
        backends: Backends,
        slots: Slots,
        troubles: Troubles,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._backends = backends
        self._slots = slots
        self._troubles = troubles
        self._pause = pause

    async def __call__(self, scope: Scope, jobs: Sequence[Job], _: datetime) -> list[Change]:
        ids = [str(job.payload["conversation_id"]) for job in jobs]
        conversations = await self._store.get_many(scope, Conversation, ids)
        return [change for each in conversations if not each.title for change in await self._named(scope, each)]

    async def _named(self, scope: Scope, conversation: Conversation) -> list[Change]:
        where = {"conversation_id": conversation.id}
        page = await self._store.find(scope, Message, where, limit=_FIRST_MESSAGES)
        title = await self._asked(scope, conversation, page.items) or fallback_title(_first_words(page.items))
        # One after the other: where an icon was chosen by hand, only the title is missing; where a title was,
        # the icon would not go with it.
        return [
            Amend(Conversation, conversation.id, {"title": title.title}, only_if={"title": ""}),
            Amend(Conversation, conversation.id, {"icon": title.icon}, only_if={"title": title.title, "icon": ""}),
            *await noticing.named(self._store, scope, conversation, title.title),
        ]

    async def _asked(self, scope: Scope, conversation: Conversation, messages: Sequence[Message]) -> Title | None:
        chosen = await self._chosen(scope, conversation)
        if chosen is None or chosen.endpoint.built_in:
            return None
        talk = [(each.author is Author.USER, display(each.content).text[:_MOST_CHARS]) for each in messages]
        ask = Ask(messages=title_prompt(talk), schema=SCHEMA, max_tokens=_MOST_TOKENS)
        for attempt in range(_TRIES):
            if attempt:
                await self._pause(_AGAIN_S)
            title = await self._try(scope, chosen, ask)
            if title is not None:
                return title
        return None

    async def _chosen(self, scope: Scope, conversation: Conversation) -> Chosen | None:
        try:
            return await self._backends.model_for(scope, Purpose.ANALYSIS, config_of(conversation.config))
        except Misconfigured as error:
            # Whoever mends it would not want to wait for a title until then.
            log.warning("title.no_model", error=str(error))
            return None

    async def _try(self, scope: Scope, chosen: Chosen, ask: Ask) -> Title | None:
        try:
            async with self._slots.background(chosen.model.backend, _WAIT_S):
                return await ask_json(chosen.model, ask, parse_title, troubles=self._troubles, scope=scope)
        except (EverloreError, TimeoutError) as error:
            log.warning("title.not_given", model=chosen.model.name, error=str(error))
            return None


def _first_words(messages: Sequence[Message]) -> str:
    return next((display(each.content).text for each in messages if each.author is Author.USER), "")
