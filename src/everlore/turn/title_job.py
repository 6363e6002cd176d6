"""Names a conversation after its first exchange (V7), in the background.

A model is asked at most twice, one second apart; after that the first user message becomes the title. A title that
somebody has set meanwhile is never overwritten: the store sets it only if there is none.

Start at `Titling`; `titles.py` decides what a good title is.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

import structlog

from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.display import display
from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.errors import EverloreError, Misconfigured
from everlore.models.chat import Ask, Purpose
from everlore.models.slots import Slots
from everlore.store.port import Amend, Change, Enqueue, Store
from everlore.turn import follow_up
from everlore.turn.backends import Backends, ChosenModel
from everlore.turn.structured import Troubles, ask_json
from everlore.turn.titles import SCHEMA, Title, fallback_title, is_made_of, parse_title, title_prompt

log = structlog.get_logger(__name__)

TITLE = "title"
_TRIES = 2
_AGAIN_S = 1.0
_FIRST_MESSAGES = 6
_MOST_CHARS = 2_000
_MOST_TOKENS = 200
_WAIT_S = 60.0
_MOST_INNER = 100
NewId = Callable[[], str]


def title_job(conversation: Conversation, at: datetime, *, occasion: str) -> Job:
    """Queued once per `occasion`: the first message to make a title of, or a change of it."""
    digest = hashlib.sha256(f"{conversation.id}\n{occasion}".encode()).hexdigest()[:32]
    return Job(
        workspace=conversation.workspace,
        # Clients may give conversations an id of the full length: with a prefix it would be too long.
        id=f"title-{digest}",
        kind=TITLE,
        payload={"conversation_id": conversation.id},
        lane=conversation.id,
        key=digest,
        run_at=at,
        created_at=at,
    )


async def untitled(
    store: Store, scope: Scope, conversation: Conversation, messages: Sequence[Message], at: datetime, new_id: NewId
) -> list[Change]:
    """When messages are changed or deleted: a title made of them is removed, and a new one made of the rest. A title
    that somebody set stays."""
    if not is_made_of(conversation, messages):
        return []
    fields: dict[str, Any] = {"title": "", "titled_from": ()}
    inner = await store.find(scope, Conversation, {"inner_of_id": conversation.id}, limit=_MOST_INNER)
    within = [each for each in inner.items if each.title and conversation.title in each.title]
    changes: list[Change] = [
        Amend(Conversation, conversation.id, fields, only_if={"title": conversation.title}),
        *(Amend(Conversation, each.id, {"title": ""}) for each in within),
        *await follow_up.named(store, scope, conversation, ""),
    ]
    if config_of(conversation.config).auto_title:
        changes.append(Enqueue(title_job(conversation, at, occasion=new_id())))
    return changes


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
        messages = await self._first(scope, conversation)
        if not _first_words(messages):
            return []
        title = await self._asked(scope, conversation, messages)
        now = await self._first(scope, conversation)
        if title is None or _words(now) != _words(messages):
            # Messages that were changed or deleted while the model was asked are not used for the title.
            messages, title = now, fallback_title(*_user_texts(now))
        if not _first_words(messages):
            return []
        named = {"title": title.title, "titled_from": tuple(each.id for each in messages)}
        # Two changes: an icon set by hand must not block the title; a title set by hand blocks both.
        return [
            Amend(Conversation, conversation.id, named, only_if={"title": ""}),
            Amend(Conversation, conversation.id, {"icon": title.icon}, only_if={"title": title.title, "icon": ""}),
            *await follow_up.named(self._store, scope, conversation, title.title),
        ]

    async def _first(self, scope: Scope, conversation: Conversation) -> Sequence[Message]:
        where = {"conversation_id": conversation.id, "hidden": False}
        return (await self._store.find(scope, Message, where, limit=_FIRST_MESSAGES)).items

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

    async def _chosen(self, scope: Scope, conversation: Conversation) -> ChosenModel | None:
        try:
            return await self._backends.model_for(scope, Purpose.ANALYSIS, config_of(conversation.config))
        except Misconfigured as error:
            # A title is not worth waiting until the model is repaired.
            log.warning("title.no_model", error=str(error))
            return None

    async def _try(self, scope: Scope, chosen: ChosenModel, ask: Ask) -> Title | None:
        try:
            async with self._slots.background(chosen.model.backend, _WAIT_S):
                return await ask_json(chosen.model, ask, parse_title, troubles=self._troubles, scope=scope)
        except EverloreError as error:
            log.warning("title.not_given", model=chosen.model.name, error=str(error))
            return None


def _words(messages: Sequence[Message]) -> list[str]:
    return [each.content for each in messages]


def _first_words(messages: Sequence[Message]) -> str:
    return next(iter(_user_texts(messages)), "")


def _user_texts(messages: Sequence[Message]) -> list[str]:
    return [display(each.content).text for each in messages if each.author is Author.USER]
