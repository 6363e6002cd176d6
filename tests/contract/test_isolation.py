"""Nothing of another workspace comes back or is changed, by any method and any change (M1, M12).

The cases are not chosen but read from the port: a method without a driver fails here.
"""

import contextlib
import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from everlore.domain.job import Job
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.errors import EverloreError, NotFound
from everlore.store.answers import Coverage
from everlore.store.port import Delete, Embed, Enqueue, Expect, Put, Search, Store
from tests.contract.builders import (
    MODEL,
    OTHER,
    SCOPE,
    TIES,
    axis,
    case,
    filled,
    found_ids,
    ids,
    job,
    memory,
    minute,
    person,
    save,
    snapshot,
    unit,
    world,
)
from tests.contract.drivers import (
    CHANGES,
    METHODS,
    READS,
    UNSCOPED,
    WRITES,
    Driver,
    changes_of_the_port,
    driven_methods,
    inhabit,
    methods_of_the_port,
)


def _workspaces_in(value: Any) -> Iterator[str]:
    """Every workspace that anything in a result belongs to."""
    if dataclasses.is_dataclass(value):
        if hasattr(value, "workspace"):
            yield value.workspace
        for field in dataclasses.fields(value):
            yield from _workspaces_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from _workspaces_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _workspaces_in(each)


def test_every_method_of_the_port_has_a_driver() -> None:
    assert driven_methods() | UNSCOPED == methods_of_the_port()


def test_every_method_that_touches_data_takes_a_scope() -> None:
    without = {
        name
        for name in methods_of_the_port()
        if list(inspect.signature(getattr(Store, name)).parameters)[1:2] != ["scope"]
    }

    assert without == UNSCOPED


def test_every_change_of_the_port_has_a_driver() -> None:
    assert set(CHANGES) == changes_of_the_port()


# What only reads can be asked in one and the same house; whoever writes has one to itself.
ASKED = {"every read": READS, **{name: {name: write} for name, write in WRITES.items()}}


@pytest.mark.parametrize("methods", ASKED.values(), ids=ASKED)
async def test_a_method_neither_shows_nor_changes_another_workspace(store: Store, methods: dict[str, Driver]) -> None:
    """Both workspaces hold the same ids, names and texts."""
    mine, _ = await inhabit(store, SCOPE), await inhabit(store, OTHER)
    before = await snapshot(store, OTHER)

    results = {name: await method(store, SCOPE, mine) for name, method in methods.items()}

    assert {name for name, each in results.items() if set(_workspaces_in(each)) - {"one"}} == set()
    assert await snapshot(store, OTHER) == before


async def test_a_read_is_the_same_whoever_else_lives_here(store: Store) -> None:
    """Not a record, not a count, not a score depends on a neighbour."""
    mine = await inhabit(store, SCOPE)
    alone = {name: await read(store, SCOPE, mine) for name, read in READS.items()}

    await inhabit(store, OTHER)

    for name, read in READS.items():
        with case(name):
            assert await read(store, SCOPE, mine) == alone[name]


@pytest.mark.parametrize("methods", ASKED.values(), ids=ASKED)
async def test_a_method_finds_nothing_in_an_empty_workspace(store: Store, methods: dict[str, Driver]) -> None:
    """Though it is called with ids and handles that exist next door."""
    theirs = await inhabit(store, OTHER)
    before = await snapshot(store, OTHER)

    for name, method in methods.items():
        with case(name), contextlib.suppress(NotFound):
            result = await method(store, SCOPE, theirs)
            assert set(_workspaces_in(result)) <= {"one"}

    assert await snapshot(store, OTHER) == before


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_a_change_stays_in_its_workspace(store: Store, change: type[Any]) -> None:
    """Both workspaces hold the same ids; what happens to mine does not happen to theirs."""
    mine, _ = await inhabit(store, SCOPE), await inhabit(store, OTHER)
    before, mine_before = await snapshot(store, OTHER), await snapshot(store, SCOPE)

    result = await store.apply(SCOPE, [CHANGES[change](SCOPE, mine)])

    assert set(_workspaces_in(result)) <= {"one"}
    assert await snapshot(store, OTHER) == before
    # The key is known already, so that nothing is enqueued, and a condition changes nothing; the others have an effect.
    assert (await snapshot(store, SCOPE) == mine_before) is (change in (Enqueue, Expect))


@pytest.mark.parametrize("inhabited", [False, True], ids=["mine is empty", "mine is the same"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_handles_of_another_workspace_open_nothing_there(
    store: Store, change: type[Any], inhabited: bool
) -> None:
    """Its rows, its running job, its dead letter and its ids, used from mine."""
    theirs = await inhabit(store, OTHER)
    if inhabited:
        await inhabit(store, SCOPE)
    before = await snapshot(store, OTHER)
    result: Any = None

    with contextlib.suppress(EverloreError):
        result = await store.apply(SCOPE, [CHANGES[change](SCOPE, theirs)])

    assert set(_workspaces_in(result)) <= {"one"}
    assert await snapshot(store, OTHER) == before


async def test_the_reads_of_these_tests_have_something_to_show(store: Store) -> None:
    """Or they would prove nothing."""
    mine = await inhabit(store, SCOPE)

    assert (await METHODS["timeline"](store, SCOPE, mine)).items != ()
    assert (await METHODS["find"](store, SCOPE, mine)).items != ()
    assert {hit.record.id for hit in (await METHODS["search of what is known"](store, SCOPE, mine)).hits} == {
        "m",
        "heard",
    }
    assert ids((await METHODS["known"](store, SCOPE, mine)).items) == ["shared", "m", "heard"]
    assert ids(await METHODS["around"](store, SCOPE, mine)) == ["said"]
    assert [each.person_id for each in await METHODS["partners"](store, SCOPE, mine)] == ["bo"]
    assert ("ada", "bo") in {(each.one_id, each.other_id) for each in await METHODS["bonds"](store, SCOPE, mine)}
    assert await METHODS["vectors"](store, SCOPE, mine) == {"m": axis(0).tolist()}


async def test_vectors_cannot_be_given_to_anothers_passages(store: Store) -> None:
    theirs = await inhabit(store, OTHER)
    vectors = _rows_of_vectors(len(theirs.rows))

    await store.apply(SCOPE, [Embed("other-model", theirs.rows, vectors)])

    assert (await store.coverage(OTHER, "other-model")).embedded == 0
    assert await store.coverage(SCOPE, "other-model") == Coverage(0, 0)
    assert (await store.cleanup(SCOPE, dry_run=True, keys_before=minute(0))).orphaned_vectors == 0


def _rows_of_vectors(many: int) -> Any:
    return np.array([unit(number) for number in range(many)])


async def test_no_tie_leads_into_another_workspace(store: Store) -> None:
    """A record next door does not exist here, whatever its id."""
    await save(store, *world("two"), scope=OTHER)
    await save(store, *world())
    parents = dict.fromkeys(tie.parent for tie in TIES)
    await save(store, *(filled(parent, "only-there", "two") for parent in parents), scope=OTHER)

    for tie in TIES:
        record = filled(tie.child, "spy")
        there = ("only-there",) if isinstance(getattr(record, tie.column), tuple) else "only-there"
        with case(f"{tie.child.__name__}.{tie.column}"), pytest.raises(NotFound, match="only-there"):
            await save(store, dataclasses.replace(record, **{tie.column: there}))


async def test_a_key_of_another_workspace_is_free_here(store: Store) -> None:
    """C5."""
    await store.apply(OTHER, [Enqueue(job("theirs", workspace="two", key="k"))])

    [mine] = await store.apply(SCOPE, [Enqueue(job("mine", key="k"))])

    assert isinstance(mine, Job)
    assert (mine.id, mine.workspace) == ("mine", "one")


async def test_lanes_of_the_same_name_do_not_wait_for_each_other(store: Store) -> None:
    """C5."""
    await store.apply(OTHER, [Enqueue(job("theirs", workspace="two", lane="chat"))])
    await store.claim(OTHER, lease="w", now=minute(0), lease_s=30, limit=1)
    await store.apply(SCOPE, [Enqueue(job("mine", lane="chat"))])

    claimed = await store.claim(SCOPE, lease="w", now=minute(0), lease_s=30, limit=1)

    assert [each.id for each in claimed] == ["mine"]


async def test_the_same_words_are_found_in_their_own_workspace_only(store: Store) -> None:
    await save(store, memory("mine", "A lighthouse."))
    await save(store, memory("theirs", "A lighthouse.", workspace="two"), scope=OTHER)

    assert await found_ids(store, "lighthouse") == ["mine"]
    assert await found_ids(store, "lighthouse", scope=OTHER) == ["theirs"]
    assert (await store.search(SCOPE, Search(text="lighthouse"))).coverage == Coverage(1, 0)
    assert await store.coverage(OTHER, MODEL) == Coverage(1, 0)


@pytest.mark.parametrize("name", ["ONE", "one ", "on", "one'--", "one%", "one|two", "öne", "two\u200b"])
async def test_a_workspace_with_a_similar_name_is_another_one(store: Store, name: str) -> None:
    await save(store, person("ada"), memory("m", "A lighthouse.", persons=("ada",)))
    similar = Scope(name)

    assert await found_ids(store, "lighthouse", scope=similar) == []
    assert await store.count(similar, Person) == 0
    with pytest.raises(NotFound, match="'ada'"):
        await store.apply(similar, [Delete(Person, "ada")])
    await store.apply(similar, [Put(person("ada", workspace=name, name="Another"))])
    assert (await store.get(SCOPE, Person, "ada")).name == "Ada"
