"""Everlore: the one object that every surface holds. Library, server and command line all call this.

Start at `remember`, `recall`, `forget`; `everlore.open` makes one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from everlore.domain.job import Job, JobState
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person, PersonKind
from everlore.domain.records import KINDS
from everlore.domain.revision import Revision, Why, revise
from everlore.domain.scope import Scope, pair_of
from everlore.domain.setting import Setting
from everlore.errors import BadAsk, Misconfigured, ModelMisbehaved, NotFound, StoreUnavailable
from everlore.models.embedder import Embedder
from everlore.models.tokenizer import Tokenizer
from everlore.reflect.embedding import REINDEX, reindex_job
from everlore.settings import Settings
from everlore.store.port import (
    Cleanup,
    Coverage,
    Delete,
    Enqueue,
    Found,
    Page,
    PauseQueue,
    Put,
    QueueState,
    Revive,
    Search,
    Store,
)
from everlore.worker import Worker

log = structlog.get_logger(__name__)

USER_ID = "user"
_INDEX = "index"
# A passage that shares neither a word nor a direction with the question scores nothing.
_RELATED = 1e-6


@dataclass(frozen=True, slots=True)
class Stats:
    """What a workspace holds."""

    workspace: str
    counts: Mapping[str, int]
    coverage: Coverage | None
    embedder: str | None
    queue: QueueState


class Everlore:
    """Talks for one scope; `within` gives the same Everlore for another workspace."""

    def __init__(
        self,
        *,
        scope: Scope,
        settings: Settings,
        store: Store,
        embedder: Embedder | None,
        tokenizer: Tokenizer,
        workers: Sequence[Worker],
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self.scope = scope
        self.settings = settings
        self.store = store
        self.embedder = embedder
        self.tokenizer = tokenizer
        self.characters = Characters(self)
        self._workers = workers
        self._clock = clock
        self._new_id = new_id
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def within(self, workspace: str) -> "Everlore":
        """The same Everlore for another workspace, without workers of its own."""
        return Everlore(
            scope=replace(self.scope, workspace=workspace),
            settings=self.settings,
            store=self.store,
            embedder=self.embedder,
            tokenizer=self.tokenizer,
            workers=self._workers,
            clock=self._clock,
            new_id=self._new_id,
        )

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
        **fields: Any,
    ) -> Memory:
        """Keep a statement for a person, for a pair, or for the user when nobody is named."""
        memory = self._memory(content, await self._persons(person, partner), type, importance, fields)
        (stored,) = await self.store.apply(self.scope, [Put(memory, by=by)])
        return _memory_of(stored)

    async def remember_many(
        self,
        contents: Iterable[str],
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        type: MemoryType | str = MemoryType.FACT,
        importance: int = 5,
        by: str = USER_ID,
        **fields: Any,
    ) -> list[Memory]:
        """Keep many statements at once: all of them, or none."""
        persons = await self._persons(person, partner)
        memories = [self._memory(content, persons, type, importance, fields) for content in contents]
        return await self.store.apply(self.scope, [Put(memory, by=by) for memory in memories])

    async def recall(
        self,
        query: str,
        *,
        person: Person | str | None = None,
        partner: Person | str | None = None,
        conversation: str | None = None,
        campaign: str | None = None,
        types: Iterable[MemoryType | str] = (),
        include: Iterable[PassageKind | str] = (PassageKind.MEMORY,),
        as_of: datetime | None = None,
        min_similarity: float | None = None,
        limit: int = 10,
    ) -> Found:
        """What is known that bears on the query, best first, by meaning and by words."""
        person_id, partner_id = _id(person), _id(partner)
        if partner_id is not None and person_id is None:
            raise BadAsk("A partner was named without a person. Name both, or only the person.")
        await self._check_known(person_id, partner_id)
        model, vector = await self._meaning(query)
        pair = pair_of(person_id, partner_id) if person_id is not None and partner_id is not None else None
        ask = Search(
            text=query,
            vector=vector,
            model=model,
            kinds=frozenset(_one_of(PassageKind, each, "include") for each in include),
            person_id=person_id if pair is None else None,
            pair=pair,
            conversation_id=conversation,
            campaign_id=campaign,
            types=frozenset(_one_of(MemoryType, each, "types").value for each in types),
            as_of=as_of,
            min_similarity=_RELATED if min_similarity is None else min_similarity,
            limit=limit,
            pool=max(self.settings.search.pool, limit),
            vector_weight=self.settings.search.vector_weight,
        )
        return await self.store.search(self.scope, ask)

    async def forget(self, memory: Memory | str) -> None:
        """Delete a memory for good, with its history, its vectors and every mention of it."""
        await self.store.apply(self.scope, [Delete(Memory, memory if isinstance(memory, str) else memory.id)])

    async def edit(
        self, memory_id: str, *, by: str = USER_ID, why: Why = Why.EDIT, note: str = "", **changes: Any
    ) -> Memory:
        """Change a memory; the state before stays in its history."""
        memory = await self.store.get(self.scope, Memory, memory_id)
        known = set(Memory.__dataclass_fields__) - {"workspace", "id", "revision", "created_at", "updated_at"}
        if unknown := set(changes) - known:
            raise BadAsk(f"A memory has no {', '.join(sorted(unknown))} to change. Known: {', '.join(sorted(known))}.")
        changed = revise(memory, self._clock(), **{"edited_by_person": True} | changes)
        (stored,) = await self.store.apply(self.scope, [Put(changed, by=by, why=why, note=note)])
        return _memory_of(stored)

    async def history(self, memory_id: str) -> list[Revision]:
        return await self.store.history(self.scope, memory_id)

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
            "created_at": now,
            "updated_at": now,
        }
        return Memory(workspace=self.scope.workspace, content=content, **given | fields)

    async def _persons(self, person: Person | str | None, partner: Person | str | None) -> tuple[str, ...]:
        named = [id for id in (_id(person), _id(partner)) if id is not None]
        if not named:
            return ((await self.user()).id,)
        return tuple(sorted(set(named)))

    async def _check_known(self, *ids: str | None) -> None:
        wanted = [id for id in ids if id is not None]
        known = {person.id for person in await self.store.get_many(self.scope, Person, wanted)} if wanted else set()
        for id in wanted:
            if id not in known:
                raise NotFound(f"There is no person {id!r} in this workspace. Names are found with characters.named.")

    async def _meaning(self, query: str) -> tuple[str | None, Any]:
        """The query as a vector. Where the embedder fails, words alone must do (R-4)."""
        if self.embedder is None or not query.strip():
            return None, None
        try:
            return self.embedder.name, (await self.embedder.embed([query]))[0]
        except (ModelMisbehaved, Misconfigured) as error:
            log.warning("recall.by_words_alone", embedder=self.embedder.name, error=str(error))
            return self.embedder.name, None

    # ── persons ──────────────────────────────────────────────────────────────────────────────────

    async def user(self) -> Person:
        """The human whose workspace this is; made when first asked for."""
        try:
            return await self.store.get(self.scope, Person, USER_ID)
        except NotFound:
            return await self.characters.create(name="User", id=USER_ID, kind=PersonKind.USER)

    # ── background work ──────────────────────────────────────────────────────────────────────────

    async def start(self) -> None:
        """Bring the index to the configured model, and start the workers that were asked for."""
        await self._follow_model()
        count = self.settings.queue.workers
        self._tasks = [asyncio.create_task(worker.run(self._stop)) for worker in self._workers[:count]]

    async def stop(self) -> None:
        """Let the workers finish what they are at, then close everything."""
        self._stop.set()
        try:
            await asyncio.gather(*self._tasks)
        finally:
            if self.embedder is not None:
                await self.embedder.close()
            await self.store.close()

    async def work(self, stop: asyncio.Event) -> None:
        """Work through the queue until told to stop: what `everlore worker` does."""
        await self._follow_model()
        await asyncio.gather(*(worker.run(stop) for worker in self._workers))

    async def settle(self, timeout_s: float = 60) -> None:
        """Wait until no background work of this workspace is left. Dead letters do not count."""
        deadline = self._clock() + timedelta(seconds=timeout_s)
        while (state := await self.store.queue(self.scope)).pending:
            if state.paused:
                raise BadAsk(f"The queue is paused with {state.pending} jobs waiting. Resume it, then settle.")
            if self._clock() > deadline:
                raise StoreUnavailable(
                    f"After {timeout_s:g} s {state.pending} jobs are still waiting. Look at them with `everlore jobs`, "
                    "or wait longer."
                )
            if self._tasks or not await self._workers[0].step():
                await asyncio.sleep(0.02)

    async def pause(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(True)])

    async def resume(self) -> None:
        await self.store.apply(self.scope, [PauseQueue(False)])

    async def jobs(self, state: JobState | None = None, *, limit: int = 50, cursor: str | None = None) -> Page:
        return await self.store.jobs(self.scope, state=state, limit=limit, cursor=cursor)

    async def retry(self, job_id: str) -> Job:
        """Try a dead letter again."""
        (job,) = await self.store.apply(self.scope, [Revive(job_id, self._clock())])
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
        kept = await self.store.get_many(self.scope, Setting, [_INDEX])
        if only_if_changed and kept and kept[0].value.get("model") == name:
            return False
        now = self._clock()
        setting = Setting(workspace=self.scope.workspace, id=_INDEX, value={"model": name}, updated_at=now)
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
            if self._tasks or not await self._workers[0].step():
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
        found: list[Job] = []
        cursor: str | None = None
        while True:
            page = await self.store.jobs(self.scope, state=state, limit=1000, cursor=cursor)
            found += [job for job in page.items if job.kind == kind]
            cursor = page.cursor
            if cursor is None:
                return found

    async def _refuse_paused(self) -> None:
        if (await self.store.queue(self.scope)).paused:
            raise BadAsk("The queue is paused, so nothing is embedded. Run `everlore jobs resume` first.")

    # ── keeping house ────────────────────────────────────────────────────────────────────────────

    async def stats(self) -> Stats:
        counts = {kind.__name__.lower(): await self.store.count(self.scope, kind) for kind in KINDS}
        coverage = await self.store.coverage(self.scope, self.embedder.name) if self.embedder else None
        return Stats(
            workspace=self.scope.workspace,
            counts=counts,
            coverage=coverage,
            embedder=self.embedder.name if self.embedder else None,
            queue=await self.store.queue(self.scope),
        )

    async def cleanup(self, *, dry_run: bool = False) -> Cleanup:
        """Find what belongs to nobody, and remove it unless it is a dry run (M9)."""
        keys_before = self._clock() - timedelta(days=self.settings.queue.keep_keys_days)
        return await self.store.cleanup(self.scope, dry_run=dry_run, keys_before=keys_before)


class Characters:
    """The persons that can be talked to, and the user."""

    def __init__(self, lore: Everlore) -> None:
        self._lore = lore

    async def create(self, *, name: str, **fields: Any) -> Person:
        if unknown := set(fields) - (set(Person.__dataclass_fields__) - {"workspace"}):
            raise BadAsk(f"A person has no field {', '.join(sorted(unknown))}.")
        lore = self._lore
        now = lore._clock()
        given: dict[str, Any] = {"id": lore._new_id(), "created_at": now, "updated_at": now}
        person = Person(workspace=lore.scope.workspace, name=name, **given | fields)
        (stored,) = await lore.store.apply(lore.scope, [Put(person)])
        assert isinstance(stored, Person)
        return stored

    async def get(self, id: str) -> Person:
        return await self._lore.store.get(self._lore.scope, Person, id)

    async def named(self, name: str) -> Person:
        """The person of that id or name; a name that two persons share is not enough."""
        lore = self._lore
        by_id = await lore.store.get_many(lore.scope, Person, [name])
        if by_id:
            return by_id[0]
        found = (await lore.store.find(lore.scope, Person, {"name": name}, limit=2)).items
        if not found:
            raise NotFound(f"There is nobody called {name!r} in this workspace. Names are case-sensitive.")
        if len(found) > 1:
            raise BadAsk(f"Several persons are called {name!r}. Use an id: {', '.join(each.id for each in found)} …")
        person: Person = found[0]
        return person

    async def list(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        return await self._lore.store.find(self._lore.scope, Person, limit=limit, cursor=cursor)


def _id(person: Person | str | None) -> str | None:
    return person.id if isinstance(person, Person) else person


def _memory_of(stored: Any) -> Memory:
    assert isinstance(stored, Memory)
    return stored


def _one_of(kind: Any, value: Any, name: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(each.value for each in kind)
        raise BadAsk(f"{name} is {value!r}; it must be one of {known}.") from None
