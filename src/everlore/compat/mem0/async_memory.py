"""`AsyncMemory`: mem0's verbs, with its arguments and answers.

Every memory lies in one workspace, `mem0` unless another is named, and belongs to the persons of its `user_id`,
`agent_id` and `run_id`. A search for one user never returns what belongs to another.

Start at `AsyncMemory.add`.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from pathlib import Path
from types import EllipsisType
from typing import Any

import everlore
from everlore.app import Everlore
from everlore.compat.mem0 import filters as metadata_filters
from everlore.compat.mem0.answers import KEPT, extra_of, fields_of, history_of, is_expired, item_of, kept_of
from everlore.compat.mem0.config import settings_of
from everlore.compat.mem0.errors import InvalidRequest, MemoryNotFound
from everlore.compat.mem0.messages import Line, lines_of
from everlore.compat.mem0.owners import FIELDS, Owners, owners_of
from everlore.domain.conversation import Conversation
from everlore.domain.job import JobState
from everlore.domain.memory import Memory as Statement
from everlore.domain.memory import Origin, Status
from everlore.domain.person import Person
from everlore.errors import NotFound
from everlore.services.messages import RecordedLine
from everlore.settings import Settings
from everlore.store.all_pages import each_of, items_of
from everlore.store.checks import MOST_LIMIT
from everlore.store.port import Put
from everlore.wiring import read_settings

WORKSPACE = "mem0"
_NEEDS_ID = "Give at least one of user_id, agent_id and run_id."
_NEEDS_FILTER = "Give at least one of user_id, agent_id and run_id, as in filters={'user_id': 'alice'}."
_PAGE = 500
# Results of a search that are looked through for those that match the filters.
_CANDIDATES = 200
# Arguments of a search that Everlore does not need: its ranking has them built in.
_WITHOUT_EFFECT = frozenset({"rerank", "keyword_search", "filter_memories"})
# Only facts are formed: keyframes, summaries and analyses are for chats.
_READING = {
    "auto_title": False,
    "extract_facts": True,
    "extract_segments": False,
    "keyframe_every": 0,
    "analyze_on_close": False,
    "analyze_past_tokens": 0,
    "summarize_past_messages": 0,
    "summarize_past_tokens": 0,
}


class AsyncMemory:
    """mem0's `AsyncMemory`. Opens the database with its first call; `close` closes it, and so does `async with`."""

    def __init__(
        self, url: str | Path | None = None, *, workspace: str = WORKSPACE, settings: Settings | None = None
    ) -> None:
        self._open = partial(_open, url, workspace, settings)
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._lore: Everlore | None = None

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any], **given: Any) -> "AsyncMemory":
        """With the `llm` and the `embedder` of mem0's configuration."""
        return cls(settings=settings_of(config_dict), **given)

    async def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        expiration_date: Any = None,
        memory_type: str | None = None,
    ) -> dict[str, Any]:
        """Learn from messages, with the configured model or by rules alone; with `infer=False`, save them as they are.
        Returns the new memories."""
        if memory_type is not None:
            raise InvalidRequest("Procedural memories are not supported. Leave memory_type out.")
        owners = owners_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, _NEEDS_ID)
        lines, extra = lines_of(messages), extra_of(metadata, expiration_date)
        await self._save_persons(owners)
        results = await (self._learn if infer else self._save)(owners, lines, extra)
        await self._catch_up()
        return {"results": results}

    async def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        show_expired: bool = False,
        **given: Any,
    ) -> dict[str, Any]:
        """The memories that answer the query, best first. The ids stand in `filters`, or are arguments of their own."""
        wanted, top_k = _filters_of(filters, given), _count_of(given.pop("limit", top_k))
        _refuse_unknown(given, _WITHOUT_EFFECT)
        if not str(query).strip():
            raise InvalidRequest("query is empty; give a text.")
        if threshold is not None and not 0 <= threshold <= 1:
            raise InvalidRequest(f"threshold is {threshold}; give a number from 0 to 1.")
        person, *_ = owners_of(metadata_filters.required(wanted), _NEEDS_FILTER).persons
        try:
            found = await (await self._opened()).recall(query, person=person, limit=max(_CANDIDATES, top_k))
        except NotFound:
            return {"results": []}
        hits = [each for each in found.hits if each.score >= (threshold or 0)]
        kept = [each for each in hits if await self._is_shown(each.memory, wanted, show_expired)]
        return {"results": [item_of(each.memory, each.score) for each in kept[:top_k]]}

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """The memory, or None if there is none of that id."""
        found = await self._find(memory_id)
        return item_of(found) if found is not None else None

    async def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **given: Any,
    ) -> dict[str, Any]:
        """All memories that match, latest first."""
        wanted, top_k = _filters_of(filters, given), _count_of(given.pop("limit", top_k))
        _refuse_unknown(given)
        found: list[dict[str, Any]] = []
        async for memory in self._each(owners_of(metadata_filters.required(wanted), _NEEDS_FILTER)):
            if len(found) == top_k:
                break
            if await self._is_shown(memory, wanted, show_expired):
                found.append(item_of(memory))
        return {"results": found}

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = ...,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change the text, the metadata or the date of expiry. `data` is an older name of `text`."""
        text = data if text is None else text
        if text is None and metadata is None and isinstance(expiration_date, EllipsisType):
            raise InvalidRequest("Give at least one of text, metadata and expiration_date.")
        memory = await self._existing(memory_id)
        kept = kept_of(memory) | extra_of(metadata)
        if not isinstance(expiration_date, EllipsisType):
            kept = {**kept, "expiration_date": None} | extra_of(None, expiration_date)
        changes: dict[str, Any] = {"extra": {**memory.extra, KEPT: kept}}
        if text is not None:
            changes["content"] = text
        await (await self._opened()).edit(memory_id, **changes)
        await self._catch_up()
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory for good, with its history."""
        await self._existing(memory_id)
        await (await self._opened()).forget(memory_id)
        return {"message": "Memory deleted successfully!"}

    async def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Delete all memories with these ids for good, and the messages that they were learned from."""
        lore = await self._opened()
        given = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        owners = owners_of(given, f"{_NEEDS_ID} To delete everything, use reset().")
        where = {"user_id": owners.user} if user_id is not None else None
        async for talk in each_of(lore.store, lore.scope, Conversation, where):
            if {*owners.persons} <= {talk.user_id, *talk.system_ids}:
                await lore.conversations.delete(talk.id)
        # Read to the end first: deleting shortens the pages that are read.
        for memory in [each async for each in self._each(owners, tuple(each.value for each in Status))]:
            await lore.forget(memory)
        return {"message": "Memories deleted successfully!"}

    async def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Every text that the memory has had, oldest first. A deleted memory has no history."""
        memory = await self._find(memory_id)
        return history_of(memory, await (await self._opened()).history(memory_id)) if memory is not None else []

    async def reset(self) -> None:
        """Delete everything in the workspace of this `Memory`."""
        await (await self._opened()).forget_workspace()

    async def close(self) -> None:
        self._lore = None
        await self._stack.aclose()

    async def __aenter__(self) -> "AsyncMemory":
        await self._opened()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _opened(self) -> Everlore:
        async with self._opening:
            if self._lore is None:
                self._lore = await self._stack.enter_async_context(self._open())
        return self._lore

    async def _catch_up(self) -> None:
        """Make the vectors of what was saved, as mem0 does before it returns. A job that failed stays in the queue."""
        worker = (await self._opened()).staff.workers[0]
        while await worker.step():
            pass

    # ── saving ───────────────────────────────────────────────────────────────────────────────────

    async def _save_persons(self, owners: Owners) -> None:
        lore = await self._opened()
        known = {each.id for each in await lore.store.get_many(lore.scope, Person, owners.cast)}
        now = lore.resources.clock()
        new = [
            Person(workspace=lore.scope.workspace, id=id, kind=kind, name=name, created_at=now, updated_at=now)
            for id, (kind, name) in owners.cast.items()
            if id not in known
        ]
        if new:
            await lore.store.apply(lore.scope, [Put(each) for each in new])

    async def _save(self, owners: Owners, lines: Sequence[Line], extra: Mapping[str, Any]) -> list[dict[str, Any]]:
        lore, saved = await self._opened(), []
        for line in lines:
            memory = await lore.remember(
                line.content,
                persons=tuple(sorted(owners.cast)),
                force=True,
                origin=Origin.IMPORT,
                extra={KEPT: {**extra, **line.source}},
            )
            saved.append({"id": memory.id, "memory": memory.content, "event": "ADD", "actor_id": None, **line.source})
        return saved

    async def _learn(self, owners: Owners, lines: Sequence[Line], extra: Mapping[str, Any]) -> list[dict[str, Any]]:
        lore = await self._opened()
        speakers = {"user": owners.user, "assistant": owners.others[0]}
        said = [RecordedLine(each.content, speakers[each.role]) for each in lines if each.role in speakers]
        talk = await self._conversation(owners)
        await lore.messages.record(talk, said, learn=True)
        ready = items_of(partial(lore.store.jobs, lore.scope, state=JobState.READY, limit=_PAGE))
        jobs = [job async for job in ready if job.payload.get("conversation_id") == talk]
        learned = await lore.learning.outcome(talk, jobs, lore.finished)
        if extra:
            learned = [await self._marked(each, extra) for each in learned]
        return [
            {"id": each.id, "memory": each.content, "event": "ADD"} for each in learned if each.status is Status.ACTIVE
        ]

    async def _marked(self, memory: Statement, extra: Mapping[str, Any]) -> Statement:
        kept = {**memory.extra, KEPT: dict(extra)}
        return await (await self._opened()).edit(memory.id, extra=kept, edited_by_person=False)

    async def _conversation(self, owners: Owners) -> str:
        lore = await self._opened()
        if not await lore.store.get_many(lore.scope, Conversation, [owners.conversation]):
            await lore.conversations.start(
                owners.others, user=owners.user, id=owners.conversation, config=_READING, greet=False
            )
        return owners.conversation

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    async def _each(
        self, owners: Owners, status: str | tuple[str, ...] = Status.ACTIVE.value
    ) -> AsyncIterator[Statement]:
        """The memories that belong to all of these, latest first."""
        lore, (first, *_) = await self._opened(), owners.persons
        async for memory in items_of(partial(lore.memories.list, persons=first, status=status, limit=_PAGE)):
            if {*owners.persons} <= {*memory.persons}:
                yield memory

    async def _is_shown(self, memory: Statement, filters: Mapping[str, Any], show_expired: bool) -> bool:
        now = (await self._opened()).resources.clock()
        return (show_expired or not is_expired(memory, now)) and metadata_filters.matches(fields_of(memory), filters)

    async def _find(self, memory_id: str) -> Statement | None:
        lore = await self._opened()
        return next(iter(await lore.store.get_many(lore.scope, Statement, [memory_id])), None)

    async def _existing(self, memory_id: str) -> Statement:
        found = await self._find(memory_id)
        if found is None:
            raise MemoryNotFound(f"There is no memory {memory_id!r}.")
        return found


def _open(url: str | Path | None, workspace: str, settings: Settings | None) -> AbstractAsyncContextManager[Everlore]:
    """Without workers: each call does its own work, and nothing is left to do when a program ends."""
    chosen = settings or read_settings()
    alone = chosen.queue.model_copy(update={"workers": 0})
    return everlore.open(url, workspace=workspace, settings=chosen.model_copy(update={"queue": alone}))


def _filters_of(filters: Mapping[str, Any] | None, given: dict[str, Any]) -> dict[str, Any]:
    """With the ids that earlier versions of mem0 took as arguments of their own, which are removed from `given`."""
    ids = {field: given.pop(field) for field in FIELDS if field in given}
    return dict(
        metadata_filters.checked({**(filters or {}), **{k: each for k, each in ids.items() if each is not None}})
    )


def _count_of(top_k: Any) -> int:
    if not isinstance(top_k, int) or isinstance(top_k, bool) or not 0 <= top_k <= MOST_LIMIT:
        raise InvalidRequest(f"top_k is {top_k!r}; give a whole number from 0 to {MOST_LIMIT}.")
    return top_k


def _refuse_unknown(given: Mapping[str, Any], without_effect: frozenset[str] = frozenset()) -> None:
    if unknown := given.keys() - without_effect:
        raise TypeError(f"There is no argument {', '.join(sorted(unknown))}.")
