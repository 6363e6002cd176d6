"""Vectors: which passages wait for one, and what becomes of it when the text changes (M12, M14)."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from everlore.domain.conversation import Author
from everlore.domain.job import JobState
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.revision import revise
from everlore.errors import BadAsk
from everlore.store.answers import Coverage
from everlore.store.port import DropVectors, Embed, Finish, Retry, Search, Store
from tests.contract.builders import (
    HILL,
    MODEL,
    SCOPE,
    SEA,
    axis,
    close,
    conversation,
    embed,
    found_ids,
    memory,
    message,
    minute,
    person,
    save,
)


async def _embed_jobs(store: Store) -> list[Any]:
    return [job for job in (await store.jobs(SCOPE)).items if job.kind == "embed"]


async def _begun(store: Store, lease: str, now: Any) -> list[Any]:
    return await store.claim(SCOPE, lease=lease, now=now, lease_s=30, limit=8)


async def test_new_passages_of_one_list_wait_in_one_job(store: Store, clock: Any) -> None:
    """M14, C5: in the same transaction, so nothing that was acknowledged is forgotten."""
    clock.pass_time(90)

    await save(store, conversation(), memory("a", SEA), message("b", HILL), memory("c", "Cy waits."))

    [job] = await _embed_jobs(store)
    rows = [each.row for each in await store.unembedded(SCOPE, MODEL)]
    assert job.payload == {"after": rows[0] - 1}
    assert (job.workspace, job.lane, job.priority, job.key, job.attempts) == ("one", "", 0, None, 0)
    assert job.run_at == job.created_at == clock.now
    assert len(rows) == 3


async def test_what_is_added_while_a_job_waits_waits_with_it(store: Store, clock: Any) -> None:
    """C5: a turn has one or two lists with passages, and thousands of turns need no thousands of jobs."""
    await save(store, memory("a", SEA))
    await save(store, memory("b", HILL))

    [job] = await _embed_jobs(store)
    assert job.payload["after"] < min(each.row for each in await store.unembedded(SCOPE, MODEL))

    [begun] = await _begun(store, "w", clock.now)
    await save(store, memory("c", "Cy waits."))
    first, second = await _embed_jobs(store)
    assert (first.id, second.state) == (begun.id, JobState.READY)

    await store.apply(SCOPE, [Retry(begun, "The embedder is away.", clock.now, clock.now + timedelta(minutes=10))])
    await save(store, memory("d", "Di waits."))
    await store.apply(SCOPE, [Finish(job, clock.now) for job in await _begun(store, "x", clock.now)])
    await save(store, memory("e", "Eve waits."))

    # What failed comes back when it may; nobody waits for it.
    assert sorted((each.attempts, each.state) for each in await _embed_jobs(store)) == [
        (0, JobState.READY),
        (1, JobState.READY),
    ]


async def test_what_is_not_searched_needs_no_job(store: Store) -> None:
    await save(store, person("ada"), conversation(), message("m", "Hush.", private=True))

    assert await _embed_jobs(store) == []


async def test_a_refused_list_leaves_no_job(store: Store) -> None:
    with pytest.raises(Exception, match="nobody"):
        await save(store, memory("a", SEA), memory("b", persons=("nobody",)))

    assert await _embed_jobs(store) == []


async def test_a_change_that_keeps_the_text_keeps_the_vector(store: Store) -> None:
    """M14: also where the index has a new row for it; nothing is embedded twice."""
    await save(store, memory("m", SEA), conversation(), message("msg", HILL))
    await embed(store, {SEA: axis(0), HILL: axis(1)})
    before = await _embed_jobs(store)

    stored = await store.get(SCOPE, Memory, "m")
    await save(store, revise(stored, minute(1), type=MemoryType.GOAL, importance=9))
    await save(store, message("msg", HILL, author=Author.NARRATOR))

    found = await store.search(SCOPE, Search(vector=axis(0), model=MODEL))
    assert [hit.parts.vector for hit in found.hits] == [close(1), close(0)]
    assert found.coverage == Coverage(2, 2)
    assert await _embed_jobs(store) == before


async def test_a_change_of_the_text_waits_for_a_new_vector(store: Store) -> None:
    """M14: the old vector says nothing about the new text."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})

    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(1), content=HILL))

    [waiting] = await store.unembedded(SCOPE, MODEL)
    jobs = await _embed_jobs(store)
    assert waiting.text == HILL
    assert await found_ids(store, Search(vector=axis(0), model=MODEL)) == []
    assert await found_ids(store, "hills") == ["m"]
    assert [job.payload["after"] < waiting.row for job in jobs] == [True]


async def test_the_past_keeps_its_vectors(store: Store) -> None:
    """M6: what was believed is found by its meaning as well."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0)})
    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(10), content=HILL))

    found = await store.search(SCOPE, Search(vector=axis(0), model=MODEL, as_of=minute(5)))

    assert [hit.record.content for hit in found.hits] == [SEA]  # type: ignore[union-attr]  # a memory
    assert found.coverage == Coverage(1, 1)


async def test_unembedded_passages_come_in_order_and_within_bounds(store: Store) -> None:
    texts = [f"Memory {number}." for number in range(6)]
    await save(store, *(memory(f"m{number}", text) for number, text in enumerate(texts)))

    waiting = await store.unembedded(SCOPE, MODEL)
    rows = [each.row for each in waiting]

    assert [each.text for each in waiting] == texts
    assert rows == sorted(set(rows))
    assert await store.unembedded(SCOPE, MODEL, limit=2) == waiting[:2]
    assert await store.unembedded(SCOPE, MODEL, after=rows[1], limit=2) == waiting[2:4]
    assert await store.unembedded(SCOPE, MODEL, after=rows[-1]) == []


async def test_coverage_and_what_waits_add_up(store: Store) -> None:
    """M14: of the present; what was rewritten before it was embedded is not worth a vector any more."""
    first = memory("m", SEA)
    await save(store, first, memory("n", "Cy waits."))
    await save(store, revise(first, minute(1), content=HILL))
    await embed(store, {HILL: axis(0)})

    coverage = await store.coverage(SCOPE, MODEL)

    assert coverage == Coverage(passages=2, embedded=1)
    assert [each.text for each in await store.unembedded(SCOPE, MODEL)] == ["Cy waits."]
    assert await store.coverage(SCOPE, "another-model") == Coverage(2, 0)


async def test_embedding_again_replaces_the_vector(store: Store) -> None:
    """C5: an embedding job that runs twice does no harm."""
    await save(store, memory("m", SEA))
    [waiting] = await store.unembedded(SCOPE, MODEL)
    await store.apply(SCOPE, [Embed(MODEL, (waiting.row,), axis(0)[None])])

    await store.apply(SCOPE, [Embed(MODEL, (waiting.row,), axis(1)[None])])

    found = await store.search(SCOPE, Search(vector=axis(1), model=MODEL))
    assert [hit.parts.vector for hit in found.hits] == [close(1)]
    assert found.coverage == Coverage(1, 1)


async def test_vectors_of_rows_that_are_gone_are_passed_over(store: Store) -> None:
    """M9: an embedding that comes after its record was deleted is no orphan."""
    await save(store, memory("m", SEA))
    [waiting] = await store.unembedded(SCOPE, MODEL)

    vectors = np.array([axis(1), axis(0)])
    await store.apply(SCOPE, [Embed(MODEL, (waiting.row + 999, waiting.row), vectors)])

    assert await store.coverage(SCOPE, MODEL) == Coverage(1, 1)
    assert (await store.cleanup(SCOPE, dry_run=True, keys_before=minute(0))).orphaned_vectors == 0


async def test_two_models_live_beside_each_other_until_one_is_dropped(store: Store) -> None:
    """M12: search keeps answering while another model takes over, whatever its dimensions."""
    await save(store, memory("m", SEA))
    await embed(store, {SEA: axis(0, 8)}, model="old")
    await embed(store, {SEA: axis(1, 4)}, model="new")
    during = [
        await found_ids(store, Search(vector=axis(0, 8), model="old")),
        await found_ids(store, Search(vector=axis(1, 4), model="new")),
    ]

    await store.apply(SCOPE, [DropVectors(keep_model="new")])

    assert during == [["m"], ["m"]]
    assert await store.coverage(SCOPE, "old") == Coverage(1, 0)
    assert await store.coverage(SCOPE, "new") == Coverage(1, 1)
    assert await found_ids(store, Search(vector=axis(1, 4), model="new")) == ["m"]


async def test_a_vector_of_another_length_is_refused_with_both_lengths(store: Store) -> None:
    """M12: one model, one length."""
    await save(store, memory("m", SEA), memory("n", HILL))
    await embed(store, {SEA: axis(0, 8)})

    with pytest.raises(BadAsk, match=r"(?s)(?=.*\b8\b)(?=.*\b5\b)"):
        await embed(store, {HILL: axis(0, 5)})
    with pytest.raises(BadAsk, match=r"(?s)(?=.*\b8\b)(?=.*\b5\b)"):
        await store.search(SCOPE, Search(vector=axis(0, 5), model=MODEL))

    assert await store.coverage(SCOPE, MODEL) == Coverage(2, 1)
