"""Every filter of a search holds, on both arms and in the coverage (M4, M14)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.conversation import Author
from everlore.domain.memory import Memory, MemoryType, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.revision import revise
from everlore.domain.scope import pair_of
from everlore.store.answers import Coverage
from everlore.store.port import Search, Store
from tests.contract.builders import (
    MODEL,
    OTHER,
    SCOPE,
    SEA,
    axis,
    campaign,
    case,
    close,
    conversation,
    embed,
    event,
    found_ids,
    memory,
    message,
    minute,
    person,
    save,
)

CHAT = {"conversation_id": "chat"}
SCOPED: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    # name: (a record inside, a record outside, the filter)
    "kinds": (memory("in"), event("out"), {"kinds": frozenset({PassageKind.MEMORY})}),
    "person": (
        memory("in", persons=("ada", "bo", "cy")),
        memory("out", persons=("bo",)),
        {"person_id": "cy"},
    ),
    "pair": (
        memory("in", persons=("bo", "ada")),
        memory("out", persons=("ada",)),
        {"pair": pair_of("ada", "bo")},
    ),
    "pair-of-three": (
        memory("in", persons=("ada", "bo")),
        memory("out", persons=("ada", "bo", "cy")),
        {"pair": pair_of("bo", "ada")},
    ),
    "persons": (
        memory("in", persons=("ada",)),
        memory("out", persons=("ada", "bo")),
        {"persons": frozenset({"ada"})},
    ),
    "persons-together": (
        memory("in", persons=("cy", "ada", "bo", "ada")),
        memory("out", persons=("ada", "bo")),
        {"persons": frozenset({"ada", "bo", "cy"})},
    ),
    "persons-none": (memory("in"), memory("out", persons=("ada",)), {"persons": frozenset()}),
    "persons-of-a-pair": (
        memory("in", persons=("bo", "ada")),
        memory("out", persons=("ada", "bo", "cy")),
        {"persons": frozenset({"ada", "bo"})},
    ),
    "besides": (
        memory("in", persons=("ada", "bo", "cy")),
        memory("out", persons=("bo", "ada", "bo")),
        {"besides": frozenset({"ada", "bo"})},
    ),
    "without": (
        memory("in", persons=("ada", "cy")),
        memory("out", persons=("ada", "bo")),
        {"without": frozenset({"bo", "dan"})},
    ),
    "without-nobody": (memory("in", persons=("ada",)), memory("out", status=Status.PENDING), {"without": frozenset()}),
    "besides-nobodys": (memory("in", persons=("ada",)), memory("out"), {"besides": frozenset()}),
    "besides-whatever-kind": (
        event("in", actors=("ada",)),
        event("out", actors=("bo",)),
        {"besides": frozenset({"bo"})},
    ),
    "knower": (memory("in", persons=("ada", "bo")), memory("out", persons=("bo",)), {"knower_id": "ada"}),
    "knower-was-there": (message("in", present=("ada",)), message("out", present=("bo",)), {"knower_id": "ada"}),
    "unknown": (memory("in", persons=("bo",)), memory("out", persons=("ada", "bo")), {"unknown_to": "ada"}),
    "unknown-was-away": (message("in"), message("out", present=("bo", "ada")), {"unknown_to": "ada"}),
    "visibilities": (
        memory("in"),
        memory("out", visibility=Visible.SECRET),
        {"visibilities": frozenset({"normal", "private"})},
    ),
    "private-elsewhere": (
        memory("in", visibility=Visible.PRIVATE, **CHAT),
        memory("out", visibility=Visible.PRIVATE, conversation_id="chat2"),
        {"private_in": "chat"},
    ),
    "private-nowhere": (memory("in"), memory("out", visibility=Visible.PRIVATE), {"private_in": "chat"}),
    "spoilers": (memory("in"), memory("out", is_spoiler=True), {"with_spoilers": False}),
    "conversation": (memory("in", **CHAT), memory("out"), CHAT),
    "other-conversation": (message("in"), message("out", conversation_id="chat2"), CHAT),
    "campaign": (memory("in", campaign_id="quest"), memory("out"), {"campaign_id": "quest"}),
    "types": (
        memory("in", type=MemoryType.GOAL),
        memory("out", type=MemoryType.FACT),
        {"types": frozenset({"GOAL", "SKILL"})},
    ),
    "message-types": (
        message("in", author=Author.NARRATOR),
        message("out", author=Author.USER),
        {"types": frozenset({"narrator"})},
    ),
    "statuses": (
        memory("in", status=Status.REJECTED),
        memory("out"),
        {"statuses": frozenset({"rejected", "pending"})},
    ),
    "since": (memory("in", at=minute(5)), memory("out", at=minute(4.9)), {"since": minute(5)}),
    "until": (memory("in", at=minute(4.9)), memory("out", at=minute(5)), {"until": minute(5)}),
    "happened": (
        memory("in", at=minute(9), valid_from=minute(1)),
        memory("out", at=minute(1), valid_from=minute(9)),
        {"until": minute(5)},
    ),
    "as_of": (memory("in", at=minute(1)), memory("out", at=minute(9)), {"as_of": minute(5)}),
    "valid": (
        memory("in", valid_from=minute(1), valid_to=minute(9)),
        memory("out", valid_to=minute(5)),
        {"as_of": minute(5)},
    ),
    "all-together": (
        memory("in", persons=("ada", "bo"), type=MemoryType.GOAL, campaign_id="quest", **CHAT),
        memory("out", persons=("ada", "bo"), type=MemoryType.GOAL, **CHAT),
        {
            "pair": pair_of("ada", "bo"),
            "person_id": "ada",
            "types": frozenset({"GOAL"}),
            "campaign_id": "quest",
            "since": minute(-1),
            "until": minute(1),
            "as_of": minute(1),
            **CHAT,
        },
    ),
}


@pytest.mark.parametrize("name", SCOPED)
async def test_a_filter_holds_on_both_arms_and_in_the_coverage(store: Store, name: str) -> None:
    """M3, M4, M14: however well it matches, what is outside the scope is not found and not counted."""
    inside, outside, scoping = SCOPED[name]
    people = [person("ada"), person("bo"), person("cy")]
    text = "Somebody lit the lamp."
    inside, outside = replace(inside, content=text), replace(outside, content=text)
    await save(store, *people, campaign(), conversation(), conversation("chat2"), inside, outside)
    await embed(store, {text: axis(0)})
    by_text, by_vector = {"text": "lamp"}, {"vector": axis(0), "model": MODEL}

    for arms in (by_text, by_vector, by_text | by_vector):
        with case(", ".join(arms)):
            found = await store.search(SCOPE, Search(**{**arms, **scoping}))

            assert [hit.record.id for hit in found.hits] == ["in"]
            assert found.coverage == Coverage(1, 1 if "vector" in arms else 0)


async def test_a_pair_is_the_same_whoever_plays_whom(store: Store) -> None:
    """M4."""
    await save(
        store,
        person("ada"),
        person("bo"),
        memory("one", SEA, persons=("ada", "bo")),
        memory("other", SEA, persons=("bo", "ada")),
    )

    for pair in (pair_of("ada", "bo"), pair_of("bo", "ada")):
        assert set(await found_ids(store, Search(text="sea", pair=pair))) == {"one", "other"}


async def test_ids_that_look_like_a_pair_are_not_mixed_up(store: Store) -> None:
    """M4: whatever characters an imported id holds."""
    await save(store, *map(person, ("a", "b|c", "a|b", "c")))
    await save(store, memory("one", SEA, persons=("a", "b|c")), memory("two", SEA, persons=("a|b", "c")))

    assert await found_ids(store, Search(text="sea", pair=pair_of("a", "b|c"))) == ["one"]


async def test_a_memory_that_moved_is_found_in_its_new_scope_only(store: Store) -> None:
    """M3: with the vector it had, for its text is the same."""
    await save(store, person("ada"), person("bo"), memory("m", SEA, persons=("ada",)))
    await embed(store, {SEA: axis(0)})

    await save(store, revise(await store.get(SCOPE, Memory, "m"), minute(1), persons=("bo",)))

    by_meaning = Search(vector=axis(0), model=MODEL, person_id="bo")
    assert await found_ids(store, replace(by_meaning, person_id="ada")) == []
    assert await found_ids(store, by_meaning) == ["m"]


async def test_what_lies_outside_the_scope_does_not_change_a_score(store: Store) -> None:
    """M14: a word weighs by how rare it is within the scope, never by what others hold."""
    await save(store, person("ada"), memory("m", SEA, persons=("ada",)), memory("n", "Ada.", persons=("ada",)))
    ask = Search(text="Ada sea dragon", person_id="ada")
    before = await store.search(SCOPE, ask)

    await save(store, *(memory(f"o{number}", SEA) for number in range(20)))
    await save(store, *(memory(f"o{number}", SEA, workspace="two") for number in range(20)), scope=OTHER)

    after = await store.search(SCOPE, ask)
    assert [hit.record.id for hit in after.hits] == ["m", "n"]
    assert [hit.score for hit in after.hits] == [close(hit.score) for hit in before.hits]
