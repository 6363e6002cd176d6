"""Vectors in the background: every passage gets one, and a change of model moves all of them (M12, M14)."""

import random
from collections.abc import Sequence

from everlore.domain.job import EMBED, JobState
from everlore.domain.memory import Memory
from everlore.errors import ModelMisbehaved
from everlore.learning.embedding_jobs import REINDEX, EmbedPassages, ReindexPassages, reindex_job
from everlore.models.embedder import Embedder, Matrix
from everlore.models.hashing import HashingEmbedder
from everlore.settings import QueueSettings
from everlore.store.answers import Coverage
from everlore.store.port import Delete, Enqueue, Put, Search
from everlore.turn.live import Live
from everlore.worker import Handler, Worker
from tests.contract.builders import SCOPE, memory, minute, save
from tests.store_double.store import DoubleStore
from tests.worker.crew import FakeClock

# More than two batches of the handlers.
MANY = 600


class Model:
    """The hashing embedder under a name of its own, which counts its calls and can be told to fail."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls: list[int] = []
        self.fails_at_call: int | None = None
        self._hashing = HashingEmbedder()

    async def embed(self, texts: Sequence[str]) -> Matrix:
        self.calls.append(len(texts))
        if len(self.calls) == self.fails_at_call:
            raise ModelMisbehaved("The endpoint hung up.")
        return await self._hashing.embed(texts)

    async def close(self) -> None:
        """Nothing is held."""


class Mind:
    """A store in memory with a worker that embeds; `learns` another model as a restarted process would."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.clock = FakeClock()
        self.store = DoubleStore(clock=self.clock)
        self.learns(embedder)

    def learns(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        handlers: dict[str, Handler] = {
            EMBED: EmbedPassages(self.store, embedder),
            REINDEX: ReindexPassages(self.store, embedder),
        }
        self._worker = Worker(
            self.store,
            handlers,
            QueueSettings(batch=1),
            name="w",
            clock=self.clock,
            dice=random.Random(1),
            live=Live(),
        )

    async def keeps(self, count: int = MANY) -> None:
        await save(self.store, memory("sea", "Ada fears the sea."))
        await save(self.store, *(memory(f"m{number}", f"Statement number {number}.") for number in range(1, count)))

    async def asks_for_reindex(self) -> None:
        assert self.embedder is not None
        self.clock.pass_time(1)
        await self.store.apply(SCOPE, [Enqueue(reindex_job(SCOPE, self.embedder.name, self.clock()))])

    async def works(self) -> bool:
        """One batch of one job."""
        return await self._worker.step()

    async def settles(self) -> None:
        while await self.works():
            pass

    async def coverage(self, model: str) -> Coverage:
        return await self.store.coverage(SCOPE, model)

    async def finds(self, text: str) -> list[str]:
        """What a search by meaning and words finds, with the model of now."""
        assert self.embedder is not None
        [vector] = await self.embedder.embed([text])
        found = await self.store.search(SCOPE, Search(text=text, vector=vector, model=self.embedder.name))
        return [hit.record.id for hit in found.hits]


# ── embed ────────────────────────────────────────────────────────────────────────────────────────


async def test_whatever_is_kept_gets_its_vector() -> None:
    """M14."""
    mind = Mind(Model("first"))
    await mind.keeps(3)

    await mind.settles()

    assert await mind.coverage("first") == Coverage(passages=3, embedded=3)
    assert (await mind.store.queue(SCOPE)).pending == 0


async def test_embedding_again_changes_nothing_and_asks_the_model_nothing() -> None:
    """C5, M14: however often a job is started."""
    model = Model("first")
    mind = Mind(model)
    await mind.keeps(3)
    [job] = (await mind.store.jobs(SCOPE)).items
    await mind.settles()
    asked = list(model.calls)

    handler = EmbedPassages(mind.store, model)
    assert await handler(SCOPE, [job, job], mind.clock()) == []

    assert model.calls == asked
    assert await mind.coverage("first") == Coverage(3, 3)


async def test_a_model_that_fails_in_the_middle_goes_on_where_it_was() -> None:
    """C5, M14: the first batch is kept, and is not paid for twice."""
    model = Model("first")
    model.fails_at_call = 2
    mind = Mind(model)
    await save(mind.store, *(memory(f"m{number}", f"Statement number {number}.") for number in range(300)))

    await mind.works()
    assert await mind.coverage("first") == Coverage(passages=300, embedded=256)
    [failed] = (await mind.store.jobs(SCOPE)).items
    assert (failed.state, failed.error) == (JobState.READY, "ModelMisbehaved: The endpoint hung up.")

    mind.clock.pass_time(60)
    await mind.settles()

    assert await mind.coverage("first") == Coverage(300, 300)
    assert model.calls == [256, 44, 44]


async def test_what_was_deleted_meanwhile_is_passed_over() -> None:
    """M9, M14."""
    mind = Mind(Model("first"))
    await mind.keeps(3)
    await mind.store.apply(SCOPE, [Delete(Memory, "m1")])

    await mind.settles()

    assert await mind.coverage("first") == Coverage(2, 2)


async def test_what_is_not_embedded_yet_is_found_by_its_words() -> None:
    """M14: findable at once."""
    mind = Mind(Model("first"))

    await mind.keeps(3)

    assert (await mind.finds("sea"))[0] == "sea"
    assert await mind.coverage("first") == Coverage(3, 0)


# ── reindex ──────────────────────────────────────────────────────────────────────────────────────


async def test_another_model_embeds_everything_while_search_goes_on_answering() -> None:
    """M12: at every link of the chain the row is found, and the coverage grows."""
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()

    mind.learns(Model("second"))
    await mind.asks_for_reindex()
    seen = [(await mind.coverage("second")).embedded]
    while await mind.works():
        assert (await mind.finds("what does Ada fear? the sea"))[0] == "sea"
        seen.append((await mind.coverage("second")).embedded)

    assert seen == [0, 256, 512, MANY, MANY]
    assert (await mind.coverage("second")).share == 1


async def test_the_old_vectors_stay_until_the_last_new_one_is_there_and_then_go() -> None:
    """M12."""
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()

    mind.learns(Model("second"))
    await mind.asks_for_reindex()
    while (await mind.coverage("second")).share < 1:
        assert (await mind.coverage("first")).share == 1
        await mind.works()
    await mind.settles()

    assert (await mind.coverage("first")).embedded == 0
    assert (await mind.store.queue(SCOPE)).pending == 0


async def test_a_chain_that_is_interrupted_goes_on_where_it_was() -> None:
    """M12, C5: a process that ends in the middle leaves the next link in the queue."""
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()
    mind.learns(Model("second"))
    await mind.asks_for_reindex()
    await mind.works()

    reborn = Model("second")
    mind.learns(reborn)
    await mind.settles()

    assert reborn.calls == [256, MANY - 512]
    assert (await mind.coverage("second")).share == 1


async def test_a_link_that_fails_is_tried_again_and_loses_nothing() -> None:
    """M12, C5."""
    model = Model("second")
    model.fails_at_call = 2
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()
    mind.learns(model)
    await mind.asks_for_reindex()

    await mind.settles()
    assert (await mind.coverage("second")).embedded == 256
    mind.clock.pass_time(60)
    await mind.settles()

    assert (await mind.coverage("second")).share == 1
    assert (await mind.coverage("first")).embedded == 0


async def test_a_second_change_of_mind_ends_the_first_chain() -> None:
    """M12: the newer chain does it all, and nothing of the others is left."""
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()
    mind.learns(Model("second"))
    await mind.asks_for_reindex()
    await mind.works()
    assert (await mind.coverage("second")).embedded == 256

    mind.learns(Model("third"))
    await mind.asks_for_reindex()
    await mind.settles()

    assert (await mind.coverage("third")).share == 1
    assert (await mind.coverage("second")).embedded == 0
    assert (await mind.coverage("first")).embedded == 0
    assert (await mind.store.queue(SCOPE)).pending == 0


async def test_what_is_said_during_a_reindex_is_embedded_too() -> None:
    """M12, M14."""
    mind = Mind(Model("first"))
    await mind.keeps()
    await mind.settles()
    mind.learns(Model("second"))
    await mind.asks_for_reindex()
    await mind.works()

    await save(mind.store, memory("new", "Ada bought a boat.", at=minute(1)))
    assert "new" in await mind.finds("boat")
    await mind.settles()

    assert await mind.coverage("second") == Coverage(MANY + 1, MANY + 1)


async def test_a_model_may_have_the_longest_name_that_a_vector_can_be_kept_under() -> None:
    """M12: local models are often called by the path of their file."""
    mind = Mind(Model("openai:" + "x" * 293))
    await mind.keeps(3)
    await mind.asks_for_reindex()

    await mind.settles()

    assert await mind.coverage("openai:" + "x" * 293) == Coverage(3, 3)


async def test_nobody_waits_for_a_reindex() -> None:
    """M12: whatever else is asked for goes first."""
    mind = Mind(Model("second"))
    await mind.keeps(2)
    await mind.settles()
    await mind.asks_for_reindex()
    await mind.store.apply(SCOPE, [Put(memory("new", "Ada bought a boat."))])

    await mind.works()

    [left] = (await mind.store.jobs(SCOPE)).items
    assert left.kind == REINDEX
    assert await mind.coverage("second") == Coverage(3, 3)


# ── none ─────────────────────────────────────────────────────────────────────────────────────────


async def test_without_an_embedder_nothing_is_done_and_nothing_is_left_to_do() -> None:
    """M14: full text only."""
    mind = Mind(None)
    await mind.keeps(3)
    await mind.store.apply(SCOPE, [Enqueue(reindex_job(SCOPE, "first", mind.clock()))])

    await mind.settles()

    assert (await mind.store.queue(SCOPE)).pending == 0
    assert (await mind.coverage("first")).embedded == 0
    found = await mind.store.search(SCOPE, Search(text="sea"))
    assert [hit.record.id for hit in found.hits] == ["sea"]
