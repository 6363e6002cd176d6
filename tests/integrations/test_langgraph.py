"""The LangGraph store keeps LangGraph's contract: the cases are those of the stores of langgraph-checkpoint."""

import asyncio
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)

from everlore.app import Everlore
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.integrations.langgraph import EverloreStore
from everlore.sync import Synchronous


@pytest.fixture
def store(lore: Synchronous) -> EverloreStore:
    return EverloreStore(lore)


def _keys(found: list[SearchItem]) -> list[str]:
    return [each.key for each in found]


# ── put, get, delete ─────────────────────────────────────────────────────────────────────────────


def test_an_item_is_read_back_as_it_was_put(store: EverloreStore) -> None:
    value = {"title": "Käse 🧀", "nested": {"list": [1, None, {"deep": True}]}, "tuple": (1, 2)}

    store.put(("docs", "user_1"), "k", value)

    found = store.get(("docs", "user_1"), "k")
    assert found is not None
    assert (found.key, found.namespace) == ("k", ("docs", "user_1"))
    assert found.value == value | {"tuple": [1, 2]}
    assert store.get(("docs",), "k") is None
    assert store.get(("docs", "user_1"), "other") is None


def test_a_second_put_replaces_the_value_and_keeps_the_time_of_creation(store: EverloreStore) -> None:
    store.put(("docs",), "k", {"text": "old", "more": 1})
    before = store.get(("docs",), "k")

    store.put(("docs",), "k", {"text": "new"})

    after = store.get(("docs",), "k")
    assert before is not None
    assert after is not None
    assert (after.value, after.created_at) == ({"text": "new"}, before.created_at)
    assert after.updated_at > before.updated_at


def test_a_deleted_item_is_gone_and_its_empty_namespace_too(store: EverloreStore, lore: Synchronous) -> None:
    """M9: with every prefix that has nothing below it."""
    store.put(("docs", "anna", "notes"), "k", {"text": "secret"})
    store.put(("docs",), "k", {"text": "open"})

    store.delete(("docs", "anna", "notes"), "k")
    store.delete(("docs", "anna", "notes"), "never there")

    assert store.get(("docs", "anna", "notes"), "k") is None
    assert store.list_namespaces() == [("docs",)]
    names = [each.name for each in lore.characters.list().items if isinstance(each, Person)]
    assert "anna" not in "".join(names)


def test_an_invalid_namespace_and_a_time_to_live_are_refused(store: EverloreStore) -> None:
    for namespace in ((), ("a.b",), ("",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "k", {"v": 1})
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("docs",), "k", {"v": 1}, ttl=5)
    with pytest.raises(NotImplementedError, match="until they are deleted"):
        store.batch([PutOp(("docs",), "k", {"v": 1}, ttl=5.0)])
    assert store.search(()) == []


def test_a_batch_answers_each_operation_in_order(store: EverloreStore) -> None:
    store.put(("test", "foo"), "key1", {"data": "value1"})

    got, put, found, names, missing, deleted, gone = store.batch(
        [
            GetOp(("test", "foo"), "key1"),
            PutOp(("test", "bar"), "key2", {"data": "value2"}),
            SearchOp(("test",), filter={"data": "value2"}),
            ListNamespacesOp(match_conditions=(MatchCondition("suffix", ("bar",)),)),
            GetOp(("test",), "key3"),
            PutOp(("test", "foo"), "key1", None),
            GetOp(("test", "foo"), "key1"),
        ]
    )

    assert isinstance(got, Item)
    assert got.value == {"data": "value1"}
    assert isinstance(found, list)
    assert [each.key for each in found if isinstance(each, Item)] == ["key2"]
    assert names == [("test", "bar")]
    assert (put, missing, deleted, gone) == (None, None, None, None)


# ── search ───────────────────────────────────────────────────────────────────────────────────────


def test_a_prefix_ends_at_a_label(store: EverloreStore) -> None:
    """C4: namespaces keep tenants apart, so user 1 must not read user 12."""
    for namespace in [("u1",), ("u1", "a"), ("u1", "a", "b"), ("u12",), ("u12", "a"), ("u_",), ("u%",)]:
        store.put(namespace, "k", {"text": "boat"})

    for query in (None, "boat"):
        found = {each.namespace for each in store.search(("u1",), query=query, limit=100)}
        assert found == {("u1",), ("u1", "a"), ("u1", "a", "b")}
    assert {each.namespace for each in store.search(("u_",))} == {("u_",)}
    assert store.search(("u",)) == []
    assert len(store.search((), limit=100)) == 7


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kind": "a"}, "13"),
        ({"stars": {"$gt": 1, "$lte": 3}}, "23"),
        ({"stars": {"$gte": 2}, "kind": {"$ne": "b"}}, "3"),
        ({"stars": {"$lt": 2}}, "1"),
        ({"kind": {"$eq": "b"}}, "2"),
        ({"missing": {"$gt": 1}}, ""),
        ({"about": {"id": 3}}, "3"),
    ],
)
def test_filters_compare_values(store: EverloreStore, wanted: dict[str, Any], found: str) -> None:
    for number, kind in ((1, "a"), (2, "b"), (3, "a")):
        store.put(("docs",), str(number), {"kind": kind, "stars": number, "about": {"id": number}})

    assert sorted(_keys(store.search(("docs",), filter=wanted))) == list(found)
    with pytest.raises(ValueError, match=r"\$like"):
        store.search(("docs",), filter={"kind": {"$like": "a"}})


def test_a_query_ranks_what_it_finds(store: EverloreStore, lore: Synchronous) -> None:
    store.put(("docs",), "ropes", {"text": "The boat needs new ropes", "kind": "note"})
    store.put(("docs",), "hidden", {"text": "ropes ropes ropes"}, index=False)
    store.put(("docs",), "title", {"title": "Violin lessons", "text": "ropes"}, index=["title"])
    store.put(("other",), "ropes", {"text": "ropes"})
    lore.settle()

    found = store.search(("docs",), query="new ropes for the boat")

    assert _keys(found)[0] == "ropes"
    assert found[0].score is not None
    assert {each.key: each.score for each in found}["hidden"] is None
    assert _keys(store.search(("docs",), query="violin"))[0] == "title"
    assert _keys(store.search(("docs",), query="ropes", filter={"kind": "note"})) == ["ropes"]


def test_equal_values_are_all_found(store: EverloreStore, lore: Synchronous) -> None:
    """An item is not a statement: what repeats or contradicts another stays."""
    for number in range(5):
        store.put(("homes", str(number)), "k", {"text": "User lives in Oslo" if number else "User lives in Rome"})
    lore.settle()

    assert len(store.search(("homes",), query="User lives in Oslo")) == 5


def test_pages_follow_each_other_without_gaps(store: EverloreStore, lore: Synchronous) -> None:
    for number in range(12):
        store.put(("docs",), str(number), {"text": f"boat {number}"})
    lore.settle()

    for query in (None, "boat"):
        pages = [store.search(("docs",), query=query, limit=5, offset=offset) for offset in (0, 5, 10)]
        assert [len(page) for page in pages] == [5, 5, 2]
        assert {key for page in pages for key in _keys(page)} == {str(number) for number in range(12)}


# ── namespaces ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, 6),
        ({"prefix": ("a", "b")}, 5),
        ({"suffix": ("f",)}, 2),
        ({"prefix": ("a",), "suffix": ("f",)}, 2),
        ({"prefix": ("a", "*", "f")}, 2),
        ({"suffix": ("*", "f")}, 2),
        ({"max_depth": 3}, 4),
        ({"prefix": ("nothing",)}, 0),
        ({"limit": 2, "offset": 5}, 1),
    ],
)
def test_namespaces_are_listed_by_prefix_suffix_and_depth(
    store: EverloreStore, given: dict[str, Any], found: int
) -> None:
    names = ["a b c", "a b d e", "a b d i", "a b f", "a c f", "a b c z"]
    for name in names:
        store.put(tuple(name.split()), "k", {"v": 1})

    assert len(store.list_namespaces(**given)) == found


# ── event loops ──────────────────────────────────────────────────────────────────────────────────


async def test_it_is_awaited_on_the_loop_of_the_library(async_lore: Everlore) -> None:
    store = EverloreStore(async_lore.within("agents"))

    await asyncio.gather(*(store.aput(("docs",), str(number % 3), {"n": number}) for number in range(9)))

    assert len(await store.asearch(("docs",))) == 3
    assert (await async_lore.stats()).counts["memory"] == 0
    with pytest.raises(BadAsk, match="await"):
        store.get(("docs",), "1")


async def test_it_is_used_from_another_thread_and_another_loop(async_lore: Everlore) -> None:
    store = EverloreStore(async_lore)

    await asyncio.to_thread(store.put, ("docs",), "k", {"text": "from a thread"})

    found = await asyncio.to_thread(asyncio.run, store.aget(("docs",), "k"))
    assert found is not None
    assert found.value == {"text": "from a thread"}
