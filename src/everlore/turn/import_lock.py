"""Saves an imported conversation in batches, so that others can write in between.

A long one takes several transactions. Until the last of them the conversation is marked: nobody can speak in it, and a
setting names the process that imports it. A failed import is undone at once; one whose process died is undone when
another process starts. A conversation is imported as a whole or not at all.

Start at `keep_imported`.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import structlog

from everlore.domain.conversation import Conversation, Message
from everlore.domain.scope import Scope
from everlore.domain.setting import Setting
from everlore.errors import Conflict, EverloreError
from everlore.store.port import Amend, Change, Delete, Put, Store
from everlore.turn.holder import Holder, is_gone, read_holder, runs
from everlore.turn.resources import Resources

log = structlog.get_logger(__name__)

# Messages per transaction: other writers wait for at most one of these.
_BATCH = 500
_IMPORTING = "importing"
_SETTING = "importing:"


async def keep_imported(
    resources: Resources,
    scope: Scope,
    conversation: Conversation,
    messages: Iterable[Message],
    *,
    besides: Sequence[Change],
    after: Sequence[Change],
) -> None:
    """Save the conversation with its messages. `besides`: changes made before it; `after`: those that depend on it."""
    batches = _batches(messages)
    # In a thread: counting the words of many lines would delay every reply.
    first = await _next(batches)
    second = await _next(batches)
    if not second:
        await resources.store.apply(scope, [*besides, Put(conversation), *map(Put, first), *after])
        return
    marked = replace(conversation, metadata=conversation.metadata | {_IMPORTING: str(resources.holder)})
    setting = Setting(
        workspace=scope.workspace,
        id=f"{_SETTING}{conversation.id}",
        value={"holder": str(resources.holder), "conversation_id": conversation.id},
        updated_at=resources.clock(),
    )
    try:
        await resources.store.apply(scope, [Put(setting), *besides, Put(marked), *map(Put, first)])
        batch = second
        while batch:
            await resources.store.apply(scope, [Put(each) for each in batch])
            batch = await _next(batches)
        done = Amend(Conversation, conversation.id, {"metadata": conversation.metadata})
        await resources.store.apply(scope, [done, *after, Delete(Setting, setting.id)])
    except BaseException:
        await asyncio.shield(_take_back(resources.store, scope, setting))
        raise


def refuse_unfinished(conversation: Conversation) -> None:
    if _IMPORTING in conversation.metadata:
        raise Conflict(f"Conversation {conversation.id!r} is still being imported. Wait until that is done.")


async def take_back_unfinished(store: Store, workspaces: Iterable[str], me: Holder) -> None:
    """At startup: undo the imports whose process died."""
    for workspace in workspaces:
        scope = Scope(workspace, actor="background")
        page = await store.find(scope, Setting, limit=1_000)
        for setting in page.items:
            if setting.id.startswith(_SETTING) and _is_abandoned(setting, me):
                await _take_back(store, scope, setting)


def _is_abandoned(setting: Setting, me: Holder, is_running: Callable[[int], bool] = runs) -> bool:
    holder = read_holder(str(setting.value.get("holder", "")))
    # A process on another machine undoes its own import at its next start.
    return is_gone(holder, me, silent_s=0, runs=holder is not None and is_running(holder.pid))


async def _take_back(store: Store, scope: Scope, setting: Setting) -> None:
    try:
        id = str(setting.value["conversation_id"])
        there = await store.get_many(scope, Conversation, [id])
        named = await store.get_many(scope, Setting, [setting.id])
        gone: list[Change] = [Delete(Conversation, id)] if there else []
        gone += [Delete(Setting, setting.id)] if named else []
        if gone:
            await store.apply(scope, gone)
    except EverloreError as error:
        # Most likely the disk is full; the next start tries again.
        log.warning("import.not_taken_back", error=str(error))


async def _next(batches: Iterator[list[Message]]) -> list[Message]:
    nothing: list[Message] = []
    return await asyncio.to_thread(next, batches, nothing)


def _batches(messages: Iterable[Message]) -> Iterator[list[Message]]:
    left = iter(messages)
    while batch := list(islice(left, _BATCH)):
        yield batch
