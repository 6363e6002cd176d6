"""Search is exact: nothing that should be found is missed, whatever was saved and deleted before (M12)."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from everlore.domain.conversation import Message
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.revision import revise
from everlore.domain.words import query_terms, terms_of
from everlore.store.answers import Hit, Parts
from everlore.store.port import Delete, Put, Search, Store, Vector
from everlore.store.scoring import fuse, length_weight, shares
from tests.contract.builders import (
    MODEL,
    SCOPE,
    SEA,
    close,
    conversation,
    embed,
    ids,
    memory,
    message,
    minute,
    person,
    save,
    unit,
)
from tests.soak import seeds

VOCABULARY = [f"{start}{end}" for start in ("bral", "dron", "fisk", "glom", "vank") for end in "oxiaum"]
PEOPLE = ("ada", "bo", "cy")


@dataclass(frozen=True)
class Sample:
    memory: Memory
    vector: Vector | None


def _samples(dice: random.Random, many: int) -> list[Sample]:
    samples = []
    for number in range(many):
        words = dice.choices(VOCABULARY, k=dice.randint(1, 30))
        samples.append(
            Sample(
                memory(
                    f"m{number:03}",
                    # A number of its own keeps the texts apart, so that each gets its own vector.
                    f"{' '.join(words)} n{number}",
                    persons=tuple(dice.sample(PEOPLE, dice.randint(0, 3))),
                    type=dice.choice([MemoryType.FACT, MemoryType.GOAL]),
                    at=minute(dice.randint(0, 9)),
                ),
                unit(number, 16) if dice.random() < 0.8 else None,
            )
        )
    return samples


def _question(dice: random.Random) -> Search:
    by_meaning: dict[str, Any] = {"vector": unit(dice.randint(1000, 2000), 16), "model": MODEL}
    return Search(
        text=" ".join(dice.choices(VOCABULARY, k=dice.randint(0, 6))),
        person_id=dice.choice([None, *PEOPLE]),
        persons=dice.choice([None, None, frozenset(dice.sample(PEOPLE, dice.randint(0, 2)))]),
        types=dice.choice([frozenset(), frozenset({"GOAL"})]),
        since=dice.choice([None, minute(4)]),
        limit=dice.choice([5, 20, 200]),
        pool=200,
        vector_weight=dice.choice([0.2, 0.5, 0.9]),
        **(by_meaning if dice.random() < 0.8 else {}),
    )


def _is_allowed(ask: Search, each: Memory) -> bool:
    return (
        ask.person_id in (None, *each.persons)
        and (ask.persons is None or ask.persons == set(each.persons))
        and (not ask.types or each.type.value in ask.types)
        and (ask.since is None or each.created_at >= ask.since)
    )


def _expected_parts(ask: Search, samples: list[Sample]) -> dict[str, Parts]:
    """By brute force: every sample that is allowed, looked at on its own."""
    allowed = [each for each in samples if _is_allowed(ask, each.memory)]
    terms = query_terms(ask.text)
    held = {each.memory.id: set(terms_of(each.memory.content)) for each in allowed}
    weights = shares(len(allowed), [sum(term in words for words in held.values()) for term in terms])
    parts = {}
    for each in allowed:
        words = held[each.memory.id]
        share = sum(weight for term, weight in zip(terms, weights, strict=True) if term in words)
        text = share * float(length_weight(np.array([len(words)], np.float32))[0]) if share else None
        parts[each.memory.id] = Parts(_cosine(ask, each.vector), text)
    return {id: part for id, part in parts.items() if part != Parts(None, None)}


def _cosine(ask: Search, vector: Vector | None) -> float | None:
    return None if ask.vector is None or vector is None else float(np.dot(ask.vector, vector))


def _is_exact(hits: tuple[Hit, ...], expected: Mapping[str, Parts], ask: Search) -> None:
    scores = {id: fuse(parts, ask.vector_weight) for id, parts in expected.items()}
    best = sorted(scores.values(), reverse=True)[: ask.limit]
    # Scores and not ids are compared in order: rounding may swap two that are as good as equal.
    assert [hit.score for hit in hits] == [close(score) for score in best]
    for hit in hits:
        part = expected[hit.record.id]
        assert hit.score == close(scores[hit.record.id])
        assert hit.parts.text == (None if part.text is None else close(part.text))
        assert hit.parts.vector == (None if part.vector is None else close(part.vector))
    assert len({hit.record.id for hit in hits}) == len(hits)


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_search_is_exact(store: Store, seed: int) -> None:
    """M12: recall is that of looking at everything, whatever the filters leave."""
    dice = random.Random(seed)
    samples = _samples(dice, 150)
    await save(store, *map(person, PEOPLE))
    await save(store, *(each.memory for each in samples))
    await embed(store, {each.memory.content: each.vector for each in samples if each.vector is not None})

    for _ in range(25):
        ask = _question(dice)
        found = await store.search(SCOPE, ask)
        _is_exact(found.hits, _expected_parts(ask, samples), ask)


@pytest.mark.soak
@pytest.mark.parametrize("seed", seeds(2, 20))
async def test_search_stays_exact_through_changes_and_deletions(store: Store, seed: int) -> None:
    """M9, M12: what search keeps in memory follows what is written."""
    dice = random.Random(seed)
    samples = _samples(dice, 80)
    await save(store, *map(person, PEOPLE))
    await save(store, *(each.memory for each in samples))
    await embed(store, {each.memory.content: each.vector for each in samples if each.vector is not None})

    for number in range(40):
        changed = dice.randrange(len(samples))
        sample = samples.pop(changed)
        if dice.random() < 0.5:
            await store.apply(SCOPE, [Delete(Memory, sample.memory.id)])
        else:
            text = f"{' '.join(dice.choices(VOCABULARY, k=5))} x{number}"
            edited = revise(sample.memory, minute(20 + number), content=text)
            await store.apply(SCOPE, [Put(edited)])
            samples.append(Sample(edited, None))
        ask = _question(dice)
        _is_exact((await store.search(SCOPE, ask)).hits, _expected_parts(ask, samples), ask)


async def test_a_message_in_a_hit_has_its_number(store: Store) -> None:
    await save(store, conversation(), message("a", "Nothing."), message("b", SEA))

    [hit] = (await store.search(SCOPE, Search(text="sea"))).hits

    assert hit.record == await store.get(SCOPE, Message, "b")
    assert ids([hit.record]) == ["b"]
